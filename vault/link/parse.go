package link

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// Parse returns the links of a text, in the order in which they begin. The file's name says what
// it is: a canvas, or a note. It skips code (fenced, indented, inline), comments (%%) and math;
// a canvas that is no valid JSON has no links.
func Parse(name string, text []byte) []Link {
	if bytes.IndexByte(text, '[') < 0 { // a canvas has one, too
		return nil
	}
	if IsCanvas(name) {
		return parseCanvas(text)
	}
	s := scanner{text: text}
	s.links = make([]Link, 0, min(bytes.Count(text, []byte{'['})/2+1, maxExpected))
	begin := bomLength(text)
	if open, end, ok := FrontMatter(text); ok {
		s.properties(open, end)
		begin = lineEnd(text, end)
	}
	s.blocks(begin)
	if len(s.links) == 0 {
		return nil
	}
	return s.inOrder()
}

// maxExpected bounds the links that room is made for beforehand.
const maxExpected = 64

// IsCanvas says whether a file is one of Obsidian's canvases, by its name.
func IsCanvas(name string) bool { return strings.EqualFold(path.Ext(name), ".canvas") }

// FrontMatter is the range of a note's front matter between the lines of dashes; end is where
// the closing line begins. ok is false where there is none.
func FrontMatter(text []byte) (begin, end int, ok bool) {
	at := bomLength(text)
	if !dashes(text, at) {
		return 0, 0, false
	}
	begin = lineEnd(text, at)
	for at = begin; at < len(text); at = lineEnd(text, at) {
		if dashes(text, at) {
			return begin, at, true
		}
	}
	return 0, 0, false
}

// dashes says whether the line at at is "---".
func dashes(text []byte, at int) bool {
	if !bytes.HasPrefix(text[at:], []byte("---")) {
		return false
	}
	for _, c := range text[at+3:] {
		switch c {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

// lineEnd is where the line after the one at at begins.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

func bomLength(text []byte) int {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// scanner finds the links of one text.
type scanner struct {
	text  []byte
	links []Link
	inlineState
}

func (s *scanner) add(l Link) { s.links = append(s.links, l) }

// inOrder are the links, sorted and with the numbers of their lines.
func (s *scanner) inOrder() []Link {
	begins := func(a, b Link) int { return cmp.Compare(a.Whole.Start, b.Whole.Start) }
	if !slices.IsSortedFunc(s.links, begins) { // a link around an image ends after it
		slices.SortStableFunc(s.links, begins)
	}
	line, at := 1, 0
	for i := range s.links {
		l := &s.links[i]
		line += bytes.Count(s.text[at:l.Whole.Start], []byte{'\n'})
		at = l.Whole.Start
		l.Line = line
	}
	return s.links
}
