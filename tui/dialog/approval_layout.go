package dialog

import (
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/prose"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// particulars are what there is to know of a change, drawn.
type particulars struct {
	head  []string // what it is about: stays in sight while the rest scrolls
	body  []string
	why   []string // it is asked
	first int      // of body: the first changed line; -1: there is none
	about int      // lines of body that were head
}

// unpin lets the head scroll with the body.
func (p *particulars) unpin() {
	p.about = len(p.head)
	p.body = append(append([]string{}, p.head...), p.body...)
	if p.head = nil; p.first >= 0 {
		p.first += p.about
	}
}

// Lines draws it. Where there is room for all of it, it is spaced out. On a smaller screen give
// way, in this order: empty lines and a line for each choice, what is far from the first changed
// line, the foot, the frame, the path, and last the choices but for the marked one.
func (a *Approval) Lines(width, height int) []string {
	inner := sheetWidth(width, approvalWidth)
	title := a.title(inner)
	fixed, p := choiceLines(a.styles, a.shown(), a.at, a.marked(), inner), a.particulars(inner, false)
	if len(p.why) > 0 {
		p.body = append(append(p.body, ""), p.why...)
	}
	switch {
	case a.note != nil:
		fixed = a.noteLines(inner)
	case a.parts != nil:
		fixed = a.partLines(inner)
	}
	if all := 1 + 1 + len(p.head) + len(p.body) + 1 + len(fixed) + 2; width >= narrowest && all+frameLines <= height {
		a.top = 0
		lines := append(append([]string{title, ""}, p.head...), p.body...)
		lines = append(append(append(lines, ""), fixed...), "", a.footLine("↑ ↓", inner))
		return frame(a.styles, lines, inner, height)
	}
	return a.tight(title, width, inner, height)
}

// tight draws it where there is not room for everything.
func (a *Approval) tight(title string, width, inner, height int) []string {
	p := a.particulars(inner, true)
	fixed, focus := a.fixed(inner)
	framed := width >= narrowest && height >= frameLines+1+len(fixed)+min(len(p.head)+len(p.body)+len(p.why), 4)
	room := roomIn(height, framed)
	n := max(min(len(fixed), room-3), 1)
	room -= n
	lines := make([]string, 0, height)
	if room > 1 {
		lines = append(lines, title)
		room--
	}
	if len(p.head) <= max(room/2, 1) && len(p.head) < room || len(p.head)+len(p.body) <= room {
		lines = append(lines, p.head...)
		room -= len(p.head)
	} else {
		p.unpin()
	}
	why := p.why
	if rest := room - len(why); rest < min(len(p.body), 2*len(why)) { // the change comes before why it is asked
		p.body, why = append(p.body, why...), nil
	}
	room -= len(why)
	var after []string
	if room-1 >= min(len(p.body), 4) {
		arrows := "↑ ↓"
		if len(fixed) < len(a.choices) { // side by side
			arrows = "← →"
		}
		after = []string{a.footLine(arrows, inner)}
		room--
	}
	gap := room-1 >= min(len(p.body), 10)
	if gap {
		room--
	}
	a.place(p, room)
	lines = append(append(lines, a.window(a.styles, p.body, inner, room)...), why...)
	if gap {
		lines = append(lines, "")
	}
	if !a.moved && !a.scrolled && a.parts == nil && !a.inSight(p, room) {
		a.at = a.safe()
		fixed, focus = a.fixed(inner)
	}
	lines = append(append(lines, around(fixed, focus, n)...), after...)
	return enclose(a.styles, lines, inner, height, framed)
}

// footLine says how to decide; arrows are those that move the mark.
func (a *Approval) footLine(arrows string, inner int) string {
	return a.styles.Muted.Render(fitting(a.foot(arrows), inner))
}

// fixed is what stays in sight below, and which of its lines has to.
func (a *Approval) fixed(inner int) (lines []string, focus int) {
	switch {
	case a.note != nil:
		return a.noteLines(inner), 1
	case a.parts != nil:
		return a.partLines(inner), 0
	}
	return choiceRows(a.styles, a.shown(), a.at, a.marked(), inner)
}

func (a *Approval) noteLines(inner int) []string {
	return []string{a.styles.Bold.Render(ansi.Truncate("Why not? The agent is told.", inner, "…")), a.note.Line(a.styles, inner)}
}

// place scrolls to the first changed line, unless the user has scrolled.
func (a *Approval) place(p particulars, room int) {
	if a.scrolled {
		return
	}
	a.top = 0
	if len(p.body) <= room || p.first < 0 {
		return
	}
	if p.first < room-2 { // it is in sight from the beginning
		return
	}
	if a.top = p.first; room > 6 { // with a line of what is around it
		a.top = max(p.first-1, 0)
	}
}

// inSight says whether what is to be decided about can be seen: the path, and a changed line
// where there is one.
func (a *Approval) inSight(p particulars, room int) bool {
	from, to := a.top, a.top+a.page
	if len(p.body) <= room {
		from, to = 0, len(p.body)
	}
	shows := func(line int) bool { return from <= line && line < to }
	return (p.about == 0 || shows(0) && shows(p.about-1)) && (p.first < 0 || shows(p.first))
}

func (a *Approval) title(inner int) string {
	s := a.styles
	if a.stale != "" {
		stale := ansi.Truncate(terminal.StrictLine(a.stale), inner, "…")
		rest := " · " + terminal.StrictLine(a.what.Title)
		return s.WarnBold.Render(stale) + s.AccentBold.Render(ansi.Truncate(rest, max(inner-ansi.StringWidth(stale), 0), "…"))
	}
	title := ansi.Truncate(terminal.StrictLine(a.what.Title), inner, "…")
	tool := terminal.StrictLine(a.what.Tool)
	if tool != "" && ansi.StringWidth(title)+3+ansi.StringWidth(tool) <= inner {
		return s.AccentBold.Render(title) + s.Muted.Render(" · "+tool)
	}
	return s.AccentBold.Render(title)
}

// particulars is everything there is to know of the change, with empty lines or without.
func (a *Approval) particulars(inner int, tight bool) particulars {
	s := a.styles
	p := particulars{head: a.paths(inner), first: -1}
	for _, warning := range []string{a.since, a.what.Warning, a.what.Unseen} {
		if warning != "" {
			p.head = append(p.head, markdown.Wrap(terminal.StrictLine(warning), theme.Open(s.WarnBold), inner)...)
		}
	}
	space := func() {
		if !tight {
			p.body = append(p.body, "")
		}
	}
	if a.what.Detail != "" {
		p.body = append(p.body, a.details(inner)...)
	}
	if rows := a.links.lines(inner); len(rows) > 0 {
		space()
		p.body = append(p.body, rows...)
	}
	if !a.view.Empty() {
		space()
		a.rows(&p, inner)
	}
	if a.what.Why != "" {
		p.why = markdown.Wrap(terminal.StrictLine(a.what.Why), theme.Open(s.Muted), inner)
	}
	return p
}

// details are the rows of what no diff shows: the start of it where it is long, until all is asked for.
func (a *Approval) details(inner int) []string {
	if a.detail == nil || a.detailFor != inner {
		most := session.ShownDetail
		if a.all {
			most = math.MaxInt
		}
		a.detail, a.detailFor = markdown.Wrap(session.Begins(a.what.Detail, most, " (Ctrl+T shows all)"), "", inner), inner
	}
	return a.detail
}

// rows adds what of the note changes.
func (a *Approval) rows(p *particulars, inner int) {
	for _, r := range a.view.Rows(inner) {
		switch {
		case a.parts != nil && r.Head && r.Hunk == a.parts.at:
			p.first = len(p.body)
		case a.parts == nil && r.Changes && p.first < 0 && !a.what.Whole:
			p.first = len(p.body)
		}
		if r.Head {
			r.Text = a.partHead(r, inner)
		}
		p.body = append(p.body, r.Text)
	}
}

// paths say what is changed, and by how much: in one line where there is room.
func (a *Approval) paths(inner int) []string {
	var out []string
	if a.what.NewPath != "" {
		out = append(a.path("from ", a.what.Path, inner), a.path("to   ", a.what.NewPath, inner)...)
	} else {
		out = a.path("", a.what.Path, inner)
	}
	if a.view.Empty() || a.what.Whole {
		return out
	}
	sum, short := a.view.Sum()
	for _, ways := range []string{" · " + sum, " · " + short} {
		if len(out) == 1 && ansi.StringWidth(out[0])+ansi.StringWidth(ways) <= inner {
			out[0] += a.styles.Muted.Render(ways)
			return out
		}
	}
	return append(out, a.styles.Muted.Render(ansi.Truncate(sum, inner, "…")))
}

// path is a path in rows that are broken between its folders and words where that is possible.
func (a *Approval) path(label, name string, inner int) []string {
	var out []string
	for i, row := range prose.Break(terminal.StrictLine(name), "/ ", max(inner-ansi.StringWidth(label), 1)) {
		lead := label
		if i > 0 {
			lead = strings.Repeat(" ", ansi.StringWidth(label))
		}
		out = append(out, a.styles.Muted.Render(lead)+a.styles.Bold.Render(row))
	}
	return out
}

// choiceRows draws choices side by side, in as few rows as they take, and says in which row the
// marked one is. Labels are short where that saves a row.
func choiceRows(s *theme.Styles, choices []Choice, at int, marked bool, inner int) (rows []string, focus int) {
	rows, focus = flow(s, choices, at, marked, inner, false)
	if short, in := flow(s, choices, at, marked, inner, true); len(short) < len(rows) {
		return short, in
	}
	return rows, focus
}

func flow(s *theme.Styles, choices []Choice, at int, marked bool, inner int, short bool) (rows []string, focus int) {
	used := 0
	for i, c := range choices {
		label := c.Label
		if c.Short != "" && (short || ansi.StringWidth(label)+2 > inner) {
			label = c.Short
		}
		label = c.fit(label, max(inner-2, 1))
		mark, w := "  ", 2+ansi.StringWidth(label)
		if marked && i == at {
			mark, label = s.Accent.Render("›")+" ", s.Bold.Render(label)
		}
		if used > 0 && used+2+w <= inner {
			rows[len(rows)-1] += "  " + mark + label
			used += 2 + w
		} else {
			rows, used = append(rows, mark+label), w
		}
		if i == at {
			focus = len(rows) - 1
		}
	}
	return rows, focus
}

// Bounds of the notes whose links change along.
const (
	maxLinked  = 8    // that are named where they are folded
	maxRewrite = 3000 // rows, unfolded
)

// links is the part of a change that puts links right in other notes: the notes by name, or,
// unfolded, what changes in each.
type links struct {
	styles   *theme.Styles
	rewrites []Rewrite
	open     bool

	rows  []string
	width int
	drawn bool // unfolded
}

// verb says what folding or unfolding does.
func (l *links) verb() string {
	if l.open {
		return "folds"
	}
	return "shows"
}

// sum says how many links in how many notes.
func (l *links) sum() string {
	n := 0
	for _, r := range l.rewrites {
		n += r.Links
	}
	return fmt.Sprintf("Updates %d %s in %d %s:", n, text.Plural(n, "link"), len(l.rewrites), text.Plural(len(l.rewrites), "note"))
}

// lines draws it.
func (l *links) lines(inner int) []string {
	if len(l.rewrites) == 0 || l.width == inner && l.drawn == l.open {
		return l.rows
	}
	l.width, l.drawn = inner, l.open
	l.rows = []string{l.styles.Bold.Render(ansi.Truncate(l.sum(), inner, "…"))}
	for i, r := range l.rewrites {
		if !l.open && i == maxLinked && len(l.rewrites) > maxLinked+1 || len(l.rows) > maxRewrite {
			more := fmt.Sprintf("… and %d more notes", len(l.rewrites)-i)
			l.rows = append(l.rows, l.styles.Muted.Render(ansi.Truncate(more, inner, "…")))
			break
		}
		l.note(r, inner)
	}
	return l.rows
}

// note draws a note: its path in rows that begin with a mark no text of a note begins with.
func (l *links) note(r Rewrite, inner int) {
	lead := "• "
	rows := prose.Break(terminal.StrictLine(r.Path), "/ ", max(inner-2, 1))
	for _, row := range rows {
		l.rows = append(l.rows, lead+row)
		lead = "⋮ "
	}
	count := fmt.Sprintf(" · %d %s", r.Links, text.Plural(r.Links, "link"))
	if n := len(l.rows) - 1; ansi.StringWidth(l.rows[n])+ansi.StringWidth(count) <= inner {
		l.rows[n] += l.styles.Muted.Render(count)
	}
	if !l.open {
		return
	}
	for _, row := range prose.FromUnified(l.styles.Prose, r.Diff).Rows(inner) {
		l.rows = append(l.rows, row.Text)
	}
}
