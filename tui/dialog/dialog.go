// Package dialog provides the overlays of the transcript: questions, lists, readers and the help. Only the innermost
// dialog receives keys, and Esc closes it. A dialog that the user did not open takes no key but Esc in its first half
// second. Typed text goes to the composer, or to the field of a dialog that has one. While no text is being written,
// the letters shown in a dialog select its choices, and readers scroll by the letters of pagers. While the user goes
// through the parts of a change, letters mark parts and Enter confirms; any other letter starts a text.
package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/keys"
)

// Settle is the time for which a dialog that the user did not open takes no keys.
const Settle = 500 * time.Millisecond

// Settling is the time from which keys are accepted; earlier ones were meant for something else. The zero value
// accepts all.
type Settling struct{ from time.Time }

// Settles returns a Settling that begins now.
func Settles(now time.Time) Settling { return Settling{now.Add(Settle)} }

// Early reports whether a key was pressed before the keyboard was idle for Settle. If so, the wait restarts.
func (s *Settling) Early(now time.Time) bool {
	if !now.Before(s.from) {
		return false
	}
	*s = Settles(now)
	return true
}

// Outcome is the effect of a key on a dialog.
type Outcome struct {
	Result any  // the decision, or nil
	Closed bool // the dialog is done
	Typed  bool // the key is text and belongs to the composer
}

// Dialog is an overlay.
type Dialog interface {
	Key(k tea.KeyPressMsg) Outcome
	// Lines draws the dialog, at most width cells wide and height lines high.
	Lines(width, height int) []string
}

// Writer is a dialog that may take text.
type Writer interface {
	// Writes reports whether the dialog takes text now.
	Writes() bool
}

// Yielding is a dialog that leaves keys to the text being written below it.
type Yielding interface {
	// Follow updates whether a text is being written, and reports whether the dialog gets its keys back.
	Follow(writing bool) bool
	// Aside leaves keys to the text from now on.
	Aside()
	// Ready sets whether the dialog takes keys; it looks different while it does not.
	Ready(bool)
}

// yields implements Yielding.
type yields struct {
	ready bool // takes keys
	aside bool // keys go to the text being written
}

// Ready implements Yielding.
func (y *yields) Ready(ready bool) { y.ready = ready }

// Aside implements Yielding.
func (y *yields) Aside() { y.aside = true }

// Follow implements Yielding.
func (y *yields) Follow(writing bool) bool {
	back := y.aside && !writing
	y.aside = y.aside && writing
	return back
}

// Stack holds the open dialogs, innermost last. The zero value is empty.
type Stack struct {
	open []entry
}

type entry struct {
	Dialog
	opened Settling
	hasty  Settling // early deciding keys were probably meant for the text just sent or cleared
}

// Push opens a dialog that the user asked for.
func (s *Stack) Push(d Dialog) { s.open = append(s.open, entry{Dialog: d}) }

// PushUnasked opens a dialog that takes keys only after Settle. Text goes elsewhere from the start.
func (s *Stack) PushUnasked(d Dialog, now time.Time) {
	s.open = append(s.open, entry{Dialog: d, opened: Settles(now)})
}

// Top returns the innermost dialog, or nil.
func (s *Stack) Top() Dialog {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1].Dialog
}

// Empty reports whether no dialog is open.
func (s *Stack) Empty() bool { return len(s.open) == 0 }

// Takes reports whether the innermost dialog takes keys.
func (s *Stack) Takes(now time.Time) bool {
	return len(s.open) > 0 && !now.Before(s.open[len(s.open)-1].opened.from)
}

// Wait restarts the wait of a dialog that does not take keys yet if the user is typing or holding a key down.
func (s *Stack) Wait(now time.Time, typing bool) {
	if n := len(s.open) - 1; n >= 0 && typing {
		s.open[n].opened.Early(now)
	}
}

// Follow updates whether a text is being written below the innermost dialog. Once the text is sent or cleared, the
// dialog gets its keys back, but deciding keys only after Settle, since they may be accidental.
func (s *Stack) Follow(writing bool, now time.Time) {
	if d, ok := s.Top().(Yielding); ok && d.Follow(writing) {
		s.open[len(s.open)-1].hasty = Settles(now)
	}
}

// Hasty reports whether a deciding key follows a text too soon to be meant for the innermost dialog. If so, the wait
// restarts.
func (s *Stack) Hasty(now time.Time) bool {
	n := len(s.open) - 1
	return n >= 0 && s.open[n].hasty.Early(now)
}

// Writes reports whether the innermost dialog takes text.
func (s *Stack) Writes() bool {
	w, ok := s.Top().(Writer)
	return ok && w.Writes()
}

// Lines draws the innermost dialog, at most width cells wide and height lines high.
func (s *Stack) Lines(width, height int, now time.Time) []string {
	if len(s.open) == 0 {
		return nil
	}
	if d, ok := s.Top().(Yielding); ok {
		d.Ready(s.Takes(now))
	}
	return s.Top().Lines(width, height)
}

// Remove closes a dialog anywhere in the stack.
func (s *Stack) Remove(d Dialog) {
	for i, e := range s.open {
		if e.Dialog == d {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			return
		}
	}
}

// Key passes a key to the innermost dialog and closes the dialog if it is done. Letters that come too early are text.
func (s *Stack) Key(k tea.KeyPressMsg, now time.Time) Outcome {
	if len(s.open) == 0 {
		return Outcome{}
	}
	n := len(s.open) - 1
	if _, text := keys.Text(k); text && !s.Writes() && (!s.Takes(now) || now.Before(s.open[n].hasty.from)) {
		if d, ok := s.open[n].Dialog.(Yielding); ok {
			d.Aside()
			return Outcome{Typed: true}
		}
	}
	out := s.open[n].Key(k)
	if out.Closed {
		s.open = append(s.open[:n], s.open[n+1:]...)
	}
	return out
}
