// Package picture makes of a file what a model can be shown of it: a picture, small enough and without what
// a camera wrote beside it, or a document as it is.
//
// It promises that what a file is goes by its bytes and not by its name; that the size of a picture is known
// and bounded before a pixel of it is decoded; and that the same file always becomes the same bytes, so that
// what was sent once is sent again as it was.
package picture

import (
	"fmt"
	"strconv"
	"strings"

	"chatvault/internal/text"
)

// The types that are sent.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	PDF  = "application/pdf"
)

// Info says what a picture or a document is. Its zero value is that of neither.
type Info struct {
	Kind   string `json:"kind"`             // as people know it: "PNG", "PDF"
	Type   string `json:"media_type"`       // of what is sent
	Size   int64  `json:"size"`             // of the file, in bytes
	Width  int    `json:"width,omitempty"`  // of the file, in pixels, upright
	Height int    `json:"height,omitempty"` //
	Pages  int    `json:"pages,omitempty"`  // of a document, as far as that can be told; 0: it cannot
	Tokens int    `json:"tokens"`           // about what it adds to a request
	Hash   string `json:"hash,omitempty"`   // SHA-256 of what is sent, where that is kept
}

// Document says whether it is one, and no picture.
func (i Info) Document() bool { return i.Type == PDF }

// Noun is what one is called: "picture", "PDF".
func (i Info) Noun() string {
	if i.Document() {
		return "PDF"
	}
	return "picture"
}

// String is its kind and how large it is: "PNG, 800 × 600", "PDF, 3 pages".
func (i Info) String() string {
	switch {
	case i.Width > 0:
		return fmt.Sprintf("%s, %d × %d", i.Kind, i.Width, i.Height)
	case i.Pages > 0:
		return i.Kind + ", " + text.Count(i.Pages, "page")
	}
	return i.Kind
}

// About is what it adds to a request, for people: "about 1,400 tokens".
func (i Info) About() string {
	n := i.Tokens
	for unit := 10; unit <= n/10; unit *= 10 { // two digits tell
		n = (n + unit/2) / unit * unit
	}
	return "about " + text.Count(n, "token")
}

// Sniff is the kind of the picture or document that data begins; empty: it is neither. Of some kinds that it
// names none can be shown.
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

// pagesOf counts the pages of a PDF as far as they can be seen in it; 0: they cannot.
func pagesOf(data []byte) int {
	s, pages, most := string(data), 0, 0
	for {
		_, rest, ok := strings.Cut(s, "/Type")
		if !ok {
			break
		}
		s = strings.TrimLeft(rest, " \r\n\t")
		if strings.HasPrefix(s, "/Page") && !strings.HasPrefix(s, "/Pages") {
			pages++
		}
	}
	for s = string(data); ; { // a tree of pages says how many it has
		_, rest, ok := strings.Cut(s, "/Count")
		if !ok {
			return max(pages, most)
		}
		s = strings.TrimLeft(rest, " \r\n\t")
		end := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if n, err := strconv.Atoi(s[:end]); err == nil && n < 100_000 {
			most = max(most, n)
		}
	}
}
