package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/prosediff"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// Widths of the dialogs that ask, in cells.
const (
	approvalWidth = 96
	askWidth      = 68
)

// Proposed is a change that is to be approved. All of it is text from outside.
type Proposed struct {
	Title    string // "Delete this?"
	Tool     string
	Path     string
	NewPath  string // of a move
	Detail   string // what no diff shows
	Diff     string // unified; shown where Prose is nil
	Prose    *prosediff.Diff
	Whole    bool      // what is deleted is shown: it comes after what is to be known of it
	Rewrites []Rewrite // notes whose links change with it
	Warning  string    // why to look twice; may be empty
	Unseen   string    // what of it cannot be seen; may be empty
	Why      string    // it is asked; may be empty
	Idle     bool      // no turn waits for it: the user asked to see it
}

// Rewrite is a note whose links change along.
type Rewrite struct {
	Path  string
	Links int
	Diff  string // unified
}

// Approval asks whether a change may happen. It promises that what is to be approved stands in
// it as it is, with nothing left out unsaid and nothing invisible, and that it is approved by
// the letter of a choice, or by Enter on one that was marked when Enter was pressed, never by a key
// that was meant for the text being written: as long as one writes, no choice is marked and letters
// are the text's, and what ends that, an arrow or that the text is sent, marks the choice that changes
// nothing. So is that choice marked at first wherever there
// is no room for the path and a line of the change. Where the user chose to go through its parts,
// letters take and leave them, and none is taken before that; Enter to confirm. A text that is begun
// there leaves the parts, whole, and what its letters marked is not.
type Approval struct {
	styles *theme.Styles
	what   Proposed
	view   *prose.View
	links  links
	chooser
	scroller
	scrolled bool // by the user: it stays where it is
	moved    bool // so does the mark

	all       bool     // of a long detail is shown
	detail    []string // in rows, as wide as detailFor says
	detailFor int

	stale string // what became of what it is about, while it is open; may be empty
	since string // and what that means
	note  *Input // open
	parts *parts // being chosen among
	taken []bool // of them, so far
	now   func() time.Time
}

// NewApproval asks about a change. Esc gives escape. While writing says that something is being
// written elsewhere: no choice is marked until an arrow is pressed.
func NewApproval(s *theme.Styles, what Proposed, choices []Choice, escape any, writing bool) *Approval {
	view := prose.New(s.Prose, what.Prose)
	if what.Prose == nil {
		view = prose.FromUnified(s.Prose, what.Diff)
	}
	return &Approval{
		styles: s, what: what, view: view, links: links{styles: s, rewrites: what.Rewrites},
		chooser: chooser{choices: choices, escape: escape, aside: writing},
		now:     time.Now,
	}
}

// Clock sets what says the time, which tells letters that mark from those of a text.
func (a *Approval) Clock(now func() time.Time) { a.now = now }

// Outdate says what became of what is to be changed since the question was asked, in a few words,
// and what that means. The words stand before the title, which is in sight as long as anything is.
func (a *Approval) Outdate(words, meaning string) { a.stale, a.since = words, meaning }

// Scroll moves the change down by n lines.
func (a *Approval) Scroll(n int) {
	a.scroller.Scroll(n)
	a.scrolled = true
}

// Writes says that text is for the dialog: its note is open, or its parts are being chosen among.
func (a *Approval) Writes() bool { return a.note != nil || a.parts != nil }

// Key handles a key.
func (a *Approval) Key(k tea.KeyPressMsg) Outcome {
	switch {
	case scrolls(a, k), a.note == nil && !a.aside && toEnd(a, k):
		a.scrolled = true
		return Outcome{}
	case a.note != nil:
		return a.noteKey(k)
	case a.parts != nil:
		return a.partsKey(k)
	case keys.Name(k) == "ctrl+t":
		a.links.open, a.all, a.detail = !a.links.open, !a.all, nil
		return Outcome{}
	}
	at, aside := a.at, a.aside
	out, chosen := a.key(k)
	a.moved = a.moved || a.at != at || aside && !a.aside
	if chosen {
		return a.decide()
	}
	return out
}

