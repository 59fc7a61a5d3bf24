// Package inline shows a screen without taking the terminal over: what is finished is printed, and
// scrolls away into the terminal's own scrollback like the output of any program; below it stands
// a live part that is drawn again and again.
//
// It promises that what is printed is printed once, whole and in order; that a frame in which
// nothing changed writes nothing, and one in which a line did writes that line; that the live part
// is never higher than the screen, so that none of it is left in the scrollback; that a new size of
// the window leaves nothing of the frame before behind, whether the terminal re-wraps its lines or
// not; and that Close leaves the cursor at the beginning of an empty line, in a terminal as it was.
//
// Between frames the cursor, which is hidden, stands at the beginning of the live part's first
// line. All there is to be drawn again is below it, however a terminal that got narrower has
// wrapped it; and a terminal that moves lines because its size changed moves the cursor with them.
package inline

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"chatvault/internal/routine"
)

// pause is the time between two frames at least.
const pause = time.Second / 60

// Control sequences.
const (
	eraseLine  = "\x1b[K" // to its end
	eraseBelow = "\x1b[J" // from the cursor on
	noWrap     = "\x1b[?7l"
	wrap       = "\x1b[?7h"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	focusOn    = "\x1b[?1004h"
	focusOff   = "\x1b[?1004l"
	home       = "\x1b[H\x1b[2J"
)

// Frame is what is to be seen. Lines fit the screen they were made for and end complete in
// themselves.
type Frame struct {
	Print         []string // to be printed once
	Live          []string
	Width, Height int // of the screen it was made for
}

// Screen is a terminal that is written to. Its methods may be called from several goroutines;
// Paint never waits for the terminal.
type Screen struct {
	out   io.Writer
	focus bool

	mu     sync.Mutex
	next   Frame // to be drawn
	fresh  bool  // all of it is to be drawn
	wipe   bool  // the whole screen is to be cleared first
	paused bool
	wake   chan struct{}
	stop   chan struct{}
	done   chan struct{}

	// drawing is taken before mu. It guards what follows.
	drawing sync.Mutex
	live    []string // as it stands on the screen
	cells   [2]int   // the size of the screen it was drawn for
}

// Open makes the terminal ready, and with focus has it tell when it gains or loses the focus.
func Open(out io.Writer, focus bool) *Screen {
	s := &Screen{out: out, focus: focus, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	s.write(s.begin())
	routine.Go("screen painter", s.run)
	return s
}

func (s *Screen) begin() string {
	if s.focus {
		return hideCursor + pasteOn + focusOn
	}
	return hideCursor + pasteOn
}

func (s *Screen) end() string {
	if s.focus {
		return focusOff + pasteOff + showCursor
	}
	return pasteOff + showCursor
}

// Size is how large the terminal is, in cells; ok is false where it is none.
func (s *Screen) Size() (width, height int, ok bool) {
	f, isFile := s.out.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	width, height, err := term.GetSize(f.Fd())
	return width, height, err == nil && width > 0 && height > 0
}

// Paint has a frame drawn. Of frames that come faster than they can be drawn all is printed, and
// the last live part is shown.
func (s *Screen) Paint(f Frame) {
	s.mu.Lock()
	f.Print = append(s.next.Print, f.Print...)
	s.next = f
	s.mu.Unlock()
	s.signal()
}

// Clear has the screen cleared and the live part drawn again.
func (s *Screen) Clear() {
	s.mu.Lock()
	s.fresh, s.wipe = true, true
	s.mu.Unlock()
	s.signal()
}

// Resized has all of the live part drawn again: the terminal has moved it.
func (s *Screen) Resized() {
	s.mu.Lock()
	s.fresh = true
	s.mu.Unlock()
	s.signal()
}

func (s *Screen) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Screen) run() {
	defer close(s.done)
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-s.wake:
		}
		s.draw()
		t.Reset(pause)
		select {
		case <-s.stop:
			return
		case <-t.C:
		}
	}
}

// Pause takes the live part off the screen and gives the terminal to another program, until
// Resume. What is to be printed meanwhile is printed then.
func (s *Screen) Pause() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	was := s.paused
	s.paused = true
	s.mu.Unlock()
	if !was {
		s.write("\r" + eraseBelow + s.end())
		s.live = nil
	}
}

// Resume is the end of Pause.
func (s *Screen) Resume() {
	s.drawing.Lock()
	s.mu.Lock()
	was := s.paused
	s.paused, s.fresh = false, true
	s.mu.Unlock()
	if was {
		s.write(s.begin())
	}
	s.drawing.Unlock()
	s.signal()
}

// Close prints what was to be printed and rest, takes the live part away and gives the terminal
// back.
func (s *Screen) Close(rest []string) {
	close(s.stop)
	<-s.done
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	lines := slices.Concat(s.next.Print, rest)
	paused := s.paused
	s.mu.Unlock()
	var b strings.Builder
	if !paused {
		b.WriteString("\r" + eraseBelow)
	}
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	if !paused {
		b.WriteString(s.end())
	}
	s.write(b.String())
}

// draw draws what was painted last. A frame that was made for another size is left for the one
// that comes as soon as the program knows the size; what it prints stays to be printed.
func (s *Screen) draw() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	width, height, known := s.Size()
	s.mu.Lock()
	f, fresh, wipe := s.next, s.fresh, s.wipe
	if s.paused || f.Width == 0 || known && (f.Width != width || f.Height != height) {
		s.mu.Unlock()
		return
	}
	s.next.Print, s.fresh, s.wipe = nil, false, false
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
	switch {
	case wipe:
		b.WriteString(home)
	case before == nil:
		b.WriteString("\r" + eraseBelow)
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
	for _, l := range f.Print {
		line(b, l, f.Width)
		b.WriteString("\r\n")
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

// line writes a line over what stands there. Of a line as wide as the screen the cursor stands
// on the last cell, which erasing to the end would take.
func line(b *strings.Builder, l string, width int) {
	b.WriteString(l)
	if ansi.StringWidth(l) < width {
		b.WriteString(eraseLine)
	}
}

func up(n int) string   { return move(n, 'A') }
func down(n int) string { return move(n, 'B') }

func move(n int, way byte) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + string(way)
}

func (s *Screen) write(text string) {
	if text != "" {
		_, _ = io.WriteString(s.out, text) // where the terminal is gone, reading it tells
	}
}
