package terminal

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/glamour"
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

// screen is an emulator that notes everything text alone cannot cause.
type screen struct {
	*vt.Emulator
	events []string
	stop   func()
}

func newScreen(t testing.TB, height int) *screen {
	t.Helper()
	s := &screen{Emulator: vt.NewEmulator(100, height)}
	note := func(what string) { s.events = append(s.events, what) }
	s.SetCallbacks(vt.Callbacks{
		Bell:             func() { note("bell") },
		Title:            func(x string) { note("title " + x) },
		IconName:         func(x string) { note("icon " + x) },
		AltScreen:        func(bool) { note("alternate screen") },
		CursorVisibility: func(bool) { note("cursor visibility") },
		CursorStyle:      func(vt.CursorStyle, bool) { note("cursor style") },
		WorkingDirectory: func(x string) { note("folder " + x) },
		EnableMode:       func(m ansi.Mode) { note("mode") },
		DisableMode:      func(m ansi.Mode) { note("mode") },
	})
	for cmd := range 2000 {
		if cmd != 8 {
			s.RegisterOscHandler(cmd, func([]byte) bool { note("OSC"); return true })
		}
	}
	s.RegisterApcHandler(func([]byte) bool { note("APC"); return true })
	s.RegisterPmHandler(func([]byte) bool { note("PM"); return true })
	s.RegisterSosHandler(func([]byte) bool { note("SOS"); return true })
	for _, cmd := range "@ABCDEFGHIJKLMPSTXZ`abcdefghilnqrstuxyz" {
		s.RegisterCsiHandler(int(cmd), func(ansi.Params) bool { note("CSI " + string(cmd)); return true })
		s.RegisterCsiHandler(ansi.Command('?', 0, byte(cmd)), func(ansi.Params) bool { note("CSI ? " + string(cmd)); return true })
	}
	for _, cmd := range "78DEHMNOZc=>nop|}~" {
		s.RegisterEscHandler(int(cmd), func() bool { note("ESC " + string(cmd)); return true })
	}
	for _, first := range "()*+-./#" {
		for _, cmd := range "0AB8" {
			s.RegisterEscHandler(ansi.Command(0, byte(first), byte(cmd)), func() bool { note("charset"); return true })
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

// show writes untrusted lines between two of our own, as a screen would, and
// fails if they did more than stand there.
func show(t *testing.T, what, untrusted string) {
	t.Helper()
	lines := strings.Split(untrusted, "\n")
	height := 2
	for _, l := range lines {
		height += 1 + len(l)/50
	}
	s := newScreen(t, height)
	defer s.stop()
	write := func(text string) { _, _ = s.WriteString(text) }
	write("above\r\n")
	for _, l := range lines {
		write(l)
		write("\r\n")
	}
	write("below")
	if len(s.events) > 0 {
		t.Errorf("%s: did %v: %.200q", what, s.events, untrusted)
	}
	text := strings.Split(s.String(), "\n")
	if text[0] != "above" {
		t.Errorf("%s: the line above became %q", what, text[0])
	}
	y := s.CursorPosition().Y
	if y >= len(text) || text[y] != "below" {
		t.Errorf("%s: the line below became %q", what, text[min(y, len(text)-1)])
		return
	}
	plain := uv.Style{}
	for x := range 5 {
		if c := s.CellAt(x, y); c == nil || c.Style != plain || c.Link.URL != "" {
			t.Errorf("%s: the line below was styled: %+v", what, c)
		}
	}
	for row := range y {
		for x := range 100 {
			if c := s.CellAt(x, row); c != nil && (c.Link.URL != "" || c.Style.Attrs&(uv.AttrConceal|uv.AttrBlink|uv.AttrRapidBlink) != 0) {
				t.Errorf("%s: a cell with a link, concealed or blinking: %+v", what, c)
			}
		}
	}
}

func TestCorpusThroughEveryFunction(t *testing.T) {
	for _, row := range corpus(t) {
		for name, f := range map[string]func(string) string{
			"Text": Text, "Line": Line, "Strict": Strict, "StrictLine": StrictLine, "Title": Title, "Rendered": Rendered, "Markdown": Markdown,
			"LinkLabel": func(s string) string { return LinkLabel(s, "https://example.org/"+s) },
			"Sanitizer": func(s string) string {
				var b strings.Builder
				var x Sanitizer
				for i := range len(s) {
					b.WriteString(x.Write(s[i : i+1]))
				}
				return b.String() + x.Flush()
			},
		} {
			out := f(row.text)
			show(t, row.why+": "+name, out)
			if name == "Rendered" {
				checkRendered(t, out)
			} else {
				checkSafe(t, name, out, true)
			}
			plain := strings.ReplaceAll(out, " ", "") // Markdown divides long words
			for _, word := range words(row.text) {
				if name != "Title" && !strings.Contains(plain, word) {
					t.Errorf("%s: %s lost %q: %.200q", row.why, name, word, out)
				}
			}
		}
	}
}

// words are the runs of three letters and more: what is text to anyone.
func words(s string) []string {
	s = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(s, "")
	return regexp.MustCompile("[A-Za-z]{3,}").FindAllString(s, -1)
}

func glamourRender(t testing.TB, markdown string) string {
	t.Helper()
	r, err := glamour.NewTermRenderer(glamour.WithStandardStyle("dark"), glamour.WithWordWrap(80), glamour.WithEmoji())
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Render(markdown)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCorpusThroughGlamour(t *testing.T) {
	for _, row := range corpus(t) {
		for name, render := range map[string]func(string) string{
			"all":           func(s string) string { return Rendered(glamourRender(t, Markdown(s))) },
			"Rendered only": func(s string) string { return Rendered(glamourRender(t, CapNesting(s, maxNesting))) },
			"in a fence":    func(s string) string { return Rendered(glamourRender(t, Markdown("```\n"+s+"\n```"))) },
			"in a quote":    func(s string) string { return Rendered(glamourRender(t, Markdown("> - **"+s+"**"))) },
			"in a table": func(s string) string {
				return Rendered(glamourRender(t, Markdown("| a | b |\n|--|--|\n| "+s+" | x |\n")))
			},
		} {
			if name == "Rendered only" && len(row.text) > 5000 {
				continue // long words; Markdown is what divides them
			}
			start := time.Now()
			out := render(row.text)
			if d := time.Since(start); d > 3*time.Second {
				t.Errorf("%s: %s took %v", row.why, name, d)
			}
			show(t, row.why+": glamour: "+name, out)
			checkRendered(t, out)
		}
	}
}

func TestReferencesThroughGlamour(t *testing.T) {
	const hostile = "a &#x1b;]52;c;QUJD&#7; b &#155;31m &#x9b;2J &#27;[8mhid&#0x1b; &#8238;r &lrm;&zwj; &Tab;&NewLine; `&#x1b;c`"
	raw := glamourRender(t, hostile)
	if !strings.Contains(raw, "\x1b]52;") {
		t.Errorf("glamour no longer decodes references: is Rendered still needed for them? %q", raw)
	}
	show(t, "Rendered alone", Rendered(raw))
	out := Rendered(glamourRender(t, Markdown(hostile)))
	show(t, "Markdown and Rendered", out)
	if text := ansi.Strip(out); !strings.Contains(text, "a ␛]52;c;QUJD␇ b") || !strings.Contains(text, "hid") {
		t.Errorf("text was lost: %q", text)
	}
}
