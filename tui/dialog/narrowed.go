package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/keys"
)

// narrowable is a row of a list that what is typed narrows.
type narrowable interface {
	// id tells it from others where the rows are put anew; empty: its place does.
	id() string
	// says is what it is called, what belongs to that, and what else it is about.
	says() (label, beside, about string)
}

// narrowed is a list that what is typed narrows. It promises that text is never more than text.
type narrowed[R narrowable] struct {
	all   []R
	shown []R
	at    int // the marked one
	top   int // the first row, or line, in sight
	page  int // rows
	field Input
}

// Writes says that text is for the dialog.
func (n *narrowed[R]) Writes() bool { return true }

// marked is the row with the mark.
func (n *narrowed[R]) marked() (row R, ok bool) {
	if n.at >= len(n.shown) {
		return row, false
	}
	return n.shown[n.at], true
}

// show puts rows into sight, from the first.
func (n *narrowed[R]) show(rows []R) { n.shown, n.at, n.top = rows, 0, 0 }

// goTo moves the mark to a row, to an end where there is none so far.
func (n *narrowed[R]) goTo(at int) { n.at = max(min(at, len(n.shown)-1), 0) }

// refresh puts other rows in the place of those there are, of which narrow shows some; the mark stays on its row,
// or where it is.
func (n *narrowed[R]) refresh(rows []R, narrow func()) {
	at, top, id := n.at, n.top, ""
	if r, ok := n.marked(); ok {
		id = r.id()
	}
	n.all = rows
	narrow()
	n.goTo(at)
	n.top = top
	if i := slices.IndexFunc(n.shown, func(r R) bool { return id != "" && r.id() == id }); i >= 0 {
		n.at = i
	}
}

// key handles what is typed, and the keys that go far through the rows or edit the field; typed says that what
// stands there is another. Where there is a text, its ends are meant, not the list's.
func (n *narrowed[R]) key(k tea.KeyPressMsg) (typed bool) {
	if text, ok := keys.Text(k); ok {
		n.field.Insert(text)
		return true
	}
	empty := n.field.empty()
	switch name := keys.Name(k); {
	case name == "pgup":
		n.goTo(n.at - n.page)
	case name == "pgdown":
		n.goTo(n.at + n.page)
	case name == "home" && empty:
		n.goTo(0)
	case name == "end" && empty:
		n.goTo(len(n.shown))
	default:
		return n.field.Key(k)
	}
	return false
}

// ranks are the rows that what is typed means, in their own order: those whose label, with what belongs to it, holds
// every word of it, then those that hold them elsewhere, then those in whose label its letters occur one after
// the other.
func (n *narrowed[R]) ranks() (found [3][]R) {
	words := strings.Fields(strings.ToLower(n.field.value()))
	if len(words) == 0 {
		return [3][]R{n.all}
	}
	for _, r := range n.all {
		label, beside, about := r.says()
		label = strings.ToLower(label)
		name := label + " " + strings.ToLower(beside)
		switch {
		case holds(name, words):
			found[0] = append(found[0], r)
		case holds(name+" "+strings.ToLower(about), words):
			found[1] = append(found[1], r)
		case inOrder(label, strings.Join(words, "")):
			found[2] = append(found[2], r)
		}
	}
	return found
}

func holds(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// inOrder says whether the letters occur in text one after the other.
func inOrder(text, letters string) bool {
	for _, r := range letters {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}
