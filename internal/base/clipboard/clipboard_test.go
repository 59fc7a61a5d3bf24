//go:build unix

package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-osc52/v2"
	"go.uber.org/goleak"

	"chatvault/internal/ptytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testClipboard is a Clipboard in a folder of fake programs.
type testClipboard struct {
	*Clipboard
	dir      string
	terminal bytes.Buffer
	kept     string
}

func newTestClipboard(t *testing.T, vars []string, scripts map[string]string) *testClipboard {
	t.Helper()
	s := &testClipboard{dir: t.TempDir()}
	inDir := map[string]string{}
	for name, text := range scripts {
		inDir[name] = "cd '" + s.dir + "'\n" + text
	}
	ptytest.Programs(t, s.dir, inDir)
	s.Clipboard = &Clipboard{
		Wait: time.Minute, // the machine may be busy
		GOOS: "linux", Getenv: env(vars...),
		Find: func(name string) string {
			if p, err := exec.LookPath(filepath.Join(s.dir, name)); err == nil {
				return p
			}
			return ""
		},
		Terminal: func(b []byte) error { _, err := s.terminal.Write(b); return err },
		Keep:     func(text string) (string, error) { s.kept = text; return "/state/copied.md", nil },
	}
	return s
}

func (s *testClipboard) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(s.dir, name))
	return string(b)
}

const (
	x11     = "DISPLAY=:0"
	wayland = "WAYLAND_DISPLAY=wayland-0"
	xterm   = "TERM=xterm-256color"
	sample  = "# Tart\n\n**Six** nectarines; `$(rm -rf ~)` 'quoted' “é” 🍑\n"
)

// A confirmed copy is named; any other is also kept in a file.
func TestCopy(t *testing.T) {
	keep := `cat > held`
	for _, tt := range []struct {
		name    string
		vars    []string
		scripts map[string]string
		want    Result
		held    string // what a program received
	}{
		{"a program", []string{wayland, xterm}, map[string]string{"wl-copy": keep}, Result{By: "wl-copy"}, sample},
		{"a program that fails", []string{x11, xterm}, map[string]string{"xclip": "exit 1", "xsel": keep}, Result{By: "xsel"}, sample},
		{"a program that reads nothing", []string{wayland}, map[string]string{"wl-copy": "exit 3"}, Result{File: "/state/copied.md"}, ""},
		{"a program that stays to serve", []string{wayland}, map[string]string{"wl-copy": keep + "\n(sleep 300; echo over) &\necho $! > child"}, Result{By: "wl-copy"}, sample},
		{"tmux", []string{"TMUX=x", "TERM=tmux"}, map[string]string{"tmux": `[ "$1 $2 $3" = "load-buffer -w -" ] && ` + keep}, Result{By: "tmux"}, sample},
		{"a tmux that is too old", []string{"TMUX=x", "TERM=screen"}, map[string]string{"tmux": "echo usage >&2; exit 1"}, Result{Sent: true, File: "/state/copied.md"}, ""},
		{"tmux gets a copy, too", []string{"TMUX=x", x11}, map[string]string{"xclip": "cat > /dev/null", "tmux": keep}, Result{By: "xclip"}, sample},
		{"nothing but the terminal", []string{xterm}, nil, Result{Sent: true, File: "/state/copied.md"}, ""},
		{"nothing at all", []string{"TERM=dumb"}, nil, Result{File: "/state/copied.md"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newTestClipboard(t, tt.vars, tt.scripts)
			got, err := s.Copy(t.Context(), sample)
			if err != nil || got != tt.want {
				t.Errorf("%+v, %v; want %+v", got, err, tt.want)
			}
			if held := s.read("held"); held != tt.held {
				t.Errorf("the program holds %q", held)
			}
			if (got.File != "") != (s.kept == sample) {
				t.Errorf("the file holds %q", s.kept)
			}
			if seq := s.terminal.String(); got.Sent != strings.Contains(seq, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(sample))+"\x07") {
				t.Errorf("the terminal was sent %q", seq)
			}
			if pid := strings.TrimSpace(s.read("child")); pid != "" {
				if err := exec.Command("kill", pid).Run(); err != nil {
					t.Errorf("the clipboard's server did not outlive the program: %v", err)
				}
			}
		})
	}
}

