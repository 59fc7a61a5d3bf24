package note

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"chatvault/vault/block"
)

// entry is a top-level property of the front matter as written. Its offsets are in the whole text.
type entry struct {
	value       *yaml.Node
	start, stop int // its lines, from the key's line to the last line of the value, with line endings
	colon       int // offset after the ":"
	begin, end  int // the value; equal if there is none
}

// entry returns the property with exactly this key. It returns an error if the property does not start its own line
// or cannot be located.
func (f *frontMatter) entry(key string) (e entry, err error) {
	for i := 0; f.root != nil && i < len(f.root.Content); i += 2 {
		k, value := f.root.Content[i], f.root.Content[i+1]
		if k.Kind != yaml.ScalarNode || f.unmask(k.Value) != key {
			continue
		}
		at := f.offset(k)
		e = entry{value: value, start: f.lineStart(at), colon: f.end(k)}
		if e.colon >= 0 {
			e.colon += len(f.text[e.colon:]) - len(bytes.TrimLeft(f.text[e.colon:], " \t")) + 1
			e.begin, e.end = f.offset(value), f.end(value)
			e.stop = block.LineStop(f.text, max(e.end, 0))
		}
		if e.colon <= 0 || f.text[e.colon-1] != ':' || e.end < e.begin || len(bytes.TrimSpace(f.text[e.start:at])) > 0 {
			return e, errNotEditable(f.line(at))
		}
		return e, nil
	}
	return e, errNotEditable(2) // its key is an alias
}

// lineStart returns the start of the line that contains an offset.
func (f *frontMatter) lineStart(at int) int { return bytes.LastIndexByte(f.text[:at], '\n') + 1 }

// lineStop returns the end of the line that contains an offset, without its line ending.
func (f *frontMatter) lineStop(at int) int {
	return at + len(bytes.TrimRight(f.text[at:block.LineStop(f.text, at)], "\r\n"))
}

// end returns the end of a node in the text, or -1 if it cannot be located.
func (f *frontMatter) end(n *yaml.Node) int {
	at := f.begin(n)
	switch {
	case n.Kind == yaml.AliasNode:
		return at + 1 + len(n.Value)
	case n.Kind != yaml.ScalarNode:
		return f.collectionEnd(n, at)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		if size := block.QuotedEnd(f.text[at:f.End]); size > 0 {
			return at + size
		}
		return -1
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at = f.lineStop(at)
	case n.Value == "":
		return f.offset(n)
	}
	// A plain scalar equals its text, apart from blanks and line breaks.
	for _, r := range strings.Join(strings.Fields(f.unmask(n.Value)), "") {
		for at < f.End {
			c, size := utf8.DecodeRune(f.text[at:])
			at += size
			if c == r {
				break
			}
			if !unicode.IsSpace(c) {
				return -1
			}
		}
	}
	return at
}

// collectionEnd returns the end of a list or a map that begins at an offset, or -1 if it cannot be located.
func (f *frontMatter) collectionEnd(n *yaml.Node, at int) int {
	closed := n.Style&yaml.FlowStyle != 0 && (f.text[at] == '[' || f.text[at] == '{')
	if closed {
		at++
	}
	if len(n.Content) > 0 {
		at = f.end(n.Content[len(n.Content)-1])
	}
	for closed && at >= 0 && f.text[at] != ']' && f.text[at] != '}' {
		switch f.text[at] {
		case '#':
			at = block.LineStop(f.text, at)
		case ',', ':', ' ', '\t', '\r', '\n':
			at++
		default:
			return -1
		}
	}
	if closed && at >= 0 {
		at++
	}
	return at
}
