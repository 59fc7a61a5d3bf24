package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/prose"
	"chatvault/internal/base/terminal"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// approvalWidth is the maximum width of the dialog, in cells.
const approvalWidth = 96

// Proposed is a change that needs approval; its Text holds the reason for asking. All fields are untrusted.
type Proposed struct {
	event.Request
	Title   string // "Delete this?"
	Warning string // why to look twice; may be empty
	Idle    bool   // no turn waits for it: the user opened it
}

// Approval asks whether a change may be made. The change is shown unaltered, with omissions stated and invisible
// characters shown by code. It is approved by the letter of a choice, or by Enter if a choice was already marked,
// never by a key typed into the text in the composer. If there is no space for the path and a line of the change, the
// choice that changes nothing is marked first. While the user goes through the parts, letters accept and reject them,
// none is accepted at first, and Enter confirms; starting to type a text leaves the parts.
type Approval struct {
	page
	chooser
	what    Proposed
	view    *prose.View
	diff    *block
	first   int  // row of the diff to scroll to: the first changed line, or the current part; -1 for none
	decided bool // the user moved the mark

	note    *composer.Field // open
	picking bool            // choosing among the parts
	part    int             // the current part
	taken   []bool          // the parts accepted so far
}

// NewApproval asks about a change. Esc returns escape. If the user is writing a text elsewhere, no choice is marked
// until an arrow is pressed.
func NewApproval(s *theme.Styles, what Proposed, choices []Choice, escape any, writing bool) *Approval {
	a := &Approval{what: what, chooser: chooser{choices: choices, escape: escape, yields: yields{aside: writing}}, view: prose.New(s.Prose, what.Change.Prose)}
	if what.Change.Prose == nil {
		a.view = prose.FromUnified(s.Prose, what.Change.Diff)
	}
	a.diff = &block{draw: a.changes}
	lead := &block{}
	a.page = newPage(s, lead, &block{draw: a.details}, a.diff, &block{draw: a.why}, &block{draw: a.links})
	a.lead = lead
	return a
}

// Writes reports whether the dialog takes text: its note is open, or parts are being chosen.
func (a *Approval) Writes() bool { return a.note != nil || a.picking }

// Key implements Dialog.
func (a *Approval) Key(k tea.KeyPressMsg) Outcome {
	switch {
	case a.scrolls(k), a.note == nil && !a.aside && a.toEnd(k):
		return Outcome{}
	case a.note != nil:
		return a.noteKey(k)
	case a.picking:
		return a.partsKey(k)
	}
	at, aside := a.at, a.aside
	out, chosen := a.key(k)
	a.decided = a.decided || a.at != at || aside && !a.aside
	if !chosen {
		return out
	}
	switch c := a.choices[a.at]; {
	case c.Note != nil:
		a.note = &composer.Field{}
	case c.Pick != nil:
		a.choose(true)
	default:
		return Outcome{Result: c.Result, Closed: true}
	}
	return Outcome{}
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
		return Outcome{Result: a.choices[a.at].Note(a.note.Trimmed()), Closed: true}
	default:
		a.note.Key(k)
	}
	return Outcome{}
}

// Lines draws the dialog, with one line per choice if there is space.
func (a *Approval) Lines(width, height int) []string {
	inner := innerWidth(width, approvalWidth)
	l := layout{title: []string{a.title(inner)}, about: a.about(inner), place: a.place}
	a.lead.rows = nil
	const around = frameLines + 9 // lines for title, foot and empty ones
	a.fix(&l, inner, around+len(l.about)+a.want(inner)+len(a.choices) > height)
	lines := a.draw(l, inner, width, height)
	if safe := a.safe(); !a.decided && !a.moved && !a.Writes() && a.at != safe && !a.inSight() {
		a.at = safe
		a.fix(&l, inner, len(l.fixed) < len(a.choices))
		return a.draw(l, inner, width, height)
	}
	return lines
}

