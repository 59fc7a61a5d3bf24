package chat

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
)

// Sourced is an item whose text can be copied and searched.
type Sourced interface {
	list.Item
	// Raw returns the original text, for copying.
	Raw() string
}

// Words appends the searchable text of an item, including folded text, except text that another item shows. Of an item
// without text, it is the drawing at a width.
func Words(b []byte, it list.Item, width int) []byte {
	if t, ok := it.(*Tool); ok {
		return t.appendWords(b)
	}
	return append(b, Source(it, width)...)
}

// Source returns an item's original text or, if it has none, its drawing at a width.
func Source(it list.Item, width int) string {
	if s, ok := it.(Sourced); ok {
		return s.Raw()
	}
	var b strings.Builder
	for _, l := range it.Lines(width) {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
	}
	return b.String()
}

// Raw implements Sourced.
func (a *Assistant) Raw() string { return string(a.raw) }

// Raw implements Sourced.
func (u *User) Raw() string { return u.Text }

// Raw implements Sourced.
func (m *Message) Raw() string { return m.text }

// Raw implements Sourced.
func (r *Reasoning) Raw() string { return string(r.text) }

// Raw returns the result of the call or, if it is empty, the call itself. For grouped calls it returns all of them.
func (t *Tool) Raw() string {
	switch {
	case slices.Contains(t.group.folded(), t):
		return string(t.appendWords(nil))
	case t.short:
		return t.result + "…"
	}
	return cmp.Or(t.result, strings.TrimSpace(t.name+" "+t.target))
}

// appendWords appends the text of the call or, for the first of grouped calls, of all of them.
func (t *Tool) appendWords(b []byte) []byte {
	if t.gone {
		return b
	}
	all := t.group.folded()
	switch slices.Index(all, t) {
	case -1:
		return t.words(b)
	case 0:
		for _, c := range all {
			b = c.words(b)
		}
	}
	return b
}

func (t *Tool) words(b []byte) []byte {
	b = appendLines(b, t.name+" "+t.target+" "+t.summary, t.arguments)
	for _, c := range t.steps.calls {
		b = appendLines(b, c.name+" "+c.target+" "+c.summary)
	}
	return appendLines(b, t.result)
}

// appendLines appends each non-empty text as a line.
func appendLines(b []byte, texts ...string) []byte {
	for _, text := range texts {
		if text != "" {
			b = append(append(b, text...), '\n')
		}
	}
	return b
}

// Raw implements Sourced.
func (d *document) Raw() string { return string(d.source) }
