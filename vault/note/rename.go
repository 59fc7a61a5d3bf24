package note

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// RenameTag returns the text with a tag, and the tags nested in it, renamed in the front matter and in the text, and
// how often it was. Case and the form of composed characters are ignored. A list of tags has none twice afterwards;
// everything else is unchanged.
//
// The error is a *FrontError if the front matter cannot be read or not be edited in place.
func (form Form) RenameTag(text []byte, from, to string) (after []byte, count int, err error) {
	f, err := readFront(text, frontSpan(text))
	if err != nil {
		return nil, 0, err
	}
	type place struct {
		start    int
		old, new string
	}
	var places []place
	find := func(start int, name string) {
		if rest, ok := afterTag(name, from); ok && to+rest != name {
			places = append(places, place{start, name, to + rest})
		}
	}
	for i := 0; f.root != nil && i+1 < len(f.root.Content); i += 2 {
		if IsTags(f.root.Content[i].Value) {
			f.tags(f.root.Content[i+1], tagSeparators, find)
		}
	}
	properties, lines := pageProperties(text)
	for i, p := range properties {
		if form != InFront && IsTags(p.Key) {
			eachTag(text, lines[i].begin, lines[i].end, tagSeparators+"[]", find)
		}
	}
	inFront := len(places) > 0
	parse(text, form, func(at int, name string) { find(at+1, name) })
	slices.SortFunc(places, func(a, b place) int { return a.start - b.start })
	last := 0
	for _, p := range slices.CompactFunc(places, func(a, b place) bool { return a.start == b.start }) { // "#a" in a page's properties is in its text too
		count++
		after = append(append(after, text[last:p.start]...), p.new...)
		last = p.start + len(p.old)
	}
	after = append(after, text[last:]...)
	if inFront {
		after, err = form.uniqueTags(after)
	}
	return after, count, err
}

// afterTag returns what follows a tag in its own name or in that of one nested in it.
func afterTag(name, tag string) (rest string, ok bool) {
	head, levels := name, strings.Split(name, "/")
	if n := strings.Count(tag, "/") + 1; n < len(levels) {
		head = strings.Join(levels[:n], "/")
	}
	return name[len(head):], strings.EqualFold(norm.NFC.String(head), norm.NFC.String(tag))
}

// IsTags reports whether a property holds tags.
func IsTags(key string) bool { return strings.EqualFold(key, "tags") || strings.EqualFold(key, "tag") }

// tagSeparators are the characters between tags in a property that is a text.
const tagSeparators = ", \t\r\n"

// tags calls do with the tags, without "#", in the value of a property: a list, or a text.
func (f *frontMatter) tags(n *yaml.Node, separators string, do func(at int, name string)) {
	for _, element := range n.Content {
		f.tags(element, "", do)
	}
	if n.Kind == yaml.ScalarNode {
		eachTag(f.text, f.begin(n), f.end(n), separators, do)
	}
}

// eachTag calls do with the tags, without "#", in a part of a text.
func eachTag(text []byte, at, end int, separators string, do func(at int, name string)) {
	for at < end {
		size := bytes.IndexAny(text[at:end], separators+`"'#`)
		if size < 0 {
			size = end - at
		}
		if name := strings.TrimRight(string(text[at:at+size]), "/"); IsTag(name) {
			do(at, name)
		}
		at += size + 1
	}
}

// uniqueTags removes from lists of tags those that are in them twice.
func (form Form) uniqueTags(text []byte) ([]byte, error) {
	properties, err := form.Properties(text)
	for _, p := range properties {
		list, isList := p.Value.([]any)
		if !IsTags(p.Key) || !isList {
			continue
		}
		kept := []any{}
		for _, v := range list {
			if !slices.ContainsFunc(kept, func(o any) bool { return strings.EqualFold(tagText(o), tagText(v)) }) {
				kept = append(kept, v)
			}
		}
		if err == nil {
			text, err = form.Set(text, p.Key, kept)
		}
	}
	return text, err
}

// tagText returns an element of a list of tags without "#".
func tagText(v any) string { return strings.Trim(ValueText(v), `"#/`) }
