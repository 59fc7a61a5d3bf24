package paint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// emulated is a terminal to draw on, with what was printed before.
type emulated struct {
	*vt.Emulator
}

func emulate(width, height int) *emulated { return &emulated{vt.NewEmulator(width, height)} }

// all is the scrollback and the screen, without spaces and empty lines at the ends.
func (e *emulated) all() []string {
	var lines []string
	for i := range e.Scrollback().Len() {
		var b strings.Builder
		for _, c := range e.Scrollback().Line(i) {
			b.WriteString(c.Content)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	for _, l := range strings.Split(e.String(), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// drawn draws frames one after another, as the screen's own loop does.
func drawn(out *emulated, each func(s *Printed)) {
	s := newPrinted(out)
	close(s.done) // no loop: the test draws
	s.write(s.begin())
	each(s)
}

// Whatever is printed and shown, the terminal holds what was printed, once and in order, and the
// live part below it, the cursor where that begins.
func TestWhatIsPrintedStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(4, 20).Draw(t, "width"), rapid.IntRange(1, 8).Draw(t, "height")
		e := emulate(width, height)
		var printed []string
		drawn(e, func(s *Printed) {
			for range rapid.IntRange(1, 12).Draw(t, "frames") {
				f := Frame{Width: width, Height: height}
				for range rapid.SampledFrom([]int{0, 0, 1, 2, 5, 12}).Draw(t, "print") {
					f.Print = append(f.Print, fmt.Sprint("p", len(printed)+len(f.Print)))
				}
				live := rapid.IntRange(1, height).Draw(t, "live")
				for i := range live {
					text := rapid.SampledFrom([]string{"a", "b", "", strings.Repeat("w", width)}).Draw(t, "line")
					if i == live-1 {
						text = "end"
					}
					f.Live = append(f.Live, text)
				}
				printed = append(printed, f.Print...)
				s.Paint(f)
				s.drawFrame()
				want := append(slices.Clone(printed), f.Live...)
				if got := e.all(); !slices.Equal(got, want) {
					t.Fatalf("shows\n%q, want\n%q", got, want)
				}
				at := e.CursorPosition()
				if row := len(want) - live - e.Scrollback().Len(); at.X != 0 || at.Y != row {
					t.Fatalf("the cursor stands at %d, %d, not in row %d", at.X, at.Y, row)
				}
			}
			s.Close([]string{"last"})
		})
		if got, want := e.all(), slices.Concat(printed, []string{"last"}); !slices.Equal(got, want) {
			t.Fatalf("leaves\n%q, want\n%q", got, want)
		}
		if at := e.CursorPosition(); at.X != 0 {
			t.Fatalf("leaves the cursor in column %d", at.X)
		}
	})
}

// What is drawn anew leaves nothing of the live part in the scrollback, and takes nothing away of
// what was printed.
func TestPrintedAnew(t *testing.T) {
	e := emulate(20, 4)
	drawn(e, func(s *Printed) {
		s.Paint(Frame{Print: []string{"one", "two"}, Live: []string{"> x", "status"}, Width: 20, Height: 4})
		s.drawFrame()
		s.Anew()
		s.drawFrame()
		if got, want := e.all(), []string{"one", "two", "> x", "status"}; !slices.Equal(got, want) {
			t.Errorf("shows %q, want %q", got, want)
		}
	})
}

// counted is how much was written.
type counted struct{ n int }

func (c *counted) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}

func TestOnlyWhatChangedIsWritten(t *testing.T) {
	var out counted
	s := newPrinted(&out)
	live := []string{strings.Repeat("a", 70), strings.Repeat("b", 70), strings.Repeat("c", 70)}
	paint := func() int {
		out.n = 0
		s.Paint(Frame{Live: slices.Clone(live), Width: 80, Height: 24})
		s.drawFrame()
		return out.n
	}
	first := paint()
	if n := paint(); n != 0 {
		t.Errorf("%d bytes for a frame that is as the one before", n)
	}
	live[1] = "b"
	if n := paint(); n == 0 || n > first/4 {
		t.Errorf("%d bytes for one line, %d for all", n, first)
	}
}

