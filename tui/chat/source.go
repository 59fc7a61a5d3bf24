package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/text"
	"chatvault/tui/list"
)

// Sourced is an item whose text can be copied and searched.
type Sourced interface {
	list.Item
	// Raw returns the original text, for copying. whole is false if only its beginning was kept.
	Raw() (text string, whole bool)
	// Words appends all searchable text of the item, including folded text, except text that another item shows.
	Words(b []byte) []byte
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

// received is text received in pieces, stored only if it differs from the sanitized text.
type received struct {
	ahead string // received but not yet in the sanitized text
	raw   []byte // the whole text; nil while it equals the sanitized text
}

// piece adds a piece and its sanitized form. source is the sanitized text before it.
func (r *received) piece(piece, shown string, source []byte) {
	if r.raw != nil {
		r.raw = append(r.raw, piece...)
		return
	}
	r.ahead += piece
	if rest, same := strings.CutPrefix(r.ahead, shown); same {
		r.ahead = rest
		return
	}
	r.raw = append(append(make([]byte, 0, len(source)+len(r.ahead)), source...), r.ahead...)
	r.ahead = ""
}

// text returns the whole text; source is the sanitized text.
func (r *received) text(source []byte) string {
	if r.raw != nil {
		return string(r.raw)
	}
	return string(source) + r.ahead
}

// Raw implements Sourced.
func (a *Assistant) Raw() (string, bool) { return a.text(a.source), true }

// Raw implements Sourced.
func (u *User) Raw() (string, bool) { return u.text, true }

// Words implements Sourced.
func (u *User) Words(b []byte) []byte { return appendLines(b, u.label, u.text, u.failed) }

// Raw implements Sourced.
func (m *Message) Raw() (string, bool) { return m.text, true }

// Words implements Sourced.
func (m *Message) Words(b []byte) []byte {
	return appendLines(append(b, m.source...), m.options.list...)
}

// Raw implements Sourced.
func (r *Reasoning) Raw() (string, bool) { return string(r.text), r.left == 0 }

// Words implements Sourced.
func (r *Reasoning) Words(b []byte) []byte { return append(b, r.text...) }

// Words implements Sourced.
func (r *Retrospection) Words(b []byte) []byte {
	return append(appendLines(b, r.title), r.source...)
}

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

// Words implements Sourced.
func (t *Tasks) Words(b []byte) []byte {
	for _, task := range t.tasks {
		b = appendLines(b, task.Text)
	}
	return b
}

// Raw returns the result of the call or, if it is empty, the call itself. For grouped calls it returns each result
// below its target.
func (t *Tool) Raw() (string, bool) {
	all := t.group.folded()
	if len(all) == 0 || all[0] != t {
		if text, whole := t.rawResult(); text != "" {
			return text, whole
		}
		return strings.TrimSpace(t.name + " " + t.target), true
	}
	var b strings.Builder
	whole := true
	for i, c := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, entire := c.rawResult()
		whole = whole && entire
		b.WriteString(strings.TrimSpace(c.name+" "+c.target) + "\n\n" + text + "\n")
	}
	return b.String(), whole
}

// rawResult returns the original result.
func (t *Tool) rawResult() (text string, whole bool) {
	if t.given.text != "" {
		return t.given.text, !t.given.short
	}
	return t.result.text, !t.result.short
}

// Words appends the text of the call or, for the first of grouped calls, of all of them.
func (t *Tool) Words(b []byte) []byte {
	if t.gone {
		return b
	}
	all := t.group.folded()
	for i, c := range all {
		if c == t && i > 0 {
			return b // drawn by the first
		}
	}
	if len(all) == 0 || all[0] != t {
		return t.words(b)
	}
	for _, c := range all {
		b = c.words(b)
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
	text, _ := t.rawResult()
	return appendLines(b, text)
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

// joined returns the non-empty texts, one per line.
func joined(texts ...string) string { return string(appendLines(nil, texts...)) }

// Raw implements Sourced.
func (d *document) Raw() (string, bool) { return string(d.source), true }

// Words implements Sourced.
func (d *document) Words(b []byte) []byte { return append(b, d.source...) }

// Size returns the length of the text so far, in bytes.
func (d *document) Size() int { return len(d.source) }

// Size returns the length of the message, in bytes.
func (u *User) Size() int { return len(u.text) }
