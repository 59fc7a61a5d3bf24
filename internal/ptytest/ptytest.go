//go:build unix

// Package ptytest runs a program in a pseudo-terminal, so that a test can check what a user sees.
//
// A Terminal makes these guarantees:
//
//   - The program has a real controlling terminal of the requested size.
//   - A terminal emulator processes all output, so that Screen returns the visible text and not the bytes.
//   - The emulator answers the program's queries, unless the terminal is mute.
//   - Each wait has a timeout. A failed wait prints the screen.
//   - After the test, the program, its children and the goroutines of this package have ended.
//
// Methods may be called from several goroutines. Methods that can fail the test must be called from the test's
// own goroutine.
package ptytest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Options configures a program and its terminal.
type Options struct {
	Path string   // path of the program, or a name to look up in PATH
	Args []string // arguments without the program's name
	Dir  string   // working folder; empty means that of the test
	Env  []string // complete environment ("K=V"); nil means Env()

	Width, Height int // size in cells; zero means 80 and 24

	Mute  bool // do not answer the program's queries
	Light bool // report black text on a white background
}

// Env returns an environment for tests: PATH and HOME of the test process, TERM=xterm-256color,
// COLORTERM=truecolor, a UTF-8 locale, and the variables in extra ("K=V"). It inherits nothing else, so that
// tests do not depend on keys, NO_COLOR or CI of the machine.
func Env(extra ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + os.Getenv("HOME"),
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"LANG=C.UTF-8",
		"CHATVAULT_LOCAL_SERVERS=off", // do not use model servers on this machine
	}
	return append(env, extra...)
}

// A Terminal is a program running in a pseudo-terminal.
type Terminal struct {
	t       testing.TB
	cmd     *exec.Cmd
	fd      int         // the pseudo-terminal's master
	ptm     *os.File    // a second descriptor of the master, in non-blocking mode
	initial *term.State // line settings at the start

	mu       sync.Mutex
	em       *vt.Emulator
	modes    map[ansi.Mode]bool // modes that the program has set (true) or reset (false)
	titles   []string
	bells    int
	copied   []string // OSC 52 data
	width    int
	height   int
	light    bool
	first    [2]int // width and height at the start
	start    time.Time
	raw      []byte // all output
	cache    screenCache
	record   []frame
	changed  chan struct{} // closed at the next change, see notify
	ended    bool          // the program has exited and its last output is on the screen
	exitCode int

	stalled sync.Mutex // held while reading is paused
	replies chan []byte
	readers sync.WaitGroup
	done    chan struct{} // closed when ended is set
}

// Start starts a program. The test's cleanup kills it.
func Start(t testing.TB, o Options) *Terminal {
	t.Helper()
	if o.Width == 0 {
		o.Width = 80
	}
	if o.Height == 0 {
		o.Height = 24
	}
	if o.Env == nil {
		o.Env = Env()
	}
	term := &Terminal{
		t: t, width: o.Width, height: o.Height,
		first: [2]int{o.Width, o.Height}, start: time.Now(),
		changed: make(chan struct{}), done: make(chan struct{}),
		replies: make(chan []byte, 1024), modes: map[ansi.Mode]bool{},
	}
	term.cmd = exec.Command(o.Path, o.Args...)
	term.cmd.Dir, term.cmd.Env = o.Dir, o.Env
	term.newEmulator(o)
	if err := term.open(); err != nil {
		t.Fatalf("ptytest: %s: %v", o.Path, err)
	}
	term.readers.Add(3)
	go term.readOutput()
	go term.readReplies(o.Mute)
	go term.writeReplies()
	t.Cleanup(term.close)
	return term
}

func (x *Terminal) open() error {
	master, slave, err := pty.Open()
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(master.Close(), slave.Close()) }()
	size := &pty.Winsize{Rows: uint16(x.height), Cols: uint16(x.width)} // cells of a test's screen
	if err := pty.Setsize(master, size); err != nil {
		return err
	}
	// Read the settings before the program can change them.
	if x.initial, err = term.GetState(int(slave.Fd())); err != nil {
		return err
	}
	// The runtime polls a descriptor in non-blocking mode, so that closing it ends a blocked read.
	if x.fd, err = unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return err
	}
	if err := unix.SetNonblock(x.fd, true); err != nil {
		return errors.Join(err, unix.Close(x.fd))
	}
	x.ptm = os.NewFile(uintptr(x.fd), "pty")
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		return errors.Join(err, x.ptm.Close())
	}
	return nil
}

func (x *Terminal) readOutput() {
	defer x.readers.Done()
	buf := make([]byte, 32<<10)
	for {
		x.stalled.Lock()
		x.stalled.Unlock() //nolint:staticcheck // wait until Stall's lock is released
		n, err := x.ptm.Read(buf)
		if n > 0 {
			x.show(buf[:n])
		}
		if err != nil {
			break // EIO: no process has the terminal open any more
		}
	}
	err := x.cmd.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended, x.exitCode = true, exitCode(x.cmd.ProcessState, err)
	close(x.done)
	x.notify()
}

