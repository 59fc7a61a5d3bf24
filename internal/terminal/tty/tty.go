// Package tty is the terminal the program runs in: its keys, its mode, its
// colours.
//
// A Terminal promises: keys reach the program in order, none is lost and none
// invented, however the terminal's writes were cut; what the terminal answers to
// queries never looks like a key; Esc is an Esc also when another key follows at
// once; a paste arrives whole. Close gives the terminal back as it was, after
// any of the other methods and as often as it is called. While it is suspended
// nothing is read, so that no key meant for another program is taken.
package tty

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/muesli/cancelreader"
	"golang.org/x/term"

	// Here, because whoever reads keys runs Bubble Tea.
	_ "chatvault/internal/terminal/background"

	"chatvault/internal/failpoint"
	"chatvault/internal/routine"
)

// ErrNoTerminal says that there is no terminal to read keys from.
var ErrNoTerminal = errors.New("there is no terminal to read keys from; for use in scripts and pipes there is: chatvault ask")

// A Terminal is the terminal the process runs in. Its methods may be called from
// several goroutines.
type Terminal struct {
	mu      sync.Mutex
	file    *os.File
	owned   bool // file was opened here
	cooked  *term.State
	plain   func() // what showed escape sequences shows none any more, where it did not before
	in      *Input
	open    bool
	reading *reading // nil while suspended
	decoder decoder  // of the goroutine that decodes

	replies   chan reply
	continued chan os.Signal
	watching  sync.WaitGroup
	stop      chan struct{}
	gone      chan struct{}
	lost      sync.Once

	lent   atomic.Bool
	rescue atomic.Pointer[func()] // what Rescue does; nil while it is not open
}

// New returns a Terminal that is not open.
func New() *Terminal {
	return &Terminal{replies: make(chan reply, 16), gone: make(chan struct{})}
}

// Open puts the terminal into raw mode and begins to read it: standard input, or
// the controlling terminal where that is something else. What was typed before
// is read too. A second Open does nothing. The error is ErrNoTerminal where
// there is none.
func (t *Terminal) Open() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open {
		return nil
	}
	file, owned, err := find()
	if err != nil {
		return err
	}
	in, err := newInput()
	if err == nil {
		t.cooked, err = term.MakeRaw(int(file.Fd()))
	}
	if err != nil {
		if owned {
			_ = file.Close()
		}
		if in != nil {
			in.release()
		}
		return fmt.Errorf("the terminal cannot be put into raw mode: %w", err)
	}
	t.file, t.owned, t.in, t.open, t.decoder = file, owned, in, true, decoder{}
	fd, cooked := int(t.file.Fd()), t.cooked
	t.plain = showsSequences()
	plain := t.plain
	back := func() { _ = term.Restore(fd, cooked); plain() }
	t.rescue.Store(&back)
	if err := t.read(); err != nil {
		return errors.Join(err, t.close())
	}
	t.watch()
	return nil
}

// Rescue gives the terminal its former mode and waits for nobody: for the end of a process that
// cannot Close any more. It says whether the Terminal was open, which is of no use after it.
func (t *Terminal) Rescue() (open bool) {
	back := t.rescue.Load()
	if back == nil {
		return false
	}
	(*back)()
	return true
}

// Lent says whether another program has the terminal (Command).
func (t *Terminal) Lent() bool { return t.lent.Load() }

func find() (file *os.File, owned bool, err error) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return os.Stdin, false, nil
	}
	file, err = os.OpenFile(keyboardName, os.O_RDWR, 0)
	if err != nil {
		return nil, false, ErrNoTerminal
	}
	return file, true, nil
}

// Input is where the keys are read; nil before Open.
func (t *Terminal) Input() io.Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.in == nil {
		return nil
	}
	return t.in
}

// Gone is closed when the terminal can no longer be read: its window was closed,
// its connection lost. Input then ends with io.EOF.
func (t *Terminal) Gone() <-chan struct{} { return t.gone }

// Suspend stops reading and gives the terminal its former mode, for the shell or
// for a program that is run in between. It does nothing while suspended.
func (t *Terminal) Suspend() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open || t.reading == nil {
		return nil
	}
	t.reading.end()
	t.reading = nil
	if err := term.Restore(int(t.file.Fd()), t.cooked); err != nil {
		return fmt.Errorf("the terminal's mode cannot be restored: %w", err)
	}
	return nil
}

// Resume is the end of Suspend.
func (t *Terminal) Resume() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.open || t.reading != nil {
		return nil
	}
	if _, err := term.MakeRaw(int(t.file.Fd())); err != nil {
		return fmt.Errorf("the terminal cannot be put into raw mode: %w", err)
	}
	return t.read()
}

// Close stops reading and gives the terminal its former mode. After it the
// Terminal may be opened again.
func (t *Terminal) Close() error {
	t.mu.Lock()
	if !t.open {
		t.mu.Unlock()
		return nil
	}
	signal.Stop(t.continued)
	close(t.stop)
	err := t.close()
	t.mu.Unlock()
	t.watching.Wait()
	return err
}

