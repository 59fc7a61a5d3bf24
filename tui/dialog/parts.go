package dialog

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/tui/keys"
)

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
func (a *Approval) partsKey(k tea.KeyMsg) Outcome {
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
			return Outcome{Result: Picked{a.choices[a.at].Result, hunks}, Closed: true}
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
	case " ":
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
