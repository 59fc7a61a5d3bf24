package tui

import "time"

// escAction is what Esc does.
type escAction int

const (
	escNothing escAction = iota
	escCloseDialog
	escStop
)

// escape decides what Esc does, the innermost thing first. A dialog that takes keys closes
// before anything is stopped: closing one that asks for consent, a key or a setting denies it,
// and the turn goes on. One that takes no keys yet was not there when Esc was meant: while
// something runs, a turn, a check of the goal or a summary, that is what stops.
func escape(dialogOpen, takesKeys, running, stopping bool) escAction {
	switch {
	case dialogOpen && takesKeys:
		return escCloseDialog
	case running && !stopping:
		return escStop
	case dialogOpen && !running:
		return escCloseDialog
	}
	return escNothing
}

// quitWindow is how soon the second press of a key that quits must follow the first.
const quitWindow = 2 * time.Second

// quitAction is what a key that quits does.
type quitAction int

const (
	quitAsk   quitAction = iota // say that the same key quits
	quitLeave                   // leave
	quitForce                   // leave without waiting for what is being saved
)

// quitting decides what such a key does: since is the time since the same key was pressed
// last, with none between; negative when it was not.
func quitting(since time.Duration, leaving bool) quitAction {
	switch {
	case leaving:
		return quitForce
	case since >= 0 && since <= quitWindow:
		return quitLeave
	}
	return quitAsk
}
