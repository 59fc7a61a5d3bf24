package dialog

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/keys"
)

// chooser is the choices of a dialog below which a text may be written. It promises that a letter
// decides only where it is shown and no text is written, and Enter only where a choice was marked when it was pressed, never a text: as long as one
// writes, no choice is marked, and keys are the text's until an arrow comes to the choices, or the
// text is gone: then the choice is marked that changes nothing.
type chooser struct {
	choices []Choice
	at      int
	escape  any
	ready   bool // takes keys by now
	aside   bool // the user writes: Enter is not for the dialog
}

// Ready says whether the dialog takes keys.
func (c *chooser) Ready(ready bool) { c.ready = ready }

// Follow leaves the keys to a text no longer than it is there.
func (c *chooser) Follow(writing bool) bool {
	if writing || !c.aside {
		return false
	}
	c.aside, c.at = false, c.safe()
	return true
}

// marked says whether a choice is marked.
func (c *chooser) marked() bool { return c.ready && !c.aside }

// key handles a key; chosen says that the marked choice was decided for.
func (c *chooser) key(k tea.KeyPressMsg) (out Outcome, chosen bool) {
	if _, text := keys.Text(k); text {
		if i := c.named(k); i >= 0 {
			c.at = i
			return Outcome{}, true
		}
		c.aside = true
		return Outcome{Typed: true}, false
	}
	switch keys.Name(k) {
	case "esc":
		return Outcome{Result: c.escape, Closed: true}, false
	case "up":
		c.mark(-1)
		return Outcome{}, false
	case "down":
		c.mark(1)
		return Outcome{}, false
	}
	if c.aside {
		return Outcome{Typed: true}, false
	}
	switch keys.Name(k) {
	case "shift+tab", "left":
		c.mark(-1)
	case "tab", "right":
		c.mark(1)
	case "ctrl+c":
		return Outcome{Result: c.escape, Closed: true}, false
	case "enter":
		return Outcome{}, true
	}
	return Outcome{}, false
}

// named is the place of the choice that a letter or a digit names; -1: none, or it is a text's.
func (c *chooser) named(k tea.KeyPressMsg) int {
	name := keys.Name(k)
	if c.aside || keys.IsPaste(k) || name == "" || !slices.ContainsFunc(c.choices, func(o Choice) bool { return o.Key != "" }) {
		return -1
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(c.choices) {
		return n - 1
	}
	return slices.IndexFunc(c.choices, func(o Choice) bool { return o.Key == name })
}

// shown is the choices as they are drawn: without their letters while those are a text's.
func (c *chooser) shown() []Choice {
	if !c.aside {
		return c.choices
	}
	out := slices.Clone(c.choices)
	for i := range out {
		letter := " (" + out[i].Key + ")"
		out[i].Label, out[i].Short = strings.TrimSuffix(out[i].Label, letter), strings.TrimSuffix(out[i].Short, letter)
	}
	return out
}

// Aside says that a text is written.
func (c *chooser) Aside() { c.aside = true }

// safe is the place of the choice that changes nothing, the first where none is said to.
func (c *chooser) safe() int {
	return max(slices.IndexFunc(c.choices, func(o Choice) bool { return o.Safe }), 0)
}

// mark moves the mark; where there was none, because one was writing, it comes to the choice
// that changes nothing: the arrow may have been meant for the text.
func (c *chooser) mark(n int) {
	if c.aside {
		c.aside, c.at = false, c.safe()
		return
	}
	c.at = (c.at + n + len(c.choices)) % len(c.choices)
}

// Choice is one way to decide.
type Choice struct {
	Label  string
	Short  string // where there is no room for Label; may be empty
	Result any
	Key    string // the letter that does the same while nothing is written; "": none (Reader, Approval)
	// Note asks for a note first, and gives the Result of one; Pick asks which parts first, and gives the Result
	// of those that were taken, by their places in Proposed.Prose.Hunks, at least one (Approval). Nil: it asks nothing.
	Note  func(note string) any
	Pick  func(hunks []int) any
	Safe  bool // changes nothing: what is marked where nothing else may be by chance
	Stays bool // the dialog stays open below what comes of it (Reader)
}
