package agent

import (
	"context"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

// A goal belongs to its conversation: another one pauses it, and what is said there neither
// works toward it nor resumes it; the user can, and then it goes on there.
func TestGoalsStayInTheirConversation(t *testing.T) {
	root := state(t)
	asks := use(sendMessage, `{"message":"Which?","is_question":true}`)
	h, model := toward(t, root, []reply{asks, say("Hello."), say("Again."), say("Tagged.")}, []reply{say("MET: yes")}, nil)
	h.set("tag all")
	first := wait[event.TurnFinished](h)
	if g := h.goals.goal.Load(); g.Conversation != first.ConversationID || !g.InProgress() {
		t.Fatalf("%+v", g)
	}
	h.NewConversation()
	h.send("hello")
	if g := h.goal(event.GoalPaused); g.Why != goal.WhyNew {
		t.Errorf("%+v", g)
	}
	second := wait[event.TurnFinished](h)
	h.send("and again")
	wait[event.TurnFinished](h)
	if g := h.Goal(); g.Status != event.GoalPaused || second.ConversationID == first.ConversationID {
		t.Errorf("%+v", g)
	}
	for _, c := range model.calls()[1:] {
		if m := c.Messages[len(c.Messages)-1]; strings.Contains(m.Context, "Goal (") {
			t.Errorf("told of the goal: %q", m.Context)
		}
	}
	if err := h.ResumeGoal(); err != nil {
		t.Fatal(err)
	}
	h.goal(event.GoalMet)
	if g := h.goals.goal.Load(); g.Conversation != second.ConversationID {
		t.Errorf("resumed in %q", g.Conversation)
	}
}

// Which conversation it is survives a restart: the next message there resumes it, one elsewhere
// does not.
func TestGoalsKeepTheirConversation(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		root := state(t)
		h, _ := toward(t, root, []reply{say("One is tagged.")}, []reply{say("NOT MET: two are left")}, func(o *Options) { o.GoalMaxTurns = 1 })
		h.set("tag all")
		h.goal(event.GoalPaused)
		h.stop()
		next, _ := toward(t, root, []reply{say("ok")}, []reply{say("MET: yes")}, func(o *Options) { o.NewConversation = elsewhere })
		next.send("go on")
		wait[event.TurnFinished](next)
		next.idle()
		if got := next.Goal().Status; (got == event.GoalPaused) != elsewhere {
			t.Errorf("elsewhere %v: %s", elsewhere, got)
		}
	}
}

// The agent that ends the conversation gives up the goal until the user says otherwise.
func TestGoalOfAConversationThatTheAgentEnds(t *testing.T) {
	k := talking(t, state(t), []reply{goodbye, say("Bye."), say("Hello.")}, nil, nil)
	k.set("tag all")
	if g := k.goal(event.GoalPaused); g.Why != goal.WhyAgent {
		t.Errorf("%+v", g)
	}
	wait[event.TurnFinished](k.harness)
	k.idle()
	k.ask("hello")
	if g := k.Goal(); g.Status != event.GoalPaused {
		t.Errorf("%+v", g)
	}
	if n := len(k.model.calls()); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// While the agent works toward a goal the user wants another conversation, or another process
// begins one: then it does not go on by itself, and there is no check of it either.
func TestGoalEndsWithItsConversation(t *testing.T) {
	for _, by := range []string{"the user", "another process"} {
		root := state(t)
		var h *harness
		last := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if by == "the user" {
				h.NewConversation()
			}
			say("Tagged one.")(ctx, req, yield)
		}
		var model *checker
		h, model = toward(t, root, []reply{say("Hello."), last}, []reply{say("NOT MET: more")}, func(o *Options) {
			o.step = func(step string) {
				if step != "removed" || by == "the user" || len(model.calls()) < 2 {
					return
				}
				m := conversation.NewManager(root, conversation.Options{})
				if _, err := m.End(time.Now(), "new"); err != nil {
					t.Error(err)
				}
				c, _, err := m.Begin("", time.Now())
				if err == nil {
					err = m.Append(c.ID, conversation.Turn{ID: "other", Started: time.Now(), Ended: time.Now()})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		h.send("hello")
		wait[event.TurnFinished](h)
		h.set("tag all")
		if g := h.goal(event.GoalPaused); g.Why != goal.WhyNew {
			t.Errorf("by %s: %+v", by, g)
		}
		h.idle()
		if checks, turns := len(model.checks.calls()), len(model.calls()); checks != 0 || turns != 2 {
			t.Errorf("by %s: %d checks, %d turns", by, checks, turns)
		}
	}
}
