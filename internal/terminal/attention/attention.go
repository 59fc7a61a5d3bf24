// Package attention tells a person who looks elsewhere, by way of the terminal: a notification or
// the bell, the window's title, the progress that a taskbar or a tab shows.
//
// It promises that nothing is written that a terminal was not told to understand: notifications
// and progress go only to terminals that are known to show them, or where the user asked for them;
// that texts are made safe and short; that each thing is written whole, in one write, so that it
// can stand between the frames of a screen; and that End leaves the title as it was and no progress
// behind, however often it is called.
package attention

import (
	"io"
	"strings"
	"sync"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// Control sequences.
const (
	bell      = "\a"
	st        = "\x1b\\"
	pushTitle = "\x1b[22;0t" // XTWINOPS: the icon's and the window's title onto a stack
	popTitle  = "\x1b[23;0t"
)

// maxText bounds a notification, in characters: what systems show of one.
const maxText = 120

// State is what a window shows of what goes on in it.
type State int

// The states.
const (
	Idle    State = iota
	Working       // a turn runs
	Waiting       // for the user: a question, a change to allow
)

// Terminal is one that can be asked to draw attention. Title, Show and Tell only note what is to
// be written and never wait; Flush writes it, in order. Its methods may be called from several
// goroutines.
type Terminal struct {
	out io.Writer
	can Abilities

	mu     sync.Mutex
	began  bool
	title  string
	state  State  // as the progress shows it
	queued string // noted and not written yet
	told   []string

	writing sync.Mutex // taken before mu; guards can.Passes, too: nil where tmux was asked
}

// New makes one of a terminal that is written to through out. Nothing is written yet.
func New(out io.Writer, can Abilities) *Terminal {
	return &Terminal{out: out, can: can}
}

// Use has the user told in another way from now on; what else the terminal can stays as it was.
func (t *Terminal) Use(can Abilities) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.can.Way, t.can.Passes = can.Way, can.Passes
}

// Begin keeps the window's title, to be put back by End. A second Begin does nothing.
func (t *Terminal) Begin() {
	t.mu.Lock()
	if !t.began && t.can.Title {
		t.queued += pushTitle
	}
	t.began = true
	t.mu.Unlock()
	t.Flush()
}

// End puts the window's title back and takes the progress away, after which nothing is written
// until the next Begin.
func (t *Terminal) End() {
	t.mu.Lock()
	if t.began {
		if t.state != Idle {
			t.queued += progress(Idle)
		}
		if t.can.Title {
			// Where there is no stack an empty title is better than ours: the shell sets its own.
			t.queued += title("") + popTitle
		}
	}
	t.began, t.state = false, Idle
	t.mu.Unlock()
	t.Flush()
}

// Again is Begin after another program had the terminal, since End: the title is set once more.
func (t *Terminal) Again() {
	t.Begin()
	t.mu.Lock()
	text := t.title
	t.mu.Unlock()
	t.Title(text)
	t.Flush()
}

// Title sets the window's title.
func (t *Terminal) Title(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title = terminal.Title(text)
	if t.began && t.can.Title {
		t.queued += title(t.title)
	}
}

// Show shows a state where the terminal shows progress. Some take it back after a few seconds: a
// state that lasts is to be shown again.
func (t *Terminal) Show(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began && t.can.Progress && (s != Idle || t.state != Idle) {
		t.state = s
		t.queued += progress(s)
	}
}

// Tell notifies the user of text, by the way that was chosen.
func (t *Terminal) Tell(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began && t.can.Way != Silent {
		t.told = append(t.told, text)
	}
}

// Flush writes what was noted. It waits for a terminal that takes nothing.
func (t *Terminal) Flush() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	s, told, way := t.queued, t.told, t.can.Way
	t.queued, t.told = "", nil
	t.mu.Unlock()
	if len(told) > 0 && t.can.Passes != nil { // here, because asking takes its time
		if !t.can.Passes() {
			way = Bell // which tmux hands on in any case
		}
		t.mu.Lock()
		t.can.Way, t.can.Passes = way, nil
		t.mu.Unlock()
	}
	for _, text := range told {
		s += notification(way, text)
	}
	if s != "" {
		_, _ = io.WriteString(t.out, s) // a terminal that is gone needs no telling
	}
}

// Pending says whether there is something to flush.
func (t *Terminal) Pending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queued != "" || len(t.told) > 0
}

func title(text string) string { return "\x1b]2;" + text + bell }

// progress is OSC 9;4, ConEmu's: state 3 is busy without an end in sight, 4 is paused.
func progress(s State) string {
	return "\x1b]9;4;" + [...]string{Idle: "0;0", Working: "3;0", Waiting: "4;100"}[s] + st
}

// notification is what is written to tell of text. It begins with a word, so that no part of it is
// read as one of the commands that OSC 9 has, too.
func notification(w Way, text string) string {
	osc := "\x1b]9;chatvault: " + short(text)
	switch w {
	case Bell:
		return bell
	case OSC9:
		return osc + bell
	case OSC9Tmux:
		// tmux passes it to the terminal outside; each Esc within is doubled.
		return "\x1bPtmux;" + strings.ReplaceAll(osc, "\x1b", "\x1b\x1b") + bell + st
	}
	return ""
}

// short is text in one safe line of a bounded length.
func short(s string) string { return terminal.Line(text.Excerpt(s, maxText)) }
