package retrieval

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/note"
)

// Meta is what a note says about itself.
type Meta struct {
	Title   string // front matter's title, else the first heading of level 1; may be empty
	Aliases []string
	Tags    []string // without "#", as written, front matter and text
	// Properties are those of the front matter but titles, aliases and tags, a value each.
	Properties []Property
}

// maxProperties bounds the properties that are kept of a note.
const maxProperties = 48

// Name is the name a note is known by: its file name without folder and extension.
func Name(notePath string) string {
	base := path.Base(notePath)
	if ext := path.Ext(base); strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown") {
		base = base[:len(base)-len(ext)]
	}
	return base
}

// Property is a value of the front matter.
type Property struct {
	Key   string // lower case
	Value string
	Line  int
}

// properties are those of the front matter, a value each. faulty reports that it cannot be read.
func properties(text []byte) (list []Property, faulty bool) {
	values, err := note.Values(text)
	for _, v := range values {
		p := Property{Key: strings.ToLower(v.Key), Value: strings.TrimSpace(v.Text), Line: v.Line}
		parts := []string{p.Value}
		if isListKey(p.Key) {
			parts = strings.Split(p.Value, ",")
		}
		for _, part := range parts {
			if p.Value = strings.TrimSpace(part); p.Value != "" {
				list = append(list, p)
			}
		}
	}
	return list, err != nil
}

func isListKey(key string) bool { return note.IsTags(key) || note.IsAliases(key) }

func (m *Meta) property(p Property) {
	switch p.Key {
	case "title":
		m.Title = PlainText(p.Value)
	case "alias", "aliases":
		m.Aliases = appendNew(m.Aliases, PlainText(p.Value))
	case "tag", "tags":
		for tag := range strings.FieldsSeq(p.Value) {
			m.Tags = appendNew(m.Tags, strings.TrimPrefix(tag, "#"))
		}
	default:
		if len(m.Properties) < maxProperties && len(p.Value) <= 200 {
			m.Properties = append(m.Properties, p)
		}
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// tagMark matches an inline tag, if it begins a word.
var tagMark = lazyregexp.New(`#[-\w/[:^ascii:]]+`)

// parseMeta reads what a note says about itself. each is called for every line.
func parseMeta(text []byte, each func(Line)) (m Meta) {
	eachLine(text, func(l Line) {
		switch l.Kind {
		case LineBlank, LineCode:
		case LineProperty:
			for _, p := range l.Properties {
				m.property(p)
			}
		case LineHeading:
			if m.Title == "" && l.Level == 1 {
				m.Title = PlainText(string(l.Text))
			}
		default:
			for _, at := range tagMark().FindAllIndex(l.Text, -1) {
				tag := strings.TrimRight(string(l.Text[at[0]+1:at[1]]), "/-")
				if (at[0] == 0 || bytes.IndexByte([]byte(" \t("), l.Text[at[0]-1]) >= 0) && strings.Trim(tag, "0123456789") != "" {
					m.Tags = appendNew(m.Tags, tag)
				}
			}
		}
		each(l)
	})
	return m
}
