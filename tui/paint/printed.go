package paint

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// Frame is what is to be seen. Lines fit the screen they were made for and end complete in
// themselves.
type Frame struct {
	Print         []string // to be printed once
	Live          []string
	Width, Height int  // of the screen it was made for
	Awaited       bool // it comes sooner
}

// Printed is a screen that leaves the terminal its own.
//
// It promises besides that what is printed is printed once, whole and in order, and that the live
// part is never higher than the screen, so that none of it is left in the scrollback. Between
// frames the cursor, which is hidden, stands at the beginning of the live part's first line. All
// there is to be drawn again is below it, however a terminal that got narrower has wrapped it; and
// a terminal that moves lines because its size changed moves the cursor with them.
type Printed struct {
	Screen
	next  Frame    // to be drawn; guarded by mu
	live  []string // as it stands on the screen; guarded by drawing
	cells [2]int   // the size of the screen it was drawn for
}

// OpenPrinted begins below the output that is there.
func OpenPrinted(out io.Writer) *Printed {
	s := newPrinted(out)
	s.open("screen painter")
	return s
}

func newPrinted(out io.Writer) *Printed {
	s := &Printed{Screen: newScreen(out)}
	s.begin = func() string { return modes(true) }
	s.end = func() string { return modes(false) }
	s.draw = s.drawFrame
	s.leave = func() string { // the live part goes; what is to be printed meanwhile is printed then
		s.live = nil
		return eraseFrom
	}
	return s
}

// Paint has a frame drawn. Of frames that come faster than they can be drawn all is printed, and
// the last live part is shown.
func (s *Printed) Paint(f Frame) {
	s.mu.Lock()
	f.Print = append(s.next.Print, f.Print...)
	s.next = f
	s.mu.Unlock()
	s.signal(f.Awaited)
}

// Close prints what was to be printed and rest, takes the live part away and gives the terminal
// back, with the cursor at the beginning of an empty line.
func (s *Printed) Close(rest []string) {
	s.close(func(paused bool) string {
		text := strings.Join(append(slices.Concat(s.next.Print, rest), ""), "\r\n")
		if paused {
			return text
		}
		return eraseFrom + text
	})
}

// drawFrame draws what was painted last. A frame that was made for another size is left for the one
// that comes as soon as the program knows the size; what it prints stays to be printed.
func (s *Printed) drawFrame() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	width, height, known := s.Size()
	s.mu.Lock()
	f, fresh := s.next, s.fresh
	if s.paused || f.Width == 0 || known && (f.Width != width || f.Height != height) {
		s.mu.Unlock()
		return
	}
	s.next.Print, s.fresh = nil, false
	s.mu.Unlock()
	if n := len(f.Live) - f.Height; n > 0 {
		f.Live = f.Live[n:]
	}
	before := s.live
	if size := [2]int{f.Width, f.Height}; fresh || size != s.cells {
		s.cells = size
		before = nil
	}
	var b strings.Builder
	if before == nil {
		b.WriteString(eraseFrom)
	}
	if len(f.Print) > 0 || before == nil {
		whole(&b, f, len(before))
	} else {
		changes(&b, before, f.Live, f.Width)
	}
	s.live = f.Live
	s.write(b.String())
}

// whole writes what is to be printed over the live part, which was so many rows high, and the live
// part below it.
func whole(b *strings.Builder, f Frame, was int) {
	for _, l := range f.Print { // a terminal that got narrower wraps what was erased behind a line, too
		b.WriteString(eraseLine + l + "\r\n")
	}
	b.WriteString(noWrap)
	for i, l := range f.Live {
		if i > 0 {
			b.WriteString("\r\n")
		}
		line(b, l, f.Width)
	}
	at := max(len(f.Live)-1, 0)
	if total := len(f.Print) + len(f.Live); was > total {
		if len(f.Live) > 0 {
			b.WriteString("\r" + down(1))
			at++
		}
		b.WriteString(eraseBelow)
	}
	b.WriteString(wrap + "\r" + up(at))
}

// changes writes the lines that are not as they were.
func changes(b *strings.Builder, was, is []string, width int) {
	var c strings.Builder
	row := 0
	for i, l := range is {
		switch {
		case i < len(was) && was[i] == l:
			continue
		case i < len(was):
			c.WriteString("\r" + down(i-row))
		default: // there is no such row yet: a line feed makes one
			c.WriteString("\r" + down(max(len(was)-1-row, 0)))
			c.WriteString(strings.Repeat("\n", i-max(row, len(was)-1)))
		}
		row = i
		line(&c, l, width)
	}
	if len(is) < len(was) {
		c.WriteString("\r" + down(len(is)-row) + eraseBelow)
		row = len(is)
	}
	if c.Len() == 0 {
		return
	}
	b.WriteString(noWrap + c.String() + wrap + "\r" + up(row))
}

func up(n int) string   { return move(n, 'A') }
func down(n int) string { return move(n, 'B') }

func move(n int, way byte) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + string(way)
}
