//go:build unix

package tty

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// notifyContinued sends to c when the process continues after being stopped.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// Suspension returns a command for tea.Exec that stops the process group until the shell continues it, like Ctrl+Z. The
// kernel stops no process group that no shell could continue, as with `kitty -e` or `ssh -t host chatvault`.
func (t *Terminal) Suspension() tea.ExecCommand { return suspension{stop: true} }

// Refresh returns a command for tea.Exec that does nothing, so that Bubble Tea sets the terminal's modes again.
func (t *Terminal) Refresh() tea.ExecCommand { return suspension{} }

type suspension struct {
	direct
	stop bool
}

func (s suspension) Run() error {
	if settle(); !s.stop {
		return nil
	}
	err := syscall.Kill(0, syscall.SIGTSTP)
	settle() // the process is stopped during this
	return err
}

// more reports whether input arrives within the given time. It uses select because poll does not support terminals on
// macOS.
func more(f *os.File, within time.Duration) bool {
	for end := time.Now().Add(within); ; {
		var set unix.FdSet
		set.Set(int(f.Fd()))
		left := unix.NsecToTimeval(max(time.Until(end), 0).Nanoseconds())
		if n, err := unix.Select(int(f.Fd())+1, &set, nil, nil, &left); err != unix.EINTR {
			return n > 0
		}
	}
}
