package tty

import (
	"os"
	"time"
)

// Continuable reports false: there is no job control.
func (t *Terminal) Continuable() bool { return false }

// notifyContinued does nothing: no process is stopped.
func notifyContinued(chan<- os.Signal) {}

// more reports false: the console does not write keys as sequences.
func more(*os.File, time.Duration) bool { return false }
