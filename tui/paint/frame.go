package paint

import (
	"strconv"
	"strings"
)

// Mouse has the terminal tell of the mouse, or keep it for itself, from the next frame on.
func (s *Screen) Mouse(on bool) {
	s.mu.Lock()
	s.mouse = on
	s.mu.Unlock()
	s.signal(false)
}

// Paint has a frame drawn that was made for a screen of this size: lines, at most height, each of
// width cells at most. Of frames that come faster than they can be drawn the last is shown; one
// that is awaited comes sooner.
func (s *Screen) Paint(frame string, width, height int, awaited bool) {
	s.mu.Lock()
	same := s.next == frame && s.width == width && s.height == height
	s.next, s.width, s.height = frame, width, height
	s.mu.Unlock()
	if !same {
		s.signal(awaited)
	}
}

// draw draws what was painted last. A frame that was made for another size is left for the one
// that comes as soon as the program knows the size.
func (s *Screen) draw() {
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