func (t *Terminal) close() error {
	t.open = false
	if t.reading != nil {
		t.reading.end()
		t.reading = nil
	}
	err := term.Restore(int(t.file.Fd()), t.cooked)
	t.plain()
	t.rescue.Store(nil) // not before: what comes before may wait for ever
	if errors.Is(err, syscall.EIO) {
		err = nil // the terminal is gone, and its mode with it
	}
	t.in.release()
	if t.owned {
		err = errors.Join(err, t.file.Close())
	}
	if err != nil {
		return fmt.Errorf("the terminal's mode cannot be restored, the command \"reset\" does it: %w", err)
	}
	return nil
}

// watch sets raw mode again whenever the process goes on after it was stopped:
// the shell has used the terminal meanwhile.
func (t *Terminal) watch() {
	t.continued = make(chan os.Signal, 1)
	t.stop = make(chan struct{})
	notifyContinued(t.continued)
	continued, stop := t.continued, t.stop
	routine.Join(&t.watching, "terminal continued", func() {
		for {
			select {
			case <-stop:
				return
			case <-continued:
			}
			failpoint.Pass("round terminal continued")
			t.mu.Lock()
			if t.open && t.reading != nil {
				_, _ = term.MakeRaw(int(t.file.Fd()))
			}
			t.mu.Unlock()
		}
	})
}

// reading is the time between Open or Resume and Suspend or Close.
type reading struct {
	canceler cancelreader.CancelReader
	done     sync.WaitGroup
}

// end stops reading without taking another byte.
func (r *reading) end() {
	r.canceler.Cancel()
	r.done.Wait()
	_ = r.canceler.Close()
}

func (t *Terminal) read() error {
	c, err := cancelreader.NewReader(t.file)
	if err != nil {
		return fmt.Errorf("the terminal cannot be read: %w", err)
	}
	r := &reading{canceler: c}
	chunks := make(chan []byte)
	routine.Join(&r.done, "terminal read", func() {
		defer close(chunks)
		buf := make([]byte, 4096)
		for {
			n, err := c.Read(buf)
			if n > 0 {
				failpoint.Pass("round terminal read")
				chunks <- append([]byte(nil), buf[:n]...)
			}
			if err == nil && n == 0 {
				err = io.EOF
			}
			if err != nil {
				if !errors.Is(err, cancelreader.ErrCanceled) {
					t.lost.Do(func() { close(t.gone) })
					t.in.end(io.EOF)
				}
				return
			}
		}
	})
	routine.Join(&r.done, "terminal decode", func() { t.decode(chunks) })
	t.reading = r
	return nil
}

// decode makes keys of what is read, until nothing more comes.
func (t *Terminal) decode(chunks <-chan []byte) {
	d := &t.decoder
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(time.Hour)
		if wait := d.wait(); wait > 0 {
			timer.Reset(wait)
		}
		select {
		case b, ok := <-chunks:
			if !ok {
				d.flush()
				t.deliver(d)
				return
			}
			failpoint.Pass("round terminal decode")
			d.feed(b, time.Now())
		case <-timer.C:
			d.flush()
		}
		t.deliver(d)
	}
}

func (t *Terminal) deliver(d *decoder) {
	t.in.put(d.tokens)
	for _, r := range d.replies {
		select {
		case t.replies <- r:
		default: // nobody has asked
		}
	}
	d.tokens, d.replies = nil, nil
}

// Command runs a program that needs the terminal for itself, such as an editor.
// It has the methods of Bubble Tea's ExecCommand: give it to tea.Exec, and not
// the exec.Cmd to tea.ExecProcess, which would hand the program a pipe in place
// of the terminal. Standard input, output and error of the program are the
// terminal's where they were not set.
func (t *Terminal) Command(c *exec.Cmd) *Command {
	return &Command{t: t, cmd: c}
}

// A Command is a program that has the terminal while it runs.
type Command struct {
	t   *Terminal
	cmd *exec.Cmd
}

// SetStdin is there for tea.Exec; its reader is not the terminal and not used.
func (c *Command) SetStdin(io.Reader) {}

// SetStdout sets the program's standard output if it was not set.
func (c *Command) SetStdout(w io.Writer) {
	if c.cmd.Stdout == nil {
		c.cmd.Stdout = w
	}
}

// SetStderr sets the program's standard error if it was not set.
func (c *Command) SetStderr(w io.Writer) {
	if c.cmd.Stderr == nil {
		c.cmd.Stderr = w
	}
}

// Run gives the terminal to the program and takes it back when that has ended.
// Ctrl+C is the program's meanwhile: it does not end this process, unless that
// handles it elsewhere.
func (c *Command) Run() error {
	if err := c.t.Suspend(); err != nil {
		return err
	}
	c.t.mu.Lock()
	if file := c.t.file; c.cmd.Stdin == nil && file != nil {
		c.cmd.Stdin = file
	}
	c.t.mu.Unlock()
	keyboard := make(chan os.Signal, 1)
	signal.Notify(keyboard, syscall.SIGINT, syscall.SIGQUIT)
	c.t.lent.Store(true)
	err := c.cmd.Run()
	c.t.lent.Store(false)
	signal.Stop(keyboard)
	if back := c.t.Resume(); back != nil {
		return back
	}
	return err
}
