package note

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
	texts "chatvault/internal/base/text"
	"chatvault/vault/block"
)

// Form is where the notes of a vault have their properties.
type Form int

// The forms of most vaults and of Logseq's graphs.
const (
	InFront Form = iota // in front matter
	InLines             // in lines "key:: value" at the top of a page, or in its front matter if it has one
)

var (
	propertyKey = lazyregexp.New(`^[\pL\pN][\pL\pN_./-]*$`)
	listPart    = lazyregexp.New(`(?:\[\[[^\]\n]*\]\]|[^,])+`)
)

// Properties returns the properties of a note in their order. An error is a *FrontError.
func (form Form) Properties(text []byte) ([]Property, error) {
	if form == InFront || frontSpan(text).Lines > 0 {
		return Properties(text)
	}
	properties, _ := pageProperties(text)
	return properties, nil
}

// Parse is Parse for a note of this form.
func (form Form) Parse(text []byte) Note { return parse(text, form, func(int, string) {}) }

// propertyLine is the place of a property: its line, with the line ending, its key, and its value.
type propertyLine struct{ start, stop, key, colon, begin, end int }

// readProperty returns the property in the line at an offset, "key:: value", also of a list item.
func readProperty(text []byte, at int) (l propertyLine, ok bool) {
	l = propertyLine{start: at, stop: block.LineStop(text, at)}
	before, after, ok := bytes.Cut(text[at:l.stop], []byte("::"))
	l.colon = at + len(before)
	key := bytes.TrimPrefix(bytes.TrimPrefix(bytes.TrimLeft(before, " \t"), []byte("- ")), []byte("* "))
	value := bytes.TrimLeft(after, " \t")
	l.key, l.begin = l.colon-len(key), l.stop-len(value)
	l.end = l.begin + len(bytes.TrimRight(value, " \t\r\n"))
	return l, ok && (l.begin == l.end || len(value) < len(after)) && propertyKey().Match(key)
}

// pageProperties returns the properties at the top of a page, and where they are.
func pageProperties(text []byte) (properties []Property, lines []propertyLine) {
	for l, ok := range propertyLines(text, bomSize(text)) {
		if !ok || l.key > l.start {
			break
		}
		lines = append(lines, l)
		properties = append(properties, Property{l.name(text), l.value(text), len(lines)})
	}
	return properties, lines
}

// propertyLines returns the lines of a text from an offset on, and whether they are properties.
func propertyLines(text []byte, at int) iter.Seq2[propertyLine, bool] {
	return func(yield func(propertyLine, bool) bool) {
		for at < len(text) {
			l, ok := readProperty(text, at)
			if !yield(l, ok) {
				return
			}
			at = l.stop
		}
	}
}

// BlockIDs returns the IDs of the blocks of a page.
func BlockIDs(text []byte) (ids []string) {
	for l, ok := range propertyLines(text, 0) {
		if ok && l.name(text) == "id" {
			ids = append(ids, string(text[l.begin:l.end]))
		}
	}
	return ids
}

// bomSize returns the size of the byte order mark of a text.
func bomSize(text []byte) int { return len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff"))) }

func (l propertyLine) name(text []byte) string { return string(text[l.key:l.colon]) }

// value returns the value: a list of tags, aliases or links, or a scalar.
func (l propertyLine) value(text []byte) any {
	key, value := l.name(text), string(text[l.begin:l.end])
	named := IsTags(key) || IsAliases(key)
	if !named && !strings.Contains(value, ",") {
		return Scalar(value)
	}
	list, links := []any{}, true
	for _, part := range listPart().FindAllString(value, -1) {
		if part = strings.TrimSpace(part); part != "" {
			list, links = append(list, part), links && (part[0] == '#' || strings.HasPrefix(part, "[["))
		}
	}
	if len(list) > 0 && (named || links && len(list) > 1) {
		return list
	}
	return Scalar(value)
}

// IsAliases reports whether a property holds aliases.
func IsAliases(key string) bool {
	return strings.EqualFold(key, "aliases") || strings.EqualFold(key, "alias")
}

// PageEnd returns where the properties at the top of a page end; 0 if there are none.
func (form Form) PageEnd(text []byte) int {
	if _, lines := pageProperties(text); form != InFront && len(lines) > 0 {
		return lines[len(lines)-1].stop
	}
	return 0
}

// AllProperties is Properties with those of a page's blocks. A property of several blocks is a list.
func (form Form) AllProperties(text []byte) ([]Property, error) {
	properties, err := form.Properties(text)
	if form == InFront || err != nil {
		return properties, err
	}
	at := form.PageEnd(text)
	line := bytes.Count(text[:at], []byte("\n"))
	for l, ok := range propertyLines(text, at) {
		line++
		key := l.name(text)
		if !ok || l.begin == l.colon+len("::") || key == "id" || key == "collapsed" {
			continue
		}
		if i := Find(properties, key); i < 0 {
			properties = append(properties, Property{key, l.value(text), line})
		} else {
			properties[i].Value = slices.Concat(asList(properties[i].Value), asList(l.value(text)))
		}
	}
	return properties, nil
}

func asList(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// Set is Set for a note of this form.
func (form Form) Set(text []byte, key string, value any) ([]byte, error) {
	if form == InFront || frontSpan(text).Lines > 0 {
		return Set(text, key, value)
	}
	value, err := normalize(value)
	if err != nil {
		return nil, err
	}
	line := key + ":: " + strings.Join(texts.Of(asList(value), scalarText), ", ")
	if !propertyKey().MatchString(key) || strings.Contains(line, "\n") {
		return nil, fmt.Errorf("a property of a page is one line, such as status:: done, and its name has letters, digits, - and _")
	}
	lineEnd := "\n"
	if first := block.LineStop(text, 0); bytes.HasSuffix(text[:first], []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	properties, lines := pageProperties(text)
	at := bomSize(text)
	switch i := Find(properties, key); {
	case i >= 0 && sameValue(properties[i].Value, value):
		return text, nil
	case i >= 0:
		return slices.Concat(text[:lines[i].colon], []byte(line[len(key):]), text[lines[i].end:]), nil
	case len(lines) > 0:
		if at = lines[len(lines)-1].stop; text[at-1] != '\n' {
			return slices.Concat(text, []byte(lineEnd+line)), nil
		}
	case at < len(text):
		line += lineEnd // between the properties and the first block
	}
	return slices.Concat(text[:at], []byte(line+lineEnd), text[at:]), nil
}

// Remove is Remove for a note of this form.
func (form Form) Remove(text []byte, key string) ([]byte, error) {
	if form.PageEnd(text) == 0 {
		return Remove(text, key)
	}
	properties, lines := pageProperties(text)
	i := Find(properties, key)
	if i < 0 {
		return text, nil
	}
	rest := text[lines[i].stop:]
	if len(lines) == 1 {
		rest = bytes.TrimLeft(rest, "\r\n")
	}
	return slices.Concat(text[:lines[i].start], rest), nil
}
