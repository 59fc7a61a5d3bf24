// Package picture converts a file to what a model can be shown: a picture, small enough and without metadata, or a
// document unchanged.
//
// The kind of a file is determined by its bytes, not its name. The size of a picture is known and bounded before any
// pixel is decoded. The same file always gives the same bytes, so that resent requests are identical.
package picture

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/gabriel-vasile/mimetype"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// The types that are sent.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	PDF  = "application/pdf"
)

// Info describes a picture or a document. The zero value means neither.
type Info struct {
	Kind   string `json:"kind"`             // for display: "PNG", "PDF"
	Type   string `json:"media_type"`       // of what is sent
	Size   int64  `json:"size"`             // of the file, in bytes
	Width  int    `json:"width,omitempty"`  // of the file, in pixels, upright
	Height int    `json:"height,omitempty"` //
	Pages  int    `json:"pages,omitempty"`  // of a document; zero if unknown
	Tokens int    `json:"tokens"`           // approximate cost in a request
	Hash   string `json:"hash,omitempty"`   // SHA-256 of what is sent, if it is kept
}

// Document reports whether it is a document rather than a picture.
func (i Info) Document() bool { return i.Type == PDF }

// Noun returns "picture" or "PDF".
func (i Info) Noun() string {
	if i.Document() {
		return "PDF"
	}
	return "picture"
}

// String returns the kind and the size: "PNG, 800 × 600", "PDF, 3 pages".
func (i Info) String() string {
	switch {
	case i.Width > 0:
		return fmt.Sprintf("%s, %d × %d", i.Kind, i.Width, i.Height)
	case i.Pages > 0:
		return i.Kind + ", " + text.Count(i.Pages, "page")
	}
	return i.Kind
}

// About describes its cost in a request: "about 1,400 tokens".
func (i Info) About() string {
	n := i.Tokens
	for unit := 10; unit <= n/10; unit *= 10 { // two digits suffice
		n = (n + unit/2) / unit * unit
	}
	return "about " + text.Count(n, "token")
}

// Sniff returns the kind of picture or document at the start of data, or "". It knows kinds that cannot be shown.
func Sniff(data []byte) string {
	head := data[:min(len(data), 1024)]
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \r\n\t\x00"), []byte("%PDF-")) {
		return "PDF"
	}
	return pictures[mimetype.Detect(head).String()]
}

// pictures are the kinds of pictures by media type.
var pictures = map[string]string{
	"image/png": "PNG", "image/vnd.mozilla.apng": "PNG", JPEG: "JPEG", "image/gif": "GIF", "image/webp": "WebP", "image/bmp": "BMP",
	"image/tiff": "TIFF", "image/avif": "AVIF", "image/heic": "HEIC", "image/heif": "HEIC",
}

// pageObject and pageCount match a page of a PDF and the count that a page tree contains.
var (
	pageObject = lazyregexp.New(`/Type\s*/Page(?:[^s]|$)`)
	pageCount  = lazyregexp.New(`/Count\s*(\d{1,5})\b`)
)

// pagesOf counts the pages of a PDF, or returns 0 if that is not possible.
func pagesOf(data []byte) int {
	pages := len(pageObject().FindAllIndex(data, -1))
	for _, m := range pageCount().FindAllSubmatch(data, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		pages = max(pages, n)
	}
	return pages
}
