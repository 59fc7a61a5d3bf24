package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

func TestPlanFor(t *testing.T) {
	asked := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	turn := func(mode event.Mode, question string, plan, failed bool, text string) conversation.Turn {
		return conversation.Turn{
			Mode: string(mode), Question: question, Plan: plan, Failed: failed, Ended: asked(5),
			Messages: []conversation.Message{{Role: conversation.RoleUser, Content: text}, {Role: conversation.RoleAgent, IsQuestion: question != "", Time: asked(5)}},
		}
	}
	plan := turn(event.ModePlan, planQuestion, true, false, "sort my notes")
	clarify := turn(event.ModePlan, "Which folder?", false, false, "sort my notes")
	limit := turn(event.ModePlan, "", false, false, "sort my notes")
	plain := turn(event.ModeAct, "Which one?", false, false, "delete it")
	failedYes := turn(event.ModeAct, "", false, true, "1")
	failedRevision := turn(event.ModePlan, "", false, true, "shorter")
	queued := turn(event.ModeAct, "", false, false, "yes")
	queued.Messages[0].Time = asked(4)
	list := func(turns ...conversation.Turn) []conversation.Turn {
		for i := range turns {
			turns[i].ID = fmt.Sprint("t", i)
		}
		return turns
	}
	for _, c := range []struct {
		name     string
		turns    []conversation.Turn
		messages []string
		want     planStep
	}{
		{"a new conversation", nil, []string{"yes"}, planNone},
		{"another question", list(plain), []string{"1"}, planNone},
		{"approved by text", list(plan), []string{"Carry it out."}, planApprove},
		{"approved by number", list(plan), []string{"1"}, planApprove},
		{"approved in a word", list(plan), []string{"Yes!"}, planApprove},
		{"left by text", list(plan), []string{"leave it"}, planDeclined},
		{"left by number", list(plan), []string{"2"}, planDeclined},
		{"left in a word", list(plan), []string{"No"}, planDeclined},
		{"revised", list(plan), []string{"yes, but leave the drafts alone"}, planRevise},
		{"approved, with a word beside it", list(plan), []string{"mind the drafts", "1"}, planApprove},
		{"left for something else", list(plan), []string{"2", "rather list my drafts"}, planNone},
		{"approved in the end", list(plan), []string{"2", "1"}, planApprove},
		{"left in the end", list(plan), []string{"1", "2"}, planDeclined},
		{"sent before it was shown", list(plan), []string{"early:1"}, planNone},
		{"one before, one after", list(plan), []string{"early:and the drafts", "1"}, planApprove},
		{"a turn later", list(plan, plain), []string{"1"}, planNone},
		{"after what was queued before", list(plan, queued), []string{"1"}, planApprove},
		{"revised after what was queued before", list(plan, queued), []string{"shorter, please"}, planRevise},
		{"an answer after what was queued before", list(clarify, queued), []string{"Projects"}, planGoOn},
		{"tried again after it failed", list(plan, failedYes), []string{"1"}, planApprove},
		{"something else after it failed", list(plan, failedYes), []string{"go on without the drafts"}, planRevise},
		{"a revision after a revision failed", list(plan, failedRevision), []string{"shorter, please"}, planRevise},
		{"an answer while it is made", list(clarify), []string{"Projects"}, planGoOn},
		{"an answer that failed", list(clarify, failedRevision), []string{"Projects"}, planGoOn},
		{"something sent before that was asked", list(clarify), []string{"early:Projects"}, planNone},
		{"gone on after a limit", list(limit), []string{"Continue."}, planGoOn},
		{"something else after a limit", list(limit), []string{"delete the drafts"}, planNone},
		{"another plan", list(plan), []string{"plan:1"}, planMake},
		{"routed", list(plan), []string{"routed:1"}, planNone},
		{"toward a goal", list(plan), []string{"goal:1"}, planNone},
	} {
		var messages []inbox.Entry
		for _, text := range c.messages {
			m := event.Inbound{Text: text, Source: event.SourceDirect, Time: asked(6)}
			if kind, rest, ok := strings.Cut(text, ":"); ok {
				m.Text = rest
				switch kind {
				case "early":
					m.Time = asked(4)
				case "plan":
					m.Mode = event.ModePlan
				case "routed":
					m.Source = event.SourceWebSocket
				case "goal":
					m.Source = event.SourceGoal
				}
			}
			messages = append(messages, inbox.Entry{Inbound: m})
		}
		if got := planFor(&conversation.Conversation{Turns: c.turns}, messages); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestPlanStaysOpen: a message that was queued before the plan was shown is worked on and answers
// nothing; then the plan can still be carried out.
func TestPlanStaysOpen(t *testing.T) {
	plan := newGated("read_file")
	plan.readOnly = true
	h := start(t, state(t), box(plan.fakeTool), use("read_file", `{}`), say("1. Write b.md"), say("Yes to what?"), say("All done."))
	if _, err := h.Submit(context.Background(), event.Inbound{Text: "tidy up", Mode: event.ModePlan}); err != nil {
		t.Fatal(err)
	}
	<-plan.running
	h.hold("yes")
	plan.end <- struct{}{}
	if f := wait[event.TurnFinished](h); !f.IsWaitingForResponse {
		t.Fatalf("%+v", f)
	}
	wait[event.TurnFinished](h)
	if c := context1(h.model.calls()[2]); !strings.Contains(c, "before seeing the question") || !strings.Contains(c, "do not ask it again") {
		t.Errorf("told %q", c)
	}
	c, err := h.opt.Conversations.Active()
	if err != nil {
		t.Fatal(err)
	}
	if q := c.PendingQuestion(); q == nil || !q.Plan || q.Question != planQuestion {
		t.Fatalf("it waits for %+v", q)
	}
	h.send("1")
	wait[event.TurnFinished](h)
	if c := context1(h.model.calls()[3]); !strings.Contains(c, planApproved) {
		t.Errorf("told %q", c)
	}
}

// TestNoPlan: where nothing can be planned nobody is asked whether to carry it out.
func TestNoPlan(t *testing.T) {
	h := start(t, state(t), box(), say(llm.NoPlan+": I did not understand that."))
	if _, err := h.Submit(context.Background(), event.Inbound{Text: "frobnicate", Mode: event.ModePlan}); err != nil {
		t.Fatal(err)
	}
	if f := wait[event.TurnFinished](h); f.IsWaitingForResponse || f.StopReason != event.StopCompleted {
		t.Errorf("%+v", f)
	}
}

func TestPlanOffers(t *testing.T) {
	for _, c := range []struct {
		tool fakeTool
		want bool
	}{
		{fakeTool{name: "read_file", readOnly: true}, true},
		{fakeTool{name: "delegate", readOnly: true}, true},
		{fakeTool{name: "write_file"}, false},
		{fakeTool{name: "end_conversation"}, false},
		{fakeTool{name: "send_message"}, true},
		{fakeTool{name: "ask_user"}, true},
		{fakeTool{name: "task_list"}, true},
	} {
		if got := planOffers(c.tool); got != c.want {
			t.Errorf("%s is offered: %v", c.tool.name, got)
		}
	}
}

// planner starts a processor with a tool that writes and counts.
func planner(t *testing.T, replies ...reply) (h *harness, writes *int) {
	t.Helper()
	writes = new(int)
	done := func(context.Context, json.RawMessage) tools.Result { return tools.Result{Text: "done"} }
	h = start(t, state(t), box(
		fakeTool{name: "read_file", readOnly: true, call: done},
		fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result { *writes++; return tools.Result{Text: "written"} }},
	), replies...)
	return h, writes
}

func (h *harness) plan(text string) event.TurnFinished {
	h.t.Helper()
	if _, err := h.Submit(context.Background(), event.Inbound{Text: text, Mode: event.ModePlan}); err != nil {
		h.t.Fatal(err)
	}
	return wait[event.TurnFinished](h)
}

func offered(req llm.Request) (names []string) {
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return names
}

func context1(req llm.Request) string { return req.Messages[len(req.Messages)-1].Context }

func TestPlanIsMadeAndCarriedOut(t *testing.T) {
	const steps = "1. Write b.md\n2. Delete nothing"
	h, writes := planner(t,
		use("read_file", `{}`, "write_file", `{}`), say(steps),
		say("1. Write b.md"),
		use("write_file", `{}`), say("All done."))
	f := h.plan("sort my notes")
	if f.Response != steps || !f.IsWaitingForResponse || f.StopReason != event.StopWaiting || *writes > 0 {
		t.Fatalf("the plan: %+v, %d writes", f, *writes)
	}
	var question event.AgentMessage
	var refused event.ToolFinished
	last := event.State("")
	for _, e := range h.seen {
		switch e := e.(type) {
		case event.AgentMessage:
			question = e
		case event.StateChanged:
			last = e.State
		case event.ToolFinished:
			if e.Name == "write_file" {
				refused = e
			}
		}
	}
	if question.Content != planQuestion || !question.IsQuestion || !slices.Equal(question.Options, planOptions) || last != event.StateWaitingDecision {
		t.Errorf("asked %+v, in the end %s", question, last)
	}
	if !refused.IsError || refused.Result != "Error: Not run: write_file cannot be called now: nothing is changed while you plan. Put it into the plan." {
		t.Errorf("the write: %+v", refused)
	}
	first := h.model.calls()[0]
	if got := offered(first); !slices.Equal(got, []string{"read_file", "write_file", "send_message"}) || first.Purpose != llm.PurposePlan {
		t.Errorf("offered %v for %q", got, first.Purpose)
	}
	if got := context1(first); !strings.Contains(got, "\nThis turn is for planning only: calls that change a note are refused.\nLook at") {
		t.Errorf("told %q", got)
	}
	if turns := h.turns(); !turns[0].Plan || turns[0].Mode != "plan" || turns[0].Question != planQuestion {
		t.Errorf("recorded: %+v", turns[0])
	}

	h.send("without the second step")
	if f := wait[event.TurnFinished](h); f.Response != "1. Write b.md" || !f.IsWaitingForResponse {
		t.Fatalf("revised: %+v", f)
	}
	revised := h.model.calls()[2]
	if got := context1(revised); !strings.Contains(got, "what should be different about the plan you made before") || revised.Purpose != llm.PurposePlan || !slices.Equal(offered(revised), offered(first)) {
		t.Errorf("told %q, offered %v", got, offered(revised))
	}

	h.send("1")
	if f := wait[event.TurnFinished](h); f.Response != "All done." || f.IsWaitingForResponse || *writes != 1 {
		t.Fatalf("carried out: %+v, %d writes", f, *writes)
	}
	carried := h.model.calls()[3]
	if got := context1(carried); got != planApproved || carried.Purpose != llm.PurposeTurn || !slices.Contains(offered(carried), "write_file") {
		t.Errorf("told %q, offered %v", got, offered(carried))
	}
	if carried.Messages[0].Content != first.Messages[0].Content {
		t.Error("the system prompt changed")
	}
	h.send("yes") // is about nothing any more
	wait[event.TurnFinished](h)
	if got := context1(h.model.calls()[5]); got != "" {
		t.Errorf("told %q", got)
	}
}

func TestPlanModeIsLeft(t *testing.T) {
	h, _ := planner(t, say("1. Write b.md"), say("Fine."))
	h.plan("sort my notes")
	h.send("Leave it")
	f := wait[event.TurnFinished](h)
	if f.Response != planLeft || f.IsWaitingForResponse || f.StopReason != event.StopCompleted || len(h.model.calls()) != 1 {
		t.Fatalf("%+v after %d calls", f, len(h.model.calls()))
	}
	text := ""
	for _, e := range h.seen {
		if d, ok := e.(event.TextDone); ok {
			text = d.Text
		}
	}
	if text != planLeft {
		t.Errorf("shown: %q", text)
	}
	if turns := h.turns(); len(turns) != 2 || turns[1].Messages[1].Content != planLeft || turns[1].Question != "" || len(h.inboxIDs()) > 0 {
		t.Errorf("recorded: %+v, inbox %v", turns, h.inboxIDs())
	}
	h.send("thanks")
	if f := wait[event.TurnFinished](h); f.Response != "Fine." || context1(h.model.calls()[1]) != "" {
		t.Errorf("%+v, told %q", f, context1(h.model.calls()[1]))
	}
}

// What the agent asks while it plans is answered within the plan: the answer gives it no leave
// to change anything.
func TestQuestionWhilePlanning(t *testing.T) {
	h, writes := planner(t,
		use(sendMessage, `{"message":"Which folder?","is_question":true}`), use("write_file", `{}`), say("1. Sort Projects"))
	if f := h.plan("sort my notes"); f.Response != "Which folder?" || h.turns()[0].Plan {
		t.Fatalf("%+v", f)
	}
	h.send("Projects")
	if f := wait[event.TurnFinished](h); f.Response != "1. Sort Projects" || !f.IsWaitingForResponse || *writes > 0 || !h.turns()[1].Plan {
		t.Errorf("%+v, %d writes", f, *writes)
	}
	if got := context1(h.model.calls()[1]); !strings.HasPrefix(got, "You had asked the user: “Which folder?” This message is most likely the answer.\nThis turn is for planning only") {
		t.Errorf("told %q", got)
	}
}

// A turn that plans and ends at a limit has made no plan that could be approved.
func TestPlanAtALimit(t *testing.T) {
	h, _ := planner(t, use("read_file", `{"path":"a"}`), use("read_file", `{"path":"b"}`), use("read_file", `{"path":"c"}`), say("I looked at three."), say("1. Sort"))
	if f := h.plan("sort my notes"); f.IsWaitingForResponse || f.StopReason != event.StopToolLimit {
		t.Fatalf("%+v", f)
	}
	h.send("continue")
	if f := wait[event.TurnFinished](h); f.Response != "1. Sort" || !f.IsWaitingForResponse {
		t.Errorf("%+v", f)
	}
}

// A plan that was told in a message, with nothing after it, is a plan.
func TestPlanInAMessage(t *testing.T) {
	h, _ := planner(t, use(sendMessage, `{"message":"1. Sort"}`), say(""))
	if f := h.plan("sort my notes"); f.Response != planQuestion || !f.IsWaitingForResponse || !h.turns()[0].Plan {
		t.Errorf("%+v", f)
	}
}

// Leaving a plan pauses a goal: the agent would else go on toward it in another way.
func TestLeavingAPlanPausesTheGoal(t *testing.T) {
	h, model := toward(t, state(t), []reply{say("1. Sort")}, []reply{hang}, nil)
	if _, err := h.SetGoal("sort my notes"); err != nil {
		t.Fatal(err)
	}
	h.plan("sort my notes")
	if g := h.Goal(); g.Status != event.GoalActive || g.Turns != 1 {
		t.Fatalf("%+v", g)
	}
	h.send("2")
	if g := h.goal(event.GoalPaused); g.Why != goal.WhyPlan {
		t.Errorf("%+v", g)
	}
	wait[event.TurnFinished](h)
	if len(model.checks.calls()) > 0 || len(model.calls()) != 1 {
		t.Error("a model was called")
	}
}
