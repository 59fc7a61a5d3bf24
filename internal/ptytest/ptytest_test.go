//go:build unix

package ptytest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		RemoveBuilt()
		os.Exit(code)
	}))
}

const soon = 20 * time.Second

func shell(t *testing.T, script string, o Options) *Terminal {
	t.Helper()
	o.Path, o.Args = "/bin/sh", []string{"-c", script}
	return Start(t, o)
}

func TestScrollRegionBelowTheScreen(t *testing.T) {
	x := shell(t, `printf 'one\ntwo\033[1;40r\033[1S\033[Hseen'`, Options{Width: 80, Height: 24})
	x.WaitFor("seen", soon)
}

func TestScreenIsWhatIsSeen(t *testing.T) {
	x := shell(t, `printf 'one\ntwo\033[1;1Hxyz\033]2;hello\007\007'; read -r line; printf '\033[3;1Hgot %s' "$line"`, Options{})
	x.WaitFor("xyz\ntwo", soon)
	x.WaitUntil("the title", soon, func(string) bool { return len(x.Titles()) == 1 && x.Bells() == 1 })
	x.Send("abc\r")
	x.WaitForMatch(regexp.MustCompile(`(?m)^got abc$`), soon)
	if code := x.Wait(soon); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if got := x.Row(1); !strings.HasPrefix(got, "two") {
		t.Errorf("row 1 is %q", got)
	}
	if !strings.Contains(string(x.Raw()), "\x1b[1;1H") || x.Written() != len(x.Raw()) {
		t.Errorf("raw output is %q", x.Raw())
	}
}

func TestSizeAndResize(t *testing.T) {
	x := shell(t, `trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done`, Options{Width: 100, Height: 30})
	x.WaitFor("30 100", soon)
	x.Resize(40, 15)
	x.WaitFor("15 40", soon)
	cast := filepath.Join(t.TempDir(), "a.cast")
	if err := x.SaveCast(cast, "sizes", time.Second); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(cast)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	var header struct{ Version, Width, Height int }
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil || header.Version != 2 || header.Width != 100 {
		t.Errorf("header %s: %v", lines[0], err)
	}
	kinds := map[string]int{}
	for _, l := range lines[1:] {
		var event []any
		if err := json.Unmarshal([]byte(l), &event); err != nil || len(event) != 3 {
			t.Fatalf("event %s: %v", l, err)
		}
		kinds[event[1].(string)]++
	}
	if kinds["o"] == 0 || kinds["r"] != 1 {
		t.Errorf("events %v", kinds)
	}
}

func TestEndings(t *testing.T) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // nohup ignores the signal, and child processes inherit that
	defer signal.Stop(hangups)
	if code := shell(t, "exit 3", Options{}).Wait(soon); code != 3 {
		t.Errorf("exit status %d, want 3", code)
	}
	x := shell(t, "sleep 60", Options{})
	x.Signal(syscall.SIGTERM)
	if code := x.Wait(soon); code != 128+15 {
		t.Errorf("after SIGTERM %d, want 143", code)
	}
	x = shell(t, "sleep 60; true", Options{}) // the shell runs sleep as a child
	x.Kill()
	if code := x.Wait(soon); code != 128+9 {
		t.Errorf("after SIGKILL %d, want 137", code)
	}
	x = shell(t, "echo ready; sleep 60; true", Options{})
	x.WaitFor("ready", soon)
	x.Hangup()
	if code := x.Wait(soon); code != 128+1 {
		t.Errorf("after a hangup %d, want 129", code)
	}
}

func TestQueriesAreAnsweredUnlessMute(t *testing.T) {
	const script = `stty raw -echo min 0 time 5; printf '\033[c'; sleep 0.1; dd bs=64 count=1 2>/dev/null | od -An -c | head -1; stty sane`
	x := shell(t, script, Options{})
	x.WaitForMatch(regexp.MustCompile(`033\s+\[\s+\?`), soon)
	x.Wait(soon)
	x = shell(t, script, Options{Mute: true})
	x.Wait(soon)
	if strings.Contains(x.Screen(), "033") {
		t.Errorf("a mute terminal answered: %s", x.Screen())
	}
}

func TestLeftBehind(t *testing.T) {
	x := shell(t, `stty raw; printf '\033[?1049h\033[?25l\033[?2004h\033[?1002h'; sleep 0.1`, Options{})
	x.Wait(soon)
	if got := strings.Join(x.LeftBehind(), ", "); got != "alternate screen, hidden cursor, mode 1002, mode 2004, raw mode" {
		t.Errorf("left behind: %s", got)
	}
	x = shell(t, `s=$(stty -g); stty raw; printf '\033[?1049h\033[?25l\033[?2004h'; printf '\033[?2004l\033[?25h\033[?1049l'; stty $s; sleep 0.1`, Options{})
	x.Wait(soon)
	if got := x.LeftBehind(); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestAFailedWaitShowsTheScreen(t *testing.T) {
	var failed string
	x := shell(t, `printf 'this is here'; sleep 60`, Options{})
	x.WaitFor("this is here", soon)
	x.t = recorder{TB: t, fatal: &failed}
	func() {
		defer func() { _ = recover() }()
		x.WaitFor("that", 10*time.Millisecond)
	}()
	for _, want := range []string{"that", "10ms", "│ this is here", "running"} {
		if !strings.Contains(failed, want) {
			t.Errorf("the message lacks %q:\n%s", want, failed)
		}
	}
}

func TestSequence(t *testing.T) {
	for key, want := range map[string]string{
		"enter": "\r", "alt+enter": "\x1b\r", "ctrl+c": "\x03", "ctrl+z": "\x1a", "a": "a", "é": "é",
		"alt+b": "\x1bb", "alt+backspace": "\x1b\x7f", "esc": "\x1b",
	} {
		if got, err := Sequence(key); err != nil || got != want {
			t.Errorf("Sequence(%q) = %q, %v; want %q", key, got, err, want)
		}
	}
	for _, key := range []string{"", "return", "ctrl+1", "alt+"} {
		if got, err := Sequence(key); err == nil {
			t.Errorf("Sequence(%q) = %q, want an error", key, got)
		}
	}
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module hello\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() { println(\"hello from\", \"a build\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	bin := Build(t, ".")
	if again := Build(t, "."); again != bin {
		t.Errorf("built twice: %s and %s", bin, again)
	}
	Start(t, Options{Path: bin}).WaitFor("hello from a build", soon)
}

// recorder stores the message of Fatalf and panics to stop the caller.
type recorder struct {
	testing.TB
	fatal *string
}

func (r recorder) Helper() {}

func (r recorder) Fatalf(format string, args ...any) {
	*r.fatal = fmt.Sprintf(format, args...)
	panic("fatal")
}
