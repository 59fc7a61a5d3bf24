package agent

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

var asksWhich = use(sendMessage, `{"message":"Which bed?","is_question":true}`)

// leftAsking is a turn that looks at a note, asks, and waits.
func leftAsking(t *testing.T, root *os.Root, turns ...reply) *talk {
	t.Helper()
	k := talking(t, root, append([]reply{use("read_file", `{"path":"Beds.md"}`), asksWhich}, turns...), nil, nil)
	if f := k.ask("water the tomatoes"); f.StopReason != event.StopWaiting {
		t.Fatalf("%+v", f)
	}
	return k
}

// dropped says what became of the question: the text that was told, if it was.
func (k *talk) dropped() string {
	for _, e := range k.seen {
		if d, ok := e.(event.QuestionDropped); ok {
			return d.Question
		}
	}
	return ""
}

// A question keeps its conversation open longer than the idle timeout, until it is stale.
func TestQuestionsExpire(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		drops bool
	}{{idleTimeout + time.Minute, false}, {59 * time.Minute, false}, {76 * time.Minute, true}} {
		synctest.Test(t, func(t *testing.T) {
			k := leftAsking(t, state(t), say("Done."))
			time.Sleep(c.after)
			f := k.ask("the south one")
			calls := k.model.calls()
			last := calls[len(calls)-1].Messages
			told := strings.Contains(last[len(last)-1].Context, "You had asked the user: “Which bed?”")
			if told == c.drops || (len(last) == 2) != c.drops {
				t.Errorf("after %v the model got %+v", c.after, last)
			}
			want := ""
			if c.drops {
				want = "Which bed?"
			}
			if got := k.dropped(); got != want {
				t.Errorf("after %v: dropped %q of %+v", c.after, got, f)
			}
			k.stop()
		})
	}
}

// The next start drops it, too, and a process that answers once does so before it begins.
func TestQuestionsExpireBetweenProcesses(t *testing.T) {
	for _, after := range []time.Duration{59 * time.Minute, 61 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			root := state(t)
			leftAsking(t, root).stop()
			time.Sleep(after)
			k := talking(t, root, []reply{say("Done.")}, nil, nil)
			k.ask("the south one")
			got := k.model.calls()[0].Messages
			if stale := len(got) == 2; stale != (after > time.Hour) {
				t.Errorf("after %v the model got %+v", after, got)
			}
			k.stop()
		})
	}
}

// While a turn works on the answer the question is not dropped under its hands.
func TestQuestionStaysOpenWhileAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			time.Sleep(time.Hour)
			say("Done.")(ctx, req, yield)
		}
		k := leftAsking(t, state(t), slow)
		time.Sleep(50 * time.Minute)
		k.send("the south one")
		time.Sleep(2 * time.Hour)
		if f := wait[event.TurnFinished](k.harness); !f.Success {
			t.Errorf("%+v", f)
		}
		k.settled()
		if got := k.dropped(); got != "" {
			t.Errorf("dropped %q", got)
		}
		k.stop()
	})
}

// Where the machine slept nobody looked when it was time to, and the next turn finds out.
func TestQuestionsExpireDuringSleep(t *testing.T) {
	k := talking(t, state(t), []reply{say("ok")}, nil, nil)
	k.settled()
	asked := time.Now().Add(-77 * time.Minute)
	c, _, err := k.conversations.Begin("", asked)
	if err != nil {
		t.Fatal(err)
	}
	err = k.conversations.Append(c.ID, conversation.Turn{ID: "one", Started: asked, Ended: asked, Question: "Which bed?", Messages: []conversation.Message{
		{ID: "one", Role: conversation.RoleUser, Time: asked, Content: "water the tomatoes"}, {Role: conversation.RoleAgent, Time: asked, Content: "Which bed?", IsQuestion: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if f := k.ask("hello"); f.ConversationID == c.ID || k.dropped() != "Which bed?" {
		t.Errorf("%+v, dropped %q", f, k.dropped())
	}
}

// The agent goes on where it was: after a restart, and after what it had done was compacted.
func TestAnswerContinuesTheTask(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		root := state(t)
		k := leftAsking(t, root)
		conv, err := k.conversations.Active()
		if err != nil {
			t.Fatal(err)
		}
		q := conv.PendingQuestion()
		if q == nil || q.Question != "Which bed?" || q.MessageID != conv.Turns[0].ID || q.ConversationID != conv.ID {
			t.Errorf("pending: %+v", q)
		}
		if compacted {
			err := k.conversations.Compact(conv.ID, conversation.Compaction{Through: conv.Turns[0].ID, Summary: "It read Beds.md.", Time: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
		}
		k.stop()
		k = talking(t, root, []reply{use("write_file", `{"path":"Log.md"}`), say("Watered.")}, nil, nil)
		if f := k.ask("the south one"); f.Response != "Watered." || f.ConversationID != conv.ID {
			t.Errorf("%+v", f)
		}
		messages := k.model.calls()[0].Messages
		context := messages[len(messages)-1].Context
		read := fmt.Sprint(messages)
		if !strings.Contains(context, "You had asked the user: “Which bed?” This message is most likely the answer.") {
			t.Errorf("told %q", context)
		}
		if work := strings.Contains(read, "1: hello"); work == compacted {
			t.Errorf("the model got %v", messages)
		}
		conv, err = k.conversations.Active()
		if err != nil || conv.PendingQuestion() != nil {
			t.Errorf("still pending: %+v, %v", conv.PendingQuestion(), err)
		}
		k.stop()
	}
}

// A plan that waited too long is not carried out by a message that says yes to something else.
func TestPlansExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := state(t)
		k := talking(t, root, []reply{say("1. Water."), say("Hello.")}, nil, func(o *Options, _ *behind) {
			o.Conversations = conversation.NewManager(root, conversation.Options{IdleTimeout: 24 * time.Hour})
		})
		k.submit(event.Inbound{Text: "water the beds", Mode: event.ModePlan})
		wait[event.TurnFinished](k.harness)
		time.Sleep(2 * time.Hour)
		k.ask("yes")
		calls := k.model.calls()
		m := calls[len(calls)-1].Messages
		if c := m[len(m)-1].Context; strings.Contains(c, "approved") || len(m) != 4 {
			t.Errorf("told %q", c)
		}
		k.stop()
	})
}

// A question that the user leaves is answered by nothing that is sent after it, and a plan not carried
// out.
func TestQuestionsCanBeDropped(t *testing.T) {
	k := leftAsking(t, state(t), say("Hello."), say("1. Water."), say("Hello again."))
	leave := func(answer string) string {
		t.Helper()
		if err := k.LeaveQuestion(); err != nil {
			t.Fatal(err)
		}
		if e := wait[event.QuestionDropped](k.harness); !e.Left {
			t.Errorf("%+v", e)
		}
		k.ask(answer)
		calls := k.model.calls()
		m := calls[len(calls)-1].Messages
		return m[len(m)-1].Context
	}
	if told := leave("the south one"); strings.Contains(told, "You had asked") {
		t.Errorf("told %q", told)
	}
	k.submit(event.Inbound{Text: "water the beds", Mode: event.ModePlan})
	wait[event.TurnFinished](k.harness)
	if told := leave("yes"); strings.Contains(told, "approved") {
		t.Errorf("told %q", told)
	}
	if err := k.LeaveQuestion(); err != nil {
		t.Errorf("leaving none: %v", err)
	}
	k.stop()
	if err := k.LeaveQuestion(); err == nil {
		t.Error("it is closed")
	}
}
