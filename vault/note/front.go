package note

import (
	"bytes"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/block"
)

// readFront reads the tags and aliases in the front matter.
func (p *parser) readFront() {
	properties, err := p.form.Properties(p.text)
	p.note.Front.Err = err
	name := func(element string) string { return strings.TrimPrefix(element, "#") }
	if p.note.Front.Lines == 0 { // of a page: tags with "#" are found in the text
		name = func(element string) string { return strings.TrimSuffix(strings.TrimPrefix(element, "[["), "]]") }
	}
	for _, property := range properties {
		switch {
		case IsTags(property.Key):
			for _, tag := range Listed(property.Value, tagSeparators) {
				if tag = strings.TrimRight(name(tag), "/"); IsTag(tag) {
					p.note.Tags = append(p.note.Tags, Tag{Name: tag, Line: property.Line})
				}
			}
		case IsAliases(property.Key):
			p.note.Aliases = append(p.note.Aliases, Listed(property.Value, ",")...)
		}
	}
}

// Listed returns the texts of a property that is a list, or the parts of a text between separators.
func Listed(value any, separators string) []string {
	var list []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			add(scalarText(v))
		}
	case string:
		for _, s := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			add(s)
		}
	default:
		add(scalarText(value))
	}
	return list
}

// frontSpan returns the range of the front matter.
func frontSpan(text []byte) Front {
	start, end, body := block.FrontMatter(text)
	if body == end {
		return Front{}
	}
	return Front{Start: start, End: end, Lines: 2 + bytes.Count(text[start:end], []byte("\n"))}
}

// Some text is replaced by characters of Unicode's private use area, as many as before, while the parser reads it.
// Placeholders of templates are valid as values: "created: {{date}}" would be a map with a map as a key. And three
// characters would be line breaks, as in YAML 1.1.
const (
	hiddenOpen  = "\ue000\ue000"
	hiddenClose = "\ue001\ue001"
)

var (
	placeholder = lazyregexp.New(`\{\{([^{}\r\n]*)\}\}`)
	hideBreaks  = strings.NewReplacer("\u0085", "\ue002", "\u2028", "\ue003", "\u2029", "\ue004")
	showHidden  = strings.NewReplacer(hiddenOpen, "{{", hiddenClose, "}}", "\ue002", "\u0085", "\ue003", "\u2028", "\ue004", "\u2029")
)

// maskPlaceholders returns the content for the parser, and whether anything was replaced.
func maskPlaceholders(content []byte) (text string, hides bool) {
	text = string(content)
	if !bytes.Contains(content, []byte("{{")) && !bytes.ContainsAny(content, "\u0085\u2028\u2029") || bytes.ContainsAny(content, "\ue000\ue001\ue002\ue003\ue004") {
		return text, false
	}
	return hideBreaks.Replace(placeholder().ReplaceAllString(text, hiddenOpen+"${1}"+hiddenClose)), true
}

// unmask reverses the replacement in a text from the parser.
func (f *frontMatter) unmask(s string) string {
	if f.masked {
		s = showHidden.Replace(s)
	}
	return s
}
