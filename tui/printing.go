package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/paint"
	"chatvault/tui/safe"
	"chatvault/tui/selection"
)

// Without the alternate screen the conversation is printed, item by item as each is finished, and
// an answer block by block as it comes; it scrolls away into the terminal's scrollback. What goes
// on, the composer and the status stand below it. What was printed stays as it is; to look at it
// as it would be drawn now, scrolling and selecting show the transcript in the live part's place.

// printing is what was printed of the transcript.
type printing struct {
	screen *paint.Printed // nil: the chat has the whole screen
	queue  []string       // printed with the next frame
	head   string         // the header that was printed last
	last   list.Item      // the last item that was printed; nil: none was
	known  map[list.Item]bool
	part   part
}

// part is an answer that is printed as far as it has come.
type part struct {
	item         *chat.Assistant
	lines, bytes int // that were printed
	width        int // of the lines
}

// printed says whether the chat leaves the screen to the terminal.
func (m *Model) printed() bool { return m.printing.screen != nil }

// reviewing says that the transcript is shown in the place of what goes on.
func (m *Model) reviewing() bool {
	return m.selection.Active() || m.find.Active() || !m.list.Following()
}

// unprinted is the first item with lines that was not printed whole, from the one after it on.
func (m *Model) unprinted(after list.Item) list.Item {
	return m.list.Next(after, 1, func(list.Item) bool { return true })
}

// resumePrinting finds the last item that was printed and is there still: the conversation may have been
// shown anew, from an earlier place.
func (m *Model) resumePrinting() {
	p := &m.printing
	if p.last == nil || m.list.Has(p.last) {
		return
	}
	var at list.Item
	for it := m.list.Next(nil, -1, chat.Selectable); it != nil; it = m.list.Next(it, -1, chat.Selectable) {
		if p.known[it] {
			at = it
			break
		}
	}
	p.last, p.part = at, part{}
	p.print(m.lay.Margin, m.width, "", m.styles.Muted.Render(ansi.Truncate("── The conversation as it stands now ──", m.lay.Width, "…")))
}

// print queues lines to be printed.
func (p *printing) print(margin, width int, lines ...string) {
	for _, l := range lines {
		p.queue = append(p.queue, printable(l, margin, width))
	}
}

// printable is a line as it goes to the terminal.
func printable(l string, margin, width int) string {
	if l == "" {
		return ""
	}
	return strings.Repeat(" ", margin) + ansi.Truncate(safe.Frame(l), max(width-margin, 0), "")
}

// finished says whether what an item shows is as it will stay. Calls of one tool in a row may come
// to share a line.
func (m *Model) finished(it list.Item) bool {
	if w, ok := it.(interface{ Drawing() bool }); ok && w.Drawing() {
		return false
	}
	switch it := it.(type) {
	case *chat.Welcome, *chat.Earlier:
		return false
	case *chat.Assistant:
		return it != m.turn.answer
	case *chat.Reasoning:
		return it != m.turn.reasoning
	case *chat.Message:
		return it != m.question
	case *chat.User:
		for _, o := range m.outbox {
			if o.item == it && o.id == "" {
				return false
			}
		}
	case *chat.Tool:
		if s := it.State(); s == chat.ToolWriting || s == chat.ToolRunning {
			return false
		}
		next := m.unprinted(it)
		if t, ok := next.(*chat.Tool); m.turn.running && (next == nil || ok && it.Alike(t)) {
			return false
		}
	}
	return true
}

// printFinished queues what can be printed by now, and gives the lines of the rest.
func (m *Model) printFinished() (rest []string) {
	p, width := &m.printing, m.list.Width()
	if p.known == nil {
		p.known = map[list.Item]bool{}
	}
	m.printHeader()
	m.resumePrinting()
	above, printing := p.last, m.loaded || m.o.Load == nil
	for it := m.unprinted(p.last); it != nil; it = m.unprinted(it) {
		if _, marker := it.(*chat.Earlier); marker {
			continue // reading on from there is for scrolling
		}
		settled, bytes, printed := 0, 0, 0
		if a, ok := it.(*chat.Assistant); ok {
			settled, bytes = a.Settled(width) // may draw a portion more, and comes before the lines
			printed = m.printedOf(a)
		}
		lines := it.Lines(width)
		from := min(printed, len(lines)) // fewer while it is drawn anew
		gap := 0
		if above != nil {
			gap = chat.Gap(above, it)
		} else if p.head != "" {
			gap = 1
		}
		done := printing && m.finished(it)
		till := len(lines)
		if !done {
			till = from
		}
		if a, ok := it.(*chat.Assistant); ok && !done && printing {
			if settled > printed && settled <= len(lines) {
				till, p.part = settled, part{a, settled, bytes, width}
			}
		}
		printing = printing && till > from || done
		now := lines[from:till]
		if printing {
			if from == 0 {
				p.print(m.lay.Margin, m.width, make([]string, gap)...)
			}
			p.print(m.lay.Margin, m.width, now...)
		} else {
			if from == 0 {
				rest = append(rest, make([]string, gap)...)
			}
			rest = append(rest, now...)
		}
		if !done {
			printing = false
			rest = append(rest, lines[till:]...)
		} else if printing {
			p.last, p.known[it] = it, true
		}
		above = it
	}
	return rest
}

