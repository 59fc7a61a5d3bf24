package tty

import "os"

// Continuable reports false: there is no job control.
func (t *Terminal) Continuable() bool { return false }

// notifyContinued does nothing: no process is stopped.
func notifyContinued(chan<- os.Signal) {}
