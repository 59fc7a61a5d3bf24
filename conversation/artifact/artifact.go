// Package artifact keeps files that conversations produce, such as pictures. They are in the state folder of a vault,
// in the folder of their conversation, which refers to one by its name and SHA-256.
//
// An artifact has the media type of its content and a name that is valid on any file system, regardless of what its
// source claimed. A file is whole or absent, whenever the process ended. It is removed with its owner, a conversation.
package artifact

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
)

// Maximum sizes of an artifact and of all artifacts of an owner, in bytes.
const (
	MaxSize  = 16 << 20
	MaxOwned = 256 << 20
)

// Artifact describes an artifact.
type Artifact struct {
	Hash      string `json:"hash"` // SHA-256 of its bytes, in hexadecimal
	Name      string `json:"name"` // of a file, without folder
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"`             // bytes
	Canvas    bool   `json:"canvas,omitempty"` // a front-end can draw it: a picture, a page, a document, a text
	File      string `json:"-"`                // path of the read-only file; empty if unknown
}

// Errors of Describe and Put; they may be wrapped.
var (
	ErrEmpty    = errors.New("it is empty")
	ErrTooLarge = errors.New("it is too large")
)

// Describe returns the description of data. name is its original name, which may be anything.
func Describe(name string, data []byte) (Artifact, error) {
	kind := mimetype.Detect(data)
	a := Artifact{
		Hash: hashOf(data), Name: fileName(name, kind), MediaType: bare(kind.String()), Size: int64(len(data)),
		Canvas: strings.HasPrefix(kind.String(), "image/") || kind.Is("application/pdf") || isText(kind),
	}
	switch {
	case len(data) == 0:
		return a, ErrEmpty
	case len(data) > MaxSize:
		return a, fmt.Errorf("%w: %s; at most %d MB are kept", ErrTooLarge, text.Count(len(data), "byte"), MaxSize>>20)
	}
	return a, nil
}

// bare returns a media type without parameters.
func bare(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return strings.TrimSpace(mediaType)
}

const maxStem = 60 // characters

// fileName returns a safe name with an extension that fits the content.
func fileName(name string, kind *mimetype.MIME) string {
	name = strings.TrimLeft(path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")), ". ")
	ending := path.Ext(name)
	unnamed := "file"
	if strings.HasPrefix(kind.String(), "image/") {
		unnamed = "picture"
	}
	stem := cmp.Or(pathname.Portable(strings.TrimSuffix(name, ending), maxStem), unnamed)
	if !fits(ending, kind) {
		ending = cmp.Or(kind.Extension(), ".bin")
	}
	return stem + ending
}

// plainEnding matches an extension that any system takes.
var plainEnding = lazyregexp.New(`^\.[A-Za-z0-9]{1,11}$`)

// fits reports whether an extension fits a kind of content. Unknown extensions fit.
func fits(ending string, kind *mimetype.MIME) bool {
	claimed := bare(mime.TypeByExtension(strings.ToLower(ending)))
	switch {
	case !plainEnding().MatchString(ending):
		return false
	case claimed == "" || kind.Is(claimed) || strings.EqualFold(ending, kind.Extension()):
		return true
	}
	known := mimetype.Lookup(claimed)
	return isText(kind) && (known == nil || isText(known))
}

func isText(kind *mimetype.MIME) bool {
	for ; kind != nil; kind = kind.Parent() {
		if kind.Is("text/plain") {
			return true
		}
	}
	return false
}

// Is reports whether data is the content of the artifact.
func (a Artifact) Is(data []byte) bool { return a.Hash == hashOf(data) }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// MaxThings is the maximum number of artifacts of a result or an answer.
const MaxThings = 16

// Thing is content to be stored, with its original name.
type Thing struct {
	Name string
	Data []byte
}
