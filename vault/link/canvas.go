package link

import (
	"bytes"

	"chatvault/vault/block"
)

// parseCanvas finds the links of a canvas (jsoncanvas.org, 1.0): the file of a file node with its
// subpath, the background of a group, and what a text node holds as a note would.
func parseCanvas(text []byte) []Link {
	json := bytes.TrimPrefix(text, []byte("\ufeff"))
	c := canvas{json: json, shift: len(text) - len(json)}
	c.s.text = text
	ok := c.value(nil, 0)
	if c.skip(); !ok || c.at != len(c.json) {
		return nil
	}
	return c.s.inOrder()
}

// canvas reads the JSON of a canvas.
type canvas struct {
	json  []byte
	shift int // of json in the whole text
	at    int
	s     scanner
}

// maxJSON bounds how deep its values are nested. A canvas needs four levels.
const maxJSON = 200

func (c *canvas) skip() {
	for c.at < len(c.json) && blank(c.json[c.at]) {
		c.at++
	}
}

// next goes over blanks and, where it follows, one character.
func (c *canvas) next(want byte) bool {
	c.skip()
	if c.at < len(c.json) && c.json[c.at] == want {
		c.at++
		return true
	}
	return false
}

// node is what is kept of an object with fields of its own.
type node struct{ file, subpath, text, background Span }

// value reads one. path is what leads to it: names of fields, "" for an element of a list. It
// reports whether it is whole.
func (c *canvas) value(path []string, depth int) bool {
	c.skip()
	if c.at == len(c.json) || depth > maxJSON {
		return false
	}
	switch c.json[c.at] {
	case '{':
		c.at++
		return c.object(path, depth)
	case '[':
		c.at++
		if c.next(']') {
			return true
		}
		for {
			if !c.value(append(path, ""), depth+1) {
				return false
			}
			if c.next(']') {
				return true
			}
			if !c.next(',') {
				return false
			}
		}
	case '"':
		_, ok := c.string()
		return ok
	}
	from := c.at // a number, true, false or null
	for c.at < len(c.json) && bytes.IndexByte([]byte(" \t\r\n,]}:\"[{"), c.json[c.at]) < 0 {
		c.at++
	}
	return c.at > from
}

// object reads one behind its brace.
func (c *canvas) object(path []string, depth int) bool {
	isNode := len(path) == 2 && path[0] == "nodes" && path[1] == ""
	var n node
	if c.next('}') {
		return true
	}
	for {
		c.skip()
		key, ok := c.string()
		if !ok || !c.next(':') {
			return false
		}
		c.skip()
		from := c.at
		name := ""
		if len(path) < 2 {
			name = string(c.json[key.Start:key.End])
		}
		if !c.value(append(path, name), depth+1) {
			return false
		}
		if isNode && c.json[from] == '"' {
			value := Span{from + 1, c.at - 1}
			switch string(c.json[key.Start:key.End]) {
			case "file":
				n.file = value
			case "subpath":
				n.subpath = value
			case "text":
				n.text = value
			case "background":
				n.background = value
			}
		}
		if c.next('}') {
			break
		}
		if !c.next(',') {
			return false
		}
	}
	if isNode {
		c.node(n)
	}
	return true
}

// string reads one and returns what is between its quotation marks.
func (c *canvas) string() (Span, bool) {
	if !c.next('"') {
		return Span{}, false
	}
	from := c.at
	for ; c.at < len(c.json); c.at++ {
		switch c.json[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return Span{from, c.at - 1}, true
		}
	}
	c.at = len(c.json)
	return Span{}, false
}

// node takes in the links of a node.
func (c *canvas) node(n node) {
	anchor := unquote(string(c.json[n.subpath.Start:n.subpath.End]), inJSON)
	for _, f := range []struct {
		dest   Span
		anchor string
	}{{n.file, anchor}, {n.background, ""}} {
		if f.dest.Start == f.dest.End {
			continue
		}
		c.s.add(Link{
			Kind:    Canvas,
			Whole:   Span{c.shift + f.dest.Start - 1, c.shift + f.dest.End + 1},
			Dest:    Span{c.shift + f.dest.Start, c.shift + f.dest.End},
			Path:    unquote(string(c.json[f.dest.Start:f.dest.End]), inJSON),
			Anchor:  f.anchor,
			quoting: inJSON,
		})
	}
	raw := c.json[n.text.Start:n.text.End]
	if bytes.IndexByte(raw, '[') < 0 {
		return
	}
	plain, offsets := unescapeString(raw, true)
	inner := scanner{text: plain}
	var lines block.Scanner // text of a canvas has no front matter
	lines.More(inner.text)
	inner.blocks(&lines)
	shift := c.shift + n.text.Start
	for _, l := range inner.links {
		for _, span := range []*Span{&l.Whole, &l.Dest} {
			*span = Span{shift + offsets[span.Start], shift + offsets[span.End]}
		}
		l.quoting = inJSON
		c.s.add(l)
	}
}
