package link

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
	"chatvault/vault/note"
)

// Sections are the headings and blocks of a note, to which the anchors of links lead.
type Sections struct {
	text     []byte
	headings []note.Heading
	keys     []string       // of the headings, see headingKey
	blocks   map[string]int // start of the line with a block ID, by folded ID
}

// blockID matches the ID at the end of a block.
var blockID = lazyregexp.New(`(?:^|[ \t])\^([\pL\pN_-]+)[ \t]*$`)

// NewSections returns the sections of a note.
func NewSections(text []byte) *Sections {
	s := &Sections{text: text, headings: note.Parse(text).Headings, blocks: map[string]int{}}
	for _, h := range s.headings {
		s.keys = append(s.keys, headingKey(h.Text))
	}
	if bytes.IndexByte(text, '^') < 0 {
		return s
	}
	lines := block.New(text)
	for lines.Scan() {
		if lines.Kind != block.Text && lines.Kind != block.Heading {
			continue
		}
		if m := blockID().FindSubmatch(text[lines.Text:lines.End]); m != nil {
			if _, known := s.blocks[key(string(m[1]))]; !known {
				s.blocks[key(string(m[1]))] = lines.Start
			}
		}
	}
	return s
}

// headingKey returns a heading as links compare it: like Obsidian, they ignore case, punctuation and markup.
func headingKey(heading string) string {
	return key(strings.Join(strings.FieldsFunc(heading, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("!\"#$%&()*+,.:;<=>?@^`{|}~/[]\\_", r)
	}), " "))
}

// slug returns the anchor of a heading on GitHub, which other Markdown programs use too.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// find returns the headings that an anchor names, as indexes, outermost first: each is the first of that name in the
// section of the one before. Of a block, it returns the start of its line instead.
func (s *Sections) find(l Link) (chain []int, line int, ok bool) {
	parts := l.Names()
	if len(parts) == 0 {
		return nil, 0, false
	}
	if id, isBlock := strings.CutPrefix(parts[0], "^"); isBlock {
		line, ok = s.blocks[key(id)]
		return nil, line, ok
	}
	for i, h := range s.headings {
		for n := len(chain); n > 0 && h.Level <= s.headings[chain[n-1]].Level; n-- { // its section ends without the rest
			chain = chain[:n-1]
		}
		part := parts[len(chain)]
		if k := headingKey(part); k != "" && k == s.keys[i] || key(part) == key(slug(h.Text)) && (l.Kind.markdown() || l.slugs) {
			if chain = append(chain, i); len(chain) == len(parts) {
				return chain, h.Start, true
			}
		}
	}
	return nil, 0, false
}

// Has reports whether the anchor of a link leads somewhere. Footnotes, the IDs of HTML elements and their "#top" count.
func (s *Sections) Has(l Link) bool {
	parts := l.Names()
	if _, _, ok := s.find(l); ok || len(parts) == 0 || strings.HasPrefix(parts[0], "[^") || parts[0] == "top" && l.Kind.markdown() || l.slugs && strings.Contains(l.Anchor, "*") {
		return true
	}
	return l.Kind.markdown() && regexp.MustCompile(`(?i)(?:\b(?:id|name)\s*=\s*["']?|\{#)`+regexp.QuoteMeta(parts[0])+`["'\s>}]`).Match(s.text)
}

// Line returns the 1-based line that an anchor of a wikilink leads to, or 0 if there is none.
func (s *Sections) Line(anchor string) int {
	_, at, ok := s.find(Link{Anchor: "#" + anchor})
	if !ok {
		return 0
	}
	return 1 + bytes.Count(s.text[:at], []byte("\n"))
}

// Names returns the names in the anchor, decoded.
func (l Link) Names() []string {
	parts := l.rawAnchorParts()
	for i, part := range parts {
		if l.Kind.markdown() {
			parts[i] = percentDecoded(unescaped([]byte(part)))
		}
	}
	return parts
}

// rawAnchorParts returns the names in an anchor, as written.
func (l Link) rawAnchorParts() []string {
	_, names, _ := strings.Cut(l.Anchor, "#") // a query may come before it
	return slices.DeleteFunc(strings.Split(names, "#"), func(part string) bool { return strings.TrimSpace(part) == "" })
}