// Copied text has no control characters except tabs and line feeds, whatever the destination: a terminal would obey
// them on pasting.
func TestCopyStripsControlCharacters(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	t.Parallel()
	var rows []struct {
		Bytes []byte `json:"bytes_b64"`
		Why   string `json:"why"`
	}
	data, err := os.ReadFile(filepath.Join("..", "terminal", "testdata", "escapes.json"))
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil || len(rows) < 100 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, row := range rows {
		program := newTestClipboard(t, []string{wayland}, map[string]string{"wl-copy": "cat > held"})
		if _, err := program.Copy(t.Context(), "a "+string(row.Bytes)+" z"); err != nil {
			t.Fatalf("%s: %v", row.Why, err)
		}
		terminal := newTestClipboard(t, []string{xterm}, nil)
		if _, err := terminal.Copy(t.Context(), "a "+string(row.Bytes)+" z"); err != nil {
			t.Fatalf("%s: %v", row.Why, err)
		}
		held := program.read("held")
		acts := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
		if !utf8.ValidString(held) || strings.ContainsFunc(held, acts) || !strings.HasPrefix(held, "a ") || !strings.HasSuffix(held, " z") {
			t.Errorf("%s: the program holds %.200q", row.Why, held)
		}
		if terminal.kept != held {
			t.Errorf("%s: the file holds %.200q, the program %.200q", row.Why, terminal.kept, held)
		}
		if sent := terminal.terminal.String(); sent != "" && sent != "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(held))+"\x07" {
			t.Errorf("%s: the terminal was sent %.200q", row.Why, sent)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		sample:                        sample,
		"a\tb\nc\n":                   "a\tb\nc\n",
		"a\r\nb\rc\r":                 "a\nb\nc\n",
		"a\u0085b":                    "a\nb",
		"a\x1b[201~rm -rf ~\x07\r\nb": "a[201~rm -rf ~\nb",
		"a\x00\x08\x7fb\u009b31m":     "ab31m",
		"a\x9bb\xff":                  "a\ufffdb\ufffd",
		"👩\u200d👧 می\u200cخواهم":      "👩\u200d👧 می\u200cخواهم",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A megabyte is passed to programs and the file, but not to terminals, which would truncate it.
func TestCopyLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Some words, again and again.\n", 1<<20/29+1)
	s := newTestClipboard(t, []string{wayland, xterm}, map[string]string{"wl-copy": "cat > held"})
	if r, err := s.Copy(t.Context(), long); err != nil || r.By != "wl-copy" || s.read("held") != long {
		t.Errorf("%+v, %v, %d bytes", r, err, len(s.read("held")))
	}
	s = newTestClipboard(t, []string{xterm}, nil)
	if r, err := s.Copy(t.Context(), long); err != nil || r != (Result{File: "/state/copied.md"}) || s.kept != long || s.terminal.Len() > 0 {
		t.Errorf("%+v, %v, %d bytes sent", r, err, s.terminal.Len())
	}
	s = newTestClipboard(t, []string{xterm}, nil)
	if r, err := s.Copy(t.Context(), long[:74_000]); err != nil || !r.Sent {
		t.Errorf("%+v, %v", r, err)
	}
}

// A program that hangs is killed with its children.
func TestCopyDoesNotHang(t *testing.T) {
	t.Parallel()
	s := newTestClipboard(t, []string{wayland, xterm}, map[string]string{"wl-copy": "(sleep 1; touch late) &\nwait"})
	s.Wait = 300 * time.Millisecond
	r, err := s.Copy(t.Context(), sample)
	if err != nil || !r.Sent || r.By != "" {
		t.Errorf("%+v, %v", r, err)
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(s.dir, "late")); err == nil {
		t.Error("the program's child still runs")
	}
}

func TestCopyFails(t *testing.T) {
	t.Parallel()
	s := newTestClipboard(t, []string{"TERM=dumb"}, nil)
	for _, nothing := range []string{"", "\x1b\x07"} {
		if _, err := s.Copy(t.Context(), nothing); !errors.Is(err, ErrEmpty) {
			t.Errorf("nothing to copy: %v", err)
		}
	}
	full := errors.New("no space left")
	s.Keep = func(string) (string, error) { return "", full }
	if r, err := s.Copy(t.Context(), sample); !errors.Is(err, full) || r != (Result{}) {
		t.Errorf("%+v, %v", r, err)
	}
	s.Getenv = env(xterm)
	if r, err := s.Copy(t.Context(), sample); err != nil || r != (Result{Sent: true}) {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = newTestClipboard(t, []string{wayland}, map[string]string{"wl-copy": "cat > held"})
	if r, err := s.Copy(ctx, sample); err != nil || r.By != "" || r.File == "" {
		t.Errorf("after the end: %+v, %v", r, err)
	}
}

func TestSequences(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("tart"))
	plain := "\x1b]52;c;" + encoded + "\x07"
	for _, tt := range []struct {
		wrap osc52.Mode
		want string
	}{
		{osc52.DefaultMode, plain},
		{osc52.TmuxMode, plain + "\x1bPtmux;\x1b" + plain + "\x1b\\"},
		{osc52.ScreenMode, "\x1bP" + plain + "\x1b\\"},
	} {
		if got := sequence("tart", tt.wrap); string(got) != tt.want {
			t.Errorf("%d: %q, want %q", tt.wrap, got, tt.want)
		}
	}
	long := sequence(strings.Repeat("tart ", 1000), osc52.ScreenMode)
	if len(long) == 0 {
		t.Fatal("too long")
	}
	for part := range strings.SplitSeq(string(long), "\x1b\\") {
		if len(part) > 256 { // GNU screen drops longer ones
			t.Errorf("a piece of %d bytes", len(part))
		}
	}
}

// A real tmux accepts the text, even a megabyte.
func TestRealTmux(t *testing.T) {
	tmuxPath, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	socket := filepath.Join(t.TempDir(), "s")
	call := func(args ...string) (string, error) {
		out, err := exec.Command(tmuxPath, append([]string{"-f", "/dev/null", "-S", socket}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := call("new-session", "-d", "-x", "80", "-y", "24", "sleep 60"); err != nil {
		t.Skipf("tmux does not run: %v: %s", err, out)
	}
	t.Cleanup(func() { _, _ = call("kill-server") })
	t.Setenv("TMUX", socket+",1,0")
	s := newTestClipboard(t, []string{"TMUX=" + socket + ",1,0", "TERM=tmux-256color"}, nil)
	s.Find = func(name string) string {
		if name == "tmux" {
			return tmuxPath
		}
		return ""
	}
	s.Wait = 20 * time.Second
	for _, text := range []string{sample, strings.Repeat("Some words.\n", 1<<20/12)} {
		r, err := s.Copy(t.Context(), text)
		if err != nil || r != (Result{By: "tmux"}) {
			t.Fatalf("%+v, %v", r, err)
		}
		out := filepath.Join(t.TempDir(), "buffer")
		if msg, err := call("save-buffer", out); err != nil {
			t.Fatalf("%v: %s", err, msg)
		}
		if got, _ := os.ReadFile(out); string(got) != text {
			t.Errorf("tmux holds %d bytes, want %d", len(got), len(text))
		}
	}
}
