//go:build unix

package tty

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// Continuable says whether somebody would be there to continue this process were it suspended: a
// shell with job control. There is none where the process is in the group of the session's leader,
// as with `kitty -e`, `ssh -t host chatvault`, in a container, or after exec; or where the shell
// above it is gone. The kernel would not even stop such a process, which would wait for ever.
func (t *Terminal) Continuable() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return true
	}
	above, err := unix.Getsid(os.Getppid())
	if err != nil {
		above = session // not ours to know
	}
	return continuable(session, syscall.Getpgrp(), above)
}

// continuable is Continuable, from the session, the process group and the parent's session.
func continuable(session, group, parents int) bool { return group != session && parents == session }

// notifyContinued has c told when the process goes on after it was stopped.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// Suspension stops the process group until the shell continues it, as Ctrl+Z does elsewhere: give it to tea.Exec.
func (t *Terminal) Suspension() tea.ExecCommand { return suspension{} }

type suspension struct{}

func (suspension) SetStdin(io.Reader)  {}
func (suspension) SetStdout(io.Writer) {}
func (suspension) SetStderr(io.Writer) {}

func (suspension) Run() error {
	settle()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	<-continued
	return nil
}

// more reports whether there is something to read within a while. It selects: on macOS, polling knows no terminals.
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
