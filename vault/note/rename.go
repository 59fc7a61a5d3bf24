package note

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// RenameTag returns the text with a tag, and the tags nested in it, renamed in the front matter and in the text, and
// how often it was. Case is ignored. If to is empty, the tag is removed, but not those nested in it. A list of tags has
// none twice afterwards; everything else is unchanged.
//
// The error is a *FrontError if the tag is in front matter that cannot be edited in place.
func RenameTag(text []byte, from, to string) (after []byte, count int, err error) {
	f, err := readFront(text, frontSpan(text))
	if err != nil {
		return nil, 0, err
	}
	var found []span
	for i := 0; f.root != nil && i+1 < len(f.root.Content); i += 2 {
		if isTags(f.root.Content[i].Value) {
			found = append(found, f.tagSpans(f.root.Content[i+1], tagSeparators)...)
		}
	}
	inFront := len(found)
	parse(text, func(at int, name string) { found = append(found, span{at + 1, at + 1 + len(name)}) })
	last := 0
	for i, s := range found {
		name, ok := renamed(string(text[s.start:s.end]), from, to)
		if !ok {
			continue
		}
		if count++; name == "" {
			if i < inFront { // removed by uniqueTags
				continue
			}
			if s.start--; s.start > last && (text[s.start-1] == ' ' || text[s.start-1] == '\t') {
				s.start--
			}
		}
		after = append(append(after, text[last:s.start]...), name...)
		last = s.end
	}
	after = append(after, text[last:]...)
	if inFront > 0 && count > 0 {
		after, err = uniqueTags(after, from, to)
	}
	return after, count, err
}

// renamed returns the new name of a tag, or false if it keeps its name.
func renamed(name, from, to string) (string, bool) {
	if len(name) < len(from) || !strings.EqualFold(name[:len(from)], from) {
		return "", false
	}
	rest := name[len(from):]
	if rest != "" && (rest[0] != '/' || to == "") {
		return "", false
	}
	return to + rest, to+rest != name
}

// isTags reports whether a property holds tags.
func isTags(key string) bool { return strings.EqualFold(key, "tags") || strings.EqualFold(key, "tag") }

// tagSeparators are the characters between tags in a property that is a text.
const tagSeparators = ", \t\r\n"

// span is a range of bytes.
type span struct{ start, end int }

// tagSpans returns the tags, without "#", in the value of a property: a list, or a text.
func (f *frontMatter) tagSpans(n *yaml.Node, separators string) (found []span) {
	if n.Kind == yaml.SequenceNode {
		for _, element := range n.Content {
			found = append(found, f.tagSpans(element, "")...)
		}
		return found
	}
	if n.Kind != yaml.ScalarNode {
		return nil
	}
	for at, end := f.begin(n), f.end(n); at < end; {
		size := bytes.IndexAny(f.text[at:end], separators+`"'#`)
		if size < 0 {
			size = end - at
		}
		if name := bytes.TrimRight(f.text[at:at+size], "/"); IsTag(string(name)) {
			found = append(found, span{at, at + len(name)})
		}
		at += size + 1
	}
	return found
}

// uniqueTags removes from the front matter's tags one that was removed, if to is empty, and those that became equal. It
// returns an error if the tag is still there.
func uniqueTags(text []byte, from, to string) ([]byte, error) {
	properties, err := Properties(text)
	for _, p := range properties {
		list, isList := p.Value.([]any)
		if !isTags(p.Key) || !isList && to != "" {
			continue
		}
		if !isList {
			for _, name := range listed(p.Value, tagSeparators) {
				list = append(list, name)
			}
		}
		kept := []any{}
		for _, v := range list {
			name := tagText(v)
			if (to != "" || !strings.EqualFold(name, from)) && !slices.ContainsFunc(kept, func(o any) bool { return strings.EqualFold(tagText(o), name) }) {
				kept = append(kept, v)
			}
		}
		if err == nil && len(kept) < len(list) {
			text, err = Set(text, p.Key, kept)
		}
	}
	for _, tag := range Parse(text).Tags {
		if _, ok := renamed(tag.Name, from, to); ok && !strings.HasPrefix(strings.ToLower(to), strings.ToLower(from)+"/") {
			return nil, errNotEditable(tag.Line)
		}
	}
	return text, err
}

// tagText returns an element of a list of tags without "#".
func tagText(v any) string { return strings.Trim(ValueText(v), `"#/`) }
