package paint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"
)

// shows is what stands on the screen, row by row.
func shows(e *vt.Emulator) []string {
	rows := strings.Split(e.String(), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return rows
}

// logged passes on what is written, and counts it.
type logged struct {
	em *vt.Emulator
	n  int
}

func (l *logged) Write(p []byte) (int, error) {
	l.n += len(p)
	return l.em.Write(p)
}

// drawn is a screen without a loop: the test draws.
func drawn(out *logged) *Screen {
	s := newScreen(out, true)
	close(s.done)
	s.write(s.begin())
	return s
}

// Whatever is painted, drawn anew, resized or paused in between, the frame painted last is what
// stands on the screen; and a frame in which nothing changed writes nothing.
func TestTheScreenShowsTheFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(2, 12).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "height")
		out := &logged{em: vt.NewEmulator(width, height)}
		s := drawn(out)
		defer s.Close()
		for range rapid.IntRange(1, 15).Draw(t, "frames") {
			switch rapid.SampledFrom([]string{"", "", "", "anew", "stopped", "pause", "size", "mouse"}).Draw(t, "first") {
			case "anew":
				_, _ = out.em.Write([]byte("\x1b[H$ somebody else\r\nwrote\r\nhere"))
				s.Anew()
			case "stopped":
				_, _ = out.em.Write([]byte("\x1b[?1049l\x1b[?25h$ fg"))
				s.Retake()
			case "mouse":
				s.Mouse(rapid.Bool().Draw(t, "on"))
			case "pause":
				s.Pause()
				n := out.n
				s.Paint("unseen", width, height, false)
				s.draw()
				s.Mouse(rapid.Bool().Draw(t, "on"))
				if out.n != n {
					t.Fatalf("%d bytes were written while another program had the terminal", out.n-n)
				}
				_, _ = out.em.Write([]byte("\x1b[H$ ls\r\nanother"))
				s.Resume()
			case "size":
				width, height = rapid.IntRange(2, 12).Draw(t, "width"), rapid.IntRange(1, 6).Draw(t, "height")
				out.em.Resize(width, height)
				s.Anew()
			}
			rows := make([]string, rapid.IntRange(1, height).Draw(t, "rows"))
			for i := range rows {
				rows[i] = rapid.SampledFrom([]string{"a", "bb", "", strings.Repeat("w", width), "\x1b[1mx\x1b[0m"}).Draw(t, "row")
			}
			s.Paint(strings.Join(rows, "\n"), width, height, false)
			s.draw()
			want := make([]string, height)
			for i, r := range rows {
				want[i] = strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(r)
			}
			if got := shows(out.em); !slices.Equal(got, want) {
				t.Fatalf("shows\n%q, want\n%q", got, want)
			}
			n := out.n
			s.Paint(strings.Join(rows, "\n"), width, height, false)
			s.draw()
			if out.n != n {
				t.Fatalf("%d bytes for a frame that is as the one before", out.n-n)
			}
		}
	})
}

// One line that changed is written, and not much more.
func TestAFrameWritesTheLineThatChanged(t *testing.T) {
	out := &logged{em: vt.NewEmulator(80, 24)}
	s := drawn(out)
	defer s.Close()
	rows := slices.Repeat([]string{strings.Repeat("a", 70)}, 24)
	paint := func() int {
		before := out.n
		s.Paint(strings.Join(rows, "\n"), 80, 24, false)
		s.draw()
		return out.n - before
	}
	whole := paint()
	rows[11] = "changed"
	if n := paint(); n == 0 || n > 50 {
		t.Errorf("%d bytes for one line of seven letters; %d for all", n, whole)
	}
}

// What was painted for a size that the terminal has no longer is not drawn; what is painted for
// the new one is, even where it is the same.
func TestAFrameForAnotherSizeIsDrawnAnew(t *testing.T) {
	out := &logged{em: vt.NewEmulator(20, 4)}
	s := drawn(out)
	defer s.Close()
	s.Paint("one\ntwo", 20, 4, false)
	s.draw()
	out.em.Resize(10, 3)
	_, _ = out.em.Write([]byte("\x1b[H\x1b[2Jgarbage"))
	s.Anew()
	s.Paint("one\ntwo", 10, 3, false)
	s.draw()
	if got, want := shows(out.em), []string{"one", "two", ""}; !slices.Equal(got, want) {
		t.Errorf("shows %q, want %q", got, want)
	}
}

// What the terminal is told at the beginning is taken back at the end, and while another program
// has it; where the mouse was given away, it stays so.
func TestTheTerminalIsGivenBack(t *testing.T) {
	e := vt.NewEmulator(20, 4)
	_, _ = e.Write([]byte("$ chatvault"))
	var alt []bool
	e.SetCallbacks(vt.Callbacks{AltScreen: func(on bool) { alt = append(alt, on) }})
	s := Open(e, true)
	s.Paint("frame", 20, 4, false)
	for range 500 {
		s.drawing.Lock()
		is := s.shown != nil
		s.drawing.Unlock()
		if is {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Pause()
	if got := shows(e)[0]; got != "$ chatvault" {
		t.Errorf("paused, the terminal shows %q", got)
	}
	s.Mouse(false)
	s.Resume()
	s.Close()
	if got := shows(e)[0]; got != "$ chatvault" {
		t.Errorf("closed, the terminal shows %q", got)
	}
	if want := []bool{true, false, true, false}; !slices.Equal(alt, want) {
		t.Errorf("the alternate screen was switched %v, want %v", alt, want)
	}
}

// Where the terminal draws a letter narrower than it is counted, nothing of the line before is left.
func TestAWideLineLeavesNothingBehind(t *testing.T) {
	out := &logged{em: vt.NewEmulator(6, 1)}
	s := drawn(out)
	defer s.Close()
	for _, frame := range []string{"abcdef", "x\u200b\u2764\ufe0fyy"} {
		s.Paint(frame, 4, 1, false) // of a width that the line fills by its count
		s.draw()
	}
	if got := shows(out.em)[0]; strings.Contains(got, "f") {
		t.Errorf("shows %q", got)
	}
}
