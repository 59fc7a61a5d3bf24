package dialog

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// Choice is an option of a dialog.
type Choice struct {
	Label  string
	Result any
	Key    string // the letter that selects it unless a text is being written, shown in Label; may be empty
	// Note asks for a note and returns the Result for it. Pick asks for at least one part, by index in
	// Proposed.Prose.Hunks, and returns the Result for them; only Approval supports it. Either may be nil.
	Note  func(note string) any
	Pick  func(hunks []int) any
	Safe  bool // changes nothing; marked if an accidental Enter is possible
	Stays bool // the dialog stays open (Reader)
}

// chooser is the choices of a dialog below which a text may be written. A letter decides only if it is shown and no
// text is being written, and Enter only if a choice was already marked. While a text is being written, no choice is
// marked and keys go to the text, until an arrow is pressed or the text is gone; then the safe choice is marked.
type chooser struct {
	choices []Choice
	at      int
	escape  any
	yields
}

// Follow implements Yielding.
func (c *chooser) Follow(writing bool) bool {
	if !c.yields.Follow(writing) {
		return false
	}
	c.at = c.safe()
	return true
}

// key handles a key; chosen reports whether it selected the marked choice.
func (c *chooser) key(k tea.KeyPressMsg) (out Outcome, chosen bool) {
	if _, text := keys.Text(k); text {
		if i := c.named(k); i >= 0 {
			c.at = i
			return Outcome{}, true
		}
		c.aside = true
		return Outcome{Typed: true}, false
	}
	switch name := keys.Name(k); {
	case name == "esc", name == "ctrl+c" && !c.aside:
		return Outcome{Result: c.escape, Closed: true}, false
	case name == "up":
		c.mark(-1)
	case name == "down":
		c.mark(1)
	case c.aside:
		return Outcome{Typed: true}, false
	case name == "shift+tab", name == "left":
		c.mark(-1)
	case name == "tab", name == "right":
		c.mark(1)
	case name == "enter":
		return Outcome{}, true
	}
	return Outcome{}, false
}

// named returns the index of the choice selected by a letter or a digit; -1 if there is none or the key belongs to
// the text.
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

// safe returns the index of the safe choice, or of the first.
func (c *chooser) safe() int {
	return max(slices.IndexFunc(c.choices, func(o Choice) bool { return o.Safe }), 0)
}

// mark moves the mark. If there was none, because the user was writing, it marks the safe choice: the arrow may have
// been meant for the text.
func (c *chooser) mark(n int) {
	if c.aside {
		c.aside, c.at = false, c.safe()
		return
	}
	if len(c.choices) > 0 {
		c.at = (c.at + n + len(c.choices)) % len(c.choices)
	}
}

// rows draws the choices, one per line or in as few rows as possible; focus is the row of the marked one. Their
// letters are hidden while letters go to a text.
func (c *chooser) rows(s *theme.Styles, inner int, beside bool) (rows []string, focus int) {
	used := 0
	for i, o := range c.choices {
		label, letter := o.Label, ""
		if words, ok := strings.CutSuffix(label, " ("+o.Key+")"); ok {
			if label = words; !c.aside {
				letter = " (" + o.Key + ")"
			}
		}
		label = cells.Truncate(label, max(inner-2-len(letter), 1), "…") + letter
		mark, w := "  ", 2+cells.Width(label)
		if c.ready && !c.aside && i == c.at {
			fill := inner
			if beside {
				fill = w
			}
			mark, label = "", s.Filled(s.Accent.Render("›")+" "+s.Bold.Render(label), fill)
		}
		if beside && used > 0 && used+2+w <= inner {
			rows[len(rows)-1] += "  " + mark + label
			used += 2 + w
		} else {
			rows, used = append(rows, mark+label), w
		}
		if i == c.at {
			focus = len(rows) - 1
		}
	}
	return rows, focus
}
