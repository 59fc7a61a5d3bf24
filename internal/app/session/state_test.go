package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// at returns the metadata of an event some seconds after noon, in a turn.
func at(seconds int, turn string) event.Meta {
	return event.Meta{TurnID: turn, Time: noon.Add(time.Duration(seconds) * time.Second)}
}

func message(id string, seconds int) event.Inbound {
	return event.Inbound{ID: id, Text: "text of " + id, Source: event.SourceDirect, Time: noon.Add(time.Duration(seconds) * time.Second)}
}

// told formats a state.
func told(s State) string {
	var out []string
	add := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	t := s.Turn
	add(t.Running, "runs %s", strings.Join(t.Messages, "+"))
	add(t.Running, "%s", t.State)
	add(t.Retry != nil, "retries")
	for _, c := range t.Calls {
		add(true, "call %s %s %s", c.ID, c.Name, c.Target)
	}
	add(t.Thought, "thought")
	add(t.Writing, "writes")
	add(t.Partial, "partial")
	add(t.Spoke, "spoke")
	add(t.Leaves, "leaves")
	for _, m := range s.Pending {
		add(true, "pending %s", m.ID)
	}
	add(s.Question.Asked, "question %s %s", s.Question.Text, s.Question.Options)
	for _, r := range s.Requests {
		add(true, "request %s", r.ID)
	}
	add(s.Goal.Text != "", "goal %s %s", s.Goal.Text, s.Goal.Status)
	add(len(s.Tasks) > 0, "tasks %d", len(s.Tasks))
	u := s.Usage
	add(u.Turn.Calls+u.Conversation.Calls+u.Day.Calls > 0, "calls %d/%d/%d", u.Turn.Calls, u.Conversation.Calls, u.Day.Calls)
	add(u.Window > 0, "window %d of %d", u.Context, u.Window)
	add(s.Compacting, "compacts")
	add(s.Provider != "", "by %s", s.Provider)
	add(s.Conversation != "", "in %s", s.Conversation)
	return strings.Join(out, ", ")
}

