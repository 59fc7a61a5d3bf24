package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
	"chatvault/tui/selection"
)

// measure is the widest the chat gets, in cells: longer lines read badly.
const measure = 112

// layout is where things are, in cells and lines.
type layout struct {
	margin, width              int
	header, queue, rule, input int // lines
	gap                        int // between the transcript and what is below
	tasks                      int // pinned above the queue
	transcript                 int
	status                     int
}

// arrange shares the screen out. What matters least gives way first on a small
// one: the header, the rule, the status line; the composer stays.
func arrange(width, height, composerRows, queued, status, tasks int) layout {
	l := layout{margin: 2}
	switch {
	case width < 30:
		l.margin = 0
	case width < 60:
		l.margin = 1
	}
	l.width = max(width-2*l.margin, 1)
	if l.width > measure {
		l.width = measure
		l.margin = (width - measure) / 2
	}
	left := height
	take := func(want, keep int) int {
		n := max(min(want, left-keep), 0)
		left -= n
		return n
	}
	l.input = max(take(composerRows, 0), 1)
	l.status = take(status, 2)
	l.rule = take(1, 3)
	l.header = take(2, 6)
	l.gap = take(1, 16)
	l.queue = take(queued, 4)
	l.tasks = take(tasks, 4)
	l.transcript = max(left, 0)
	return l
}

// composerLimit is the most rows the composer takes: a third of the screen.
func composerLimit(height int) int { return max(height/3, 1) }

// parts is what stands around the transcript, drawn once a frame.
type parts struct{ input, queue, status, tasks []string }

func (m *Model) arrange() parts {
	width := arrange(m.width, m.height, 1, 0, 1, 0).width
	m.composer.SetSize(width, composerLimit(m.height))
	p := parts{m.inputLines(width), m.queueLines(width), m.statusLines(width), m.taskLines(width)}
	if m.asking() {
		p = p.whileAsking(m.height)
	}
	m.lay = arrange(m.width, m.height, len(p.input), len(p.queue), len(p.status), len(p.tasks))
	if m.asking() {
		m.lay = m.lay.whileAsking(m.height)
	}
	if m.printed() {
		m.lay = m.lay.whilePrinting(m.asking() || m.welcome.Shown())
	}
	m.list.SetSize(m.lay.width, m.lay.transcript)
	return p
}

// Heights below which a question that is to be decided about takes the room of other things.
const (
	roomy = 30
	small = 20
)

// whileAsking leaves out what is not needed to decide: the tasks, and on a small screen all of
// the queue but its newest message.
func (p parts) whileAsking(height int) parts {
	p.tasks = nil
	if n := len(p.queue); n > 1 && height < roomy {
		p.queue = p.queue[n-1:]
	}
	if height < small {
		p.queue = nil
	}
	return p
}

// whileAsking gives the room of the header and of empty lines to the question.
func (l layout) whileAsking(height int) layout {
	header, gap := l.header, l.gap
	switch {
	case height < small:
		header, gap = 0, 0
	case height < roomy:
		header, gap = min(header, 1), 0
	}
	l.transcript += l.header - header + l.gap - gap
	l.header, l.gap = header, gap
	return l
}

// View draws the screen; while nothing changed it is the same string.
func (m *Model) View() string {
	if m.width == 0 {
		return ""
	}
	if m.dirty || m.frame == "" {
		m.frame = m.draw()
		m.dirty = false
	}
	return m.frame
}

func (m *Model) draw() string {
	m.env.Focused = m.selection.Item()
	p := m.arrange()
	l := m.lay
	body := m.body()
	lines := make([]string, 0, m.height)
	if l.header > 0 {
		lines = append(lines, m.header(l.width))
		for range l.header - 1 {
			lines = append(lines, "")
		}
	}
	m.finisher.from, m.finisher.to = 0, 0
	if m.dialogs.Empty() {
		m.finisher.from, m.finisher.to = m.selection.Place(body, l.margin, m.styles)
	}
	m.finisher.from += len(lines)
	m.finisher.to += len(lines)
	m.finisher.mark = m.styles.AccentBold.Render(selection.Mark)
	lines = append(lines, body...)
	for range l.gap {
		lines = append(lines, "")
	}
	lines = append(lines, p.tasks[:l.tasks]...)
	lines = append(lines, p.queue[:l.queue]...)
	if l.rule > 0 {
		lines = append(lines, m.rule(l.width))
	}
	lines = append(lines, p.input[:min(len(p.input), l.input)]...)
	lines = append(lines, p.status[:min(len(p.status), l.status)]...)
	return m.finisher.finish(lines, l.margin, m.width, m.height)
}