// fix fills in the fixed lines and the foot.
func (a *Approval) fix(l *layout, inner int, beside bool) {
	bold := func(text string) string { return a.styles.Bold.Render(cells.Truncate(text, inner, "…")) }
	switch {
	case a.note != nil:
		l.fixed, l.focus = []string{bold("Why not? The agent sees it."), a.note.Line(a.styles, inner)}, 1
		l.foot = []string{"↑ back to the choices", "Enter denies", "Esc stops"}
		return
	case a.picking:
		apply := "no part accepted yet" // so Enter does nothing
		if n := len(a.hunks()); n > 0 {
			apply = fmt.Sprintf("Enter applies %d of %d", n, len(a.taken))
		}
		l.fixed = []string{bold(fmt.Sprintf("Part %d of %d · %d accepted", a.part+1, len(a.taken), len(a.hunks())))}
		l.foot = []string{"Backspace back", "↑ ↓ part", "Esc stops", "Space toggle", "a all, N none", "y yes, n no", apply}
		return
	}
	l.fixed, l.focus = a.rows(a.styles, inner, beside)
	leave := "Esc stops"
	if a.what.Idle {
		leave = "Esc to cancel"
	}
	if l.foot = []string{"↑ ↓ choose", "Enter decides", leave}; a.aside {
		l.foot[1] = "Enter to send your text"
	}
}

// place scrolls to the first changed line or the current part, with a line of context.
func (a *Approval) place(room int) {
	around := min(room/4, 1)
	if a.column.Home(); a.first >= 0 && (!a.shows(a.first) || !a.shows(a.first+around)) {
		a.column.Reveal(a.diff, max(a.first-around, 0), len(a.diff.rows))
		a.column.Reveal(a.diff, a.first, a.first+1)
	}
}

// shows reports whether a row of the diff is visible.
func (a *Approval) shows(row int) (yes bool) {
	a.column.InSight(func(s list.Sight) {
		yes = yes || s.Item == list.Item(a.diff) && s.First <= row && row < s.First+s.To-s.From
	})
	return yes
}

// inSight reports whether the path and a changed line, if there is one, are visible.
func (a *Approval) inSight() bool {
	from, to := a.column.Place(a.lead)
	return to-from == len(a.lead.Lines(a.column.Width())) && (a.first < 0 || a.shows(a.first))
}

func (a *Approval) title(inner int) string {
	return a.styles.AccentBold.Render(cells.Truncate(terminal.StrictLine(a.what.Title), inner, "…"))
}

// about returns the paths, the size of the change, and warnings.
func (a *Approval) about(inner int) []string {
	out := a.path("", a.what.Change.Subject(), inner)
	if a.what.Change.NewPath != "" {
		out = append(a.path("from ", a.what.Change.Path, inner), a.path("to   ", a.what.Change.NewPath, inner)...)
	}
	if !a.view.Empty() && !a.deletes() {
		sum := a.view.Sum()
		if len(out) > 1 {
			out = append(out, a.styles.Muted.Render(cells.Truncate(sum, inner, "…")))
		} else if cells.Width(out[0])+3+cells.Width(sum) <= inner {
			out[0] += a.styles.Muted.Render(" · " + sum)
		}
	}
	for _, warning := range []string{a.what.Warning, session.Unseen(a.what.Change)} {
		if warning != "" {
			out = append(out, markdown.Wrap(terminal.StrictLine(warning), theme.Open(a.styles.WarnBold), inner)...)
		}
	}
	return out
}

// why returns the rows of the reason for asking.
func (a *Approval) why(inner int) []string {
	if a.what.Text == "" {
		return []string{}
	}
	return markdown.Wrap(terminal.StrictLine(a.what.Text), theme.Open(a.styles.Muted), inner)
}

// deletes reports whether the change is a deletion, whose diff comes after the remarks.
func (a *Approval) deletes() bool { return a.what.Change.Kind == "delete" }

// path returns the rows of a path, broken between folders and words if possible.
func (a *Approval) path(label, name string, inner int) []string {
	var out []string
	for _, row := range prose.Break(terminal.StrictLine(name), "/ ", max(inner-len(label), 1)) {
		out = append(out, a.styles.Muted.Render(label)+a.styles.Bold.Render(row))
		label = strings.Repeat(" ", len(label))
	}
	return out
}

// details returns the rows of changes without a diff.
func (a *Approval) details(inner int) []string {
	if a.what.Change.Detail == "" {
		return []string{}
	}
	return markdown.Wrap(terminal.Strict(a.what.Change.Detail), "", inner)
}

