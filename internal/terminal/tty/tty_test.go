//go:build unix

package tty

import (
	"errors"
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

func TestKeysOfAProgram(t *testing.T) {
	x := start(t, ptytest.Options{Width: 200}, "TTY_ALT=1")
	x.WaitFor("keys: ;", soon)
	if !x.IsRaw() {
		t.Error("the terminal is not in raw mode")
	}
	for _, c := range []struct {
		writes []string
		want   string
	}{
		{[]string{"\x1bx"}, "esc,x"},
		{[]string{"abc\x1bdo"}, "abc,alt+d,o"}, // Alt+D is what a terminal sends so
		{[]string{"\x1b"}, "esc"},
		{[]string{"\x1b\x1b"}, "esc,esc"},
		{[]string{"\x1b", "[A"}, "up"},
		{[]string{"\x1b[", "1;5", "C"}, "ctrl+right"},
		{[]string{"\x1b\r"}, "alt+enter"},
		{[]string{"\x1b\x03"}, "esc,ctrl+c"},
		{[]string{"a\x1b[Ib\x1b[Oc"}, "a,focus,b,blur,c"},
		{[]string{"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "x"}, "x"},
		{[]string{"\x1b]11;rgb:1e", "1e/1e1e/1e1e\x07\x1b[12;1R", "\x1b[?62c", "x"}, "x"},
		{[]string{"\x1b[<64;10;5M"}, "mouse:wheel up"},
		{[]string{strings.Repeat("é", 300)}, strings.Repeat("é", 64) + ","},
	} {
		x.Press("ctrl+k")
		x.WaitFor("keys: ;", soon)
		for i, w := range c.writes {
			if i > 0 {
				time.Sleep(8 * time.Millisecond) // another read, within the wait for the rest
			}
			x.Send(w)
		}
		x.WaitFor("keys: "+c.want, soon)
		if !strings.HasSuffix(c.want, ",") {
			time.Sleep(30 * time.Millisecond)
			x.WaitFor("keys: "+c.want+";", soon)
		}
	}
	quit(t, x)
}

func TestAPasteArrivesWhole(t *testing.T) {
	x := start(t, ptytest.Options{Width: 120})
	x.WaitFor("keys: ;", soon)
	x.WaitUntil("bracketed paste", soon, func(string) bool { return x.HasMode(2004) })
	x.Paste("a\x1b[31m\x1b]0;t\x07\nq")
	x.WaitFor(`keys: paste:14:"a\x1b[31m\x1b]0;t\a\rq"`, soon)
	x.Press("ctrl+k")
	x.WaitFor("keys: ;", soon)

	x.Paste("\x00aside 1") // the name of a paste that there is not
	x.WaitFor(`keys: paste:8:"\x00aside 1";`, soon)
	x.Press("ctrl+k")
	x.WaitFor("keys: ;", soon)

	// Bubble Tea alone would take 25 seconds, and the square of it for more.
	big := strings.Repeat("0123456789abcdef\x1b[A wörds\n", 160000)[:1<<22]
	began := time.Now()
	x.Paste(big)
	x.Type("x") // at once: it comes after the paste
	x.WaitFor(fmt.Sprintf("keys: paste:%d:", len(big)), soon)
	t.Logf("pasting %d bytes took %v", len(big), time.Since(began))
	x.WaitFor(",x;", soon)
	quit(t, x)
}

// Where no shell is above, nobody could continue what is suspended: not with the terminal's own
// program, and not below a shell without job control.
func TestNobodyToContinue(t *testing.T) {
	for _, o := range []ptytest.Options{{}, {Path: "/bin/sh", Args: []string{"-c", self(t) + "; true"}}} {
		x := start(t, o)
		x.WaitFor("keys: ;", soon)
		x.Press("ctrl+z")
		x.Type("x")
		x.WaitFor("keys: ctrl+z,x;", soon)
		quit(t, x)
	}
	for _, tt := range []struct {
		session, group, parents int
		want                    bool
	}{{1, 2, 1, true}, {1, 1, 1, false}, {1, 1, 0, false}, {1, 2, 0, false}} {
		if got := continuable(tt.session, tt.group, tt.parents); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestSuspendAndResume(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash, which has the job control this test needs")
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
		x.WaitFor(fmt.Sprint("back", round), soon)
	}
	x.Type("q")
	x.WaitUntil("the prompt", soon, func(s string) bool { return !x.IsAltScreen() && strings.HasSuffix(s, "\nprompt>") })
	x.Type("echo $((6*7)) after\r")
	x.WaitFor("42 after", soon)
}

func TestStoppedFromOutside(t *testing.T) {
	x := start(t, ptytest.Options{})
	x.WaitFor("keys: ;", soon)
	x.Signal(syscall.SIGSTOP)
	x.Signal(syscall.SIGCONT)
	x.Type("x")
	x.WaitFor("keys: x;", soon)
	quit(t, x)
}

func TestAProgramInBetweenHasTheTerminal(t *testing.T) {
	x := start(t, ptytest.Options{}, "TTY_ALT=1")
	x.WaitFor("keys: ;", soon)
	x.Press("ctrl+e")
	x.WaitFor("editor", soon)
	x.WaitUntil("cooked mode", soon, func(string) bool { return !x.IsRaw() })
	x.Type("words\r")
	x.WaitFor("edited words", soon)
	x.WaitFor("executed:<nil>", soon)
	x.Type("back")
	x.WaitFor("back;", soon)
	quit(t, x)
}

func TestWhatComesAfterIsNotTaken(t *testing.T) {
	x := start(t, ptytest.Options{Path: "/bin/sh", Args: []string{"-c", self(t) + "; stty -echo; echo over; read line; echo the shell read $line"}})
	x.WaitFor("keys: ;", soon)
	x.Type("q")
	x.WaitFor("over", soon)
	x.Type("hello\r")
	x.WaitFor("the shell read hello", soon)
}

func TestBackground(t *testing.T) {
	for _, c := range []struct {
		name string
		o    ptytest.Options
		env  []string
		wait string // slow is half of it; a busy machine may answer late
		want string
	}{
		{"dark", ptytest.Options{}, nil, "20s", "background: 1, slow: false"},
		{"light", ptytest.Options{Light: true}, nil, "20s", "background: 2, slow: false"},
		{"mute", ptytest.Options{Mute: true}, nil, "100ms", "background: 0, slow: true"},
		{"told", ptytest.Options{Mute: true}, []string{"COLORFGBG=0;15"}, "100ms", "background: 2, slow: false"},
		{"dumb", ptytest.Options{Mute: true}, []string{"TERM=dumb"}, "100ms", "background: 0, slow: false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, c.o, append(c.env, "TTY_ASK="+c.wait)...)
			x.WaitUntil("raw mode", soon, func(string) bool { return x.IsRaw() || pollRaw(x) })
			x.Type("typed ahead")
			x.WaitFor(c.want+"\n", soon)
			// Bubble Tea makes a key of a space, and of what stands around it another.
			x.WaitFor("keys: typed, ,ahead;", soon)
			quit(t, x)
		})
	}
}

// pollRaw waits for raw mode, of whose beginning the program writes nothing.
func pollRaw(x *ptytest.Terminal) bool {
	for range 400 {
		if x.IsRaw() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

func TestALostTerminal(t *testing.T) {
	note := filepath.Join(t.TempDir(), "gone")
	// A shell that ignores SIGHUP, so that the program sees the terminal fail.
	x := start(t, ptytest.Options{Path: "/bin/sh", Args: []string{"-c", "trap '' HUP; exec " + self(t)}}, "TTY_GONE="+note)
	x.WaitFor("keys: ;", soon)
	x.Hangup()
	status := x.Wait(soon)
	if b, err := os.ReadFile(note); err != nil || string(b) != "gone" {
		t.Errorf("the program was not told, and ended with %d: %q, %v", status, b, err)
	}
}

func TestNoTerminal(t *testing.T) {
	cmd := exec.Command(self(t))
	cmd.Env = append(os.Environ(), "TTY_PROGRAM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no controlling terminal
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "chatvault ask") {
		t.Errorf("%v: %s", err, out)
	}
	x := New()
	if err := errors.Join(x.Suspend(), x.Resume(), x.Close()); err != nil || x.Input() != nil {
		t.Errorf("a terminal that is not open: %v", err)
	}
}

func TestInputGivesWholeKeys(t *testing.T) {
	in, err := newInput()
	if err != nil {
		t.Fatal(err)
	}
	defer in.release()
	in.put([]token{{bytes: []byte("ab")}, {bytes: []byte("\x1b"), last: true}, {bytes: []byte("\x1b[1;5A")}, {bytes: []byte("xyz")}})
	for _, want := range []string{"ab\x1b", "\x1b[1;5A", "xyz"} {
		p := make([]byte, 8)
		if n, err := in.Read(p); err != nil || string(p[:n]) != want {
			t.Errorf("read %q, %v; want %q", p[:n], err, want)
		}
	}
	in.put([]token{{bytes: []byte(strings.Repeat("p", 20))}, {bytes: []byte("k")}})
	in.end(io.EOF)
	rest, err := io.ReadAll(in)
	if err != nil || string(rest) != strings.Repeat("p", 20)+"k" {
		t.Errorf("read %q, %v", rest, err)
	}
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("a read of one byte: %v", err)
	}
}
