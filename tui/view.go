package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/dialog"
	"chatvault/tui/frame"
	"chatvault/tui/phrase"
	"chatvault/tui/selection"
)

// composerLimit returns the composer's maximum height: a third of the screen.
func composerLimit(height int) int { return max(height/3, 1) }

// display is the drawn screen.
type display struct {
	width    int
	dirty    bool   // the screen must be redrawn
	frame    string // the content of View
	finisher frame.Finisher
}

// parts are the drawn parts around the transcript.
type parts struct{ input, queue, status, tasks []string }

func (m *Model) arrange() parts {
	width := frame.Arrange(m.width, m.height, 1, 0, 1, 0).Width
	m.composer.SetSize(width, composerLimit(m.height))
	m.composer.Focus(m.composing())
	p := parts{m.inputLines(width), m.queueLines(width), m.statusLines(width), m.taskLines(width)}
	if m.requests.asks() { // which needs the space
		p.tasks, p.queue = nil, p.queue[max(len(p.queue)-1, 0):]
	}
	m.lay = frame.Arrange(m.width, m.height, len(p.input), len(p.queue), len(p.status), len(p.tasks))
	if m.requests.asks() && m.height < frame.Roomy {
		m.lay = m.lay.Bare()
	}
	m.list.SetSize(m.lay.Width, m.lay.Transcript)
	if m.pick != nil {
		m.question.Room = m.lay.Transcript
	}
	return p
}

// composing reports whether typed text goes to the composer.
func (m *Model) composing() bool {
	if !m.dialogs.Empty() {
		return !m.composer.Empty() && !m.dialogs.Writes()
	}
	return !m.selection.Active()
}

// View draws the screen. While nothing changes it returns the same string.
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
	if m.o.Window {
		v.WindowTitle = m.windowTitle()
	}
	if x, y, ok := m.finisher.Cursor(); ok {
		v.Cursor = tea.NewCursor(x, y)
		if v.Cursor.Shape = tea.CursorBar; m.composing() && !m.find.Active() {
			v.Cursor.Shape = m.composer.Shape() // that of vi's mode
		}
	}
	return v
}

func (m *Model) draw() string {
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
	if p.input = p.input[:min(len(p.input), l.Input)]; covered {
		below = frame.Dim(m.styles.Muted, below)
		if !m.composing() {
			p.input = frame.Dim(m.styles.Muted, p.input)
		}
	}
	if l.Rule > 0 {
		below = append(below, m.rule(l.Width, covered))
	}
	lines = slices.Concat(lines, below, p.input, p.status[:min(len(p.status), l.Status)])
	return m.finisher.Finish(lines, l.Margin, m.width, m.height)
}

// maxName bounds a name in the header, in bytes; it exceeds any screen's width.
const maxName = 1 << 10

// heading returns the vault and the model for the header, with three cells to spare.
func (e *engine) heading(width int) (where, by string) {
	s := e.styles
	name := terminal.Line(text.Head(e.o.VaultName, maxName))
	model := terminal.Line(text.Head(e.state.Provider, maxName))
	if e.o.Models != nil && !e.offline {
		if effort := e.o.Models.Effort(); effort != "" {
			model += " · effort " + effort
		}
	}
	if e.route.State != "" {
		model = phrase.Join("SmartHole "+terminal.Line(string(e.route.State)), model)
	}
	readOnly := ""
	if e.o.ReadOnly {
		readOnly = " · read-only"
	}
	room := width - 2 - cells.Width(readOnly) // the vault's name gets at least half
	if both := cells.Width(name) + 3 + cells.Width(model); both > room {
		model = cells.Truncate(model, max(room-3-min(cells.Width(name), room/2), 0), "…")
		name = cells.Truncate(name, max(room-3-cells.Width(model), 1), "…")
	}
	return s.Accent.Render("◆") + " " + s.Bold.Render(name) + s.Warn.Render(readOnly), s.Muted.Render(model)
}

// body draws the transcript, or a dialog over it.
func (m *Model) body() []string {
	height := m.lay.Transcript
	if m.deciding() || m.previewing() {
		return m.panel(m.lay.Width, height)
	}
	out := make([]string, height)
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

// covered reports whether a dialog covers the chat, and not a request or a list with previews, drawn within it.
func (m *Model) covered() bool {
	return !m.dialogs.Empty() && !m.deciding() && !m.previewing()
}

// previewing reports whether the chat previews the marked row of a picker.
func (m *Model) previewing() bool {
	p, is := m.dialogs.Top().(*dialog.Picker)
	return is && p.Previewing()
}

// rule draws the line between the transcript and the composer, which says whether there is content below.
func (m *Model) rule(width int, dimmed bool) string {
	note, style := "", m.styles.AccentBold
	if m.list.Below() {
		note = phrase.Fitting([]string{"↓ more below · End", "↓ more", "↓"}, width)
	}
	if dimmed {
		style = m.styles.Muted
	}
	return frame.Rule(m.styles, style.Render(note), width)
}

// panel draws a request, or a list with previews, below the end of the transcript, which gets up to a quarter of height
// lines.
func (m *Model) panel(width, height int) []string {
	const least = 11 // lines of the request before any of the transcript
	m.list.SetSize(width, min(height/4, max(height-least, 0)))
	asks := m.dialogs.Lines(width, height-len(m.list.Lines()), m.now())
	asks = asks[:min(len(asks), height)]
	room := height - len(asks)
	m.list.SetSize(width, room)
	out := make([]string, room, height)
	copy(out, m.list.Lines())
	return append(out, asks...)
}
