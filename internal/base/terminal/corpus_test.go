package terminal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

type corpusRow struct{ why, text string }

func corpus(t testing.TB) []corpusRow {
	t.Helper()
	b, err := os.ReadFile("testdata/escapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Bytes string `json:"bytes_b64"`
		Why   string `json:"why"`
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	out := make([]corpusRow, len(rows))
	for i, r := range rows {
		raw, err := base64.StdEncoding.DecodeString(r.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = corpusRow{r.Why, string(raw)}
	}
	return out
}

// screen is an emulator that records events that plain text cannot cause.
type screen struct {
	*vt.Emulator
	events []string
	clear  bool // the sequences are our own
	stop   func()
}

func newScreen(t testing.TB) *screen {
	t.Helper()
	s := &screen{Emulator: vt.NewEmulator(100, 10)}
	note := func(what string) bool {
		if !s.clear {
			s.events = append(s.events, what)
		}
		return !s.clear
	}
	s.SetCallbacks(vt.Callbacks{
		Bell:             func() { note("bell") },
		Title:            func(x string) { note("title " + x) },
		IconName:         func(x string) { note("icon " + x) },
		AltScreen:        func(bool) { note("alternate screen") },
		CursorVisibility: func(bool) { note("cursor visibility") },
		CursorStyle:      func(vt.CursorStyle, bool) { note("cursor style") },
		WorkingDirectory: func(x string) { note("folder " + x) },
		EnableMode:       func(ansi.Mode) { note("mode") },
		DisableMode:      func(ansi.Mode) { note("mode") },
	})
	for _, cmd := range []int{0, 1, 2, 4, 5, 7, 9, 10, 11, 12, 13, 17, 19, 22, 50, 52, 99, 104, 110, 111, 112, 133, 633, 777, 1337} {
		s.RegisterOscHandler(cmd, func([]byte) bool { return note("OSC") })
	}
	s.RegisterApcHandler(func([]byte) bool { return note("APC") })
	s.RegisterPmHandler(func([]byte) bool { return note("PM") })
	s.RegisterSosHandler(func([]byte) bool { return note("SOS") })
	for _, cmd := range "@ABCDEFGHIJKLMPSTXZ`abcdefghilnqrstuxyz" {
		s.RegisterCsiHandler(int(cmd), func(ansi.Params) bool { return note("CSI " + string(cmd)) })
		s.RegisterCsiHandler(ansi.Command('?', 0, byte(cmd)), func(ansi.Params) bool { return note("CSI ? " + string(cmd)) })
	}
	for _, cmd := range "78DEHMNOZc=>nop|}~" {
		s.RegisterEscHandler(int(cmd), func() bool { return note("ESC " + string(cmd)) })
	}
	for _, first := range "()*+-./#" {
		for _, cmd := range "0AB8" {
			s.RegisterEscHandler(ansi.Command(0, byte(first), byte(cmd)), func() bool { return note("charset") })
		}
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		buf := make([]byte, 256)
		for {
			n, err := s.Read(buf)
			if err != nil {
				return
			}
			if n > 0 {
				t.Errorf("the terminal answered %q", buf[:n])
			}
		}
	})
	s.stop = func() {
		_ = s.InputPipe().(io.Closer).Close()
		reading.Wait()
	}
	return s
}

// show fails the test if untrusted lines do more than appear on the screen.
func (s *screen) show(t *testing.T, what, untrusted string) {
	t.Helper()
	if effects := s.effects(untrusted); effects != "" {
		t.Errorf("%s: %s: %.200q", what, effects, untrusted)
	}
}

// effects writes untrusted lines between two lines of the program and describes any effect other than their display.
func (s *screen) effects(untrusted string) string {
	lines := strings.Split(untrusted, "\n")
	height := 2
	for _, l := range lines {
		height += 1 + len(l)/50
	}
	s.clear, s.events = true, nil
	s.Resize(100, height)
	_, _ = s.WriteString("\x1b\\\x1b[m\x1b]8;;\x1b\\\x1b[2J\x1b[H")
	s.clear = false
	_, _ = s.WriteString("above\r\n" + strings.Join(lines, "\r\n") + "\r\nbelow")
	text := strings.Split(s.String(), "\n")
	y := s.CursorPosition().Y
	switch {
	case len(s.events) > 0:
		return fmt.Sprint("did ", s.events)
	case text[0] != "above":
		return fmt.Sprintf("the line above became %q", text[0])
	case y >= len(text) || text[y] != "below":
		return fmt.Sprintf("the line below became %q", text[min(y, len(text)-1)])
	}
	for x := range 5 {
		if c := s.CellAt(x, y); c == nil || c.Style != (uv.Style{}) || c.Link.URL != "" {
			return fmt.Sprintf("the line below was styled: %+v", c)
		}
	}
	for row := range y {
		for x := range 100 {
			c := s.CellAt(x, row)
			if c != nil && (c.Link.URL != "" || c.Style.Attrs&(uv.AttrConceal|uv.AttrBlink|uv.AttrRapidBlink) != 0) {
				return fmt.Sprintf("a cell is a link, concealed or blinking: %+v", c)
			}
		}
	}
	return ""
}

// TestCorpusIsHarmful is the control: most of the unfiltered corpus has the effects that the other tests look for.
func TestCorpusIsHarmful(t *testing.T) {
	s := newScreen(t)
	defer s.stop()
	harmful, sequences := 0, 0
	for _, row := range corpus(t) {
		if strings.HasPrefix(row.text, "\x1b") {
			sequences++
			if s.effects(row.text) != "" {
				harmful++
			}
		}
	}
	if harmful < sequences*3/4 {
		t.Errorf("of %d sequences only %d had an effect", sequences, harmful)
	}
	t.Logf("of %d sequences %d had an effect", sequences, harmful)
}

func TestCorpusThroughEveryFunction(t *testing.T) {
	s := newScreen(t)
	defer s.stop()
	for _, row := range corpus(t) {
		for name, f := range map[string]func(string) string{
			"Text": Text, "Line": Line, "Strict": Strict, "StrictLine": StrictLine, "Title": Title, "Rendered": Rendered,
			"Destination": func(s string) string { return Destination("data:"+s) + Line(s) },
			"Sanitizer": func(text string) string {
				var b strings.Builder
				var x Sanitizer
				for i := range len(text) {
					b.WriteString(x.Write(text[i : i+1]))
				}
				return b.String() + x.Flush()
			},
		} {
			out := f(row.text)
			s.show(t, row.why+": "+name, out)
			if name == "Rendered" {
				checkRendered(t, out)
			} else {
				checkSafe(t, name, out, true)
			}
			for _, word := range words(row.text) {
				if name != "Title" && !strings.Contains(out, word) {
					t.Errorf("%s: %s lost %q: %.200q", row.why, name, word, out)
				}
			}
		}
	}
}

// words returns the runs of three or more letters, which is text in any reading.
func words(s string) []string {
	s = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(s, "")
	return regexp.MustCompile("[A-Za-z]{3,}").FindAllString(s, -1)
}