func (a *Approval) decide() Outcome {
	switch c := a.choices[a.at]; {
	case c.Note != nil:
		a.note = &Input{}
		return Outcome{}
	case c.Pick != nil:
		a.choose()
		return Outcome{}
	default:
		return Outcome{Result: c.Result, Closed: true}
	}
}

func (a *Approval) noteKey(k tea.KeyPressMsg) Outcome {
	if text, ok := keys.Text(k); ok {
		a.note.Insert(text)
		return Outcome{}
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return Outcome{Result: a.escape, Closed: true}
	case "up", "shift+tab":
		a.note = nil
	case "enter":
		return Outcome{Result: a.choices[a.at].Note(a.note.value()), Closed: true}
	default:
		a.note.Key(k)
	}
	return Outcome{}
}

// foot says how to decide, in ever fewer words; arrows are those that move the mark.
func (a *Approval) foot(arrows string) []string {
	switch {
	case a.note != nil:
		return []string{"Enter to deny · ↑ back to the choices · Esc stops the turn", "Enter to deny · ↑ back · Esc stops"}
	case a.parts != nil:
		return a.partsFoot()
	}
	leave := []string{"Esc stops the turn", "Esc stops"}
	if a.what.Idle {
		leave = []string{"Esc to cancel"}
	}
	var ways []string
	add := func(way string) {
		for _, l := range leave {
			ways = append(ways, way+" · "+l)
		}
	}
	if a.aside { // ← → are the text's
		add("↑ ↓ choose · Enter to send your text")
		add("↑ ↓ choose")
		return ways
	}
	if len(a.what.Rewrites) > 0 {
		add(arrows + " choose · Enter to confirm · Ctrl+T " + a.links.verb() + " the links")
	}
	add(arrows + " choose · Enter to confirm")
	add("Enter to confirm")
	return ways
}

// choiceLines draws choices, one a line; at is marked where there is a mark.
func choiceLines(s *theme.Styles, choices []Choice, at int, marked bool, inner int) []string {
	out := make([]string, len(choices))
	for i, c := range choices {
		label := c.Label
		if c.Short != "" && ansi.StringWidth(label)+2 > inner {
			label = c.Short
		}
		mark := "  "
		if marked && i == at {
			mark, label = s.Accent.Render("›")+" ", s.Bold.Render(label)
		}
		out[i] = ansi.Truncate(mark+label, inner, "…")
	}
	return out
}

// fit is a label in so many cells; its letter is the last that gives way.
func (c Choice) fit(label string, cells int) string {
	letter := " (" + c.Key + ")"
	words, ok := strings.CutSuffix(label, letter)
	if room := cells - ansi.StringWidth(letter); ok && room > 2 && ansi.StringWidth(label) > cells {
		return ansi.Truncate(words, room, "…") + letter
	}
	return ansi.Truncate(label, cells, "…")
}

// parts is the choice among the parts of a change.
type parts struct {
	at   int    // the one a key takes or leaves
	hint string // what is still to be done; empty: nothing

	run  string    // the letters pressed one soon after another: a text may begin with them
	last time.Time // when the last of them was
	was  []bool    // what was taken before them
}

// runPause is how long after a letter another one may still belong to the same text.
const runPause = time.Second

// choose begins the choice among the parts: none is taken yet, so that an Enter too many takes
// nothing.
func (a *Approval) choose() {
	if a.taken == nil {
		a.taken = make([]bool, a.view.Hunks())
	}
	a.parts, a.scrolled = &parts{}, false
	a.view.Parts(true)
}

// back returns to the choices; what was taken stays so.
func (a *Approval) back() {
	a.parts, a.scrolled = nil, false
	a.view.Parts(false)
}

