//go:build unix

// Package ptytest runs a program in a pseudo-terminal and shows a test what a
// person would see.
//
// A Terminal promises: the program gets a real controlling terminal of the size
// asked for; everything it writes goes, in order, through a terminal emulator,
// so that Screen is what is on the screen and not what was written; the
// emulator's answers to the program's queries go back to it, unless the
// terminal is mute; every wait is bounded, and one that fails shows the screen;
// when the test ends the program and its children are gone, and so is every
// goroutine of this package.
//
// Methods may be called from several goroutines, those that can fail the test
// only from the test's own.
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

// Options says what to run and in what kind of terminal.
type Options struct {
	Path string   // the program; a path, or a name to look up in PATH
	Args []string // without the program's name
	Dir  string   // working folder; empty is the test's
	Env  []string // the whole environment ("K=V"); nil is Env()

	Width, Height int // cells; 0 is 80 and 24

	Mute  bool // a terminal that answers no query
	Light bool // black on white, which is what a query for the colours is told
}

// Env is an environment fit for tests: PATH and HOME of the test's process,
// TERM=xterm-256color, COLORTERM=truecolor, a UTF-8 locale, and extra ("K=V")
// after them. Nothing else is inherited, so that no key, no NO_COLOR and no CI
// of the machine changes what a test sees.
func Env(extra ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + os.Getenv("HOME"),
		"TERM=xterm-256color",
		"COLORTERM=truecolor",
		"LANG=C.UTF-8",
		"CHATVAULT_LOCAL_SERVERS=off", // what runs on this machine is not for tests
	}
	return append(env, extra...)
}

// A Terminal is a program running in a pseudo-terminal.
type Terminal struct {
	t   testing.TB
	cmd *exec.Cmd
	fd  int      // the pseudo-terminal's master
	ptm *os.File // the same, in non-blocking mode
	was *term.State

	mu       sync.Mutex
	em       *vt.Emulator
	modes    map[ansi.Mode]bool // as the program set them
	titles   []string
	bells    int
	copied   []string
	width    int
	height   int
	first    [2]int // width and height at the start
	start    time.Time
	raw      []byte
	drawn    drawn
	record   []frame
	changed  chan struct{} // closed at the next change
	ended    bool          // the program is gone and its last output is on the screen
	exitCode int

	stalled sync.Mutex // held while nothing is read
	replies chan []byte
	readers sync.WaitGroup
	done    chan struct{} // closed with ended
}

// Start runs the program. The test's cleanup ends it.
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
	// Before the program can have changed it.
	if x.was, err = term.GetState(int(slave.Fd())); err != nil {
		return err
	}
	// A second descriptor in non-blocking mode goes to the runtime's poller, so
	// that closing it ends a read that nobody will ever answer.
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
		x.stalled.Unlock() //nolint:staticcheck // only waited for
		n, err := x.ptm.Read(buf)
		if n > 0 {
			x.show(buf[:n])
		}
		if err != nil {
			break // EIO: the last one who had the terminal open is gone
		}
	}
	err := x.cmd.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended, x.exitCode = true, exitCode(x.cmd.ProcessState, err)
	close(x.done)
	x.notify()
}

// exitCode is the program's status as a shell would report it: 128 + n after signal n.
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

// notify wakes everyone who waits for a change. The caller holds mu.
func (x *Terminal) notify() {
	close(x.changed)
	x.changed = make(chan struct{})
}

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
		_, _ = x.ptm.Write(b) // a program that is gone needs no answer
	}
}

// close ends the program, its children and the readers.
func (x *Terminal) close() {
	x.Kill()
	select {
	case <-x.done:
	case <-time.After(2 * time.Second):
		// A child that left the session still holds the terminal open.
		_ = x.ptm.SetDeadline(time.Now())
		<-x.done
	}
	// Not Emulator.Close, which races with a Read that waits.
	if c, ok := x.em.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
	_ = x.ptm.SetDeadline(time.Now())
	x.readers.Wait()
	_ = x.ptm.Close()
}

// PID is the program's process id.
func (x *Terminal) PID() int { return x.cmd.Process.Pid }

// Signal sends a signal to the program alone.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatalf("ptytest: signal %v: %v", s, err)
	}
}

// Kill ends the program and everything it started in its session's process
// group, as kill -9 would, and waits until it is gone: what it held is free then. It does
// nothing to a program that has ended.
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
	case <-time.After(2 * time.Second): // a child that left the session still holds the terminal open
	}
}

// Hangup closes the terminal as a window that is closed does: the program gets
// SIGHUP, and reading its terminal fails from then on. Nothing after it can be
// seen; Wait still works.
func (x *Terminal) Hangup() {
	x.mu.Lock()
	x.fd = -1
	x.mu.Unlock()
	_ = x.ptm.Close()
}

// Wait returns the program's exit status once it has ended and all it wrote is
// on the screen; 128 + n after signal n. It fails the test after the timeout.
func (x *Terminal) Wait(timeout time.Duration) int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(timeout):
		x.t.Fatalf("ptytest: the program still runs after %v\n%s", timeout, x.describe())
	}
	return x.exitCode
}

// Stall has the terminal take no more output, as after Ctrl+S or behind a line that
// is gone, until go on is called, or the test ends. What is being read is still shown.
func (x *Terminal) Stall() (goOn func()) {
	x.stalled.Lock()
	goOn = sync.OnceFunc(x.stalled.Unlock)
	x.t.Cleanup(goOn)
	return goOn
}

// Resize changes the size, in cells, of the terminal; the program gets SIGWINCH.
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

// IsRaw reports whether the terminal's line settings differ from those it
// started with, as they do while a program reads keys.
func (x *Terminal) IsRaw() bool {
	now, err := term.GetState(x.fd)
	return err == nil && !reflect.DeepEqual(now, x.was)
}

// Cook gives the terminal the line settings it started with, as a shell does that takes it.
func (x *Terminal) Cook() {
	x.t.Helper()
	if err := term.Restore(x.fd, x.was); err != nil {
		x.t.Fatal("ptytest: ", err)
	}
}

// LeftBehind names what the program has changed in the terminal and not
// restored: nothing after a proper exit. The names are "raw mode", "alternate
// screen", "hidden cursor" and "mode N" for any other terminal mode.
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