// A new size draws all of the live part again, from where it began.
func TestResize(t *testing.T) {
	e := emulate(20, 6)
	drawn(e, func(s *Printed) {
		s.Paint(Frame{Print: []string{"one", "two"}, Live: []string{strings.Repeat("─", 20), "> x", "status"}, Width: 20, Height: 6})
		s.drawFrame()
		e.Resize(12, 6)
		s.Anew()
		s.Paint(Frame{Live: []string{strings.Repeat("─", 12), "> x", "status"}, Width: 12, Height: 6})
		s.drawFrame()
		if got, want := e.all(), []string{"one", "two", strings.Repeat("─", 12), "> x", "status"}; !slices.Equal(got, want) {
			t.Errorf("shows %q, want %q", got, want)
		}
	})
}

func TestPause(t *testing.T) {
	e := emulate(20, 6)
	drawn(e, func(s *Printed) {
		s.Paint(Frame{Print: []string{"one"}, Live: []string{"live", "part"}, Width: 20, Height: 6})
		s.drawFrame()
		s.Pause()
		if got, want := e.all(), []string{"one"}; !slices.Equal(got, want) {
			t.Errorf("while paused: %q, want %q", got, want)
		}
		_, _ = e.Write([]byte("$ ls\r\n"))
		s.Paint(Frame{Print: []string{"two"}, Live: []string{"live"}, Width: 20, Height: 6})
		s.drawFrame()
		if got, want := e.all(), []string{"one", "$ ls"}; !slices.Equal(got, want) {
			t.Errorf("while paused: %q, want %q", got, want)
		}
		s.Resume()
		s.drawFrame()
		if got, want := e.all(), []string{"one", "$ ls", "two", "live"}; !slices.Equal(got, want) {
			t.Errorf("afterwards: %q, want %q", got, want)
		}
	})
}

// The loop draws what is painted, and ends.
func TestLoop(t *testing.T) {
	e := emulate(20, 6)
	s := OpenPrinted(e)
	for i := range 50 {
		s.Paint(Frame{Print: []string{fmt.Sprint("p", i)}, Live: []string{"live"}, Width: 20, Height: 6})
	}
	s.Close(nil)
	got := e.all()
	if len(got) != 50 || got[0] != "p0" || got[49] != "p49" {
		t.Errorf("%q", got)
	}
}

// What is below the cursor is never taken away with the cursor in the first column: at the top of its screen
// tmux would keep it in the scrollback.
func TestNothingTakenAwayIsKept(t *testing.T) {
	var b strings.Builder
	s := newPrinted(&b)
	close(s.done)
	for _, width := range []int{20, 9, 14} {
		s.Paint(Frame{Live: []string{"one", "two"}, Width: width, Height: 5})
		s.drawFrame()
	}
	s.Pause()
	s.Close(nil)
	if strings.Contains(b.String(), "\r"+eraseBelow) || strings.Count(b.String(), eraseBelow) < 4 {
		t.Errorf("it writes %q", b.String())
	}
}

// A printed line ends with its text: cells that are written and erased behind it are wrapped into a row of
// blanks by a terminal that gets narrower, as tmux does.
func TestNothingIsWrittenBehindWhatIsPrinted(t *testing.T) {
	var b strings.Builder
	s := newPrinted(&b)
	close(s.done)
	s.Paint(Frame{Live: []string{"a line of the live part", "below"}, Width: 30, Height: 5})
	s.drawFrame()
	b.Reset()
	s.Paint(Frame{Print: []string{"one", "two"}, Live: []string{"live"}, Width: 30, Height: 5})
	s.drawFrame()
	for _, l := range []string{"one", "two"} {
		if !strings.Contains(b.String(), eraseLine+l+"\r\n") {
			t.Errorf("%q is not written into an empty row: %q", l, b.String())
		}
	}
}