// partsKey handles a key while parts are chosen among.
func (a *Approval) partsKey(k tea.KeyPressMsg) Outcome {
	a.parts.hint = ""
	if text, ok := keys.Text(k); ok {
		return a.letter(keys.Name(k), text)
	}
	a.parts.run = ""
	switch keys.Name(k) {
	case "up", "left", "shift+tab":
		a.step(-1)
	case "down", "right", "tab":
		a.step(1)
	case "esc", "ctrl+c":
		return Outcome{Result: a.escape, Closed: true}
	case "backspace":
		a.back()
	case "enter":
		hunks := a.hunks()
		if len(hunks) > 0 {
			return Outcome{Result: a.choices[a.at].Pick(hunks), Closed: true}
		}
		a.parts.hint = "No part accepted yet: y accepts one, a accepts all."
	}
	return Outcome{}
}

// letter marks parts; any other than those that do is text. Then those just before it were its
// beginning: what they marked is undone, and they go where it goes.
func (a *Approval) letter(name, text string) Outcome {
	p, now := a.parts, a.now()
	if p.run == "" || now.Sub(p.last) > runPause {
		p.run, p.was = "", slices.Clone(a.taken)
	}
	if !a.marks(name) {
		a.taken = p.was
		a.back()
		a.aside = true
		return Outcome{Typed: true, Before: p.run}
	}
	p.run, p.last = p.run+text, now
	return Outcome{}
}

// marks does what a letter says, and says whether it says anything.
func (a *Approval) marks(name string) bool {
	switch name {
	case "space":
		a.taken[a.parts.at] = !a.taken[a.parts.at]
	case "y":
		a.take(true)
	case "n":
		a.take(false)
	case "a", "N":
		for i := range a.taken {
			a.taken[i] = name == "a"
		}
	default:
		return false
	}
	return true
}

// take takes or leaves the part it is at, and goes on to the next.
func (a *Approval) take(yes bool) {
	a.taken[a.parts.at] = yes
	if a.parts.at+1 < len(a.taken) {
		a.step(1)
	}
}

// step goes n parts further, round the ends, and brings the part into sight.
func (a *Approval) step(n int) {
	a.parts.at = (a.parts.at + n + len(a.taken)) % len(a.taken)
	a.scrolled = false
}

// hunks are the parts that are taken.
func (a *Approval) hunks() []int {
	var out []int
	for i, yes := range a.taken {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// partLines is what stands in the place of the choices.
func (a *Approval) partLines(inner int) []string {
	text := fmt.Sprintf("Part %d of %d · %d accepted", a.parts.at+1, len(a.taken), len(a.hunks()))
	if a.parts.hint != "" {
		text = a.parts.hint
	}
	return []string{a.styles.Bold.Render(ansi.Truncate(text, inner, "…"))}
}

func (a *Approval) partsFoot() []string {
	makes := fmt.Sprintf("Enter applies %d of %d", len(a.hunks()), len(a.taken))
	return []string{
		"y accept · n reject · Space toggle · ↑ ↓ part · a all · N none · " + makes + " · Backspace back · Esc stops",
		"y yes · n no · Space toggle · a all · N none · " + makes + " · Backspace back · Esc stops",
		"y n Space · ↑ ↓ part · a all · N none · " + makes + " · Esc stops",
		"y n Space · a all · N none · " + makes + " · Esc stops",
		"y n · a all · N none · " + makes,
		"y n a N · " + makes,
	}
}

// partHead draws the head of a part: whether it is taken, and whether it is the one keys are for.
func (a *Approval) partHead(r prose.Row, inner int) string {
	box, mark := "[ ] ", "· "
	if a.taken[r.Hunk] {
		box = "[x] "
	}
	if r.Hunk != a.parts.at {
		return a.styles.Muted.Render(ansi.Truncate(mark+box+r.Text, inner, "…"))
	}
	return a.styles.AccentBold.Render(ansi.Truncate("› "+box+r.Text, inner, "…"))
}
