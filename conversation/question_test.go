package conversation

import (
	"reflect"
	"testing"
	"time"
)

// asking returns a turn that ended with a question after two tool calls.
func asking(id string, when time.Time) Turn {
	t := turn(id, when)
	t.Question, t.Options, t.Plan = "Which one?", []string{"this", "that"}, true
	t.Messages = append(t.Messages,
		Message{Role: RoleTool, ToolCallID: "1"}, Message{Role: RoleTool, ToolCallID: "2", IsError: true},
		Message{Role: RoleAgent, Time: when.Add(-time.Second), Content: "Which one?", IsQuestion: true})
	return t
}

func failing(id string, when time.Time) Turn {
	t := turn(id, when)
	t.Failed, t.Error = true, "no network"
	return t
}

// queued returns a turn of messages that were sent at the given times and waited in the queue.
func queued(id string, sent ...time.Time) Turn {
	t := turn(id, noon.Add(5*time.Minute))
	t.Messages = t.Messages[1:]
	for _, at := range sent {
		t.Messages = append(t.Messages, Message{ID: id, Role: RoleUser, Time: at, Content: "wait"})
	}
	return t
}

// automatic returns a turn that the program started.
func automatic(id string, when time.Time) Turn {
	t := turn(id, when)
	t.Messages[0].Source = "goal"
	return t
}

func TestPendingQuestion(t *testing.T) {
	for _, c := range []struct {
		name string
		conv Conversation
		want string // the turn that asked
	}{
		{"no messages", Conversation{}, ""},
		{"answered plainly", Conversation{Turns: []Turn{turn("a", noon)}}, ""},
		{"asked", Conversation{Turns: []Turn{turn("a", noon), asking("b", noon)}}, "b"},
		{"answered", Conversation{Turns: []Turn{asking("a", noon), turn("b", noon)}}, ""},
		{"the answer failed", Conversation{Turns: []Turn{asking("a", noon), failing("b", noon), failing("b", noon)}}, "a"},
		{"the question failed", Conversation{Turns: []Turn{{ID: "a", Failed: true, Question: "?"}}}, ""},
		{"queued before it was asked", Conversation{Turns: []Turn{asking("a", noon), queued("b", noon.Add(-time.Minute))}}, "a"},
		{"queued, two of them", Conversation{Turns: []Turn{asking("a", noon), queued("b", noon.Add(-2*time.Minute)), queued("c", noon.Add(-time.Minute))}}, "a"},
		{"queued, then answered", Conversation{Turns: []Turn{asking("a", noon), queued("b", noon.Add(-time.Minute)), turn("c", noon.Add(time.Minute))}}, ""},
		{"answered within the queued", Conversation{Turns: []Turn{asking("a", noon), queued("b", noon.Add(-time.Minute), noon.Add(time.Minute))}}, ""},
		{"asked again", Conversation{Turns: []Turn{asking("a", noon), asking("b", noon.Add(time.Minute))}}, "b"},
		{"queued before both", Conversation{Turns: []Turn{asking("a", noon), asking("b", noon.Add(time.Minute)), queued("c", noon.Add(-time.Minute))}}, "b"},
		{"the program went on toward a goal", Conversation{Turns: []Turn{asking("a", noon), automatic("b", noon.Add(time.Minute))}}, "a"},
		{"unknown time", Conversation{Turns: []Turn{asking("a", noon), queued("b", time.Time{})}}, ""},
		{"ended", Conversation{Ended: noon, Turns: []Turn{asking("a", noon)}}, ""},
		{"dropped", Conversation{stale: []string{"x", "a"}, Turns: []Turn{asking("a", noon)}}, ""},
		{"another was dropped", Conversation{stale: []string{"a"}, Turns: []Turn{asking("a", noon), asking("b", noon)}}, "b"},
	} {
		p := c.conv.PendingQuestion()
		switch {
		case p == nil && c.want != "" || p != nil && p.MessageID != c.want:
			t.Errorf("%s: %+v, want %q", c.name, p, c.want)
		case (p == nil) != (c.conv.OpenQuestion() == nil):
			t.Errorf("%s: %+v beside %+v", c.name, c.conv.OpenQuestion(), p)
		}
	}
}