// changes returns the rows of the diff.
func (a *Approval) changes(inner int) []string {
	a.first = -1
	out := []string{}
	if a.view.Empty() {
		return out
	}
	for i, r := range a.view.Rows(inner) {
		switch {
		case a.picking && r.Head && r.Hunk == a.part, !a.picking && r.Changes && a.first < 0 && !a.deletes():
			a.first = i
		}
		if r.Head {
			r.Text = a.partHead(r, inner)
		}
		out = append(out, r.Text)
	}
	return out
}

// maxRewrite is the maximum number of rows about notes whose links are updated.
const maxRewrite = 3000

// links returns the notes whose links are updated, with the changes in each. The rows begin with a mark that no text of
// a note begins with.
func (a *Approval) links(inner int) []string {
	out, p, all := []string{}, &a.what.Change, a.what.Change.Rewrites
	if len(all) == 0 {
		return out
	}
	out = append(out, a.styles.Bold.Render(cells.Truncate("Updates "+p.Updates()+":", inner, "…")))
	for i, r := range all {
		if len(out) > maxRewrite {
			return append(out, a.styles.Muted.Render(cells.Truncate(fmt.Sprintf("… and %d more notes", len(all)-i), inner, "…")))
		}
		lead := "• "
		for _, row := range prose.Break(terminal.StrictLine(r.Path), "/ ", max(inner-2, 1)) {
			out = append(out, lead+row)
			lead = "⋮ "
		}
		count := " · " + p.Places(r.Links)
		if last := len(out) - 1; cells.Width(out[last]+count) <= inner {
			out[last] += a.styles.Muted.Render(count)
		}
		for _, row := range prose.FromUnified(a.styles.Prose, r.Diff).Rows(inner) {
			out = append(out, row.Text)
		}
	}
	return out
}

// choose starts choosing parts, or ends it and keeps the accepted ones. None is accepted at first, and Enter applies only
// accepted ones, so that an accidental Enter does nothing.
func (a *Approval) choose(picking bool) {
	if a.taken == nil {
		a.taken = make([]bool, a.view.Hunks())
	}
	a.picking, a.part, a.moved = picking, 0, false
	a.view.Parts(picking)
	a.redraw()
}

// partsKey handles a key while parts are chosen. A letter without an effect starts a text, and nothing is accepted.
func (a *Approval) partsKey(k tea.KeyPressMsg) Outcome {
	switch name := keys.Name(k); name {
	case "up", "left", "shift+tab":
		a.step(-1)
	case "down", "right", "tab":
		a.step(1)
	case "space":
		a.taken[a.part] = !a.taken[a.part]
	case "y", "n":
		a.taken[a.part] = name == "y"
		if a.part+1 < len(a.taken) {
			a.step(1)
		}
	case "a", "N":
		for i := range a.taken {
			a.taken[i] = name == "a"
		}
	case "esc", "ctrl+c":
		return Outcome{Result: a.escape, Closed: true}
	case "backspace":
		a.choose(false)
	case "enter":
		if hunks := a.hunks(); len(hunks) > 0 {
			return Outcome{Result: a.choices[a.at].Pick(hunks), Closed: true}
		}
	default:
		if _, letter := keys.Text(k); letter {
			a.taken = nil
			a.choose(false)
			a.aside = true
			return Outcome{Typed: true}
		}
	}
	a.diff.rows = nil
	return Outcome{}
}

// step moves by n parts, wrapping around, and scrolls to the part.
func (a *Approval) step(n int) {
	a.part = (a.part + n + len(a.taken)) % len(a.taken)
	a.moved = false
}

// hunks returns the indexes of the accepted parts.
func (a *Approval) hunks() (out []int) {
	for i, yes := range a.taken {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// partHead draws the heading of a part, with marks for accepted and current ones.
func (a *Approval) partHead(r prose.Row, inner int) string {
	box, mark, style := "[ ] ", "· ", a.styles.Muted
	if a.taken[r.Hunk] {
		box = "[x] "
	}
	if r.Hunk == a.part {
		mark, style = "› ", a.styles.AccentBold
	}
	return style.Render(cells.Truncate(mark+box+r.Text, inner, "…"))
}
