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

// Continuable reports whether a shell with job control could continue this process if it were suspended. There is
// none if the process is in the process group of the session leader, as with `kitty -e`, `ssh -t host chatvault`, in
// a container or after exec, or if the parent shell is gone. The kernel does not stop such a process, so waiting for
// SIGCONT would never end.
func (t *Terminal) Continuable() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return true
	}
	above, err := unix.Getsid(os.Getppid())
	if err != nil {
		above = session // not permitted to ask
	}
	return continuable(session, syscall.Getpgrp(), above)
}

// continuable implements Continuable for a session, a process group and the parent's session.
func continuable(session, group, parents int) bool { return group != session && parents == session }

// notifyContinued sends to c when the process continues after being stopped.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// Suspension returns a command for tea.Exec that stops the process group until the shell continues it, like Ctrl+Z.
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
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	<-continued
	return nil
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
