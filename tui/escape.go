package tui

import "time"

// escAction is what Esc does.
type escAction int

const (
	escNothing escAction = iota
	escCloseDialog
	escCloseFind // of words in what was said
	escCloseCompletion
	escLeaveRecall // the search in what was sent before
	escLeaveSelection
	escStop
	escLeaveEdit // the earlier message stays as it was
	escAgain     // what a second Esc does is said, or done
)

// escState is what Esc may be meant for.
type escState struct {
	dialog, takesKeys bool // one is open; it takes keys by now
	finding           bool // words are looked for in what was said
	completing        bool // something is offered for a name that is being written
	recalling         bool // what was sent before is searched
	selecting         bool // something in the transcript
	running, stopping bool // a turn, a check of the goal, a summary, a way back in the conversation
	editing           bool // an earlier message
	written           bool // something stands in the composer
}

// escape decides what Esc does, the innermost thing first. A dialog that takes keys closes
// before anything is stopped: closing one that asks for consent, a key or a setting denies it,
// and the turn goes on. One that takes no keys yet was not there when Esc was meant: while
// something runs, that is what stops. What is selected in the transcript is let go of first, too:
// the status line says so. An earlier message is left as it was when nothing runs:
// nobody who wants to stop a turn has to leave something first.
func escape(s escState) escAction {
	switch {
	case s.dialog && s.takesKeys:
		return escCloseDialog
	case s.finding && !s.dialog:
		return escCloseFind
	case s.completing && !s.dialog:
		return escCloseCompletion
	case s.recalling && !s.dialog:
		return escLeaveRecall
	case s.selecting && !s.dialog:
		return escLeaveSelection
	case s.running && !s.stopping:
		return escStop
	case s.dialog && !s.running:
		return escCloseDialog
	case s.dialog || s.running || s.stopping:
		return escNothing
	case s.editing:
		return escLeaveEdit
	case !s.written:
		return escAgain
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
