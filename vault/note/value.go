package note

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"chatvault/internal/base/lazyregexp"
)

// Limits of front matter.
const (
	maxFront      = 64 << 10 // in bytes
	maxFrontDepth = 50       // nesting of lists and maps
	maxFrontNodes = 20_000   // values, each use of an alias counted
)

// FrontError is the reason why front matter cannot be read.
type FrontError struct {
	Line   int // 1-based line of the note
	Reason string
}

func (e *FrontError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Property is a property of the front matter. Its value is nil, a bool, an int64, a float64, a string (also for dates
// and times), a []any of those, or a []Property for a nested map.
type Property struct {
	Key   string
	Value any
	Line  int // 1-based line of the key in the note
}

// Properties returns the properties of a note in their order; none if it has no front matter. An error is a
// *FrontError.
func Properties(text []byte) ([]Property, error) {
	f, err := readFront(text, frontSpan(text))
	return f.properties, err
}

// frontMatter is parsed front matter.
type frontMatter struct {
	Front
	text       []byte
	root       *yaml.Node // a map; nil if there are no properties
	properties []Property
	breaks     []int // start offsets of its lines, by YAML's line breaks
	masked     bool  // the parser was given replaced text
	left       int   // remaining budget of values
}

// readFront reads the front matter. Where YAML is ambiguous, it follows Obsidian.
func readFront(text []byte, front Front) (f frontMatter, err error) {
	f = frontMatter{Front: front, text: text, left: maxFrontNodes}
	if front.Lines == 0 {
		return f, nil
	}
	content := text[front.Start:front.End]
	if len(content) > maxFront {
		return f, &FrontError{Line: 1, Reason: fmt.Sprintf("it is longer than %d KB", maxFront>>10)}
	}
	f.breaks = lineBreaks(text, front)
	var source string
	source, f.masked = maskPlaceholders(content)
	loader, err := yaml.NewLoader(strings.NewReader(source), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxFrontDepth))))
	var documents [2]yaml.Node
	for i := 0; i < len(documents) && err == nil; i++ {
		err = loader.Load(&documents[i])
	}
	switch {
	case err == nil:
		return f, f.faulty(&documents[1], "it has several YAML documents")
	case !errors.Is(err, io.EOF):
		return f, f.syntaxError(err)
	case documents[0].Kind == 0:
		return f, nil
	}
	root := documents[0].Content[0]
	switch {
	case root.Kind == yaml.MappingNode:
		if f.properties, err = f.pairs(root, 0); err == nil {
			f.root = root
		}
		return f, err
	case root.Kind == yaml.ScalarNode && scalar(root) == nil:
		return f, nil
	}
	return f, f.faulty(root, `it is not a list of properties, such as "status: done"`)
}

// lineBreaks returns the start offsets of the lines of front matter. "\r" ends a line too.
func lineBreaks(text []byte, front Front) []int {
	starts := []int{front.Start}
	for at := front.Start; at < front.End; at++ {
		if text[at] == '\n' || text[at] == '\r' && text[at+1] != '\n' { // safe: the closing dashes follow
			starts = append(starts, at+1)
		}
	}
	return starts
}

// offset returns the start of a node in the text.
func (f *frontMatter) offset(n *yaml.Node) int {
	at := f.breaks[min(n.Line, len(f.breaks))-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(f.text[at:])
		at += size
	}
	return at
}

// line returns the line number in the note of an offset.
func (f *frontMatter) line(at int) int { return 2 + bytes.Count(f.text[f.Start:at], []byte("\n")) }

func (f *frontMatter) faulty(n *yaml.Node, reason string) *FrontError {
	return &FrontError{Line: f.line(f.offset(n)), Reason: reason}
}

// syntaxError converts an error of the parser, with the line number in the note.
func (f *frontMatter) syntaxError(err error) *FrontError {
	var said *yaml.LoadError
	if !errors.As(err, &said) {
		return &FrontError{Line: 1, Reason: err.Error()}
	}
	mark, reason := said.Mark, said.Message
	switch {
	case strings.HasPrefix(reason, "exceeded max depth"):
		reason = "it is nested too deep"
	case reason == "found unexpected end of stream", reason == "could not find expected ':'":
		mark = said.ContextMark // the start of the unclosed construct
	}
	n := yaml.Node{Line: cmp.Or(mark.Line, said.ContextMark.Line, 1), Column: max(mark.Column, 1)}
	return f.faulty(&n, f.unmask(reason))
}