// exitCode returns the exit status in a shell's form: 128 + n after signal n. It returns -1 if the status is
// unknown.
func exitCode(s *os.ProcessState, err error) int {
	if s == nil {
		return -1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	if err != nil && s.ExitCode() == 0 {
		return -1
	}
	return s.ExitCode()
}

// notify wakes all waiters for a change. The caller must hold mu.
func (x *Terminal) notify() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// readReplies passes the emulator's replies on to writeReplies, or discards them if the terminal is mute.
func (x *Terminal) readReplies(mute bool) {
	defer x.readers.Done()
	defer close(x.replies)
	buf := make([]byte, 4096)
	for {
		n, err := x.em.Read(buf)
		if err != nil {
			return
		}
		if mute {
			continue
		}
		select {
		case x.replies <- slices.Clone(buf[:n]):
		case <-x.done:
		}
	}
}

func (x *Terminal) writeReplies() {
	defer x.readers.Done()
	for b := range x.replies {
		_, _ = x.ptm.Write(b) // fails after the program has exited
	}
}

// close kills the program and its children and waits for the readers to return.
func (x *Terminal) close() {
	x.Kill()
	select {
	case <-x.done:
	case <-time.After(2 * time.Second):
		// A child in another session still has the terminal open.
		_ = x.ptm.SetDeadline(time.Now())
		<-x.done
	}
	// Emulator.Close would race with a blocked Read.
	if c, ok := x.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	_ = x.ptm.SetDeadline(time.Now())
	x.readers.Wait()
	_ = x.ptm.Close()
}

// PID returns the process ID of the program.
func (x *Terminal) PID() int { return x.cmd.Process.Pid }

// Signal sends a signal to the program, but not to its children.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatalf("ptytest: signal %v: %v", s, err)
	}
}

// Kill sends SIGKILL to the program and the children in its process group. It waits up to two seconds until
// the program has exited and released its resources. It does nothing if the program has already ended.
func (x *Terminal) Kill() {
	select {
	case <-x.done:
		return
	default:
		_ = syscall.Kill(-x.PID(), syscall.SIGKILL)
		_ = x.cmd.Process.Kill()
	}
	select {
	case <-x.done:
	case <-time.After(2 * time.Second): // a child in another session still has the terminal open
	}
}

// Hangup closes the terminal like a closed window: the program gets SIGHUP, and its reads from the terminal
// fail. Later output is lost; Wait still works.
func (x *Terminal) Hangup() {
	x.mu.Lock()
	x.fd = -1
	x.mu.Unlock()
	_ = x.ptm.Close()
}

// Wait waits until the program has ended and all output is on the screen. It returns the exit status, which
// is 128 + n after signal n. It fails the test after the timeout.
func (x *Terminal) Wait(timeout time.Duration) int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(timeout):
		x.t.Fatalf("ptytest: the program still runs after %v\n%s", timeout, x.describe())
	}
	return x.exitCode
}

// Stall stops reading the program's output, as after Ctrl+S or on a broken connection, until the caller calls
// goOn or the test ends. A read in progress still completes.
func (x *Terminal) Stall() (goOn func()) {
	x.stalled.Lock()
	goOn = sync.OnceFunc(x.stalled.Unlock)
	x.t.Cleanup(goOn)
	return goOn
}

// Resize sets the size of the terminal in cells. The program gets SIGWINCH.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	x.mu.Lock()
	x.width, x.height = width, height
	x.em.Resize(width, height)
	x.recordResize()
	x.mu.Unlock()
	size := &unix.Winsize{Row: uint16(height), Col: uint16(width)} // cells of a test's screen
	if err := unix.IoctlSetWinsize(x.fd, unix.TIOCSWINSZ, size); err != nil {
		x.t.Fatalf("ptytest: resize: %v", err)
	}
}

// IsRaw reports whether the terminal's line settings differ from the initial ones, as in raw mode.
func (x *Terminal) IsRaw() bool {
	now, err := term.GetState(x.fd)
	return err == nil && !reflect.DeepEqual(now, x.initial)
}

// Cook restores the terminal's initial line settings, like a shell that takes the terminal back.
func (x *Terminal) Cook() {
	x.t.Helper()
	if err := term.Restore(x.fd, x.initial); err != nil {
		x.t.Fatal("ptytest: ", err)
	}
}

// LeftBehind returns the changes to the terminal that the program has not restored, sorted. The names are
// "raw mode", "alternate screen", "hidden cursor" and "mode N" for other terminal modes. There are none after
// a clean exit.
func (x *Terminal) LeftBehind() []string {
	var left []string
	if x.IsRaw() {
		left = append(left, "raw mode")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.em.IsAltScreen() {
		left = append(left, "alternate screen")
	}
	for m, on := range x.modes {
		switch m {
		case ansi.ModeAltScreen, ansi.ModeAltScreenSaveCursor, ansi.ModeSaveCursor:
		case ansi.ModeTextCursorEnable:
			if !on {
				left = append(left, "hidden cursor")
			}
		default:
			if on != (m == ansi.ModeAutoWrap) {
				left = append(left, fmt.Sprintf("mode %d", m.Mode()))
			}
		}
	}
	slices.Sort(left)
	return left
}
