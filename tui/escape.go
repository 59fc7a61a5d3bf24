package tui

import "time"

// escAction is what Esc does.
type escAction int

const (
	escNothing escAction = iota
	escCloseDialog
	escStop
)

// escape decides what Esc does, the innermost thing first.
func escape(dialogOpen, running, stopping bool) escAction {
	switch {
	case dialogOpen:
		return escCloseDialog
	case running && !stopping:
		return escStop
	}
	return escNothing
}

// quitWindow is how soon a second Ctrl+C must follow to quit.
const quitWindow = 2 * time.Second

// ctrlCAction is what Ctrl+C does.
type ctrlCAction int

const (
	ctrlCClear ctrlCAction = iota // clear the composer, if there is anything, and say how to quit
	ctrlCQuit
	ctrlCForce // quit without waiting for the turn to stop
)

// ctrlC decides what Ctrl+C does: since is the time since the last one, negative
// when there was none.
func ctrlC(since time.Duration, leaving bool) ctrlCAction {
	switch {
	case leaving:
		return ctrlCForce
	case since >= 0 && since <= quitWindow:
		return ctrlCQuit
	}
	return ctrlCClear
}
