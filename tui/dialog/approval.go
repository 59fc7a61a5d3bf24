package dialog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/prose"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// approvalWidth is the widest that gets a change, in cells.
const approvalWidth = 96

// Proposed is a change that is to be approved: its Change, and in Text why it is asked. All of it is text from outside.
type Proposed struct {
	event.Request
	Title   string // "Delete this?"
	Warning string // why to look twice; may be empty
	Idle    bool   // no turn waits for it: the user asked to see it
}

// Approval asks whether a change may happen. It promises that what is to be approved stands in it unchanged, with
// nothing left out unsaid and nothing invisible, and that it is approved by the letter of a choice, or by Enter on one
// that was marked when Enter was pressed, never by a key that was meant for the text being written. The choice that
// changes nothing is marked at first wherever there is no room for the path and a line of the change. Where the user
// goes through its parts, letters take and leave them, none is taken before that, and Enter confirms; a text that is
// begun there leaves the parts.
type Approval struct {
	page
	chooser
	what    Proposed
	view    *prose.View
	diff    *block
	why     *block // the reason, if there is no room for it above the change
	first   int    // row of diff: the changed line, or the part, to be shown; -1: there is none
	whole   bool
	decided bool // the user moved the mark

	stale string // how the note changed since the question was asked; may be empty
	since string // the consequence
	note  *Input // open
	parts *parts // being chosen among
	taken []bool // of them, so far
}

// NewApproval asks about a change. Esc gives escape. If the user is writing a text elsewhere, no choice is marked until
// an arrow is pressed.
func NewApproval(s *theme.Styles, what Proposed, choices []Choice, escape any, writing bool) *Approval {
	a := &Approval{what: what, chooser: chooser{choices: choices, escape: escape, yields: yields{aside: writing}}, view: prose.New(s.Prose, what.Change.Prose)}
	if what.Change.Prose == nil {
		a.view = prose.FromUnified(s.Prose, what.Change.Diff)
	}
	a.diff = &block{draw: a.changes}
	lead := &block{}
	a.why = &block{}
	a.page = newPage(s, lead, &block{draw: a.details}, &block{draw: a.links}, a.diff, a.why)
	a.lead = lead
	return a
}

// Outdate notes how the note changed since the question was asked, in a few words that precede the title, and the
// consequence.
func (a *Approval) Outdate(words, meaning string) { a.stale, a.since = words, meaning }

// Writes reports whether text is for the dialog: its note is open, or its parts are being chosen among.
func (a *Approval) Writes() bool { return a.note != nil || a.parts != nil }

// Key handles a key.
func (a *Approval) Key(k tea.KeyPressMsg) Outcome {
	switch {
	case a.scrolls(k), a.note == nil && !a.aside && a.toEnd(k):
		return Outcome{}
	case a.note != nil:
		return a.noteKey(k)
	case a.parts != nil:
		return a.partsKey(k)
	case keys.Name(k) == "ctrl+t":
		a.whole = !a.whole
		a.redraw()
		return Outcome{}
	}
	at, aside := a.at, a.aside
	out, chosen := a.key(k)
	a.decided = a.decided || a.at != at || aside && !a.aside
	if !chosen {
		return out
	}
	switch c := a.choices[a.at]; {
	case c.Note != nil:
		a.note = &Input{}
	case c.Pick != nil:
		a.choose(&parts{})
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
		return Outcome{Result: a.choices[a.at].Note(a.note.value()), Closed: true}
	default:
		a.note.Key(k)
	}
	return Outcome{}
}

// Lines draws it, with a line for each choice where there is room for all of it.
func (a *Approval) Lines(width, height int) []string {
	inner := innerWidth(width, approvalWidth)
	l := layout{title: []string{a.title(inner)}, about: a.about(inner), fit: true, place: a.place}
	why := markdown.Wrap(terminal.StrictLine(a.what.Text), theme.Open(a.styles.Muted), inner)
	if a.what.Text == "" {
		why = nil
	}
	a.lead.rows, a.why.rows = nil, nil
	const around = frameLines + 9 // lines: title, foot, empty ones
	a.fix(&l, inner, around+len(l.about)+len(why)+a.want(inner)+len(a.choices) > height)
	if height-frameLines-1-len(l.fixed)-len(l.about)-len(why) >= 2 {
		l.about = append(l.about, why...)
	} else {
		a.why.rows = why
	}
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
	bold := func(text string) string { return a.styles.Bold.Render(ansi.Truncate(text, inner, "…")) }
	switch {
	case a.note != nil:
		l.fixed, l.focus = []string{bold("Why not? The agent is told."), a.note.Line(a.styles, inner)}, 1
		l.foot = []string{"↑ back to the choices", "Enter denies", "Esc stops"}
		return
	case a.parts != nil:
		l.fixed, l.foot = []string{bold(a.partText())}, a.partsFoot()
		return
	}
	l.fixed, l.focus = a.rows(a.styles, inner, beside)
	leave := "Esc stops"
	if a.what.Idle {
		leave = "Esc to cancel"
	}
	switch {
	case a.aside: // ← → are the text's
		l.foot = []string{"↑ ↓ choose", "Enter to send your text", leave}
		return
	case len(l.fixed) < len(a.choices): // side by side
		l.foot = []string{"← → choose", "Enter decides", leave}
	default:
		l.foot = []string{"↑ ↓ choose", "Enter decides", leave}
	}
	if len(a.what.Change.Rewrites) > 0 {
		l.foot = slices.Insert(l.foot, 1, map[bool]string{false: "Ctrl+T shows the links", true: "Ctrl+T folds the links"}[a.whole])
	}
}

