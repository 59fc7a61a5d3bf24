package note

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds on front matter that is given to the YAML parser, which takes more than linear time for
// what is large or nested deep.
const (
	maxFront      = 64 << 10
	maxFrontDepth = 50
	maxFrontNodes = 20_000
)

// FrontError says why front matter cannot be read.
type FrontError struct {
	Line   int // of the note, 1-based
	Reason string
}

func (e *FrontError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Property is a property of the front matter. Its value is nil, a bool, an int64, a float64, a
// string (days and times too), a []any of such, or a []Property where it has properties itself.
type Property struct {
	Key   string
	Value any
	Line  int // of the note, 1-based, where the key stands
}

// Properties are a note's properties, in order; none where it has no front matter. It takes the YAML
// parser only where it has to. An error is a
// *FrontError.
func Properties(text []byte) ([]Property, error) { return propertiesOf(text, frontSpan(text)) }

func propertiesOf(text []byte, front Front) ([]Property, error) {
	if properties, ok := simpleFront(text, front); ok {
		return properties, nil
	}
	return parseFront(text, front)
}

// parseFront reads all of the front matter by way of the YAML parser.
func parseFront(text []byte, front Front) (properties []Property, err error) {
	if front.Lines == 0 {
		return nil, nil
	}
	content := text[front.Start:front.End]
	if err := bounded(content); err != nil {
		return nil, err
	}
	if bytes.Contains(content, []byte("\r\n")) { // the parser counts a "\r" after a comment as a line
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	defer func() {
		if r := recover(); r != nil {
			properties, err = nil, &FrontError{Line: 1, Reason: "it cannot be parsed as YAML"}
		}
	}()
	hidden := hidePlaceholders(content)
	file, err := yamlparser.ParseBytes(hidden, 0)
	if err != nil {
		return nil, syntaxError(err)
	}
	switch {
	case len(file.Docs) == 0 || len(file.Docs) == 1 && file.Docs[0].Body == nil:
		return nil, nil
	case len(file.Docs) > 1:
		return nil, &FrontError{Line: 2, Reason: "it has several YAML documents"}
	}
	r := valueReader{left: maxFrontNodes, anchors: make(map[string]ast.Node), text: func(s string) string { return s }}
	if len(hidden) != len(content) {
		r.text = showPlaceholders
	}
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		properties, err = r.properties(body, 0)
	case *ast.NullNode, *ast.CommentGroupNode, *ast.CommentNode:
		return nil, nil
	default:
		err = &FrontError{Line: lineOf(body), Reason: `it is not a list of properties, such as "status: done"`}
	}
	if err != nil {
		return nil, err
	}
	return properties, nil
}

// bounded refuses what the parser would take too long for.
func bounded(content []byte) error {
	if len(content) > maxFront {
		return &FrontError{Line: 1, Reason: fmt.Sprintf("it is longer than %d KB", maxFront>>10)}
	}
	depth, line := 0, 1
	for l := range bytes.Lines(content) {
		line++
		dashes := 0
		for i, c := range l {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			case '-', '?', ':', '&', '!':
				if i+1 < len(l) && l[i+1] == ' ' || c == '&' || c == '!' {
					dashes++
				}
			}
			if depth > maxFrontDepth || dashes > 20*maxFrontDepth {
				return &FrontError{Line: line, Reason: "it is nested too deep"}
			}
		}
	}
	return nil
}

// syntaxError makes of the parser's error one that names the note's line.
func syntaxError(err error) *FrontError {
	e := &FrontError{Line: 1, Reason: "it is not valid YAML"}
	var said yaml.Error
	if errors.As(err, &said) {
		if t := said.GetToken(); t != nil && t.Position != nil {
			e.Line = t.Position.Line + 1
		}
		if text := said.GetMessage(); text != "" {
			text, _, _ = strings.Cut(text, " at [") // where a key stands first: a line of its own count
			e.Reason = strings.ToValidUTF8(showPlaceholders(text), "")
		}
	}
	return e
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line + 1
	}
	return 1
}

// valueReader turns a syntax tree into values. It follows aliases, and stops where they make too
// much of a little text.
type valueReader struct {
	left    int
	anchors map[string]ast.Node
	text    func(string) string // what a text stands for
}

func (r *valueReader) value(n ast.Node, depth int) (any, error) {
	if r.left--; r.left < 0 || depth > 2*maxFrontDepth {
		return nil, &FrontError{Line: 1, Reason: "it expands to too much"}
	}
	switch n := n.(type) {
	case nil:
		return nil, nil
	case *ast.StringNode:
		if n.Token.Type == token.StringType {
			return plainScalar(r.text(n.Value)), nil
		}
		return r.text(n.Value), nil
	case *ast.NullNode:
		return nil, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return plainScalar(n.GetToken().Value), nil
	case *ast.LiteralNode:
		return r.text(n.Value.Value), nil
	case *ast.TagNode:
		return r.value(n.Value, depth+1)
	case *ast.AnchorNode:
		r.anchors[n.Name.String()] = n.Value
		return r.value(n.Value, depth+1)
	case *ast.AliasNode:
		of, ok := r.anchors[n.Value.String()]
		if !ok {
			return nil, &FrontError{Line: lineOf(n), Reason: fmt.Sprintf("there is no anchor for *%s", n.Value.String())}
		}
		return r.value(of, depth+1)
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, element := range n.Values {
			v, err := r.value(element, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.properties(n, depth)
	}
	return nil, &FrontError{Line: lineOf(n), Reason: "it has something that is not a value"}
}

// properties are those of a map.
func (r *valueReader) properties(n ast.Node, depth int) ([]Property, error) {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	}
	list := make([]Property, 0, len(pairs))
	for _, pair := range pairs {
		p := Property{Line: lineOf(pair.Key)}
		switch key := pair.Key.(type) {
		case *ast.StringNode:
			p.Key = r.text(key.Value)
		case *ast.MappingKeyNode:
			return nil, &FrontError{Line: p.Line, Reason: `a key may not begin with "?"`}
		default:
			p.Key = r.text(key.GetToken().Value)
		}
		var err error
		if p.Value, err = r.value(pair.Value, depth+1); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