// printedOf is how many of an answer's lines, at the present width, were printed.
func (m *Model) printedOf(a *chat.Assistant) int {
	p := &m.printing.part
	if p.item != a {
		return 0
	}
	if width := m.list.Width(); p.width != width {
		p.lines, p.width = a.LinesOf(width, p.bytes), width
	}
	return p.lines
}

// printVoid says that a part of an answer was printed of an attempt that failed: what is printed
// cannot be taken back.
func (m *Model) printVoid() {
	p := &m.printing
	if a := p.part.item; a == nil || !a.Empty() || p.part.lines == 0 {
		return
	}
	p.part = part{}
	p.print(m.lay.Margin, m.width, m.styles.Warn.Render(ansi.Truncate("  — That attempt failed: what it wrote is void.", m.lay.Width, "…")))
}

// printHeader prints where one is, and again when that changes.
func (m *Model) printHeader() {
	p := &m.printing
	if !m.loaded && m.o.Load != nil || m.welcome.Shown() {
		return // it says so itself
	}
	if head := m.o.VaultName + "\n" + m.provider; head != p.head {
		if p.head != "" {
			p.print(m.lay.Margin, m.width, "")
		}
		p.head = head
		p.print(m.lay.Margin, m.width, m.header(m.lay.Width))
	}
}

// paint has the terminal print what is finished, and show the rest below.
func (m *Model) paint() {
	p := &m.printing
	if m.width == 0 || !m.dirty && len(p.queue) == 0 {
		return
	}
	m.dirty = false
	around := m.arrange()
	l := m.lay
	m.printVoid()
	rest := m.printFinished()
	var body []string
	m.finisher.From, m.finisher.To = 0, 0
	switch {
	case !m.dialogs.Empty():
		body = m.dialogs.Lines(l.Width, l.Transcript, m.now())
		body = append(body[:min(len(body), l.Transcript)], "")
	case m.reviewing():
		body = m.list.Lines()
		m.find.Mark(body)
		m.finisher.From, m.finisher.To = m.selection.Place(body, l.Margin, m.styles)
		m.finisher.Mark = m.styles.AccentBold.Render(selection.Mark)
	default:
		body = rest[max(len(rest)-l.Transcript, 0):]
	}
	if p.last != nil && (len(body) == 0 || body[len(body)-1] != "") {
		body = append(body, "") // between what is printed, or goes on, and what is below
	}
	lines := m.appendBelow(slices.Clip(body), around)
	if n := len(lines) - m.height; n > 0 {
		lines = lines[n:]
		m.finisher.From, m.finisher.To = m.finisher.From-n, m.finisher.To-n
	}
	frame := strings.Split(m.finisher.Finish(lines, l.Margin, m.width, len(lines)), "\n")
	p.screen.Paint(paint.Frame{Print: p.queue, Live: frame, Width: m.width, Height: m.height, Awaited: m.awaited})
	p.queue = nil
}

// unprintedLines is what was not printed when the chat ends.
func (m *Model) unprintedLines() []string {
	p := &m.printing
	if m.width == 0 {
		return nil
	}
	m.welcome.Leave()
	m.printVoid()
	p.print(m.lay.Margin, m.width, m.printFinished()...)
	if p.last != nil || len(p.queue) > 0 {
		p.queue = append(p.queue, "")
	}
	return p.queue
}

// drawUnprinted has long items drawn before they are printed.
func (m *Model) drawUnprinted(draw func(list.Item)) {
	if !m.printed() {
		return
	}
	if it := m.unprinted(m.printing.last); it != nil {
		draw(it)
	}
}
