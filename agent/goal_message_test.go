package agent

import (
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
)

// A goal that is set while a plan or another question waits stands on its own: it is no answer.
func TestGoalDoesNotAnswerAQuestion(t *testing.T) {
	for _, plan := range []bool{true, false} {
		h, model := toward(t, state(t), []reply{use(sendMessage, `{"message":"Which?","is_question":true}`), write, say("All have tags.")}, []reply{say("MET: yes")}, nil)
		m := event.Inbound{Text: "tidy up"}
		if plan {
			h.model.replies[0] = say("1. Sort")
			m.Mode = event.ModePlan
		}
		h.submit(m)
		if f := wait[event.TurnFinished](h); !f.IsWaitingForResponse {
			t.Fatalf("%+v", f)
		}
		h.set("every note has tags")
		h.goal(event.GoalMet)
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
		message event.Inbound // beside the goal's first turn, which is done; without text the goal's own is lost
		resumes bool
		change  func(*Options)
	}{
		{name: "its own", resumes: true},
		{name: "its own, in another conversation", resumes: true, change: func(o *Options) { o.NewConversation = true }},
		{name: "one of its conversation", message: event.Inbound{Text: "begin with a.md"}, resumes: true},
		{name: "one of another conversation", message: event.Inbound{Text: "begin with a.md"}, change: func(o *Options) { o.NewConversation = true }},
		{name: "a plan", message: event.Inbound{Text: "begin with a.md", Mode: event.ModePlan}},
		{name: "another program's", message: event.Inbound{Text: "begin with a.md", Source: event.SourceWebSocket}},
	} {
		root := state(t)
		first := []reply{hang}
		if c.message.Text != "" {
			first = []reply{say("Begun."), hang}
		}
		h, _ := toward(t, root, first, []reply{hang}, nil)
		h.set("tag all notes")
		if c.message.Text != "" {
			wait[event.TurnFinished](h)
			h.submit(c.message)
		}
		h.until(func(e event.Event) bool { d, ok := e.(event.TextDelta); return ok && strings.Contains(d.Text, "begun") })
		h.stop()

		h, _ = toward(t, root, []reply{say("Done.")}, []reply{say("MET: done")}, c.change)
		pending, warnings, err := h.Recover()
		if err != nil || len(warnings) > 0 || len(pending) != 1 {
			t.Fatalf("%s: %+v, %v, %v", c.name, pending, warnings, err)
		}
		if err := h.Retry(pending[0].ID); err != nil {
			t.Fatal(err)
		}
		wait[event.TurnFinished](h)
		h.idle()
		if g := h.Goal(); (g.Status == event.GoalMet) != c.resumes || !c.resumes && g.Status != event.GoalPaused {
			t.Errorf("%s: %+v", c.name, g)
		}
	}
}
