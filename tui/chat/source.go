package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/text"
	"chatvault/tui/list"
)

// Sourced is an item with a text of its own, of which its drawing is one way to show it.
type Sourced interface {
	list.Item
	// Raw is the text as it came, to be copied: Markdown where it is Markdown. whole is false where
	// only its beginning was kept.
	Raw() (text string, whole bool)
	// Words appends all that the item says, also what is folded, to be looked through. Nothing
	// where another item shows it.
	Words(b []byte) []byte
}

// Source is what an item was made of: the text as it came, else as it is drawn at a width.
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

// received is a text as it came in pieces, kept only where it is another than what was made safe
// of it.
type received struct {
	ahead string // came, and is not made safe yet
	raw   []byte // the whole; nil while what was made safe is the same
}

// piece takes a piece, and what was shown of it and those before; source is what was shown before.
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

// text is all that came; source is all that was shown.
func (r *received) text(source []byte) string {
	if r.raw != nil {
		return string(r.raw)
	}
	return string(source) + r.ahead
}

// Raw is the answer as the model wrote it.
func (a *Assistant) Raw() (string, bool) { return a.text(a.source), true }

// Raw is the message as it was sent.
func (u *User) Raw() (string, bool) { return u.text, true }

// Words are those of the message, and why it was not sent.
func (u *User) Words(b []byte) []byte { return appendLines(b, u.label, u.text, u.failed) }

// Raw is the message as it came.
func (m *Message) Raw() (string, bool) { return m.text, true }

// Words are those of the message and of its options.
func (m *Message) Words(b []byte) []byte {
	return appendLines(append(b, m.source...), m.options.list...)
}

// Raw is the reasoning.
func (r *Reasoning) Raw() (string, bool) { return string(r.text), r.left == 0 }

// Words are those of the reasoning.
func (r *Reasoning) Words(b []byte) []byte { return append(b, r.text...) }

// Words are those of the card.
func (r *Retrospection) Words(b []byte) []byte {
	return appendLines(append(appendLines(b, r.title), r.source...), r.proposal)
}

// Raw is the list in Markdown.
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

// Words are those of the list.
func (t *Tasks) Words(b []byte) []byte {
	for _, task := range t.tasks {
		b = appendLines(b, task.Text)
	}
	return b
}

// Raw is what the call gave, the call where that is nothing; of calls that are folded into one
// line, what each gave below its name.
func (t *Tool) Raw() (string, bool) {
	all := t.group.folded()
	if len(all) == 0 || all[0] != t {
		if text, whole := t.gave(); text != "" {
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
		text, entire := c.gave()
		whole = whole && entire
		b.WriteString(strings.TrimSpace(c.name+" "+c.target) + "\n\n" + text + "\n")
	}
	return b.String(), whole
}

// gave is what came of the call, as it came.
func (t *Tool) gave() (text string, whole bool) {
	if t.given.text != "" {
		return t.given.text, !t.given.short
	}
	return t.result.text, !t.result.short
}

// Words are those of the call, of those that are folded with it, and of what came of them.
func (t *Tool) Words(b []byte) []byte {
	if t.gone {
		return b
	}
	all := t.group.folded()
	for i, c := range all {
		if c == t && i > 0 {
			return b // the first shows it
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
	text, _ := t.gave()
	return appendLines(b, text)
}

// appendLines appends texts, each on lines of its own; empty ones are left out.
func appendLines(b []byte, texts ...string) []byte {
	for _, text := range texts {
		if text != "" {
			b = append(append(b, text...), '\n')
		}
	}
	return b
}

// joined puts texts below each other; empty ones are left out.
func joined(texts ...string) string { return string(appendLines(nil, texts...)) }

// Raw is the text.
func (d *document) Raw() (string, bool) { return string(d.source), true }

// Words are those of the text.
func (d *document) Words(b []byte) []byte { return append(b, d.source...) }

// Size is the length of the text so far, in bytes.
func (d *document) Size() int { return len(d.source) }

// Size is the length of the message, in bytes.
func (u *User) Size() int { return len(u.text) }