// place scrolls to the first changed line or the current part, with a line of context.
func (a *Approval) place(room int) {
	around := min(room/4, 1)
	if a.column.Home(); a.first >= 0 && !(a.shows(a.first) && a.shows(a.first+around)) {
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
	s, title := a.styles, terminal.StrictLine(a.what.Title)
	if a.stale != "" {
		stale := ansi.Truncate(terminal.StrictLine(a.stale), inner, "…")
		return s.WarnBold.Render(stale) + s.AccentBold.Render(ansi.Truncate(" · "+title, max(inner-ansi.StringWidth(stale), 0), "…"))
	}
	tool := " · " + terminal.StrictLine(a.what.Change.Tool)
	if a.what.Change.Tool == "" || ansi.StringWidth(title+tool) > inner {
		return s.AccentBold.Render(ansi.Truncate(title, inner, "…"))
	}
	return s.AccentBold.Render(title) + s.Muted.Render(tool)
}

// about is the paths, the size of the change, and warnings.
func (a *Approval) about(inner int) []string {
	out := a.path("", a.what.Change.Path, inner)
	if a.what.Change.NewPath != "" {
		out = append(a.path("from ", a.what.Change.Path, inner), a.path("to   ", a.what.Change.NewPath, inner)...)
	}
	if !a.view.Empty() && !a.deletes() {
		long, short := a.view.Sum()
		switch room := inner - ansi.StringWidth(out[0]) - 3; {
		case len(out) == 1 && ansi.StringWidth(long) <= room:
			out[0] += a.styles.Muted.Render(" · " + long)
		case len(out) == 1 && ansi.StringWidth(short) <= room:
			out[0] += a.styles.Muted.Render(" · " + short)
		default:
			out = append(out, a.styles.Muted.Render(ansi.Truncate(long, inner, "…")))
		}
	}
	for _, warning := range []string{a.since, a.what.Warning, session.Unseen(a.what.Change)} {
		if warning != "" {
			out = append(out, markdown.Wrap(terminal.StrictLine(warning), theme.Open(a.styles.WarnBold), inner)...)
		}
	}
	return out
}

// deletes reports whether the whole of what is shown goes: it comes after what is to be known of it.
func (a *Approval) deletes() bool { return a.what.Change.Kind == "delete" }

// path is a path in rows that are broken between its folders and words where that is possible.
func (a *Approval) path(label, name string, inner int) []string {
	var out []string
	for _, row := range prose.Break(terminal.StrictLine(name), "/ ", max(inner-len(label), 1)) {
		out = append(out, a.styles.Muted.Render(label)+a.styles.Bold.Render(row))
		label = strings.Repeat(" ", len(label))
	}
	return out
}

// details are the rows of what no diff shows: the start of it where it is long, until all is asked for.
func (a *Approval) details(inner int) []string {
	if a.what.Change.Detail == "" {
		return []string{}
	}
	most := session.ShownDetail
	if a.whole {
		most = math.MaxInt
	}
	return markdown.Wrap(session.Begins(a.what.Change.Detail, most, " (Ctrl+T shows all)"), "", inner)
}

// changes are the rows of the diff.
func (a *Approval) changes(inner int) []string {
	a.first = -1
	out := []string{}
	if a.view.Empty() {
		return out
	}
	for i, r := range a.view.Rows(inner) {
		switch {
		case a.parts != nil && r.Head && r.Hunk == a.parts.at, a.parts == nil && r.Changes && a.first < 0 && !a.deletes():
			a.first = i
		}
		if r.Head {
			r.Text = a.partHead(r, inner)
		}
		out = append(out, r.Text)
	}
	return out
}

// Bounds of the notes whose links change along.
const (
	maxLinked  = 8    // that are named where they are folded
	maxRewrite = 3000 // rows, unfolded
)

// links are the notes whose links change along: by name, or, where all is asked for, with what changes in each. Their
// rows begin with a mark that no text of a note begins with.
func (a *Approval) links(inner int) []string {
	out, all, n := []string{}, a.what.Change.Rewrites, 0
	if len(all) == 0 {
		return out
	}
	for _, r := range all {
		n += r.Links
	}
	sum := fmt.Sprintf("Updates %d %s in %d %s:", n, text.Plural(n, "link"), len(all), text.Plural(len(all), "note"))
	out = append(out, a.styles.Bold.Render(ansi.Truncate(sum, inner, "…")))
	for i, r := range all {
		if !a.whole && i == maxLinked && len(all) > maxLinked+1 || len(out) > maxRewrite {
			return append(out, a.styles.Muted.Render(ansi.Truncate(fmt.Sprintf("… and %d more notes", len(all)-i), inner, "…")))
		}
		lead := "• "
		for _, row := range prose.Break(terminal.StrictLine(r.Path), "/ ", max(inner-2, 1)) {
			out = append(out, lead+row)
			lead = "⋮ "
		}
		count := " · " + text.Count(r.Links, "link")
		if last := len(out) - 1; ansi.StringWidth(out[last]+count) <= inner {
			out[last] += a.styles.Muted.Render(count)
		}
		if a.whole {
			for _, row := range prose.FromUnified(a.styles.Prose, r.Diff).Rows(inner) {
				out = append(out, row.Text)
			}
		}
	}
	return out
}

// parts is the choice among the parts of a change.
type parts struct {
	at   int    // the one a key takes or leaves
	hint string // the missing step; may be empty
	run  string // the letters pressed one after another: a text may begin with them
	was  []bool // what was taken before them
}

// choose begins the choice among the parts, or ends it with nil; what was taken stays so. None is taken at first, so
// that an Enter too many takes nothing.
func (a *Approval) choose(p *parts) {
	if a.taken == nil {
		a.taken = make([]bool, a.view.Hunks())
	}
	if p != nil {
		p.was = slices.Clone(a.taken)
	}
	a.parts, a.moved = p, false
	a.view.Parts(p != nil)
	a.redraw()
}

// partsKey handles a key while parts are chosen. A letter that marks no part starts a text, together with the letters
// just before it, whose marks are undone.
func (a *Approval) partsKey(k tea.KeyPressMsg) Outcome {
	p := a.parts
	text, letter := keys.Text(k)
	if p.hint = ""; !letter {
		p.run, p.was = "", slices.Clone(a.taken)
	}
	switch name := keys.Name(k); name {
	case "up", "left", "shift+tab":
		a.step(-1)
	case "down", "right", "tab":
		a.step(1)
	case "space":
		a.taken[p.at] = !a.taken[p.at]
	case "y", "n":
		a.taken[p.at] = name == "y"
		if p.at+1 < len(a.taken) {
			a.step(1)
		}
	case "a", "N":
		for i := range a.taken {
			a.taken[i] = name == "a"
		}
	case "esc", "ctrl+c":
		return Outcome{Result: a.escape, Closed: true}
	case "backspace":
		a.choose(nil)
	case "enter":
		if hunks := a.hunks(); len(hunks) > 0 {
			return Outcome{Result: a.choices[a.at].Pick(hunks), Closed: true}
		}
		p.hint = "No part accepted yet: y accepts one, a accepts all."
	default:
		if letter {
			a.taken = p.was
			a.choose(nil)
			a.aside = true
			return Outcome{Typed: true, Before: p.run}
		}
	}
	p.run += text
	a.diff.rows = nil
	return Outcome{}
}

// step goes n parts further, round the ends, and brings the part into sight.
func (a *Approval) step(n int) {
	a.parts.at = (a.parts.at + n + len(a.taken)) % len(a.taken)
	a.moved = false
}

// hunks are the parts that are taken.
func (a *Approval) hunks() (out []int) {
	for i, yes := range a.taken {
		if yes {
			out = append(out, i)
		}
	}
	return out
}

// partText stands in the place of the choices.
func (a *Approval) partText() string {
	if a.parts.hint != "" {
		return a.parts.hint
	}
	return fmt.Sprintf("Part %d of %d · %d accepted", a.parts.at+1, len(a.taken), len(a.hunks()))
}

func (a *Approval) partsFoot() []string {
	return []string{
		"Backspace back", "↑ ↓ part", "Esc stops", "Space toggle", "a all, N none", "y yes, n no",
		fmt.Sprintf("Enter applies %d of %d", len(a.hunks()), len(a.taken)),
	}
}

// partHead draws the head of a part: whether it is taken, and whether it is the one keys are for.
func (a *Approval) partHead(r prose.Row, inner int) string {
	box, mark, style := "[ ] ", "· ", a.styles.Muted
	if a.taken[r.Hunk] {
		box = "[x] "
	}
	if r.Hunk == a.parts.at {
		mark, style = "› ", a.styles.AccentBold
	}
	return style.Render(ansi.Truncate(mark+box+r.Text, inner, "…"))
}
