package link

import (
	"bytes"
	"encoding/json"

	"chatvault/vault/block"
)

// parseCanvas returns the links of a canvas (jsoncanvas.org, 1.0): the file and subpath of file nodes, the background
// of groups, and the links in text nodes, which are Markdown; of an Excalidraw drawing, the links in texts and those of
// elements.
func parseCanvas(text []byte) []Link {
	from := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	if !json.Valid(text[from:]) {
		return nil
	}
	s := scanner{text: text}
	elements(text, Span{from, len(text)}, func(name string, list Span) {
		if name != "nodes" && name != "elements" {
			return
		}
		elements(text, list, func(_ string, object Span) {
			n := map[string]Span{} // the strings of the node, without their quotation marks
			elements(text, object, func(name string, value Span) {
				if text[value.Start] == '"' {
					n[name] = Span{value.Start + 1, value.End - 1}
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

// node adds the links of a node with these strings.
func (s *scanner) node(n map[string]Span) {
	for _, field := range []string{"file", "background"} {
		dest, anchor := n[field], ""
		if dest.Start == dest.End {
			continue
		}
		if field == "file" {
			anchor = unquote(string(s.text[n["subpath"].Start:n["subpath"].End]), inJSON)
		}
		s.add(Link{
			Kind:    Canvas,
			Whole:   Span{dest.Start - 1, dest.End + 1},
			Dest:    dest,
			Path:    unquote(string(s.text[dest.Start:dest.End]), inJSON),
			Anchor:  anchor,
			quoting: inJSON, anchorAt: n["subpath"],
		})
	}
	for _, field := range []string{"text", "rawText", "originalText", "link"} {
		s.inString(n[field])
	}
}

// inString adds the links in a string that is Markdown.
func (s *scanner) inString(in Span) {
	raw := s.text[in.Start:in.End]
	plain, offsets := unescapeString(raw)
	inner := scanner{text: plain}
	lines := block.Fragment(plain)
	inner.blocks(&lines)
	for _, l := range inner.links {
		for _, span := range []*Span{&l.Whole, &l.Dest, &l.anchorAt} {
			*span = Span{in.Start + offsets[span.Start], in.Start + offsets[span.End]}
		}
		l.quoting = inJSON
		s.add(l)
	}
}
