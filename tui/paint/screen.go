// Package paint has the terminal show what changed, when it changes: at once after a rest, else a
// sixtieth of a second after the frame before, or sooner where a key was pressed. While nothing
// changes nothing runs.
//
// It promises that a frame in which nothing changed writes nothing, and one in which a line did
// writes that line; that a frame made for another size than the terminal's is never drawn; that a
// new size leaves nothing of the frame before behind; that while another program has the terminal
// nothing is written; and that Close leaves the terminal as it was.
package paint

import (
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"chatvault/internal/routine"
)

// The time between two frames at least. What is typed while an answer streams waits less; keys that
// come faster than that are pasted.
const (
	pause    = time.Second / 60
	keyPause = 4 * time.Millisecond
)

// Control sequences.
const (
	eraseLine   = "\x1b[K" // to its end
	eraseBelow  = "\x1b[J" // from the cursor on
	eraseScreen = "\x1b[H\x1b[2J"
	noWrap      = "\x1b[?7l"
	wrap        = "\x1b[?7h"
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	pasteOn     = "\x1b[?2004h"
	pasteOff    = "\x1b[?2004l"
	focusOn     = "\x1b[?1004h"
	focusOff    = "\x1b[?1004l"
	altOn       = "\x1b[?1049h"
	altOff      = "\x1b[?1049l"
	mouseOn     = "\x1b[?1002h\x1b[?1006h"
	mouseOff    = "\x1b[?1002l\x1b[?1006l"
)

// Screen is the terminal's alternate screen. Its methods may be called from any goroutine.
type Screen struct {
	out io.Writer

	mu     sync.Mutex
	mouse  bool // the terminal is to tell of the mouse
	fresh  bool // all of it is to be drawn
	paused bool
	wake   chan struct{}
	hurry  chan struct{} // a frame is waited for
	stop   chan struct{}
	done   chan struct{}

	next          string // the frame to be drawn
	width, height int    // of the screen it was made for

	// drawing is taken before mu. It guards what stands on the screen.
	drawing sync.Mutex
	told    bool // the terminal was told to tell of the mouse
	shown   []string
	cells   [2]int // the size of the screen it was drawn for
}

// Open takes the terminal. With mouse it tells of clicks and the wheel, and always when it gets and
// loses the focus.
func Open(out io.Writer, mouse bool) *Screen {
	s := newScreen(out, mouse)
	s.write(s.begin())
	routine.Go("screen painter", s.run)
	return s
}

func newScreen(out io.Writer, mouse bool) *Screen {
	return &Screen{
		out: out, mouse: mouse,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
}

func (s *Screen) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	on := altOn + eraseScreen + hideCursor + pasteOn + focusOn
	if s.told = s.mouse; s.told {
		on += mouseOn
	}
	return on
}

func (s *Screen) end() string {
	off := focusOff + pasteOff + showCursor + altOff
	if s.told {
		off = mouseOff + off
	}
	return off
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

// Anew has everything drawn again: the terminal has moved it, or something else wrote over it.
func (s *Screen) Anew() {
	s.mu.Lock()
	s.fresh = true
	s.mu.Unlock()
	s.signal(false)
}

// Retake is after the process was stopped and goes on: what had the terminal meanwhile may have
// left it as it liked.
func (s *Screen) Retake() {
	s.drawing.Lock()
	s.mu.Lock()
	paused := s.paused
	s.mu.Unlock()
	if !paused {
		s.write(s.begin())
	}
	s.drawing.Unlock()
	s.Anew()
}

// Pause gives the terminal to another program, until Resume.
func (s *Screen) Pause() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	was := s.paused
	s.paused = true
	s.mu.Unlock()
	if !was {
		s.write(s.end())
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
	s.signal(false)
}

// signal says that there is something to draw, and whether somebody waits to see it.
func (s *Screen) signal(awaited bool) {
	if awaited {
		tell(s.hurry)
	}
	tell(s.wake)
}

func tell(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *Screen) run() {
	defer close(s.done)
	t := time.NewTimer(0)
	defer t.Stop()
	for last := (time.Time{}); ; last = time.Now() {
		select {
		case <-s.stop:
			return
		case <-s.wake:
		}
		for gap := pause; time.Since(last) < gap; {
			t.Reset(gap - time.Since(last))
			select {
			case <-s.stop:
				return
			case <-s.hurry:
				gap = keyPause
			case <-t.C:
			}
		}
		s.draw()
	}
}

// Close ends drawing, and gives the terminal back unless another program has it.
func (s *Screen) Close() {
	close(s.stop)
	<-s.done
	s.drawing.Lock()
	defer s.drawing.Unlock()
	s.mu.Lock()
	paused := s.paused
	s.mu.Unlock()
	if !paused {
		s.write(s.end())
	}
}

func (s *Screen) write(text string) {
	if text != "" {
		_, _ = io.WriteString(s.out, text) // where the terminal is gone, reading it tells
	}
}

// line writes a line over what stands there. Behind a line as wide as the screen the cursor stands
// on the last cell, which erasing to the end would take; and a terminal that draws some letters
// narrower would leave what stood there: it is erased before.
func line(b *strings.Builder, l string, width int) {
	if ansi.StringWidth(l) < width {
		b.WriteString(l + eraseLine)
	} else {
		b.WriteString(eraseLine + l)
	}
}

// Watch tells the terminal's size, now and whenever it changes, until ended. Where the process was
// stopped and goes on, the terminal is taken again.
func (s *Screen) Watch(ended <-chan struct{}, sized func(width, height int)) {
	changed := make(chan os.Signal, 1)
	notifyChanged(changed)
	routine.Go("screen size", func() {
		defer signal.Stop(changed)
		var look <-chan time.Time // nil where a signal tells
		if sizePoll > 0 {
			ticker := time.NewTicker(sizePoll)
			defer ticker.Stop()
			look = ticker.C
		}
		var was [2]int
		for seen := true; ; {
			if width, height, ok := s.Size(); ok && (seen || was != [2]int{width, height}) {
				was = [2]int{width, height}
				s.Anew()
				sized(width, height)
			}
			select {
			case <-ended:
				return
			case <-look:
				seen = false
			case sig := <-changed:
				if seen = true; continued(sig) {
					s.Retake()
				}
			}
		}
	})
}