// TestQuestionAcrossRestarts: a pending question survives a restart, and so does dropping it; the turn remains.
func TestQuestionAcrossRestarts(t *testing.T) {
	m, id := withTurns(t, "a")
	m.opt.IdleTimeout = 30 * time.Minute
	if err := m.Append(id, asking("b", at(10))); err != nil {
		t.Fatal(err)
	}
	want := &Pending{
		ConversationID: id, MessageID: "b", Question: "Which one?",
		Options: []string{"this", "that"}, Plan: true, Asked: at(10).Add(-time.Second),
	}
	if p := activeConversation(t, restarted(t, m)).PendingQuestion(); !reflect.DeepEqual(p, want) {
		t.Errorf("after a restart %+v, want %+v", p, want)
	}
	for minutes, what := range map[int]string{-1000: "the clock went back", 69: "young"} {
		if dropped, err := m.DropStale(at(minutes), time.Hour); err != nil || dropped != nil {
			t.Errorf("%s: dropped %+v, %v", what, dropped, err)
		}
	}
	if dropped, err := m.DropStale(at(1000), 0); err != nil || dropped != nil {
		t.Errorf("without a timeout: dropped %+v, %v", dropped, err)
	}
	if c, ended, err := m.Begin("", at(71)); err != nil || c.ID != id || ended != nil {
		t.Errorf("ended despite the pending question: %v, %v", ended, err)
	}
	if dropped, err := m.DropStale(at(71), time.Hour); err != nil || !reflect.DeepEqual(dropped, want) {
		t.Errorf("dropped %+v, %v", dropped, err)
	}
	for _, m := range []*Manager{m, restarted(t, m)} {
		if c := activeConversation(t, m); c.PendingQuestion() != nil || ids(c) != "a b" || c.Turns[1].Question != "Which one?" {
			t.Errorf("still pending, or the turn is lost: %+v", c)
		}
		if dropped, err := m.DropStale(at(72), time.Hour); err != nil || dropped != nil {
			t.Errorf("dropped again: %+v, %v", dropped, err)
		}
	}
	if _, ended, err := m.Begin("", at(72)); err != nil || ended == nil {
		t.Errorf("not idle although nothing is pending: %v", err)
	}
}

// TestIdleByWallClock: idle time is wall-clock time, during which a machine may have slept; turns dated in the future
// do not count.
func TestIdleByWallClock(t *testing.T) {
	now := time.Now() // with a monotonic reading, which stops while a machine sleeps
	c := &Conversation{Turns: []Turn{{ID: "a", Ended: now}}}
	for later, want := range map[time.Duration]bool{-24 * time.Hour: false, time.Minute: false, 31 * time.Minute: true} {
		woken := now.Round(0).Add(later)
		if got := idle(c, woken, 30*time.Minute); got != want {
			t.Errorf("%v later: idle %v", later, got)
		}
	}
	if got := passed(now.Add(time.Hour), now); got != 0 {
		t.Errorf("a future time is %v ago", got)
	}
}

// TestEndedStaysEnded whatever the clock does.
func TestEndedStaysEnded(t *testing.T) {
	m, id := withTurns(t, "a")
	m.opt.IdleTimeout = 30 * time.Minute
	if _, ended, err := m.Begin("", at(31)); err != nil || ended == nil {
		t.Fatal(ended, err)
	}
	for _, minutes := range []int{-100, 0, 1, 1000} {
		for _, m := range []*Manager{m, restarted(t, m)} {
			if c, _, err := m.Begin("", at(minutes)); err != nil || c.ID == id {
				t.Errorf("at %d: %v is active again, %v", minutes, c, err)
			}
		}
	}
}

// A question reopened by going back to it is pending from that time on.
func TestStaleAfterGoingBack(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	now := noon
	m.now = func() time.Time { return now }
	asking := turn("a", noon)
	asking.Question = "Which?"
	c, _ := appendTurn(t, m, asking)
	appendTurn(t, m, turn("b", at(1)))
	now = at(600)
	if err := m.Fork(c.ID, "b"); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		minutes int
		dropped bool
	}{{600, false}, {660, false}, {661, true}, {900, false}} {
		dropped, err := m.DropStale(at(x.minutes), time.Hour)
		if err != nil || (dropped != nil) != x.dropped {
			t.Errorf("after %d minutes: dropped %v, %v", x.minutes, dropped, err)
		}
		if dropped != nil && !dropped.Asked.Equal(noon) {
			t.Errorf("asked at %v", dropped.Asked)
		}
	}
}
