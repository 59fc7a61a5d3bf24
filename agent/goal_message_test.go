package agent

import (
	"slices"
	"strings"
	"testing"
)

// A goal that is set while a plan or another question waits stands on its own: it is no answer.
func TestGoalIsNoAnswer(t *testing.T) {
	for _, plan := range []bool{true, false} {
		h, model := pursuing(t, state(t), []reply{use(sendMessage, `{"message":"Which?","is_question":true}`), write, say("All have tags.")}, []reply{say("MET: yes")}, nil)
		m := Inbound{Text: "tidy up"}
		if plan {
			h.model.replies[0] = say("1. Sort")
			m.Mode = ModePlan
		}
		h.submit(m)
		if f := wait[TurnFinished](h); !f.IsWaitingForResponse {
			t.Fatalf("%+v", f)
		}
		h.set("every note has tags")
		h.goal(GoalMet)
		call := model.calls()[1]
		if c := context1(call); strings.Contains(c, "You had asked") || strings.Contains(c, "plan") || !strings.Contains(c, "every note has tags") {
			t.Errorf("plan %v: told %q", plan, c)
		}
		if !slices.Contains(offered(call), "write_file") {
			t.Errorf("plan %v: offered %v", plan, offered(call))
		}
	}
}

// A message that is tried again after a restart resumes the goal like one that is typed: the
// goal's own, and any of its conversation; one of another conversation, or a plan, does not.
func TestGoalIsResumedByARetry(t *testing.T) {
	for _, c := range []struct {
		name    string
		message Inbound // beside the goal's first turn, which is done; without text the goal's own is lost
		resumes bool
		change  func(*Options)
	}{
		{name: "its own", resumes: true},
		{name: "its own, in another conversation", resumes: true, change: func(o *Options) { o.NewConversation = true }},
		{name: "one of its conversation", message: Inbound{Text: "begin with a.md"}, resumes: true},
		{name: "one of another conversation", message: Inbound{Text: "begin with a.md"}, change: func(o *Options) { o.NewConversation = true }},
		{name: "a plan", message: Inbound{Text: "begin with a.md", Mode: ModePlan}},
		{name: "another program's", message: Inbound{Text: "begin with a.md", Source: SourceWebSocket}},
	} {
		root := state(t)
		first := []reply{hang}
		if c.message.Text != "" {
			first = []reply{say("Begun."), hang}
		}
		h, _ := pursuing(t, root, first, []reply{hang}, nil)
		h.set("tag all notes")
		if c.message.Text != "" {
			wait[TurnFinished](h)
			h.submit(c.message)
		}
		h.until(func(e Event) bool { d, ok := e.(TextDelta); return ok && strings.Contains(d.Text, "begun") })
		h.stop()

		h, _ = pursuing(t, root, []reply{say("Done.")}, []reply{say("MET: done")}, c.change)
		pending, warnings, err := h.Recover()
		if err != nil || len(warnings) > 0 || len(pending) != 1 {
			t.Fatalf("%s: %+v, %v, %v", c.name, pending, warnings, err)
		}
		if err := h.Retry(pending[0].ID); err != nil {
			t.Fatal(err)
		}
		wait[TurnFinished](h)
		h.idle()
		if g := h.Goal(); (g.Status == GoalMet) != c.resumes || !c.resumes && g.Status != GoalPaused {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}
