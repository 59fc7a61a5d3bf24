// Package dialog is what lies over the transcript for a while: questions to
// decide and the help. It promises that the innermost dialog alone gets the keys,
// that Esc closes it, that one which appeared unasked takes no key but Esc in its first half
// second, and that what is typed is text, and goes where text goes: to the composer, or into the
// field of a dialog that has one. While nothing is being written, letters that a dialog shows
// decide, or open something more, and what is read scrolls by those of pagers.
// Where the user asked to go through the parts of a change, letters mark them, and
// Enter to confirm; letters that turn out to be a text's are that text's.
package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/tui/keys"
)

// Settle is how long a dialog that appeared unasked takes no key.
const Settle = 500 * time.Millisecond

// Outcome is what a key did to a dialog.
type Outcome struct {
	Result any  // the decision; nil if there is none
	Closed bool // the dialog is done
	Typed  bool // the key is text, which is not for the dialog
	// Before is, with Typed, the text before it that the dialog had taken for its own keys.
	Before string
}

// Dialog is one overlay.
type Dialog interface {
	// Key handles a key.
	Key(k tea.KeyPressMsg) Outcome
	// Lines draws it, at most width cells wide and height lines high.
	Lines(width, height int) []string
}

// Writer is a dialog that text may be for.
type Writer interface {
	// Writes reports whether the dialog takes text now.
	Writes() bool
}

// Yielding is a dialog that leaves the keys to a text that is written below it.
type Yielding interface {
	// Follow notes whether a text is being written, and reports whether the dialog gets its keys back.
	Follow(writing bool) bool
	// Aside leaves the keys to the text from here on.
	Aside()
	// Ready sets whether it takes keys; it looks different while it takes none.
	Ready(bool)
}

// yields is the part of a dialog that leaves keys to a text.
type yields struct {
	ready bool // takes keys by now
	aside bool // a text is written: keys are that text's
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

// Stack holds the open dialogs, the innermost last. The zero value is empty.
type Stack struct {
	open []entry
}

type entry struct {
	Dialog
	from  time.Time // takes keys from then on
	hasty time.Time // before that, a key that decides was meant for a text that is gone
}

// Push opens a dialog the user asked for.
func (s *Stack) Push(d Dialog) { s.open = append(s.open, entry{Dialog: d}) }

// PushUnasked opens a dialog that takes keys only after Settle. Text is passed
// on from the start.
func (s *Stack) PushUnasked(d Dialog, now time.Time) {
	s.open = append(s.open, entry{Dialog: d, from: now.Add(Settle)})
}

// Top is the innermost dialog, nil when there is none.
func (s *Stack) Top() Dialog {
	if len(s.open) == 0 {
		return nil
	}
	return s.open[len(s.open)-1].Dialog
}

// Empty reports whether no dialog is open.
func (s *Stack) Empty() bool { return len(s.open) == 0 }

// Takes reports whether the innermost dialog takes keys yet.
func (s *Stack) Takes(now time.Time) bool {
	return len(s.open) > 0 && !now.Before(s.open[len(s.open)-1].from)
}

// Wait makes a dialog that takes no keys yet wait a whole Settle more where the user is typing,
// or holds a key down.
func (s *Stack) Wait(now time.Time, typing bool) {
	if n := len(s.open) - 1; n >= 0 && typing && !s.Takes(now) {
		s.open[n].from = now.Add(Settle)
	}
}

// Follow notes whether a text is being written below the innermost dialog. Once the text was sent or cleared, the dialog
// gets its keys back, those that decide only after Settle: they may be one too many.
func (s *Stack) Follow(writing bool, now time.Time) {
	if d, ok := s.Top().(Yielding); ok && d.Follow(writing) {
		s.open[len(s.open)-1].hasty = now.Add(Settle)
	}
}

// Hasty reports whether a deciding key follows a text too closely to be meant for the innermost dialog. If so, the
// wait starts again.
func (s *Stack) Hasty(now time.Time) bool {
	n := len(s.open) - 1
	if n < 0 || !now.Before(s.open[n].hasty) {
		return false
	}
	s.open[n].hasty = now.Add(Settle)
	return true
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

// Remove closes a dialog, wherever it is.
func (s *Stack) Remove(d Dialog) {
	for i, e := range s.open {
		if e.Dialog == d {
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			return
		}
	}
}

// Key gives a key to the innermost dialog and closes it when it is done. Letters that come too early are
// a text's.
func (s *Stack) Key(k tea.KeyPressMsg, now time.Time) Outcome {
	if len(s.open) == 0 {
		return Outcome{}
	}
	n := len(s.open) - 1
	if _, text := keys.Text(k); text && !s.Writes() && (!s.Takes(now) || now.Before(s.open[n].hasty)) {
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
