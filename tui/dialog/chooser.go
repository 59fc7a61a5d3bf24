package dialog

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// Choice is one way to decide.
type Choice struct {
	Label  string
	Short  string // where there is no room for Label; may be empty
	Result any
	Key    string // the letter that chooses it while no text is written, shown in Label; may be empty
	// Note asks for a note first, and gives the Result of one; Pick asks which parts first, and gives the Result
	// of those that were taken, by their places in Proposed.Prose.Hunks, at least one (Approval). Nil: it asks nothing.
	Note  func(note string) any
	Pick  func(hunks []int) any
	Safe  bool // changes nothing: what is marked where nothing else may be by chance
	Stays bool // the dialog stays open below what comes of it (Reader)
}

// chooser is the choices of a dialog below which a text may be written. It promises that a letter decides only where
// it is shown and no text is written, and Enter only where a choice was marked when it was pressed. While a text is
// written no choice is marked and keys are the text's, until an arrow is pressed or the text is gone: then the safe
// choice is marked.
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

// key handles a key; chosen reports that the marked choice was decided for.
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

// safe is the place of the choice that changes nothing, the first where none is said to.
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
	c.at = (c.at + n + len(c.choices)) % len(c.choices)
}

// rows draws the choices, one a line, or side by side in as few rows as they take; focus is the row of the marked one.
// While their letters are a text's they are not shown.
func (c *chooser) rows(s *theme.Styles, inner int, beside bool) (rows []string, focus int) {
	rows, focus = c.flow(s, inner, beside, false)
	if short, in := c.flow(s, inner, beside, true); beside && len(short) < len(rows) {
		return short, in
	}
	return rows, focus
}

func (c *chooser) flow(s *theme.Styles, inner int, beside, short bool) (rows []string, focus int) {
	used := 0
	for i, o := range c.choices {
		label, letter := o.Label, ""
		if o.Short != "" && (short || ansi.StringWidth(label)+2 > inner) {
			label = o.Short
		}
		if words, ok := strings.CutSuffix(label, " ("+o.Key+")"); ok {
			if label = words; !c.aside {
				letter = " (" + o.Key + ")"
			}
		}
		label = ansi.Truncate(label, max(inner-2-len(letter), 1), "…") + letter
		mark, w := "  ", 2+ansi.StringWidth(label)
		if c.ready && !c.aside && i == c.at {
			mark, label = s.Accent.Render("›")+" ", s.Bold.Render(label)
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
