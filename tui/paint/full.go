package paint

import (
	"io"
	"strconv"
	"strings"
)

// Full is a screen that has the whole terminal.
type Full struct {
	Screen
	mouse bool // the terminal is to tell of the mouse; guarded by mu
	told  bool // it was told so; guarded by drawing

	next          string // the frame to be drawn; guarded by mu, as its size is
	width, height int
	shown         []string // as it stands on the screen; guarded by drawing
	cells         [2]int   // the size of the screen it was drawn for
}

// OpenFull takes the terminal. With mouse it tells of clicks and the wheel.
func OpenFull(out io.Writer, mouse bool) *Full {
	s := newFull(out, mouse)
	s.open("screen painter")
	return s
}

func newFull(out io.Writer, mouse bool) *Full {
	s := &Full{Screen: newScreen(out), mouse: mouse}
	s.begin, s.end, s.draw = s.enter, s.exit, s.drawFrame
	s.leave = func() string { return "" } // the other screen is as it was
	return s
}

func (s *Full) enter() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	on := altOn + eraseScreen + modes(true)
	if s.told = s.mouse; s.told {
		on += mouseOn
	}
	return on
}

func (s *Full) exit() string {
	off := modes(false) + altOff
	if s.told {
		off = mouseOff + off
	}
	return off
}

// Mouse has the terminal tell of the mouse, or keep it for itself, from the next frame on.
func (s *Full) Mouse(on bool) {
	s.mu.Lock()
	s.mouse = on
	s.mu.Unlock()
	s.signal(false)
}

// Paint has a frame drawn that was made for a screen of this size: lines, at most height, each of
// width cells at most. Of frames that come faster than they can be drawn the last is shown; one
// that is awaited comes sooner.
func (s *Full) Paint(frame string, width, height int, awaited bool) {
	s.mu.Lock()
	same := s.next == frame && s.width == width && s.height == height
	s.next, s.width, s.height = frame, width, height
	s.mu.Unlock()
	if !same {
		s.signal(awaited)
	}
}

// Close gives the terminal back.
func (s *Full) Close() { s.close(func(bool) string { return "" }) }

// drawFrame draws what was painted last. A frame that was made for another size is left for the one
// that comes as soon as the program knows the size.
func (s *Full) drawFrame() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	width, height, known := s.Size()
	s.mu.Lock()
	frame, size := s.next, [2]int{s.width, s.height}
	if s.paused || size[0] == 0 || known && size != [2]int{width, height} {
		s.mu.Unlock()
		return
	}
	fresh, mouse := s.fresh || size != s.cells, s.mouse
	s.fresh = false
	s.mu.Unlock()

	lines := strings.Split(frame, "\n")
	lines = lines[max(len(lines)-size[1], 0):]
	var b strings.Builder
	if fresh {
		s.shown = nil
	}
	rows(&b, s.shown, lines, size[0])
	if fresh && len(lines) < size[1] {
		b.WriteString(row(len(lines)) + eraseBelow)
	}
	s.shown, s.cells = lines, size
	if mouse != s.told {
		s.told = mouse
		if mouse {
			s.write(mouseOn)
		} else {
			s.write(mouseOff)
		}
	}
	if b.Len() > 0 {
		b.WriteString(row(len(lines) - 1)) // below what is read, where a cursor that cannot be hidden disturbs least
		s.write(noWrap + b.String() + wrap)
	}
}

// rows writes the lines that changed.
func rows(b *strings.Builder, was, is []string, width int) {
	for i, l := range is {
		if i < len(was) && was[i] == l {
			continue
		}
		b.WriteString(row(i))
		line(b, l, width)
	}
	if len(is) < len(was) {
		b.WriteString(row(len(is)) + eraseBelow)
	}
}

// row puts the cursor at the beginning of a row, counted from 0.
func row(n int) string {
	if n <= 0 {
		return "\x1b[H"
	}
	return "\x1b[" + strconv.Itoa(n+1) + "H"
}
