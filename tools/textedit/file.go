// Package textedit works out edits of a text: what is replaced, inserted, deleted or added below a heading,
// with the line ends the file has, and the diff that tells of it.
package textedit

import (
	"sort"
	"strings"
)

// File is a file's content taken apart so that an edit can speak of lines and "\n"
// while every byte it does not mean stays as it was: the view has no byte order mark
// and only "\n" line ends, and edits of the view are carried over to the body.
type File struct {
	bom     string // the byte order mark, or ""
	body    string // the content after it, as on disk
	View    string // body with each "\r\n" as "\n"
	returns []int  // offsets in view of each "\n" that is "\r\n" in body
	LineEnd string // the line end most lines have; "" where there is none
}

const byteOrderMark = "\ufeff"

// NewFile is a file with these bytes.
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

// lines is how many lines the file has; a final line end begins no further one.
func (f *File) lines() int {
	n := strings.Count(f.View, "\n")
	if f.View != "" && !strings.HasSuffix(f.View, "\n") {
		n++
	}
	return n
}

// lineStart is the view's offset of line n, from 1; past the last line, its length.
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

// bodyOffset is where the view's offset at lies in the body; before a "\r\n", not
// between its two bytes.
func (f *File) bodyOffset(at int) int { return at + sort.SearchInts(f.returns, at) }

// Splice replaces the view's bytes from start to end with text, whose line ends are "\n".
type Splice struct {
	Start, End int
	text       string
}

// trim takes from a splice what it would replace with itself, so that it touches
// nothing it does not change, such as the line ends of a file that mixes them.
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

// Content is the whole content, byte order mark included, after the splices, which are in order and do not overlap.
// Their line ends are written as the file's own. A large file is copied once.
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

// applyView is Content for the view.
func (f *File) applyView(splices []Splice) string {
	var b strings.Builder
	from := 0
	for _, s := range splices {
		b.WriteString(f.View[from:s.Start])
		b.WriteString(s.text)
		from = s.End
	}
	b.WriteString(f.View[from:])
	return b.String()
}

// incoming is text from the model as a splice wants it: without the file's byte order
// mark and with "\n". A file without any line end takes on those of the text.
func (f *File) incoming(text string) string {
	if f.bom != "" {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	if f.LineEnd == "" && strings.Contains(text, "\r\n") {
		f.LineEnd = "\r\n"
	}
	return toLineFeeds(text)
}
