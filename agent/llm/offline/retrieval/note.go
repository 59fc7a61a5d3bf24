package retrieval

import (
	"path"
	"slices"
	"strings"
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

// propertyReader puts the lines of front matter together into properties. It reads the
// subset of YAML that notes use: "key: value", "key: [a, b]", and lists of "- item".
type propertyReader struct{ key string }

func (p *propertyReader) line(raw string) []Property {
	trimmed := strings.TrimSpace(raw)
	if trimmed == "" || strings.HasPrefix(trimmed, "#") {
		return nil
	}
	if item, ok := strings.CutPrefix(trimmed, "- "); ok {
		return p.values(item)
	}
	key, value, ok := strings.Cut(trimmed, ":")
	if !ok || strings.HasPrefix(raw, " ") && p.key == "" {
		return nil
	}
	p.key = strings.ToLower(strings.TrimSpace(key))
	return p.values(value)
}

func (p *propertyReader) values(value string) []Property {
	value = strings.TrimSpace(value)
	if value == "" || p.key == "" || value == "|" || value == ">" {
		return nil
	}
	parts := []string{value}
	if strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]") && !strings.HasPrefix(value, "[[") {
		parts = strings.Split(value[1:len(value)-1], ",")
	} else if isListKey(p.key) {
		parts = strings.Split(unquote(value), ",")
	}
	var out []Property
	for _, part := range parts {
		if v := unquote(part); v != "" {
			out = append(out, Property{Key: p.key, Value: v})
		}
	}
	return out
}

func isListKey(key string) bool {
	return key == "tags" || key == "tag" || key == "aliases" || key == "alias"
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	return strings.TrimSpace(s)
}

func (m *Meta) property(p Property, line int) {
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
		if p.Line = line; len(m.Properties) < maxProperties && len(p.Value) <= 200 {
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

// parseMeta reads what a note says about itself. each is called for every line, with its properties;
// title says that the line is the title.
func parseMeta(notePath string, text []byte, each func(l Line, props []Property, title bool)) Meta {
	m := Meta{Dates: isoDates(Name(notePath))}
	var props propertyReader
	eachLine(text, func(l Line) {
		var list []Property
		title := false
		switch l.Kind {
		case LineBlank, LineCode:
		case LineProperty:
			list = props.line(string(l.Text))
			for _, p := range list {
				m.property(p, l.Number)
			}
		case LineHeading:
			if title = m.Title == "" && l.Level == 1; title {
				m.Title = PlainText(string(l.Text))
			}
		default:
			eachTag(l.Text, func(tag string) { m.Tags = appendNew(m.Tags, tag) })
		}
		each(l, list, title)
	})
	return m
}
