// Package attention draws the user's attention through the terminal: a notification or the bell, the window title,
// and the progress shown in a taskbar or tab.
//
// It guarantees that notifications and progress are written only to terminals known to show them, or if the user
// asked for them; that texts are made safe and short; that each sequence is written whole, in one write, so that it
// can stand between two frames; and that End restores the title and clears the progress, however often it is called.
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
	pushTitle = "\x1b[22;0t" // XTWINOPS: push the icon and window titles
	popTitle  = "\x1b[23;0t"
)

// maxText bounds a notification, in characters; systems show about this much.
const maxText = 120

// State is the activity shown as progress.
type State int

// The states.
const (
	Idle    State = iota
	Working       // a turn is running
	Waiting       // the user must answer a question or approve a change
)

// Terminal writes attention sequences. Title, Show and Tell queue and never block; Flush writes the queue, oldest
// first. It is safe for concurrent use.
type Terminal struct {
	out io.Writer
	can Abilities

	mu            sync.Mutex
	began         bool
	title         string
	state         State  // last progress shown
	queued        string // not yet written
	notifications []string

	writing sync.Mutex // acquired before mu; also guards can.Passes, which is nil once tmux was asked
}

// New returns a Terminal that writes to out. It writes nothing yet.
func New(out io.Writer, can Abilities) *Terminal {
	return &Terminal{out: out, can: can}
}

// Use replaces the notification channel; other abilities are unchanged.
func (t *Terminal) Use(can Abilities) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.can.Way, t.can.Passes = can.Way, can.Passes
}

// Begin saves the window title for End to restore. A second Begin does nothing.
func (t *Terminal) Begin() {
	t.mu.Lock()
	if !t.began && t.can.Title {
		t.queued += pushTitle
	}
	t.began = true
	t.mu.Unlock()
	t.Flush()
}

// End restores the window title and clears the progress. Nothing more is written until the next Begin.
func (t *Terminal) End() {
	t.mu.Lock()
	if t.began {
		if t.state != Idle {
			t.queued += progress(Idle)
		}
		if t.can.Title {
			// If the terminal has no title stack, an empty title lets the shell set its own.
			t.queued += title("") + popTitle
		}
	}
	t.began, t.state = false, Idle
	t.mu.Unlock()
	t.Flush()
}

// Again resumes after another program used the terminal: it calls Begin and sets the last title again.
func (t *Terminal) Again() {
	t.Begin()
	t.mu.Lock()
	text := t.title
	t.mu.Unlock()
	t.Title(text)
	t.Flush()
}

// Title queues a new window title.
func (t *Terminal) Title(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.title = terminal.Title(text)
	if t.began && t.can.Title {
		t.queued += title(t.title)
	}
}

// Show queues a progress state if the terminal supports progress. Some terminals clear it after a few seconds, so
// callers repeat a lasting state.
func (t *Terminal) Show(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began && t.can.Progress && (s != Idle || t.state != Idle) {
		t.state = s
		t.queued += progress(s)
	}
}

// Tell queues a notification.
func (t *Terminal) Tell(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.began && t.can.Way != Silent {
		t.notifications = append(t.notifications, text)
	}
}

// Flush writes the queue. It may block while the terminal accepts no output.
func (t *Terminal) Flush() {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	s, told, way := t.queued, t.notifications, t.can.Way
	t.queued, t.notifications = "", nil
	t.mu.Unlock()
	if len(told) > 0 && t.can.Passes != nil { // queried here since it may take a while
		if !t.can.Passes() {
			way = Bell // tmux always forwards the bell
		}
		t.mu.Lock()
		t.can.Way, t.can.Passes = way, nil
		t.mu.Unlock()
	}
	for _, text := range told {
		s += notification(way, text)
	}
	if s != "" {
		_, _ = io.WriteString(t.out, s) // the terminal may be gone
	}
}

// Pending reports whether Flush has anything to write.
func (t *Terminal) Pending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queued != "" || len(t.notifications) > 0
}

func title(text string) string { return "\x1b]2;" + text + bell }

// progress returns ConEmu's OSC 9;4: state 3 is indeterminate, 4 is paused.
func progress(s State) string {
	return "\x1b]9;4;" + [...]string{Idle: "0;0", Working: "3;0", Waiting: "4;100"}[s] + st
}

// notification returns the sequence for text. The "chatvault: " prefix keeps text from being parsed as an OSC 9
// subcommand.
func notification(w Way, text string) string {
	osc := "\x1b]9;chatvault: " + short(text)
	switch w {
	case Bell:
		return bell
	case OSC9:
		return osc + bell
	case OSC9Tmux:
		// tmux's passthrough sequence: each ESC inside is doubled.
		return "\x1bPtmux;" + strings.ReplaceAll(osc, "\x1b", "\x1b\x1b") + bell + st
	}
	return ""
}

// short returns text as one safe line of bounded length.
func short(s string) string { return terminal.Line(text.Excerpt(s, maxText)) }
