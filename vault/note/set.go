package note

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"chatvault/internal/base/text"
	"chatvault/vault/block"
)

// Set returns the text with the property key set to value: nil, a bool, an int64, a float64, a string, or a []any of
// those. All bytes outside the property's lines are unchanged, and so are its key,
// a comment after it and the remaining elements of a list; a list keeps its style, on one line or one element per
// line. The property is found by its exact name, else by the only name that differs in case; a new one is appended,
// and front matter is added if there is none. If the value is unchanged, Set returns the original text; a number in
// another notation than Set's, such as 0012, counts as changed.
//
// The error is a *FrontError if the front matter cannot be read or not be edited in place.
func Set(text []byte, key string, value any) ([]byte, error) {
	wanted, err := normalize(value)
	if err == nil {
		err = checkKey(key)
	}
	if err != nil {
		return nil, err
	}
	f, at, e, err := openProperty(text, key)
	switch {
	case err != nil:
		return nil, err
	case at < 0:
		f.insert(key, wanted)
		return f.checked(at, key, wanted, false)
	}
	if sameValue(f.properties[at].Value, wanted) && !f.otherNumber(e, wanted) {
		return text, nil
	}
	f.replace(e, f.properties[at].Value, wanted)
	return f.checked(at, f.properties[at].Key, wanted, false)
}

// Remove returns the text without the property that Set would find, or the original text if there is none. Front
// matter that becomes empty is removed.
func Remove(text []byte, key string) ([]byte, error) {
	f, at, e, err := openProperty(text, key)
	switch {
	case err != nil:
		return nil, err
	case at < 0:
		return text, nil
	}
	start, end := e.start, e.stop
	if len(bytes.TrimSpace(text[f.Start:start])) == 0 && len(bytes.TrimSpace(text[end:f.End])) == 0 {
		start, end = bomSize(text), block.LineStop(text, f.End)
	}
	f.splice(start, end, "")
	return f.checked(at, key, nil, true)
}

// maxKey limits the name of a property, in bytes.
const maxKey = 256

func checkKey(key string) error {
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) || !printable(key) || strings.TrimSpace(key) != key {
		return fmt.Errorf("the name of a property has 1 to %d bytes, no control characters, and no blanks around it", maxKey)
	}
	return nil
}

// frontEdit is an edit of front matter.
type frontEdit struct {
	frontMatter
	lineEnd string
	after   []byte
}

// openProperty reads front matter for an edit and finds a property in it as Find does.
func openProperty(text []byte, key string) (f frontEdit, at int, e entry, err error) {
	f.lineEnd = "\n"
	if first := block.LineStop(text, 0); first > 1 && text[first-1] == '\n' && text[first-2] == '\r' {
		f.lineEnd = "\r\n"
	}
	if f.frontMatter, err = readFront(text, frontSpan(text)); err != nil {
		return f, -1, e, err
	}
	if at = Find(f.properties, key); at >= 0 {
		e, err = f.entry(f.properties[at].Key)
	}
	return f, at, e, err
}

// errNotEditable returns the error for valid front matter that cannot be edited in place.
func errNotEditable(line int) error {
	return &FrontError{Line: line, Reason: "it is written in a way that does not allow changing single properties"}
}

// Find returns the index of a property by its exact name, else by the only name that differs in case; -1 if there is
// none.
func Find(properties []Property, key string) int {
	found := -1
	for i, p := range properties {
		switch {
		case p.Key == key:
			return i
		case !strings.EqualFold(p.Key, key):
		case found < 0:
			found = i
		default:
			found = len(properties)
		}
	}
	if found == len(properties) {
		return -1
	}
	return found
}

// splice replaces the bytes from start to end.
func (f *frontEdit) splice(start, end int, with string) {
	f.after = slices.Concat(f.text[:start], []byte(strings.ReplaceAll(with, "\n", f.lineEnd)), f.text[end:])
}

// insert appends a property.
func (f *frontEdit) insert(key string, value any) {
	line := formatText(key, false) + ":" + f.formatValue(value) + "\n"
	if f.Lines > 0 {
		if f.root != nil && f.root.Column > 1 {
			margin := strings.Repeat(" ", f.root.Column-1)
			line = margin + strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\n", "\n"+margin) + "\n"
		}
		f.splice(f.End, f.End, line)
		return
	}
	at := bomSize(f.text)
	f.splice(at, at, "---\n"+line+"---\n")
}

// formatValue returns a value in the form that follows the ":" of a new property.
func (f *frontEdit) formatValue(value any) string {
	list, ok := value.([]any)
	switch {
	case value == nil:
		return ""
	case !ok:
		return " " + valueText(value, false)
	}
	flow, indent := f.listForm()
	if flow || len(list) == 0 {
		return " " + valueText(list, false)
	}
	var b strings.Builder
	for _, v := range list {
		b.WriteString("\n" + strings.Repeat(" ", indent) + "- " + valueText(v, false))
	}
	return b.String()
}

