package note

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/vault/block"
)

// Set returns a text in which the property key has a value: nil, a bool, an integer, a float64, a
// string, a time, or a list of such as []string or []any. What stands outside the lines of that
// property keeps every byte, and so do its key, a comment after it, and elements of a list that
// stay; a list stays in the style it has, on one line or one element a line. A property is found
// by its name, else by the only name that differs from it in case; one that is not there is put
// last, and front matter is made where there is none. Where nothing changes the text itself is
// returned; a number that is written otherwise than Set writes it, such as 0012, is not the same.
//
// Front matter that cannot be read, and such as cannot be edited in place, is a *FrontError.
func Set(text []byte, key string, value any) ([]byte, error) {
	wanted, err := plain(value)
	if err == nil {
		err = checkKey(key)
	}
	if err != nil {
		return nil, err
	}
	f, err := openFront(text)
	if err != nil {
		return nil, err
	}
	at := Find(f.properties, key)
	switch {
	case at < 0:
		f.insert(key, wanted)
	case sameValue(f.properties[at].Value, wanted) && !f.otherNumber(at):
		return text, nil
	default:
		key = f.properties[at].Key
		f.replace(at, wanted)
	}
	return f.checked(at, key, wanted, false)
}

// Remove returns a text without the property, as Set finds it; the text itself where it is not
// there. Front matter in which nothing is left goes with it.
func Remove(text []byte, key string) ([]byte, error) {
	f, err := openFront(text)
	if err != nil {
		return nil, err
	}
	at := Find(f.properties, key)
	if at < 0 {
		return text, nil
	}
	e := f.entries[at]
	start, end := e.start, e.end
	if len(bytes.TrimSpace(text[f.front.Start:start])) == 0 && len(bytes.TrimSpace(text[end:f.front.End])) == 0 {
		end = block.LineStop(text, f.front.End)
		start = 0
		if bytes.HasPrefix(text, byteOrderMark) {
			start = len(byteOrderMark)
		}
	}
	f.splice(start, end, "")
	return f.checked(at, e.key, nil, true)
}

// maxKey bounds a property's name, in bytes.
const maxKey = 256

func checkKey(key string) error {
	switch {
	case strings.TrimSpace(key) == "":
		return fmt.Errorf("a property needs a name")
	case len(key) > maxKey:
		return fmt.Errorf("the name of a property may have at most %d bytes", maxKey)
	case !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) || !printable(key):
		return fmt.Errorf("the name of a property may not have line breaks or control characters")
	case strings.TrimSpace(key) != key:
		return fmt.Errorf("the name of a property may not begin or end with a space")
	}
	return nil
}

// frontEdit is front matter that is being edited.
type frontEdit struct {
	text       []byte
	front      Front
	entries    []entry
	properties []Property // of the same indexes
	lineEnd    string
	after      []byte
}

// openFront reads front matter that is to be edited. What the parser says of it and what its lines
// look like must agree: an edit of something else than it seems to be would do harm.
func openFront(text []byte) (*frontEdit, error) {
	front := frontSpan(text)
	f := &frontEdit{text: text, front: front, lineEnd: "\n"}
	if first := block.LineStop(text, 0); first > 1 && text[first-1] == '\n' && text[first-2] == '\r' {
		f.lineEnd = "\r\n"
	}
	var err error
	if f.properties, err = parseFront(text, front); err != nil {
		return nil, err
	}
	entries, ok := scanEntries(text, front.Start, front.End)
	for i, e := range entries {
		if i >= len(f.properties) || f.properties[i].Line != e.line+1 || f.properties[i].Key != e.key {
			return nil, odd(e.line + 1)
		}
	}
	if !ok || len(entries) < len(f.properties) {
		return nil, odd(2)
	}
	f.entries = entries
	return f, nil
}

// odd is the error for front matter that is valid, and yet cannot be edited in place.
func odd(line int) error {
	return &FrontError{Line: line, Reason: "it is written in a way that does not allow changing single properties"}
}

// Find is the index of a property, by its name or the only one that differs in case; -1: none.
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

// splice puts with in the place of the bytes from start to end.
func (f *frontEdit) splice(start, end int, with string) {
	with = strings.ReplaceAll(with, "\n", f.lineEnd)
	f.after = make([]byte, 0, len(f.text)+len(with))
	f.after = append(f.after, f.text[:start]...)
	f.after = append(f.after, with...)
	f.after = append(f.after, f.text[end:]...)
}

// insert puts a property last.
func (f *frontEdit) insert(key string, value any) {
	line := wordText(key, false) + ":" + f.written(value) + "\n"
	if f.front.Lines > 0 {
		f.splice(f.front.End, f.front.End, line)
		return
	}
	at := 0
	if bytes.HasPrefix(f.text, byteOrderMark) {
		at = len(byteOrderMark)
	}
	f.splice(at, at, "---\n"+line+"---\n")
}

// written is a value as it follows a ":" where nothing says how.
func (f *frontEdit) written(value any) string {
	list, ok := value.([]any)
	switch {
	case value == nil:
		return ""
	case !ok:
		return " " + word(value, false)
	}
	how, indent := f.listForm()
	if how == formFlow || len(list) == 0 {
		return " " + flowText(list, nil)
	}
	var b strings.Builder
	for _, v := range list {
		b.WriteString("\n" + strings.Repeat(" ", indent) + "- " + word(v, false))
	}
	return b.String()
}

