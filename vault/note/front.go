package note

import (
	"bytes"
	"strings"

	"chatvault/vault/block"
)

// readFront reads what the front matter says of tags and aliases.
func (p *parser) readFront() {
	properties, err := propertiesOf(p.text, p.note.Front)
	p.note.Front.Err = err
	for _, property := range properties {
		switch strings.ToLower(property.Key) {
		case "tags", "tag":
			for _, name := range listed(property.Value, ", \t\r\n") {
				if name = strings.TrimRight(strings.TrimPrefix(name, "#"), "/"); IsTag(name) {
					p.note.Tags = append(p.note.Tags, Tag{Name: name, Line: property.Line})
				}
			}
		case "aliases", "alias":
			p.note.Aliases = append(p.note.Aliases, listed(property.Value, ",")...)
		}
	}
}

// listed are the texts of a property that is a list, or a text in which one of the separators
// stands between them.
func listed(value any, separators string) []string {
	var list []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			switch v := v.(type) {
			case nil, []any, []Property:
			case string:
				add(v)
			default:
				add(scalarText(v))
			}
		}
	case []Property, nil:
	case string:
		for _, s := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			add(s)
		}
	default:
		add(scalarText(value))
	}
	return list
}

// simpleFront reads front matter that takes no parser to be sure of: most is. ok is false where
// it does.
func simpleFront(text []byte, front Front) (properties []Property, ok bool) {
	if front.End-front.Start > maxFront {
		return nil, false
	}
	entries, ok := scanEntries(text, front.Start, front.End)
	if !ok {
		return nil, false
	}
	properties = make([]Property, len(entries))
	seen := make(map[string]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		value, ok := e.simple(text)
		if !ok || seen[e.key] {
			return nil, false
		}
		seen[e.key] = true
		properties[i] = Property{Key: e.key, Value: value, Line: e.line + 1}
	}
	return properties, true
}

// byteOrderMark may precede everything in a text.
var byteOrderMark = []byte("\ufeff")

// frontSpan finds the front matter.
func frontSpan(text []byte) Front {
	start, end, body := block.FrontMatter(text)
	if body == end {
		return Front{}
	}
	return Front{Start: start, End: end, Lines: 2 + bytes.Count(text[start:end], []byte("\n"))}
}

// Templates have placeholders where values will stand: "created: {{date}}". YAML takes these for
// maps with maps for keys, which nobody means, and the parser for errors. It is shown other
// characters in their place, of Unicode's private use area, and never two lines.
const (
	placeholderOpen  = "\ue000"
	placeholderClose = "\ue001"
)

// hidePlaceholders is the content with the braces of placeholders replaced; the content itself
// where it has none.
func hidePlaceholders(content []byte) []byte {
	at := bytes.Index(content, []byte("{{"))
	if at < 0 || bytes.Contains(content, []byte(placeholderOpen)) || bytes.Contains(content, []byte(placeholderClose)) {
		return content
	}
	out := make([]byte, 0, len(content)+16)
	for at >= 0 {
		out = append(out, content[:at]...)
		content = content[at:]
		end := bytes.IndexAny(content[2:], "{}\r\n")
		if end >= 0 && bytes.HasPrefix(content[2+end:], []byte("}}")) {
			out = append(out, placeholderOpen...)
			out = append(out, content[2:2+end]...)
			out = append(out, placeholderClose...)
			content = content[2+end+2:]
		} else {
			out = append(out, content[:2]...)
			content = content[2:]
		}
		at = bytes.Index(content, []byte("{{"))
	}
	return append(out, content...)
}

// showPlaceholders gives a text of the parser its braces back.
func showPlaceholders(s string) string {
	if !strings.Contains(s, placeholderOpen) {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, placeholderOpen, "{{"), placeholderClose, "}}")
}
