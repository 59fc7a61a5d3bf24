package session_test

import (
	"fmt"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// A front-end renders a State and applies each event to it.
func ExampleState_Apply() {
	var s session.State
	turn := event.Meta{TurnID: "t1"}
	for _, e := range []event.Event{
		event.Received{Message: event.Inbound{ID: "m1", Text: "Which beds need water?"}},
		event.TurnStarted{Meta: turn, MessageIDs: []string{"m1"}, Provider: "offline"},
		event.AgentMessage{Meta: turn, Content: "Which garden?", IsQuestion: true, Options: []string{"Front", "Back"}},
		event.TurnFinished{Meta: turn, ConversationID: "c1"},
	} {
		s.Apply(e)
		fmt.Printf("busy: %t, waiting: %d, question: %q\n", s.Busy(), len(s.Pending), s.Question.Text)
	}
	// Output:
	// busy: true, waiting: 1, question: ""
	// busy: true, waiting: 0, question: ""
	// busy: true, waiting: 0, question: "Which garden?"
	// busy: false, waiting: 0, question: "Which garden?"
}

// All commands come from one table; those without an action are not offered.
func ExampleCommands() {
	here := func(v string) bool { return v == "help" }
	for _, c := range session.CommandsFor(session.Commands(), &session.Actions{}, here, false) {
		if c.Name == "help" || c.Name == "goal" {
			fmt.Printf("/%s: %s\n", c.Name, c.Does)
		}
	}
	// Output:
	// /help: keys and commands
}
