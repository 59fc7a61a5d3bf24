//go:build unix

package tty

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"chatvault/internal/ptytest"
)

const soon = 10 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv("TTY_PROGRAM") != "" {
		os.Exit(runProgram())
	}
	goleak.VerifyTestMain(m)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func start(t *testing.T, o ptytest.Options, env ...string) *ptytest.Terminal {
	t.Helper()
	o.Env = ptytest.Env(append(env, "TTY_PROGRAM=1", "GORACE=atexit_sleep_ms=0")...)
	if o.Path == "" {
		o.Path = self(t)
	}
	return ptytest.Start(t, o)
}

func quit(t *testing.T, x *ptytest.Terminal) {
	t.Helper()
	began := time.Now()
	x.Type("q")
	if code := x.Wait(soon); code != 0 {
		t.Errorf("exit status %d\n%s", code, x.Screen())
	}
	if d := time.Since(began); d > time.Second {
		t.Errorf("quitting took %v", d)
	}
	if left := x.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestPastes: pasted text is a paste, whether or not the terminal marks it; a single line with its Enter is keys.
func TestPastes(t *testing.T) {
	x := start(t, ptytest.Options{Width: 200})
	x.WaitFor("keys: ;", soon)
	for _, c := range []struct{ write, want string }{
		{"ok\r", "o,k,enter"},
		{"one\rtwo", `paste:"one\rtwo"`},
		{"one\rtwo\r", `paste:"one\rtwo\r"`},
		{"\rone", "enter,o,n,e"},
		{"\x1b[200~one\rtwo\x1b[201~", `paste:"one\rtwo"`},
		{"\x1b[A\r\x1b[A", "up,enter,up"},
		{"\x1b[13;2u", "shift+enter"},
		{"\x1b[27;2;13~", "shift+enter"},
		{"\x1b\r", "alt+enter"},
		{"\x1b\x1b", "esc,esc"},
		{"\x1b\x1b[B", "esc,down"},
		{"not that one\r", `paste:"not that one",enter`},
		{"jj", "j,j"},
	} {
		x.Press("ctrl+k")
		x.WaitFor("keys: ;", soon)
		time.Sleep(2 * burstWait)
		x.Send(c.write)
		x.WaitFor("keys: "+c.want+";", soon)
	}
	for _, c := range []struct {
		pause time.Duration
		want  string
	}{{0, "esc,ctrl+down"}, {escWait / 10, "esc,ctrl+down"}, {3 * escWait, "esc,ctrl+down"}} { // in separate reads
		x.Press("ctrl+k")
		x.WaitFor("keys: ;", soon)
		x.Send("\x1b")
		time.Sleep(c.pause)
		x.Send("\x1b[1;5B")
		x.WaitFor("keys: "+c.want+";", soon)
	}
	x.Press("ctrl+k")
	x.WaitFor("keys: ;", soon)
	x.Send("\x1b")
	time.Sleep(escWait / 10)
	x.Send("[1;5B") // a key sequence split in two
	x.WaitFor("keys: ctrl+down;", soon)
	x.Press("ctrl+k")
	x.WaitFor("keys: ;", soon)
	big := strings.Repeat("0123456789abcdef wörds\n", 180000)
	began := time.Now()
	x.Paste(big)
	x.Type("x") // immediately: it must come after the paste
	x.WaitFor(",x;", soon)
	t.Logf("pasting %d bytes took %v", len(big), time.Since(began))
	quit(t, x)
}

// TestStalledOutput: a stalled terminal blocks only one write; all output arrives once it resumes.
func TestStalledOutput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := &output{File: w}
	const lines = 4000 // more than a pipe buffers
	line := strings.Repeat("x", 99) + "\n"
	began := time.Now()
	for range lines {
		if n, err := io.WriteString(o, line); n != len(line) || err != nil {
			t.Fatalf("%d bytes, %v", n, err)
		}
	}
	if took := time.Since(began); took > 20*stallWait {
		t.Errorf("%d writes took %v", lines, took)
	}
	got, err := io.ReadAll(io.LimitReader(r, lines*int64(len(line))))
	if err != nil || string(got) != strings.Repeat(line, lines) {
		t.Errorf("%d bytes arrived, %v", len(got), err)
	}
	if _, err := io.WriteString(o, strings.Repeat(line, maxWaiting/len(line)+1)); err == nil {
		t.Error("a write beyond the buffer limit has no error")
	}
	_ = r.Close()
	for range 2 {
		_, err = io.WriteString(o, line)
	}
	if err == nil {
		t.Error("writing to a closed terminal has no error")
	}
}

