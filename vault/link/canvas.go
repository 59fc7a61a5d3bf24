package link

import (
	"bytes"
	"encoding/json"

	"chatvault/vault/block"
)

// parseCanvas returns the links of a canvas (jsoncanvas.org, 1.0): the file and subpath of file nodes, the background
// of groups, and the links in text nodes, which are Markdown.
func parseCanvas(text []byte) []Link {
	from := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text[from:]) {
		return nil
	}
	s := scanner{text: text}
	elements(text, Span{from, len(text)}, func(name string, list Span) {
		if name != "nodes" {
			return
		}
		elements(text, list, func(_ string, object Span) {
			var n node
			elements(text, object, func(name string, value Span) {
				if text[value.Start] != '"' {
					return
				}
				value = Span{value.Start + 1, value.End - 1}
				switch name {
				case "file":
					n.file = value
				case "subpath":
					n.subpath = value
				case "text":
					n.text = value
				case "background":
					n.background = value
				}
			})
			s.node(n)
		})
	})
	return s.sorted()
}

// elements calls visit with each element of a list or an object of valid JSON. name is "" for elements of a list.
func elements(text []byte, in Span, visit func(name string, value Span)) {
	dec := json.NewDecoder(bytes.NewReader(text[in.Start:in.End]))
	opening, _ := dec.Token()
	for dec.More() {
		name := ""
		if opening == json.Delim('{') {
			key, _ := dec.Token()
			name, _ = key.(string)
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return
		}
		end := in.Start + int(dec.InputOffset())
		visit(name, Span{end - len(value), end})
	}
}

// node holds the relevant string fields of a canvas node.
type node struct{ file, subpath, text, background Span }

// node adds the links of a node.
func (s *scanner) node(n node) {
	anchor := unquote(string(s.text[n.subpath.Start:n.subpath.End]), inJSON)
	for _, f := range []struct {
		dest   Span
		anchor string
	}{{n.file, anchor}, {n.background, ""}} {
		if f.dest.Start == f.dest.End {
			continue
		}
		s.add(Link{
			Kind:    Canvas,
			Whole:   Span{f.dest.Start - 1, f.dest.End + 1},
			Dest:    f.dest,
			Path:    unquote(string(s.text[f.dest.Start:f.dest.End]), inJSON),
			Anchor:  f.anchor,
			quoting: inJSON,
		})
	}
	raw := s.text[n.text.Start:n.text.End]
	if bytes.IndexByte(raw, '[') < 0 {
		return
	}
	plain, offsets := unescapeString(raw, true)
	inner := scanner{text: plain}
	lines := block.Fragment(plain)
	inner.blocks(&lines)
	for _, l := range inner.links {
		for _, span := range []*Span{&l.Whole, &l.Dest} {
			*span = Span{n.text.Start + offsets[span.Start], n.text.Start + offsets[span.End]}
		}
		l.quoting = inJSON
		s.add(l)
	}
}
