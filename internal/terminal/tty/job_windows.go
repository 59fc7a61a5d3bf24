package tty

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Continuable reports false: there is no job control.
func (t *Terminal) Continuable() bool { return false }

// Suspension returns nil: there is no job control.
func (t *Terminal) Suspension() tea.ExecCommand { return nil }

// notifyContinued does nothing: no process is stopped.
func notifyContinued(chan<- os.Signal) {}

// more reports false: the console does not write keys as sequences.
func more(*os.File, time.Duration) bool { return false }