// replace gives the property at an index another value.
func (f *frontEdit) replace(at int, value any) {
	e := &f.entries[at]
	list, isList := value.([]any)
	old, wasList := f.properties[at].Value.([]any)
	onKeyLine := e.form == formNone || e.end == block.LineStop(f.text, e.start)
	switch {
	case isList && wasList && e.form == formFlow:
		f.splice(e.value, e.valueEnd, flowText(list, f.keptWords(e, old)))
	case isList && wasList && e.form == formBlock && len(list) > 0:
		f.replaceBlock(e, old, list)
	case onKeyLine && e.valueEnd > e.value && !isList && value != nil:
		f.splice(e.value, e.valueEnd, word(value, false))
	default:
		// The comment after the key or the value stays.
		lineEnd := e.start + len(bytes.TrimRight(f.text[e.start:block.LineStop(f.text, e.start)], "\r\n"))
		comment := ""
		if from := e.valueEnd; onKeyLine || e.value == e.colon {
			if !onKeyLine {
				from = e.colon
			}
			comment = strings.TrimRight(string(f.text[from:lineEnd]), " \t")
		}
		stop := e.start + len(bytes.TrimRight(f.text[e.start:e.end], "\r\n"))
		text := f.written(value)
		if first, rest, several := strings.Cut(text, "\n"); several {
			f.splice(e.colon, stop, first+comment+"\n"+rest)
		} else {
			f.splice(e.colon, stop, text+comment)
		}
	}
}

// otherNumber reports whether the property at an index is a number in characters of its own, such
// as 1.10 or 0x1F: to the owner it may be a version or a telephone's number.
func (f *frontEdit) otherNumber(at int) bool {
	e := &f.entries[at]
	switch f.properties[at].Value.(type) {
	case int64, float64:
		return e.form == formPlain && string(f.text[e.value:e.valueEnd]) != scalarText(f.properties[at].Value)
	}
	return false
}

// NumberText is how the number that a property holds is written in a text, where that is not how
// it would be written anew: "0012" for 12. ok is false for what is no such number.
func NumberText(text []byte, key string) (number string, ok bool) {
	f, err := openFront(text)
	if err != nil {
		return "", false
	}
	at := Find(f.properties, key)
	if at < 0 || !f.otherNumber(at) {
		return "", false
	}
	return string(text[f.entries[at].value:f.entries[at].valueEnd]), true
}

// checked is the edited text, once it is sure that it says what it should and nothing else
// changed.
func (f *frontEdit) checked(at int, key string, value any, removed bool) ([]byte, error) {
	line := 2
	if at >= 0 {
		line = f.properties[at].Line
	}
	front := frontSpan(f.after)
	if front.End-front.Start > maxFront {
		return nil, fmt.Errorf("the front matter would be longer than %d KB", maxFront>>10)
	}
	now, err := parseFront(f.after, front)
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
		return nil, odd(line)
	}
	return f.after, nil
}

// sameValue reports whether two values of properties are equal.
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

// listForm is how the first list is written that has elements; Obsidian's way where there is none.
func (f *frontEdit) listForm() (how form, indent int) {
	for i := range f.entries {
		e := &f.entries[i]
		if (e.form == formFlow || e.form == formBlock) && len(e.items) > 0 {
			return e.form, e.indent
		}
	}
	return formBlock, 2
}

// flowText is a list on one line; kept are the words of elements as they were.
func flowText(list []any, kept func(v any) string) string {
	words := make([]string, len(list))
	for i, v := range list {
		if kept != nil {
			words[i] = kept(v)
		}
		if words[i] == "" {
			words[i] = word(v, true)
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// keptWords gives back how an element was written.
func (f *frontEdit) keptWords(e *entry, old []any) func(any) string {
	if len(e.items) != len(old) {
		return nil
	}
	return func(v any) string {
		for i, o := range old {
			if sameValue(o, v) && bytes.IndexByte(f.text[e.items[i].start:e.items[i].end], '#') < 0 {
				return string(f.text[e.items[i].start:e.items[i].end])
			}
		}
		return ""
	}
}

// replaceBlock gives a list of one element a line other elements. The lines of those that stay are
// kept, with their comments.
func (f *frontEdit) replaceBlock(e *entry, old, list []any) {
	stop := e.start + len(bytes.TrimRight(f.text[e.start:e.end], "\r\n"))
	var b strings.Builder
	used := make([]bool, len(e.items))
	begin := strings.Repeat(" ", e.indent) + "- "
	if len(e.items) > 0 { // tabs and the like
		first := f.text[:e.items[0].start]
		dash := bytes.LastIndexByte(first, '-')
		if line := bytes.LastIndexByte(first, '\n'); line >= 0 && dash > line && isBlank(f.text[line+1:dash]) {
			begin = string(f.text[line+1 : dash+1])
			if gap := f.text[dash+1 : e.items[0].start]; len(gap) > 0 && isBlank(gap) {
				begin += string(gap)
			} else {
				begin += " "
			}
		}
	}
	from := e.items[0].first
	for _, v := range list {
		kept := -1
		for i := range e.items {
			if len(old) == len(e.items) && !used[i] && sameValue(old[i], v) {
				kept = i
				break
			}
		}
		if kept < 0 {
			b.WriteString(begin + word(v, false) + "\n")
			continue
		}
		used[kept] = true
		lines := f.text[e.items[kept].first:e.items[kept].after]
		b.WriteString(strings.ReplaceAll(string(bytes.TrimRight(lines, "\r\n")), "\r\n", "\n") + "\n")
	}
	f.splice(from, stop, strings.TrimSuffix(b.String(), "\n"))
}
