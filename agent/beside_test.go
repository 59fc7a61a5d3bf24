package agent_test

import (
	"strings"
	"testing"

	"chatvault/agent"
	"chatvault/agent/event"
)

// While a turn waits for its user, the turns of another process continue, changes among them; what was waited
// for is done then, or refused if the note has changed since, and both turns are on record.
func TestTurnThatAsksDoesNotBlockOthers(t *testing.T) {
	one, _ := asked(t, []step{
		use("write_file", `{"path": "mine.md", "content": "mine\n"}`), say("Mine is written."),
		use("edit_file", `{"path": "a.md", "old_text": "alpha", "new_text": "omega"}`), say("It was refused."),
	})
	two, _ := askedIn(t, one.dir, []step{
		say("Hello."),
		use("write_file", `{"path": "theirs.md", "content": "theirs\n"}`), say("Theirs is written."),
		use("edit_file", `{"path": "a.md", "old_text": "alpha", "new_text": "beta"}`), say("Edited."),
	}, func(o *agent.Options) { o.Approval, o.Name = event.ApprovalOff, "other" })
	other := func(text, want string) {
		t.Helper()
		if f, ok := two.turn(t, text).(event.TurnFinished); !ok || f.Response != want {
			t.Fatalf("%+v", f)
		}
	}
	ended := func(want string) {
		t.Helper()
		if f := next[event.TurnFinished](t, one); f.Response != want {
			t.Errorf("%+v", f)
		}
	}
	other("hello", "Hello.")
	r := one.begin(t, "write mine")
	other("write theirs", "Theirs is written.")
	one.answer(t, r, event.Answer{Decision: event.AllowOnce})
	ended("Mine is written.")

	r = one.begin(t, "edit a")
	other("edit it, too", "Edited.")
	one.answer(t, r, event.Answer{Decision: event.AllowOnce})
	ended("It was refused.")
	turns, err := one.record()
	if err != nil || len(turns) != 5 {
		t.Fatalf("%d turns are on record, %v", len(turns), err)
	}
	refused := false
	for _, turn := range turns {
		for _, m := range turn.Messages {
			refused = refused || m.IsError && strings.Contains(m.Content, "changed")
		}
	}
	if !refused {
		t.Errorf("a change of a note that somebody else changed meanwhile was made: %+v", turns)
	}
}

// Two turns may wait for their users at once, and each goes on with its own answer.
func TestTwoTurnsAskAtOnce(t *testing.T) {
	one, _ := asked(t, []step{use("write_file", `{"path": "mine.md", "content": "mine\n"}`), say("Written.")})
	two, _ := askedIn(t, one.dir, []step{use("write_file", `{"path": "x.md", "content": "x\n"}`), say("Done.")})
	r := one.begin(t, "write mine")
	q := two.begin(t, "write x") // both wait, and neither holds the other up
	two.answer(t, q, event.Answer{Decision: event.AllowOnce})
	if f := next[event.TurnFinished](t, two); f.Response != "Done." {
		t.Errorf("%+v", f)
	}
	one.answer(t, r, event.Answer{Decision: event.AllowOnce})
	if f := next[event.TurnFinished](t, one); f.Response != "Written." {
		t.Errorf("%+v", f)
	}
}
