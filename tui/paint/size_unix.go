//go:build unix

package paint

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyChanged has c told when the terminal's size changes, and when the process goes on after it
// was stopped.
func notifyChanged(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH, syscall.SIGCONT) }

// continued says that the process goes on.
func continued(s os.Signal) bool { return s == syscall.SIGCONT }

// sizePoll is 0: nobody need look.
const sizePoll = 0
