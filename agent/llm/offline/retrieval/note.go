package retrieval

import (
	"path"
	"slices"
	"strings"

	"chatvault/vault/note"
)

// Meta is what a note says about itself.
type Meta struct {
	Title   string // front matter's title, else the first heading of level 1; may be empty
	Aliases []string
	Tags    []string // without "#", as written, front matter and text
	Dates   []string // ISO dates in the file name and the front matter
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

func isListKey(key string) bool {
	return key == "tags" || key == "tag" || key == "aliases" || key == "alias"
}

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
		for _, d := range isoDates(p.Value) {
			m.Dates = appendNew(m.Dates, d)
		}
	}
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// eachTag calls yield for every inline "#tag" of a line.
func eachTag(text []byte, yield func(string)) {
	for i := 0; i < len(text); i++ {
		if text[i] != '#' || i > 0 && text[i-1] != ' ' && text[i-1] != '\t' && text[i-1] != '(' {
			continue
		}
		j, letters := i+1, false
		for j < len(text) {
			c := text[j]
			if !isASCIIWord(c) && c != '-' && c != '_' && c != '/' && c < 0x80 {
				break
			}
			letters = letters || c < '0' || c > '9'
			j++
		}
		if letters && j > i+1 {
			yield(strings.TrimRight(string(text[i+1:j]), "/-"))
		}
		i = j
	}
}

// isoDates returns the dates written YYYY-MM-DD in s.
func isoDates(s string) []string {
	var out []string
	for i := 0; i+10 <= len(s); i++ {
		if isISODate(s[i:i+10]) && (i == 0 || !isDigit(s[i-1])) && (i+10 == len(s) || !isDigit(s[i+10])) {
			out = append(out, s[i:i+10])
			i += 9
		}
	}
	return out
}

func isISODate(s string) bool {
	for i := range len(s) {
		if i == 4 || i == 7 {
			if s[i] != '-' {
				return false
			}
		} else if !isDigit(s[i]) {
			return false
		}
	}
	return s[5:7] >= "01" && s[5:7] <= "12" && s[8:10] >= "01" && s[8:10] <= "31"
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseMeta reads what a note says about itself. each is called for every line; title says that it is
// the title.
func parseMeta(notePath string, text []byte, each func(l Line, title bool)) Meta {
	m := Meta{Dates: isoDates(Name(notePath))}
	eachLine(text, func(l Line) {
		title := false
		switch l.Kind {
		case LineBlank, LineCode:
		case LineProperty:
			for _, p := range l.Properties {
				m.property(p)
			}
		case LineHeading:
			if title = m.Title == "" && l.Level == 1; title {
				m.Title = PlainText(string(l.Text))
			}
		default:
			eachTag(l.Text, func(tag string) { m.Tags = appendNew(m.Tags, tag) })
		}
		each(l, title)
	})
	return m
}