func TestState(t *testing.T) {
	received := func(id string, seconds int) event.Event { return event.Received{Message: message(id, seconds)} }
	started := event.TurnStarted{Meta: at(2, "m"), MessageIDs: []string{"m"}, Provider: "a/x"}
	asked := event.AgentMessage{Meta: at(5, "m"), Content: "Which?", IsQuestion: true, Options: []string{"a", "b"}}
	finished := event.TurnFinished{Meta: at(6, "m"), ConversationID: "c"}
	state := func(s event.State) event.Event { return event.StateChanged{State: s} }
	used := func(turn string, calls, context, window int) event.Event {
		totals := event.Totals{Calls: calls}
		return event.UsageReported{Meta: at(3, turn), Turn: totals, Conversation: totals, Day: totals, Context: context, Window: window}
	}
	for name, tt := range map[string]struct {
		events []event.Event
		want   string
	}{
		"nothing":               {nil, ""},
		"what came waits":       {[]event.Event{received("m", 1), received("n", 2)}, "pending m, pending n"},
		"told twice":            {[]event.Event{received("m", 1), received("m", 1)}, "pending m"},
		"a turn takes it":       {[]event.Event{received("m", 1), received("n", 2), started}, "runs m, idle, pending n, by a/x"},
		"folded":                {[]event.Event{received("m", 1), started, received("n", 3), event.Folded{MessageIDs: []string{"n"}}}, "runs m+n, idle, by a/x"},
		"writes":                {[]event.Event{started, state(event.StateThinking), event.TextDelta{Text: "x"}}, "runs m, thinking, thought, writes, partial, spoke, by a/x"},
		"no text is none":       {[]event.Event{started, event.TextDelta{}}, "runs m, idle, by a/x"},
		"the next call":         {[]event.Event{started, event.TextDelta{Text: "x"}, state(event.StateThinking)}, "runs m, thinking, thought, spoke, by a/x"},
		"writes a call":         {[]event.Event{started, event.ToolCallDelta{ID: "1"}}, "runs m, idle, writes, by a/x"},
		"a retry":               {[]event.Event{started, event.TextDelta{Text: "x"}, event.Retry{Attempt: 2}}, "runs m, retrying, retries, spoke, by a/x"},
		"after a retry":         {[]event.Event{started, event.Retry{Attempt: 2}, state(event.StateThinking)}, "runs m, thinking, thought, by a/x"},
		"calls":                 {[]event.Event{started, event.ToolStarted{ID: "1", Name: "read_file", Target: "a.md"}, event.ToolStarted{ID: "2", Name: "delegate"}}, "runs m, idle, call 1 read_file a.md, call 2 delegate , by a/x"},
		"a call ends":           {[]event.Event{started, event.ToolStarted{ID: "1", Name: "delegate"}, event.ToolFinished{ID: "1", Name: "delegate"}}, "runs m, idle, by a/x"},
		"leaves":                {[]event.Event{started, event.ToolFinished{ID: "1", Name: "end_conversation"}}, "runs m, idle, leaves, by a/x"},
		"does not leave":        {[]event.Event{started, event.ToolFinished{ID: "1", Name: "end_conversation", IsError: true}}, "runs m, idle, by a/x"},
		"nested is another's":   {[]event.Event{started, event.Nested{Event: event.ToolStarted{ID: "1"}}}, "runs m, idle, by a/x"},
		"finished":              {[]event.Event{started, event.ToolStarted{ID: "1"}, finished}, "by a/x, in c"},
		"stopped":               {[]event.Event{started, event.TurnStopped{}}, "by a/x"},
		"failed":                {[]event.Event{started, event.TurnFailed{}}, "by a/x"},
		"says":                  {[]event.Event{started, event.AgentMessage{Content: "x"}}, "runs m, idle, spoke, by a/x"},
		"asks":                  {[]event.Event{started, asked, finished}, "question Which? [a b], by a/x, in c"},
		"answered":              {[]event.Event{started, asked, finished, received("n", 9), event.TurnStarted{MessageIDs: []string{"n"}}}, "runs n, idle, by a/x, in c"},
		"not answered if stops": {[]event.Event{started, asked, finished, received("n", 9), event.TurnStarted{MessageIDs: []string{"n"}}, event.TurnStopped{}}, "question Which? [a b], by a/x, in c"},
		"what was asked stops":  {[]event.Event{started, asked, event.TurnFailed{}}, "by a/x"},
		"sent before":           {[]event.Event{received("n", 4), started, asked, finished, event.TurnStarted{MessageIDs: []string{"n"}}}, "runs n, idle, question Which? [a b], by a/x, in c"},
		"sent before, folded":   {[]event.Event{received("n", 4), started, asked, finished, event.TurnStarted{MessageIDs: []string{"n"}}, received("o", 9), event.Folded{MessageIDs: []string{"o"}}}, "runs n+o, idle, by a/x, in c"},
		"folding answers not":   {[]event.Event{started, asked, received("n", 9), event.Folded{MessageIDs: []string{"n"}}}, "runs m+n, idle, spoke, question Which? [a b], by a/x"},
		"question dropped":      {[]event.Event{started, asked, finished, event.QuestionDropped{Question: "Which?"}}, "by a/x, in c"},
		"another was dropped":   {[]event.Event{started, asked, finished, event.QuestionDropped{Question: "Who?"}}, "question Which? [a b], by a/x, in c"},
		"conversation over":     {[]event.Event{started, asked, finished, event.ConversationEnded{ID: "c"}}, "by a/x"},
		"another was over":      {[]event.Event{finished, event.ConversationEnded{ID: "b"}}, "in c"},
		"another begins":        {[]event.Event{event.ConversationBegan{ID: "d"}}, "in d"},
		"requests":              {[]event.Event{started, event.Requested{Request: event.Request{ID: "1"}}, event.Requested{Request: event.Request{ID: "2"}}, event.RequestEnded{ID: "1"}}, "runs m, idle, request 2, by a/x"},
		"requests go with it":   {[]event.Event{started, event.Requested{Request: event.Request{ID: "1"}}, event.TurnStopped{}}, "by a/x"},
		"a goal":                {[]event.Event{event.GoalChanged{Goal: event.Goal{Text: "g", Status: event.GoalChecking}}}, "goal g checking"},
		"no goal":               {[]event.Event{event.GoalChanged{Goal: event.Goal{Text: "g"}}, event.GoalChanged{}}, ""},
		"tasks":                 {[]event.Event{event.TaskList{Items: []tools.TaskItem{{Text: "a"}, {Text: "b"}}}}, "tasks 2"},
		"usage":                 {[]event.Event{received("m", 1), started, used("m", 1, 5, 9), used("m", 2, 0, 0)}, `runs m, idle, calls 2/2/2, window 5 of 9, by a/x`},
		"usage by turn":         {[]event.Event{started, used("m", 1, 5, 9), finished, event.TurnStarted{MessageIDs: []string{"n"}}, used("n", 3, 6, 9)}, `runs n, idle, calls 3/3/3, window 6 of 9, by a/x, in c`},
		"usage of no turn":      {[]event.Event{used("", 1, 0, 0)}, "calls 1/1/1"},
		"usage after the end":   {[]event.Event{started, used("m", 1, 5, 9), finished, event.ConversationEnded{ID: "c"}}, "calls 1/0/1, by a/x"},
		"compacts":              {[]event.Event{event.CompactStarted{}}, "compacts"},
		"compacted":             {[]event.Event{event.CompactStarted{}, event.Compacted{}}, ""},
		"compacted window":      {[]event.Event{used("", 1, 500, 900), event.CompactStarted{}, event.Compacted{Before: 500, After: 40}}, "calls 1/1/1, window 40 of 900"},
		"compacting failed":     {[]event.Event{event.CompactStarted{}, event.CompactFailed{}}, ""},
		"fell back":             {[]event.Event{started, event.FellBack{From: "a/x", To: "b/y"}}, "runs m, idle, by b/y"},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for _, e := range tt.events {
				s.Apply(e)
			}
			if got := told(s); got != tt.want {
				t.Errorf("\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestOpened(t *testing.T) {
	question := HistoryItem{Role: HistoryQuestion, Content: "Which?", Options: []string{"a"}, Waits: true}
	closed := question
	closed.Waits = false
	for want, items := range map[string][]HistoryItem{
		"":                    {closed, {Role: HistoryUser, Content: "a"}},
		"in c":                {closed},
		"question Which? [a]": {{Role: HistoryUser}, question},
	} {
		l := Loaded{Page: Page{Items: items}}
		if want == "in c" {
			l.ID = "c"
		}
		if got := told(Opened(l)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBusy(t *testing.T) {
	for want, states := range map[bool][]State{
		false: {{}, {Goal: event.Goal{Text: "g", Status: event.GoalActive}}, {Question: Question{Asked: true}}},
		true: {
			{Turn: Turn{Running: true}},
			{Compacting: true},
			{Pending: []event.Inbound{{}}},
			{Goal: event.Goal{Text: "g", Status: event.GoalChecking}},
		},
	} {
		for _, s := range states {
			if s.Busy() != want {
				t.Errorf("%s: %v", told(s), s.Busy())
			}
		}
	}
}

// TestStateCopies checks that later events do not change a copy of a state, and that unexpected events do no harm.
func TestStateCopies(t *testing.T) {
	ids := []string{"m", "n", "o"}
	rapid.Check(t, func(t *rapid.T) {
		var s State
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			id := rapid.SampledFrom(ids).Draw(t, "id")
			at := event.Meta{TurnID: id, Time: noon.Add(time.Duration(rapid.IntRange(0, 9).Draw(t, "second")) * time.Second)}
			e := rapid.SampledFrom([]event.Event{
				event.Received{Meta: at, Message: event.Inbound{ID: id, Time: at.Time}},
				event.TurnStarted{Meta: at, MessageIDs: []string{id}},
				event.Folded{Meta: at, MessageIDs: []string{id}},
				event.StateChanged{Meta: at, State: event.StateThinking},
				event.ToolStarted{Meta: at, ID: id, Name: "delegate"},
				event.ToolFinished{Meta: at, ID: id},
				event.TextDelta{Meta: at, Text: "x"},
				event.Requested{Meta: at, Request: event.Request{ID: id}},
				event.RequestEnded{Meta: at, ID: id},
				event.Retry{Meta: at},
				event.AgentMessage{Meta: at, Content: id, IsQuestion: true},
				event.TurnFinished{Meta: at},
				event.TurnStopped{Meta: at},
				event.UsageReported{Meta: at, Turn: event.Totals{Calls: 1}, Usage: llm.Usage{}},
				event.ConversationEnded{Meta: at, ID: id},
				nil,
			}).Draw(t, "event")
			was := s
			kept := deepCopy(s)
			s.Apply(e)
			if !reflect.DeepEqual(was, kept) {
				t.Fatalf("after %T a copy says\n%s\nbefore\n%s", e, told(was), told(kept))
			}
			if _, ended := e.(event.TurnFinished); ended && (s.Turn.Running || len(s.Requests) > 0) {
				t.Fatalf("after the end: %s", told(s))
			}
		}
	})
}

// deepCopy shares no slice with s.
func deepCopy(s State) State {
	s.Pending, s.Requests, s.Tasks = slices.Clone(s.Pending), slices.Clone(s.Requests), slices.Clone(s.Tasks)
	s.Turn.Messages, s.Turn.Calls = slices.Clone(s.Turn.Messages), slices.Clone(s.Turn.Calls)
	return s
}

func TestUsageLines(t *testing.T) {
	u := Usage{Context: 500, Window: 1000, Turn: event.Totals{Calls: 2, Prompt: 1200, Completion: 3, Cost: 0.5, Priced: true}}
	want := []string{
		"Context: 500 of the model's 1,000 tokens, 50% full.",
		"The last turn: 2 model calls, 1,200 tokens in, 3 tokens out, $0.5000.",
	}
	if got := u.Lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A question stays open until a turn that is kept answers it.
func TestOpenedQuestion(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	turn := func(id, text string, after time.Duration) conversation.Turn {
		return conversation.Turn{ID: id, Messages: []conversation.Message{{ID: id, Role: conversation.RoleUser, Content: text, Time: at.Add(after)}, {Role: conversation.RoleAssistant, Content: "Done."}}}
	}
	question := turn("1", "open it", -time.Hour)
	question.Question = "Which one?"
	question.Messages = append(question.Messages, conversation.Message{Role: conversation.RoleAgent, Content: "Which one?", IsQuestion: true, Time: at})
	failed := turn("2", "that", 1)
	failed.Failed = true
	for name, tt := range map[string]struct {
		turns []conversation.Turn
		waits bool
	}{
		"the last":                  {nil, true},
		"answered":                  {[]conversation.Turn{turn("2", "that", 1)}, false},
		"its answer failed":         {[]conversation.Turn{failed}, true},
		"what came was sent before": {[]conversation.Turn{turn("2", "and count", -1)}, true},
	} {
		c := &conversation.Conversation{Turns: append([]conversation.Turn{question}, tt.turns...)}
		opened := func() Question { return Opened(Loaded{Page: Page{Items: itemsOf(c, 0, len(c.Turns))}}).Question }
		if got := opened(); got.Asked != tt.waits {
			t.Errorf("%s: %+v", name, got)
		}
		c.Ended = at.Add(time.Hour) // this drops the question
		if got := opened(); got.Asked {
			t.Errorf("%s, and ended: %+v", name, got)
		}
	}
}
