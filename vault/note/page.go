package note

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
	texts "chatvault/internal/base/text"
	"chatvault/vault/block"
)

// The properties of a page in Logseq are the lines "key:: value" at its top, and those of a block are lines in it. A
// note that begins with such a line has no front matter.

var (
	pageLine  = lazyregexp.New(`^([\pL\pN][\pL\pN_./-]*)::(?:[ \t]+(.*?))?[ \t]*\r?\n?$`)
	blockLine = lazyregexp.New(`(?m)^[ \t]*(?:[-*] )?([\pL\pN][\pL\pN_./-]*)::[ \t]+(.*?)[ \t]*\r?$`)
	pageValue = lazyregexp.New(`(?:\[\[[^\]\n]*\]\]|[^,])+`)
)

// pageSpan is the place of a property of a page: its line, with the line ending, and its value in it.
type pageSpan struct{ start, stop, begin, end int }

// pageProperties returns the properties at the top of a text, and where they are.
func pageProperties(text []byte) (properties []Property, spans []pageSpan) {
	for at := bomSize(text); at < len(text); {
		s := pageSpan{start: at, stop: block.LineStop(text, at)}
		if !bytes.Contains(text[at:s.stop], []byte("::")) {
			break
		}
		m := pageLine().FindSubmatchIndex(text[at:s.stop])
		if m == nil {
			break
		}
		key := string(text[at : at+m[3]])
		if s.begin, s.end = at+m[3]+len("::"), at+m[3]+len("::"); m[4] >= 0 {
			s.begin, s.end = at+m[4], at+m[5]
		}
		properties = append(properties, Property{key, pageValueOf(key, string(text[s.begin:s.end])), len(spans) + 1})
		spans, at = append(spans, s), s.stop
	}
	return properties, spans
}

// bomSize returns the size of the byte order mark of a text.
func bomSize(text []byte) int { return len(text) - len(bytes.TrimPrefix(text, byteOrderMark)) }

// pageValueOf returns the value of a property: a list of tags, aliases or links, or a scalar.
func pageValueOf(key, value string) any {
	list, links := []any{}, true
	for _, part := range pageValue().FindAllString(value, -1) {
		if part = strings.TrimSpace(part); part != "" {
			list, links = append(list, part), links && (part[0] == '#' || strings.HasPrefix(part, "[["))
		}
	}
	if len(list) > 0 && (isTags(key) || isAliases(key) || links && len(list) > 1) {
		return list
	}
	return Scalar(value)
}

func isAliases(key string) bool {
	return strings.EqualFold(key, "aliases") || strings.EqualFold(key, "alias")
}

// PageEnd returns where the properties at the top of a page end; 0 if there are none.
func PageEnd(text []byte) int {
	if _, spans := pageProperties(text); len(spans) > 0 {
		return spans[len(spans)-1].stop
	}
	return 0
}

// WithBlocks returns the properties of a page with those of its blocks. A property of several blocks is a list.
func WithBlocks(properties []Property, text []byte) []Property {
	if !bytes.Contains(text, []byte("::")) {
		return properties
	}
	at, line := PageEnd(text), 1
	line += bytes.Count(text[:at], []byte("\n"))
	for _, m := range blockLine().FindAllSubmatchIndex(text, -1) {
		key := string(text[m[2]:m[3]])
		if m[0] < at || key == "id" || key == "collapsed" {
			continue
		}
		line += bytes.Count(text[at:m[2]], []byte("\n"))
		at = m[2]
		value, i := pageValueOf(key, string(text[m[4]:m[5]])), Find(properties, key)
		if i < 0 {
			properties = append(properties, Property{key, value, line})
			continue
		}
		properties[i].Value = slices.Concat(asList(properties[i].Value), asList(value))
	}
	return properties
}

func asList(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// SetPage is Set for a page of Logseq: without front matter, properties are lines at the top.
func SetPage(text []byte, key string, value any) ([]byte, error) {
	if frontSpan(text).Lines > 0 || PageEnd(text) > 0 {
		return Set(text, key, value)
	}
	wanted, err := normalize(value)
	if err != nil {
		return nil, err
	}
	return setPage(text, key, wanted)
}

// setPage writes a property, as normalize returns it, to the lines at the top of a text.
func setPage(text []byte, key string, value any) ([]byte, error) {
	line := []byte(key + ":: ")
	if value != nil {
		line = append(line, strings.Join(texts.Of(asList(value), scalarText), ", ")...)
	}
	if m := pageLine().FindSubmatch(line); m == nil || string(m[1]) != key {
		return nil, fmt.Errorf("a property of a page is one line, such as status:: done, and its name has letters, digits, - and _")
	}
	lineEnd := []byte("\n")
	if first := block.LineStop(text, 0); bytes.HasSuffix(text[:first], []byte("\r\n")) {
		lineEnd = []byte("\r\n")
	}
	properties, spans := pageProperties(text)
	at := bomSize(text)
	switch i := Find(properties, key); {
	case i >= 0 && sameValue(properties[i].Value, value):
		return text, nil
	case i >= 0:
		start := spans[i].start + len(properties[i].Key)
		return slices.Concat(text[:start], line[len(key):], text[spans[i].end:]), nil
	case len(spans) > 0:
		if at = spans[len(spans)-1].stop; text[at-1] != '\n' {
			return slices.Concat(text, lineEnd, line), nil
		}
	case at < len(text):
		line = append(line, lineEnd...) // between the properties and the first block
	}
	return slices.Concat(text[:at], line, lineEnd, text[at:]), nil
}

// removePage is Remove for a page.
func removePage(text []byte, key string) []byte {
	properties, spans := pageProperties(text)
	i := Find(properties, key)
	if i < 0 {
		return text
	}
	rest := text[spans[i].stop:]
	if len(spans) == 1 {
		rest = bytes.TrimLeft(rest, "\r\n")
	}
	return slices.Concat(text[:spans[i].start], rest)
}
