// Package scrollback is what of the transcript was printed. Without the alternate screen the conversation
// is printed, item by item as each is finished, and an answer block by block as it comes; it scrolls away
// into the terminal's scrollback. What goes on, the composer and the status stand below it. It promises
// that each line is printed once, in order, and that what was printed stays as it is.
package scrollback

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/chat"
	"chatvault/tui/frame"
	"chatvault/tui/list"
	"chatvault/tui/paint"
	"chatvault/tui/theme"
)

// Printer prints a list.
type Printer struct {
	list   *list.List
	styles *theme.Styles
	screen *paint.Printed // nil: the chat has the whole screen
	layout frame.Layout
	width  int // of the screen

	queue []string  // printed with the next frame
	head  string    // the header that was printed last
	last  list.Item // the last item that was printed; nil: none was
	known map[list.Item]bool
	part  part
}

// part is an answer that is printed as far as it has come.
type part struct {
	item         *chat.Assistant
	lines, bytes int // that were printed
	width        int // of the lines
}

// New prints nothing before it is opened.
func New(l *list.List, s *theme.Styles) *Printer {
	return &Printer{list: l, styles: s, known: map[list.Item]bool{}}
}

// Open prints on a screen.
func (p *Printer) Open(s *paint.Printed) { p.screen = s }

// TakeOver goes on where another chat was, of which rest was not printed yet.
func (p *Printer) TakeOver(from *Printer, rest []string) { p.screen, p.queue = from.screen, rest }

// Active says whether the chat leaves the screen to the terminal.
func (p *Printer) Active() bool { return p.screen != nil }

// Queued are the lines that are printed with the next frame.
func (p *Printer) Queued() []string { return p.queue }

// Begun says whether anything of the list was printed.
func (p *Printer) Begun() bool { return p.last != nil }

// Lay says how the screen is shared out.
func (p *Printer) Lay(l frame.Layout, width int) { p.layout, p.width = l, width }

// Paint shows a frame below what is printed by now.
func (p *Printer) Paint(f paint.Frame) {
	f.Print, p.queue = p.queue, nil
	p.screen.Paint(f)
}

// Close prints what is left, and gives the screen back.
func (p *Printer) Close(rest []string) { p.screen.Close(rest) }

// Forget is for an item that goes out of the list, and may come back as another.
func (p *Printer) Forget(it list.Item) { delete(p.known, it) }

// Next is the first item that was not printed whole.
func (p *Printer) Next() list.Item { return p.after(p.last) }

func (p *Printer) after(it list.Item) list.Item {
	return p.list.Next(it, 1, func(list.Item) bool { return true })
}

// print queues lines to be printed.
func (p *Printer) print(lines ...string) {
	for _, l := range lines {
		if l != "" {
			l = strings.Repeat(" ", p.layout.Margin) + ansi.Truncate(terminal.Rendered(l), max(p.width-p.layout.Margin, 0), "")
		}
		p.queue = append(p.queue, l)
	}
}

// resume finds the last item that was printed and is there still: the conversation may have been shown
// anew, from an earlier place.
func (p *Printer) resume() {
	if p.last == nil || p.list.Has(p.last) {
		return
	}
	var at list.Item
	for it := p.list.Next(nil, -1, chat.Selectable); it != nil; it = p.list.Next(it, -1, chat.Selectable) {
		if p.known[it] {
			at = it
			break
		}
	}
	p.last, p.part = at, part{}
	p.print("", p.styles.Muted.Render(ansi.Truncate("── The conversation as it stands now ──", p.layout.Width, "…")))
}

// Header prints where one is, and again when that changes: header is how it is drawn.
func (p *Printer) Header(where string, header func() string) {
	if where == p.head {
		return
	}
	if p.head != "" {
		p.print("")
	}
	p.head = where
	p.print(header())
}

// Print queues what can be printed by now, and gives the lines of the rest; finished says whether what an
// item shows is as it will stay. While the conversation is not read yet nothing is printed.
func (p *Printer) Print(read bool, finished func(list.Item) bool) (rest []string) {
	p.resume()
	width := p.list.Width()
	above, printing := p.last, read
	for it := p.after(p.last); it != nil; it = p.after(it) {
		if _, marker := it.(*chat.Earlier); marker {
			continue // reading on from there is for scrolling
		}
		settled, bytes, printed := 0, 0, 0
		if a, ok := it.(*chat.Assistant); ok {
			settled, bytes = a.Settled(width) // may draw a portion more, and comes before the lines
			printed = p.printed(a)
		}
		lines := it.Lines(width)
		from := min(printed, len(lines)) // fewer while it is drawn anew
		gap := 0
		if above != nil {
			gap = chat.Gap(above, it)
		} else if p.head != "" {
			gap = 1
		}
		done := printing && finished(it)
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
				p.print(make([]string, gap)...)
			}
			p.print(now...)
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

// printed is how many of an answer's lines, at the present width, were printed.
func (p *Printer) printed(a *chat.Assistant) int {
	if p.part.item != a {
		return 0
	}
	if width := p.list.Width(); p.part.width != width {
		p.part.lines, p.part.width = a.LinesOf(width, p.part.bytes), width
	}
	return p.part.lines
}

// Void says that a part of an answer was printed of an attempt that failed: what is printed cannot be
// taken back.
func (p *Printer) Void() {
	if a := p.part.item; a == nil || !a.Empty() || p.part.lines == 0 {
		return
	}
	p.part = part{}
	p.print(p.styles.Warn.Render(ansi.Truncate("  — That attempt failed: disregard what it wrote.", p.layout.Width, "…")))
}

// Rest queues the rest, and gives all that is to be printed when the chat ends.
func (p *Printer) Rest(rest []string) []string {
	p.print(rest...)
	if p.last != nil || len(p.queue) > 0 {
		p.queue = append(p.queue, "")
	}
	return p.queue
}
