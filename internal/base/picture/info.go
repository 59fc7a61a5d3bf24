// Package picture converts a file to what a model can be shown: a picture, small enough and without metadata, or a
// document unchanged.
//
// The kind of a file is determined by its bytes, not its name. The size of a picture is known and bounded before any
// pixel is decoded. The same file always gives the same bytes, so that resent requests are identical.
package picture

import (
	"fmt"
	"strconv"
	"strings"

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
	head := string(data[:min(len(data), 1024)])
	has := func(prefix string) bool { return strings.HasPrefix(head, prefix) }
	at := func(from int, s string) bool { return len(head) >= from+len(s) && head[from:from+len(s)] == s }
	switch {
	case has("\x89PNG\r\n\x1a\n"):
		return "PNG"
	case has("\xff\xd8\xff"):
		return "JPEG"
	case has("GIF87a"), has("GIF89a"):
		return "GIF"
	case has("RIFF") && at(8, "WEBP"):
		return "WebP"
	case has("BM") && at(6, "\x00\x00\x00\x00"):
		return "BMP"
	case has("II*\x00"), has("MM\x00*"):
		return "TIFF"
	case at(4, "ftypavif"), at(4, "ftypavis"):
		return "AVIF"
	case at(4, "ftypheic"), at(4, "ftypheix"), at(4, "ftyphevc"), at(4, "ftypmif1"), at(4, "ftypmsf1"):
		return "HEIC"
	case strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(head, "\ufeff"), " \r\n\t\x00"), "%PDF-"):
		return "PDF"
	}
	return ""
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