// finisher makes frames of lines. It remembers what it made of the lines of the
// frame before: most are the same in the next.
type finisher struct {
	margin, width int
	last, next    map[string]string
	// from and up to line to the mark stands in the margin.
	from, to int
	mark     string
}

// finish gives a frame of exactly height lines: margin, filter, bounded width.
func (f *finisher) finish(lines []string, margin, width, height int) string {
	if f.last == nil || f.margin != margin || f.width != width {
		f.margin, f.width, f.last, f.next = margin, width, map[string]string{}, map[string]string{}
	}
	var b strings.Builder
	pad := strings.Repeat(" ", margin)
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		marked := margin > 0 && i >= f.from && i < f.to
		if i >= len(lines) || lines[i] == "" && !marked {
			continue
		}
		if marked {
			b.WriteString(pad[1:] + f.mark)
		} else {
			b.WriteString(pad)
		}
		line, known := f.last[lines[i]]
		if !known {
			line = safe.Fit(safe.Frame(lines[i]), width-margin)
		}
		f.next[lines[i]] = line
		b.WriteString(line)
	}
	f.last, f.next = f.next, f.last
	clear(f.next)
	return b.String()
}

// maxName is how much of a name is looked at for the header, in bytes: more than a screen is wide.
const maxName = 1 << 10

func (m *Model) header(width int) string {
	s := m.styles
	name := safe.Line(phrase.Head(m.o.VaultName, maxName))
	model := safe.Line(phrase.Head(m.provider, maxName))
	if route := m.routeText(); route != "" {
		model = safe.Line(route) + " · " + model
	}
	// The vault keeps half at least.
	room := width - 2
	if both := ansi.StringWidth(name) + 3 + ansi.StringWidth(model); both > room {
		model = ansi.Truncate(model, max(room-3-min(ansi.StringWidth(name), room/2), 0), "…")
		name = ansi.Truncate(name, max(room-3-ansi.StringWidth(model), 1), "…")
	}
	left := s.Accent.Render("◆") + " " + s.Bold.Render(name)
	return phrase.Spread(left, s.Muted.Render(model), width)
}

// body is the transcript, or the dialog that lies over it.
func (m *Model) body() []string {
	height := m.lay.transcript
	out := make([]string, height)
	if _, low := m.dialogs.Top().(dialog.Low); low {
		return m.beside(height)
	}
	if !m.dialogs.Empty() {
		lines := m.dialogs.Lines(m.lay.width, height, m.now())
		lines = lines[:min(len(lines), height)]
		top, wide := (height-len(lines))/2, 0
		for _, line := range lines {
			wide = max(wide, ansi.StringWidth(line))
		}
		left := strings.Repeat(" ", max((m.lay.width-wide)/2, 0))
		for i, line := range lines {
			out[top+i] = left + line
		}
		return out
	}
	copy(out, m.list.Lines())
	m.find.Mark(out)
	return out
}

// beside draws a dialog at the lower edge of the transcript, which stays in sight above it.
func (m *Model) beside(height int) []string {
	const least = 6 // of the dialog
	lines := m.dialogs.Lines(m.lay.width, min(max(height*3/5, least), height), m.now())
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

// rule parts the transcript from the composer and says what is below.
func (m *Model) rule(width int) string {
	s := m.styles
	items, more := m.list.Below()
	when := ""
	if m.dialogs.Empty() {
		when = m.focusedTime()
	}
	if !more && when != "" {
		return m.titledRule(s.Muted.Render(when), width)
	}
	if !more {
		if m.plainRuleWidth != width {
			m.plainRule, m.plainRuleWidth = s.Rule.Render(strings.Repeat("─", width)), width
		}
		return m.plainRule
	}
	notes := []string{"↓ more below · End", "↓ more", "↓"}
	if items > 0 {
		notes = []string{fmt.Sprintf("↓ %d new below · End", items), fmt.Sprintf("↓ %d new", items), "↓"}
	}
	if when == "" {
		return m.titledRule(s.AccentBold.Render(phrase.Fitting(notes, width)), width)
	}
	// The time stands nowhere else, and says more than how much is below.
	when = " · " + when
	note := phrase.Fitting(notes, width-ansi.StringWidth(when))
	return m.titledRule(s.AccentBold.Render(note)+s.Muted.Render(when), width)
}

// titledRule is a dividing line with a title in its middle.
func (m *Model) titledRule(title string, width int) string {
	s := m.styles
	title = ansi.Truncate(title, width, "…")
	side := max(width-ansi.StringWidth(title)-2, 0)
	if side < 4 {
		return title
	}
	left := side / 2
	return s.Rule.Render(strings.Repeat("─", left)) + " " + title + " " +
		s.Rule.Render(strings.Repeat("─", side-left))
}