// value returns the value of a node at a nesting depth. An alias has the value of its anchor.
func (f *frontMatter) value(n *yaml.Node, depth int) (any, error) {
	if f.left--; f.left < 0 || depth > 2*maxFrontDepth {
		return nil, &FrontError{Line: 1, Reason: "it expands to too much"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return f.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, element := range n.Content {
			v, err := f.value(element, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return f.pairs(n, depth)
	}
	v := scalar(n)
	if text, ok := v.(string); ok {
		v = f.unmask(text)
	}
	return v, nil
}

// pairs returns the properties of a map.
func (f *frontMatter) pairs(n *yaml.Node, depth int) ([]Property, error) {
	list := make([]Property, 0, len(n.Content)/2)
	at := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		p := Property{Line: f.line(f.offset(key))}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if p.Key = f.unmask(key.Value); key.Kind != yaml.ScalarNode {
			return nil, &FrontError{Line: p.Line, Reason: "a key may not be a list or have properties"}
		}
		if first, double := at[p.Key]; double {
			return nil, &FrontError{Line: p.Line, Reason: fmt.Sprintf("%q is on line %d already", p.Key, first)}
		}
		at[p.Key] = p.Line
		var err error
		if p.Value, err = f.value(value, depth+1); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// scalar returns the value of a scalar node.
func scalar(n *yaml.Node) any {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	typed := slices.Contains([]string{"!!null", "!!bool", "!!int", "!!float"}, n.Tag)
	if n.Style&yaml.TaggedStyle != 0 && !typed || n.Style&yaml.TaggedStyle == 0 && n.Style&quoted != 0 {
		return n.Value
	}
	return Scalar(n.Value)
}

var number = lazyregexp.New(`^(?:[-+]?(?:0b[01_]+|0o[0-7_]+|0x[\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?|\.\d[\d_]*(?:[eE][-+]?\d+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$`)

// Scalar returns the value of an unquoted text in front matter: nil, a bool, a number, or the text itself. Dates and
// times are text. It follows the core schema of YAML 1.2, plus "_" between digits and 0b11, which common parsers
// accept; 010 is ten, as in Obsidian.
func Scalar(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	if c := text[0]; c > '9' || c < '0' && !strings.ContainsRune("+-.", rune(c)) || !number().MatchString(text) || strings.HasSuffix(text, "_") {
		return text
	}
	digits, base := strings.ReplaceAll(text, "_", ""), 0
	if strings.Trim(digits, "+-0123456789") == "" {
		base = 10
	}
	if i, err := strconv.ParseInt(digits, base, 64); err == nil {
		return i
	}
	if last := digits[len(digits)-1]; last > '9' && base == 0 { // .inf, .nan
		digits = strings.Replace(digits, ".", "", 1)
	}
	if v, err := strconv.ParseFloat(digits, 64); err == nil {
		return v
	}
	return text
}

// Value is a scalar value in front matter, as written.
type Value struct {
	Key        string // of the innermost property that contains it
	Text       string // its text; a number keeps its notation
	Line       int    // 1-based line of the note
	Start, End int    // from its start, including quotation marks, to the start of the next key or value
}

// Values returns the scalars of the front matter in their order. An error is a *FrontError.
func Values(text []byte) ([]Value, error) {
	f, err := readFront(text, frontSpan(text))
	if err != nil || f.root == nil {
		return nil, err
	}
	var list []Value
	last := -1 // the last one, whose end is not known yet
	var walk func(n *yaml.Node, key string)
	walk = func(n *yaml.Node, key string) {
		if n.Kind == yaml.ScalarNode {
			last = len(list)
			start := f.begin(n)
			list = append(list, Value{Key: key, Text: f.unmask(n.Value), Line: f.line(start), Start: start, End: f.End})
		}
		for i, inner := range n.Content {
			if last >= 0 {
				list[last].End = f.offset(inner)
			}
			if n.Kind != yaml.MappingNode {
				walk(inner, key)
			} else if last = -1; i%2 == 1 {
				walk(inner, f.unmask(n.Content[i-1].Value))
			}
		}
	}
	walk(f.root, "")
	return list, nil
}

// begin returns the start of a value after its anchor and tag.
func (f *frontMatter) begin(n *yaml.Node) int {
	at := f.offset(n)
	for f.text[at] == '&' || f.text[at] == '!' {
		at += bytes.IndexAny(f.text[at:], " \t\r\n")
		at += len(f.text[at:]) - len(bytes.TrimLeft(f.text[at:], " \t\r\n"))
	}
	return at
}
