package note

import "strings"

// readFront reads what the front matter says of tags and aliases.
func (p *parser) readFront() {
	front := &p.note.Front
	properties, ok := simpleFront(p.text, *front)
	if !ok {
		properties, front.Err = parseFront(p.text, *front)
	}
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
