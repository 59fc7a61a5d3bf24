package chat

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/text"
	"chatvault/tui/list"
)

// Sourced is an item whose text can be copied and searched.
type Sourced interface {
	list.Item
	// Raw returns the original text, for copying. whole is false if only its beginning was kept.
	Raw() (text string, whole bool)
}

// Words appends the searchable text of an item, including folded text, except text that another item shows. Of an item
// without text, it is the drawing at a width.
func Words(b []byte, it list.Item, width int) []byte {
	if t, ok := it.(*Tool); ok {
		return t.appendWords(b)
	}
	text, _ := Source(it, width)
	return append(b, text...)
}

// Source returns an item's original text or, if it has none, its drawing at a width.
func Source(it list.Item, width int) (text string, whole bool) {
	if s, ok := it.(Sourced); ok {
		return s.Raw()
	}
	var b strings.Builder
	for _, l := range it.Lines(width) {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " ") + "\n")
	}
	return b.String(), true
}

// Raw implements Sourced.
func (a *Assistant) Raw() (string, bool) { return string(a.raw), true }

// Raw implements Sourced.
func (u *User) Raw() (string, bool) { return u.Text, true }

// Raw implements Sourced.
func (m *Message) Raw() (string, bool) { return m.text, true }

// Raw implements Sourced.
func (r *Reasoning) Raw() (string, bool) { return string(r.text), true }

// Raw returns the list as Markdown.
func (t *Tasks) Raw() (string, bool) {
	var b strings.Builder
	for _, task := range t.tasks {
		box := "- [ ] "
		if task.Done {
			box = "- [x] "
		}
		b.WriteString(box + text.OneLine(task.Text) + "\n")
	}
	return b.String(), true
}

// Raw returns the result of the call or, if it is empty, the call itself. For grouped calls it returns each result
// below its target.
func (t *Tool) Raw() (string, bool) {
	all := t.group.folded()
	if len(all) == 0 || all[0] != t {
		if t.result != "" {
			return t.result, !t.short
		}
		return strings.TrimSpace(t.name + " " + t.target), true
	}
	texts, whole := make([]string, len(all)), true
	for i, c := range all {
		whole = whole && !c.short
		texts[i] = strings.TrimSpace(c.name+" "+c.target) + "\n\n" + c.result + "\n"
	}
	return strings.Join(texts, "\n"), whole
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
	b = appendLines(b, t.name+" "+t.target+" "+t.summary)
	for _, a := range t.arguments {
		b = appendLines(b, a.name+": "+a.value)
	}
	if t.steps != nil {
		for _, c := range t.steps.calls {
			b = appendLines(b, c.name+" "+c.target+" "+c.summary)
		}
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
func (d *document) Raw() (string, bool) { return string(d.source), true }