// replace replaces the value of a property.
func (f *frontEdit) replace(e entry, old, value any) {
	list, isList := value.([]any)
	was, wasList := old.([]any)
	lineEnd := f.lineStop(e.colon)
	switch {
	case isList && wasList && e.value.Style&yaml.FlowStyle != 0:
		f.splice(e.begin, e.end, "["+strings.Join(text.Of(list, func(v any) string { return f.element(e, was, v) }), ", ")+"]")
	case isList && wasList && len(list) > 0 && e.value.Kind == yaml.SequenceNode:
		f.replaceBlock(e, was, list)
	case e.begin < e.end && e.end <= lineEnd && !isList && value != nil:
		f.splice(e.begin, e.end, valueText(value, false))
	default: // keep the comment after the value, or above a list
		stop := f.lineStop(e.end)
		comment := strings.TrimRight(string(f.text[e.end:stop]), " \t")
		if e.begin > lineEnd {
			comment = strings.TrimRight(string(f.text[e.colon:lineEnd]), " \t")
		}
		first, rest, several := strings.Cut(f.formatValue(value), "\n")
		if first += comment; several {
			first += "\n" + rest
		}
		f.splice(e.colon, stop, first)
	}
}

// otherNumber reports whether the property is a number in another notation than value's, such as 1.10 or 0x1F. It may
// be a version or a telephone number.
func (f *frontEdit) otherNumber(e entry, value any) bool {
	switch value.(type) {
	case int64, float64:
		return e.value.Kind == yaml.ScalarNode && e.value.Value != scalarText(value)
	}
	return false
}

// NumberText returns a property's number as written in the text if Set would write it differently: "0012" for 12.
// Otherwise ok is false.
func NumberText(text []byte, key string) (number string, ok bool) {
	f, at, e, err := openProperty(text, key)
	if err != nil || at < 0 || !f.otherNumber(e, f.properties[at].Value) {
		return "", false
	}
	return e.value.Value, true
}

// checked returns the edited text after checking that the property has its new value and nothing else changed.
func (f *frontEdit) checked(at int, key string, value any, removed bool) ([]byte, error) {
	line := 2
	if at >= 0 {
		line = f.properties[at].Line
	}
	front := frontSpan(f.after)
	if front.End-front.Start > maxFront {
		return nil, fmt.Errorf("the front matter would be longer than %d KB", maxFront>>10)
	}
	now, err := Properties(f.after)
	var want []Property
	for i, p := range f.properties {
		switch {
		case i != at:
			want = append(want, p)
		case !removed:
			want = append(want, Property{Key: key, Value: value})
		}
	}
	if at < 0 {
		want = append(want, Property{Key: key, Value: value})
	}
	if err != nil || !sameValue(now, want) {
		return nil, errNotEditable(line)
	}
	return f.after, nil
}

// sameValue reports whether two property values are equal.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case []Property:
		b, ok := b.([]Property)
		return ok && slices.EqualFunc(a, b, func(x, y Property) bool { return x.Key == y.Key && sameValue(x.Value, y.Value) })
	}
	return reflect.DeepEqual(a, b)
}

// listForm returns the style of the first non-empty list, or else Obsidian's.
func (f *frontEdit) listForm() (flow bool, indent int) {
	for i := 1; f.root != nil && i < len(f.root.Content); i += 2 {
		if n := f.root.Content[i]; n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
			return n.Style&yaml.FlowStyle != 0, n.Column - f.root.Column
		}
	}
	return false, 2
}

// element returns an element of a list on one line, as the old one has it if it does.
func (f *frontEdit) element(e entry, old []any, v any) string {
	for i, n := range e.value.Content {
		if from, to := f.begin(n), f.end(n); sameValue(old[i], v) && to >= from && bytes.IndexByte(f.text[from:to], '#') < 0 {
			return string(f.text[from:to])
		}
	}
	return valueText(v, true)
}

// replaceBlock replaces the elements of a list with one element per line. Remaining elements keep their lines and the
// comments above them.
func (f *frontEdit) replaceBlock(e entry, old, list []any) {
	from := f.lineStop(e.colon)
	var lines []string
	for at, i := from, 0; i < len(old); i++ {
		end := f.end(e.value.Content[i])
		if end < at {
			return // it cannot be located; checked refuses the unchanged text
		}
		stop := f.lineStop(end)
		lines = append(lines, strings.ReplaceAll(string(f.text[at:stop]), "\r\n", "\n"))
		at = stop
	}
	margin := "\n" + strings.Repeat(" ", e.value.Column-1) + "- "
	f.splice(from, f.lineStop(e.end), strings.Join(text.Of(list, func(v any) string {
		if i := slices.IndexFunc(old, func(o any) bool { return sameValue(o, v) }); i >= 0 {
			return lines[i]
		}
		return margin + valueText(v, false)
	}), ""))
}
