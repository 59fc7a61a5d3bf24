// Package link finds the links in notes and canvases, says which file each of them names the way
// Obsidian 1.13 does, and words a link anew when its file gets another name. It works on plain
// values: texts, paths and sets of paths; it opens nothing.
//
// It promises that what it rewrites differs from what was there in the destinations it was asked
// to change, and in no other byte; and that no text takes it more than linear time.
package link

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"chatvault/vault/block"
)

// Kind is how a link is written.
type Kind int

// The kinds of links.
const (
	Wiki       Kind = iota // [[Note#Heading|alias]]
	Embed                  // ![[image.png|100]]
	Markdown               // [text](path.md "title")
	Image                  // ![alt](path.png)
	Definition             // [label]: path.md
	HTML                   // <img src="path.png">, <a href="path.md">
	Property               // a wikilink in front matter
	Canvas                 // "file" of a node in a .canvas file, "background" of a group
)

// Span is a half-open range of bytes of a text.
type Span struct{ Start, End int }

// Link is a link as it stands in a text. External links (with a scheme) are none.
type Link struct {
	Kind  Kind
	Whole Span   // the link, brackets and all
	Dest  Span   // the destination as written, without anchor, alias, title and angle brackets
	Line  int    // 1-based, where Whole begins
	Path  string // the destination as meant: percent-decoded where its kind says so, escapes taken away; "": the note itself
	// Anchor is what follows the path from "#" on, as written: "#Heading", "#One#Two", "#^block". In a
	// URL a query comes before that: "?raw=true#heading".
	Anchor string
	Alias  string // what stands for the link, as written; "": nothing

	quoting quoting // what the link stands in
}

// quoting is the kind of string a link stands in, whose escapes its destination has to keep to.
type quoting uint8

const (
	unquoted     quoting = iota
	inJSON               // a string of a canvas
	doubleQuoted         // of YAML
	singleQuoted         // of YAML
)

// markdown reports whether the destination is a URL, as in Markdown and HTML.
func (k Kind) markdown() bool { return k == Markdown || k == Image || k == Definition || k == HTML }

// Parse returns the links of a text, in the order in which they begin. The file's name says what
// it is: a canvas, or a note. It skips code (fenced, indented, inline), comments (%% and <!-- -->) and
// math; a canvas that is no valid JSON has no links.
func Parse(name string, text []byte) []Link {
	if !bytes.ContainsAny(text, "[<") { // a canvas has a bracket, too
		return nil
	}
	if IsCanvas(name) {
		return parseCanvas(text)
	}
	s := scanner{text: text}
	s.links = make([]Link, 0, min(bytes.Count(text, []byte{'['})/2+1, maxExpected))
	lines := block.New(text)
	s.blocks(&lines)
	if len(s.links) == 0 {
		return nil
	}
	return s.inOrder()
}

// maxExpected bounds the links that room is made for beforehand.
const maxExpected = 64

// IsCanvas says whether a file is one of Obsidian's canvases, by its name.
func IsCanvas(name string) bool { return strings.EqualFold(path.Ext(name), ".canvas") }

// scanner finds the links of one text.
type scanner struct {
	text  []byte
	links []Link
	inlineState
}

// blocks goes through the text: the front matter, headings, rows of tables, definitions, and
// otherwise paragraph by paragraph. HTML counts as text.
func (s *scanner) blocks(lines *block.Scanner) {
	s.properties(lines.Front())
	paragraph, stop := -1, 0 // where the open one begins, and where its last line ends
	next := 0                // where to go on behind a definition or a comment
	closeParagraph := func() {
		if paragraph < 0 {
			return
		}
		s.inline(paragraph, stop)
		if paragraph = -1; !s.html || !s.noCommentEnd || s.noComments {
			return
		}
		if i := bytes.Index(s.text[stop:], commentEnd); i >= 0 { // the comment goes over blocks
			next = stop + i + len(commentEnd)
		} else if s.noComments = true; lines.Open() == block.HTML {
			next = len(s.text)
		}
	}
	for lines.Scan() {
		l := &lines.Line
		if l.Kind != block.Text && l.Kind != block.HTML || !l.Continues || l.Text == l.End {
			closeParagraph()
		}
		if l.Start < next && l.End <= next {
			continue
		}
		l.Text = max(l.Text, min(next, l.End))
		switch {
		case l.Kind == block.Heading:
			s.inline(l.Text, l.End)
			continue
		case l.Kind != block.Text && l.Kind != block.HTML || l.Text == l.End:
			continue
		case l.Kind == block.Text && s.text[l.Text] == '|': // a row of a table: what opens in it ends in it
			closeParagraph()
			s.inline(l.Text, l.End)
			continue
		case paragraph >= 0:
		case l.Kind == block.Text && s.text[l.Text] == '[':
			var ok bool
			if next, ok = s.definition(l.Text, l.End); ok {
				continue
			}
			fallthrough
		default:
			paragraph, s.html = l.Text, l.Kind == block.HTML
		}
		stop = l.Next
	}
	closeParagraph()
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
