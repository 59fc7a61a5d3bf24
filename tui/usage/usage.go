// Package usage says what the model calls have used: on the status line, and in tables. It notes what it
// is told, and asks nobody.
package usage

import "chatvault/agent/event"

// Usage is what the model calls have used: of the turn, the one that runs or ran last, and of the
// conversation. The zero value is nothing.
type Usage struct {
	Turn, Conversation event.Totals
	Context, Window    int    // tokens of the model's window that are taken, and all; 0: not known
	Turns              []Turn // of this conversation, since the start, the newest last
}

// Turn is what one turn has used.
type Turn struct {
	ID   string
	Text string // its first message
	event.Totals
}

// maxTurns is how many turns are told apart.
const maxTurns = 12

// Report notes what was used so far, by a turn that runs or ran; text is its first message.
func (u *Usage) Report(e event.UsageReported, runs bool, text func() string) {
	u.Turn, u.Conversation = e.Turn, e.Conversation
	if e.Window > 0 {
		u.Context, u.Window = e.Context, e.Window
	}
	if e.Turn.Calls == 0 || e.TurnID == "" && !runs {
		return
	}
	if n := len(u.Turns); n > 0 && u.Turns[n-1].ID == e.TurnID {
		u.Turns[n-1].Totals = e.Turn
		return
	}
	u.Turns = append(u.Turns, Turn{e.TurnID, text(), e.Turn})
	u.Turns = u.Turns[max(len(u.Turns)-maxTurns, 0):]
}

// NewConversation is after another conversation began.
func (u *Usage) NewConversation() { *u = Usage{Turn: u.Turn} }
