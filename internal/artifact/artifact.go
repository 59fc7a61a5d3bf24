// Package artifact keeps the things that conversations bring beside words: a picture, a file, a large
// table. They are files in a vault's state folder, in the folder of the conversation that brought them;
// what a conversation says of one is its name and its SHA-256.
//
// It promises that an artifact's type is what its bytes are and its name is fit for any file system,
// whatever was claimed; that what is read back is what was kept, byte for byte; that a file is whole or
// not there, wherever the process ended; and that it goes with its owner.
//
// An owner is a conversation by its id, or whatever else has an id and an end:
//
//	a, err := store.Put(conversation, "scan.png", data)
//	data, err = store.Read(a.Hash)
//	err = store.Forget(conversation)
package artifact

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"chatvault/internal/text"
	"chatvault/vault/pathname"
)

// MaxSize bounds an artifact, and MaxOwned what an owner may have, in bytes.
const (
	MaxSize  = 16 << 20
	MaxOwned = 256 << 20
)

// Artifact is one by name.
type Artifact struct {
	Hash      string `json:"hash"` // SHA-256 of its bytes, in hexadecimal
	Name      string `json:"name"` // of a file, without folder
	MediaType string `json:"media_type"`
	Size      int64  `json:"size"` // bytes
	File      string `json:"-"`    // where they are, as far as that is known: not to be changed
}

// Errors of what cannot be one; those that wrap them say more.
var (
	ErrEmpty    = errors.New("it is empty")
	ErrTooLarge = errors.New("it is too large")
)

// Describe names what data is; name is what it was called where it came from, and may be anything.
func Describe(name string, data []byte) (Artifact, error) {
	kind := mimetype.Detect(data)
	sum := sha256.Sum256(data)
	a := Artifact{
		Hash: hex.EncodeToString(sum[:]), Name: fileName(name, kind), MediaType: bare(kind.String()), Size: int64(len(data)),
	}
	switch {
	case len(data) == 0:
		return a, ErrEmpty
	case len(data) > MaxSize:
		return a, fmt.Errorf("%w: %s; at most %d MB are kept", ErrTooLarge, text.Count(len(data), "byte"), MaxSize>>20)
	}
	return a, nil
}

// bare is a media type without parameters.
func bare(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return strings.TrimSpace(mediaType)
}

const maxStem = 60 // characters

// fileName makes a name safe, and its ending one that does not belie the content.
func fileName(name string, kind *mimetype.MIME) string {
	name = strings.TrimSpace(name)
	name = path.Base(strings.ReplaceAll(name[max(0, len(name)-1024):], `\`, "/"))
	name = strings.TrimLeft(name, ". ")
	ending := path.Ext(name)
	if strings.Trim(ending, "."+alphanumeric) != "" || len(ending) < 2 || len(ending) > 12 {
		ending = ""
	}
	stem := cmp.Or(pathname.Portable(strings.TrimSuffix(name, ending), maxStem), noun(kind))
	if !fits(ending, kind) {
		if ending != "" {
			stem += "_" + ending[1:]
		}
		ending = cmp.Or(kind.Extension(), ".bin")
	}
	return stem + ending
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// noun is what something without a name is called.
func noun(kind *mimetype.MIME) string {
	switch family, _, _ := strings.Cut(kind.String(), "/"); family {
	case "image":
		return "picture"
	case "audio":
		return "sound"
	case "video":
		return family
	}
	return "file"
}

// fits says whether the ending of a name may stand for content of a kind. Of an ending that nothing is
// known of, that cannot be said, and it stays.
func fits(ending string, kind *mimetype.MIME) bool {
	claimed := bare(mime.TypeByExtension(strings.ToLower(ending)))
	switch {
	case ending == "":
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

// Is says whether data is what the artifact names.
func (a Artifact) Is(data []byte) bool {
	sum := sha256.Sum256(data)
	want, err := hex.DecodeString(a.Hash)
	return err == nil && bytes.Equal(sum[:], want)
}

// MaxThings bounds how many a result or an answer brings.
const MaxThings = 16

// Thing is something that is to be one: bytes, and what they were called where they came from.
type Thing struct {
	Name string
	Data []byte
}
