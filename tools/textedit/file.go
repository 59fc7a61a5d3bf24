// Package textedit computes edits of a text: replacing, inserting, deleting, and adding below a heading, with the
// file's line ends, and the resulting diff.
package textedit

import (
	"sort"
	"strings"
)

// File is a file's content split so that edits use lines and line feeds while all other bytes stay unchanged. The
// view has no byte order mark and only line feeds; edits of the view are applied to the body.
type File struct {
	bom     string // byte order mark, or ""
	body    string // the content after it, as on disk
	View    string // body with "\n" for each "\r\n"
	returns []int  // view offsets of each "\n" that is "\r\n" in body
	LineEnd string // the most frequent line end, or ""
}

const byteOrderMark = "\ufeff"

// NewFile returns a File with these bytes.
func NewFile(data []byte) *File {
	f := &File{body: string(data)}
	if rest, ok := strings.CutPrefix(f.body, byteOrderMark); ok {
		f.bom, f.body = byteOrderMark, rest
	}
	f.View = f.body
	if strings.Contains(f.body, "\r\n") {
		f.View = toLineFeeds(f.body)
		for at := strings.Index(f.body, "\r\n"); at >= 0; {
			f.returns = append(f.returns, at-len(f.returns))
			next := strings.Index(f.body[at+2:], "\r\n")
			if next < 0 {
				break
			}
			at += 2 + next
		}
	}
	switch all := strings.Count(f.View, "\n"); {
	case all == 0:
	case 2*len(f.returns) >= all:
		f.LineEnd = "\r\n"
	default:
		f.LineEnd = "\n"
	}
	return f
}

func toLineFeeds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// lines returns the number of lines. A final line end starts no further line.
func (f *File) lines() int {
	n := strings.Count(f.View, "\n")
	if f.View != "" && !strings.HasSuffix(f.View, "\n") {
		n++
	}
	return n
}

// lineStart returns the view offset of line n, from 1, or the view's length after the last line.
func (f *File) lineStart(n int) int {
	at := 0
	for ; n > 1; n-- {
		end := strings.IndexByte(f.View[at:], '\n')
		if end < 0 {
			return len(f.View)
		}
		at += end + 1
	}
	return at
}

// bodyOffset converts a view offset to a body offset, before rather than inside a carriage return and line feed.
func (f *File) bodyOffset(at int) int { return at + sort.SearchInts(f.returns, at) }

// Splice replaces the view's bytes from start to end by text, which has line feeds only.
type Splice struct {
	Start, End int
	text       string
}

// trim removes from a splice what it would replace by itself, so that it does not touch unchanged bytes, such as
// mixed line ends.
func (f *File) trim(s Splice) Splice {
	for s.Start < s.End && s.text != "" && f.View[s.Start] == s.text[0] {
		s.Start++
		s.text = s.text[1:]
	}
	for s.Start < s.End && s.text != "" && f.View[s.End-1] == s.text[len(s.text)-1] {
		s.End--
		s.text = s.text[:len(s.text)-1]
	}
	return s
}

// Content returns the whole content, including the byte order mark, with the splices applied, which must be sorted
// and not overlap. Their line ends become the file's. It copies a large file once.
func (f *File) Content(splices []Splice) []byte {
	room := len(f.bom) + len(f.body)
	for _, s := range splices {
		room += len(s.text) + strings.Count(s.text, "\n")
	}
	b := append(make([]byte, 0, room), f.bom...)
	last := 0
	for _, s := range splices {
		b = append(b, f.body[last:f.bodyOffset(s.Start)]...)
		text := s.text
		if f.LineEnd == "\r\n" {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		b = append(b, text...)
		last = f.bodyOffset(s.End)
	}
	return append(b, f.body[last:]...)
}

// incoming normalizes text from the model: without the file's byte order mark and with line feeds only. A file without
// line ends adopts those of the text.
func (f *File) incoming(text string) string {
	if f.bom != "" {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	if f.LineEnd == "" && strings.Contains(text, "\r\n") {
		f.LineEnd = "\r\n"
	}
	return toLineFeeds(text)
}
