package tty

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Suspension returns nil because there is no job control.
func (t *Terminal) Suspension() tea.ExecCommand { return nil }

// Refresh returns nil because there is no job control.
func (t *Terminal) Refresh() tea.ExecCommand { return nil }

// notifyContinued does nothing because processes are not stopped.
func notifyContinued(chan<- os.Signal) {}

// more reports false because the console does not send keys as sequences.
func more(*os.File, time.Duration) bool { return false }
