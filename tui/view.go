package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/frame"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
)

// composerLimit is the most rows the composer takes: a third of the screen.
func composerLimit(height int) int { return max(height/3, 1) }

// parts is what stands around the transcript, drawn once a frame.
type parts struct{ input, queue, status, tasks []string }

func (m *Model) arrange() parts {
	width := frame.Arrange(m.width, m.height, 1, 0, 1, 0).Width
	m.composer.SetSize(width, composerLimit(m.height))
	m.composer.Focus(m.composing())
	p := parts{m.inputLines(width), m.queueLines(width), m.statusLines(width), m.taskLines(width)}
	if m.requests.Asking() {
		p = p.whileAsking(m.height)
	}
	m.lay = frame.Arrange(m.width, m.height, len(p.input), len(p.queue), len(p.status), len(p.tasks))
	if m.requests.Asking() {
		m.lay = m.lay.WhileAsking(m.height)
	}
	m.list.SetSize(m.lay.Width, m.lay.Transcript)
	if m.pick != nil {
		m.question.Room(m.lay.Transcript)
	}
	return p
}

// composing reports whether what is typed goes into the composer.
func (m *Model) composing() bool {
	if !m.dialogs.Empty() {
		return !m.composer.Empty() && !m.dialogs.Writes()
	}
	return !m.selection.Active()
}

// whileAsking leaves out what is not needed to decide: the tasks, and on a small screen all of
// the queue but its newest message.
func (p parts) whileAsking(height int) parts {
	p.tasks = nil
	if n := len(p.queue); n > 1 && height < frame.Roomy {
		p.queue = p.queue[n-1:]
	}
	if height < frame.Small {
		p.queue = nil
	}
	return p
}

// View draws the screen; while nothing changed it is the same string.
func (m *Model) View() tea.View {
	v := tea.View{AltScreen: true, ReportFocus: true}
	if m.o.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.width == 0 {
		return v
	}
	if m.dirty || m.frame == "" {
		m.frame = m.draw()
		m.dirty = false
	}
	v.Content = m.frame
	if x, y, ok := m.finisher.Cursor(); ok {
		v.Cursor = tea.NewCursor(x, y)
		v.Cursor.Shape = tea.CursorBar
	}
	return v
}

func (m *Model) draw() string {
	m.env.Focused = m.selection.Item()
	p := m.arrange()
	l := m.lay
	body := m.body()
	lines := make([]string, 0, m.height)
	if l.Header > 0 {
		where, model := m.heading(l.Width)
		lines = append(lines, phrase.Spread(where, model, l.Width))
		for range l.Header - 1 {
			lines = append(lines, "")
		}
	}
	m.finisher.From, m.finisher.To = 0, 0
	if m.dialogs.Empty() {
		m.finisher.From, m.finisher.To = m.selection.Place(body, l.Margin, m.styles)
	}
	m.finisher.From += len(lines)
	m.finisher.To += len(lines)
	m.finisher.Mark = m.styles.AccentBold.Render(selection.Mark)
	covered := m.covered()
	if covered {
		lines = frame.Dim(m.styles.Muted, lines)
	}
	lines = append(lines, body...)
	for range l.Gap {
		lines = append(lines, "")
	}
	below := slices.Concat(p.tasks[:l.Tasks], p.queue[:l.Queue])
	if l.Rule > 0 {
		below = append(below, m.rule(l.Width))
	}
	if p.input = p.input[:min(len(p.input), l.Input)]; covered {
		below = frame.Dim(m.styles.Muted, below)
		if !m.composing() {
			p.input = frame.Dim(m.styles.Muted, p.input)
		}
	}
	lines = slices.Concat(lines, below, p.input, p.status[:min(len(p.status), l.Status)])
	return m.finisher.Finish(lines, l.Margin, m.width, m.height)
}

// maxName is how much of a name is looked at for the header, in bytes: more than a screen is wide.
const maxName = 1 << 10

// heading is the vault and the model, with three cells to spare.
func (m *Model) heading(width int) (where, by string) {
	s := m.styles
	name := terminal.Line(phrase.Head(m.o.VaultName, maxName))
	model := terminal.Line(phrase.Head(m.state.Provider, maxName))
	if m.o.Models != nil && !m.offline {
		if effort := m.o.Models.Effort(); effort != "" {
			model += " · effort " + effort
		}
	}
	model = phrase.Join(terminal.Line(m.routeText()), model)
	const readOnly = " · read-only"
	// The vault keeps half at least.
	room := width - 2
	if m.o.ReadOnly {
		room -= len(readOnly) - 1 // the dot is a character of two bytes
	}
	if both := ansi.StringWidth(name) + 3 + ansi.StringWidth(model); both > room {
		model = ansi.Truncate(model, max(room-3-min(ansi.StringWidth(name), room/2), 0), "…")
		name = ansi.Truncate(name, max(room-3-ansi.StringWidth(model), 1), "…")
	}
	left := s.Accent.Render("◆") + " " + s.Bold.Render(name)
	if m.o.ReadOnly {
		left += s.Warn.Render(readOnly)
	}
	return left, s.Muted.Render(model)
}

// body is the transcript, or the dialog that lies over it.
func (m *Model) body() []string {
	height := m.lay.Transcript
	if m.deciding() {
		return m.panel(m.lay.Width, height)
	}
	out := make([]string, height)
	if m.previewing() {
		return m.beside(height)
	}
	if !m.dialogs.Empty() {
		box := m.dialogs.Lines(m.lay.Width, height, m.now())
		if dialog.Framed(box) {
			copy(out, frame.Dim(m.styles.Muted, m.list.Lines()))
		}
		return frame.Over(out, box, m.lay.Width)
	}
	copy(out, m.list.Lines())
	m.find.Mark(out)
	return out
}