// TestSplitBursts: however a burst is split into reads, its text arrives complete, and none of its line ends is an
// Enter.
func TestSplitBursts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := &input{}
		text := "eins\rzwei – drei\rvier 🍐 fünf\r"
		got, from := "", 0
		for from < len(text) {
			n := len(text) - from
			if from > 0 {
				n = rapid.IntRange(1, n).Draw(rt, "bytes")
			} else {
				n = rapid.IntRange(6, n).Draw(rt, "first")
			}
			got += string(in.mark([]byte(text[from:from+n]), time.Unix(1, 0)))
			from += n
		}
		bare := strings.NewReplacer(string(pasteStart), "", string(pasteEnd), "").Replace(got)
		if bare != text {
			rt.Fatalf("%q arrived for %q", bare, text)
		}
		for i, part := range strings.Split(got, string(pasteStart)) {
			after := part
			if i > 0 {
				_, after, _ = strings.Cut(part, string(pasteEnd))
			}
			if strings.Contains(after, "\r") {
				rt.Fatalf("an Enter is left in %q", got)
			}
		}
	})
}

// TestNotSuspended: a process continues if nothing could continue it: as the terminal's own program, or below a shell
// without job control.
func TestNotSuspended(t *testing.T) {
	for _, o := range []ptytest.Options{{}, {Path: "/bin/sh", Args: []string{"-c", self(t) + "; true"}}} {
		x := start(t, o)
		x.WaitFor("keys: ;", soon)
		x.Press("ctrl+z")
		x.WaitFor("keys: ctrl+z,resumed;", soon)
		x.Type("x")
		x.WaitFor("keys: ctrl+z,resumed,x;", soon)
		quit(t, x)
	}
}

func TestSuspendAndResume(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("this test needs bash for job control")
	}
	x := start(t, ptytest.Options{Path: shell, Args: []string{"--norc", "--noprofile", "-i"}}, "PS1=prompt> ", "TTY_ALT=1")
	x.WaitFor("prompt>", soon)
	x.Type(self(t) + "\r")
	x.WaitFor("keys: ;", soon)
	for round := range 2 {
		x.Press("ctrl+z")
		x.WaitFor("Stopped", soon)
		x.WaitUntil("the main screen", soon, func(string) bool { return !x.IsAltScreen() })
		x.Type("echo in the shell $((40+2))\r")
		x.WaitFor("in the shell 42", soon)
		x.Type("fg\r")
		x.WaitFor("resumed", soon)
		x.Type(fmt.Sprint("back", round))
		x.WaitFor(fmt.Sprint("b,a,c,k,", round), soon)
	}
	x.Type("q")
	x.WaitUntil("the prompt", soon, func(s string) bool { return !x.IsAltScreen() && strings.HasSuffix(s, "\nprompt>") })
	x.Type("echo $((6*7)) after\r")
	x.WaitFor("42 after", soon)
}

func TestStoppedBySignal(t *testing.T) {
	x := start(t, ptytest.Options{})
	x.WaitFor("keys: ;", soon)
	x.Signal(syscall.SIGSTOP)
	x.Signal(syscall.SIGCONT)
	x.Type("x")
	x.WaitFor("keys: x;", soon)
	quit(t, x)
}

func TestEditorGetsTerminal(t *testing.T) {
	x := start(t, ptytest.Options{}, "TTY_ALT=1")
	x.WaitFor("keys: ;", soon)
	x.Press("ctrl+e")
	x.WaitFor("editor", soon)
	x.WaitUntil("cooked mode", soon, func(string) bool { return !x.IsRaw() })
	x.Type("words\r")
	x.WaitFor("edited words", soon)
	x.WaitFor("executed:<nil>", soon)
	x.Type("back")
	x.WaitFor("b,a,c,k;", soon)
	quit(t, x)
}

func TestInputAfterExitIsLeft(t *testing.T) {
	x := start(t, ptytest.Options{Path: "/bin/sh", Args: []string{"-c", self(t) + "; stty -echo; echo over; read line; echo the shell read $line"}})
	x.WaitFor("keys: ;", soon)
	x.Type("q")
	x.WaitFor("over", soon)
	x.Type("hello\r")
	x.WaitFor("the shell read hello", soon)
}

func TestLostTerminal(t *testing.T) {
	note := filepath.Join(t.TempDir(), "gone")
	// A shell that ignores SIGHUP lets the program see the terminal fail.
	x := start(t, ptytest.Options{Path: "/bin/sh", Args: []string{"-c", "trap '' HUP; exec " + self(t)}}, "TTY_GONE="+note)
	x.WaitFor("keys: ;", soon)
	x.Hangup()
	status := x.Wait(soon)
	if b, err := os.ReadFile(note); err != nil || string(b) != "gone" {
		t.Errorf("the program got no error and ended with %d: %q, %v", status, b, err)
	}
}

func TestNoTerminal(t *testing.T) {
	cmd := exec.Command(self(t))
	cmd.Env = append(os.Environ(), "TTY_PROGRAM=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "chatvault ask") {
		t.Errorf("%v: %s", err, out)
	}
	if x := New(); x.Rescue() || x.Close() != nil {
		t.Error("a terminal that is not open is restored")
	}
}
