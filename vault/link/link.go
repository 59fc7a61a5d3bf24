// Package link finds the links in notes and canvases, resolves them as Obsidian 1.13 does, and rewrites links when
// files are renamed. It works on texts, paths and sets of paths and does no I/O.
//
// A rewrite changes no byte outside of the links that must change. Every function takes time linear in the text.
package link

import (
	"bytes"
	"cmp"
	"slices"

	"chatvault/vault/block"
	"chatvault/vault/note"
)

// Kind is the syntax of a link.
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

// Span is a half-open range of byte offsets in a text.
type Span struct{ Start, End int }

// Link is a link in a text. External links (with a scheme) are not included.
type Link struct {
	Kind  Kind
	Whole Span   // the complete link, including its brackets
	Dest  Span   // the destination as written, without anchor, alias, title and angle brackets
	Line  int    // 1-based line at which Whole begins
	Path  string // the decoded destination: unescaped and, depending on Kind, percent-decoded; "" is the note itself
	// Anchor is the rest of the destination from "#" on, as written: "#Heading", "#One#Two", "#^block". In a URL it
	// includes a query before that: "?raw=true#heading".
	Anchor string
	Alias  string // the display text, as written; "" if none

	quoting  quoting // the kind of string that contains the link
	anchorAt Span    // of Anchor in the text
	slugs    bool    // headings in anchors are in the form of slug, or may be
}

// quoting is the kind of string that contains a link; its escapes apply to the destination.
type quoting uint8

const (
	unquoted     quoting = iota
	inJSON               // a string of a canvas
	doubleQuoted         // in YAML
	singleQuoted         // in YAML
)

// markdown reports whether the destination is a URL, as in Markdown and HTML.
func (k Kind) markdown() bool { return k == Markdown || k == Image || k == Definition || k == HTML }

// Parse returns the links of a text in the order of their beginnings. The name's extension decides between a canvas
// and a note. Code (fenced, indented, inline), comments (%% and <!-- -->) and math are skipped; a canvas with invalid
// JSON has no links.
func Parse(name string, text []byte) []Link {
	if !bytes.ContainsAny(text, "[<") { // a canvas contains a bracket too
		return nil
	}
	if note.IsDrawing(name) {
		return parseCanvas(text)
	}
	s := scanner{text: text}
	lines := block.New(text)
	s.blocks(&lines)
	if len(s.links) == 0 {
		return nil
	}
	return s.sorted()
}

// scanner finds the links of one text.
type scanner struct {
	text  []byte
	links []Link
	inlineState
}

// blocks scans the text: front matter, headings, table rows and definitions, and everything else by paragraph. HTML
// counts as text.
func (s *scanner) blocks(lines *block.Scanner) {
	s.properties(lines.Front())
	paragraph, stop := -1, 0 // the open paragraph's start, and the end of its last line
	next := 0                // where to continue after a definition or a comment
	closeParagraph := func() {
		if paragraph < 0 {
			return
		}
		s.inline(paragraph, stop)
		if paragraph = -1; !s.html || !s.noCommentEnd || s.noComments {
			return
		}
		if i := bytes.Index(s.text[stop:], commentEnd); i >= 0 { // the comment spans several blocks
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
		case l.Kind == block.Text && s.text[l.Text] == '|': // a table row: constructs end within it
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

// sorted returns the links sorted by their beginning, with their line numbers.
func (s *scanner) sorted() []Link {
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