// covered reports whether a dialog lies over the chat: not what the turn asks, which stands in it, nor what the chat
// is the preview of.
func (m *Model) covered() bool { return !m.dialogs.Empty() && !m.deciding() && !m.previewing() }

func (m *Model) previewing() bool {
	p, is := m.dialogs.Top().(*dialog.Picker)
	return is && p.Previewing()
}

// beside draws a dialog at the lower edge of the transcript, which stays in sight above it.
func (m *Model) beside(height int) []string {
	const least = 6 // of the dialog
	lines := m.dialogs.Lines(m.lay.Width, min(max(height*3/5, least), height), m.now())
	lines = lines[:min(len(lines), height)]
	above := m.list.Lines()
	if room := height - len(lines); len(above) > room {
		if m.list.Following() && !m.welcome.Shown() {
			above = above[len(above)-room:]
		}
		above = above[:room]
	}
	out := make([]string, height)
	copy(out, above)
	copy(out[height-len(lines):], lines)
	return out
}

// focusedTime is when the selected item was; empty where none is, or it says so itself.
func (m *Model) focusedTime() string {
	d, ok := m.selection.Item().(chat.Dated)
	if u, is := d.(*chat.User); !ok || is && u.Tells() {
		return ""
	}
	return chat.Exact(d.Time(), m.now())
}

// rule parts the transcript from the composer and says what is below.
func (m *Model) rule(width int) string {
	s := m.styles
	items, more := m.list.Below()
	when := ""
	if m.dialogs.Empty() {
		when = m.focusedTime()
	}
	if !more && when == "" {
		return frame.Rule(s, "", width)
	}
	if !more {
		return frame.Rule(s, s.Muted.Render(when), width)
	}
	notes := []string{"↓ more below · End", "↓ more", "↓"}
	if items > 0 {
		notes = []string{fmt.Sprintf("↓ %d new below · End", items), fmt.Sprintf("↓ %d new", items), "↓"}
	}
	if when == "" {
		return frame.Rule(s, s.AccentBold.Render(phrase.Fitting(notes, width)), width)
	}
	// The time stands nowhere else, and says more than how much is below.
	when = " · " + when
	note := phrase.Fitting(notes, width-ansi.StringWidth(when))
	return frame.Rule(s, s.AccentBold.Render(note)+s.Muted.Render(when), width)
}

// redraw keeps what is in sight in its place while do changes how items are drawn: in the
// transcript, and in what is read above it.
func (m *Model) redraw(do func()) {
	m.list.Redraw(func() {
		if l := m.reading(); l != nil {
			l.Redraw(do)
			return
		}
		do()
	})
}

// reading is what is read above the transcript; nil: nothing is.
func (m *Model) reading() *list.List {
	if r, ok := m.dialogs.Top().(interface{ Column() *list.List }); ok {
		return r.Column()
	}
	return nil
}

// What the turn asks stands in the chat, below what it is about: the transcript, and where it is out of
// sight there, what the user asked for and what the agent said last.

// panelLeast is how many lines what the turn asks keeps before any are given to what it is about.
const panelLeast = 11

// panel draws it in height lines.
func (m *Model) panel(width, height int) []string {
	request, words := firstRows(m.turn.opening, width, max(1, height/10)), lastRows(m.turn.said, width, max(2, height/6))
	keep := min(len(request)+len(words), max(height-panelLeast, 0))
	asks := m.dialogs.Lines(width, height-keep, m.now())
	asks = asks[:min(len(asks), height)]
	room := height - len(asks)
	var above, below []string // of the transcript
	for range 3 {             // what is pinned may put something else out of sight
		m.list.SetSize(width, max(room-len(above)-len(below), 0))
		seen := map[list.Item]bool{}
		m.list.InSight(func(s list.Sight) { seen[s.Item] = true })
		asked, said := seen[m.turn.opening], seen[m.turn.said]
		switch {
		case !asked && !said:
			above, below = slices.Concat(request, words), nil
		case !asked && below == nil && len(above) == 0:
			above = request
		case !said && len(above) == 0:
			below = words
		}
	}
	above = above[:min(len(above), room)]
	below = below[max(len(below)-(room-len(above)), 0):]
	out := make([]string, 0, height)
	out = append(out, above...)
	if n := room - len(above) - len(below); n > 0 {
		said := m.list.Lines()
		out = append(out, said[:min(len(said), n)]...)
	}
	for len(out) < room-len(below) {
		out = append(out, "")
	}
	return append(append(out, below...), asks...)
}

// firstRows are the first rows of an item, at most n; none where there is no item.
func firstRows(it list.Item, width, n int) []string {
	if it == nil {
		return nil
	}
	rows := full(it.Lines(width))
	if len(rows) <= n {
		return rows
	}
	rows = rows[:n:n]
	rows[n-1] = ansi.Truncate(strings.TrimRight(rows[n-1], " "), width-2, "") + " …"
	return rows
}

// lastRows are the last.
func lastRows(it list.Item, width, n int) []string {
	if it == nil {
		return nil
	}
	rows := full(it.Lines(width))
	return rows[max(len(rows)-n, 0):]
}

// full are the rows that are not empty.
func full(rows []string) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(r string) bool { return strings.TrimSpace(ansi.Strip(r)) == "" })
}
