package session

import (
	"cmp"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

// State is the state of a chat, derived from its events. The zero State is a chat without events. Its slices are
// replaced, not modified, so a copy stays valid.
type State struct {
	Turn Turn
	// Pending are the messages not yet in a turn, oldest first.
	Pending    []event.Inbound
	Question   Question
	Requests   []event.Request // open requests of the running turn, oldest first
	Goal       event.Goal
	Tasks      []tools.TaskItem // the agent's latest list of steps
	Usage      Usage
	Compacting bool   // older messages are being summarized
	Reviewing  bool   // a conversation is being reviewed, or will be when no turn is running
	Provider   string // name of the current provider
	// Approval is which changes require the user's consent.
	Approval event.Approval
	// Conversation is the conversation's ID, as last reported by a turn.
	Conversation string
}

// Turn is the running turn. The zero value means none.
type Turn struct {
	Running  bool
	Messages []string      // IDs: those that began it and those folded in
	First    event.Inbound // the first message, if known
	State    event.State
	Retry    *event.Retry // pending retry, or nil
	Calls    []ToolCall   // running calls
	Thought  bool         // a model call was made
	Writing  bool         // the current model call is producing text
	Reading  event.PromptRead
	Partial  bool     // text of the current model call is shown; a retry discards it
	Spoke    bool     // it has produced text
	Leaves   bool     // the agent ends the conversation with this turn
	answers  Question // the question it answers
}

// ToolCall is a running tool call.
type ToolCall struct{ ID, Name, Target string }

// Question is the agent's open question. The zero value means none.
type Question struct {
	Text    string
	Options []string
	Asked   bool
	At      time.Time // zero if it is from an earlier process
}

// Usage is the usage of model calls: of the current or last turn, the conversation and the day.
type Usage struct {
	Turn, Conversation, Day event.Totals
	Context, Window         int // used and total tokens of the model's window; zero if unknown
}

// Opened returns the state of a chat that continues from an earlier process.
func Opened(l Loaded) State {
	s := State{Goal: l.Goal, Conversation: l.ID}
	s.Question = questionIn(l.Items)
	return s
}

// questionIn returns the open question of a conversation.
func questionIn(items []HistoryItem) Question {
	for _, h := range slices.Backward(items) {
		if h.Waits {
			return Question{Text: h.Content, Options: h.Options, Asked: true}
		}
	}
	return Question{}
}

// Busy reports whether work is in progress or about to start.
func (s *State) Busy() bool {
	return s.Turn.Running || s.Compacting || len(s.Pending) > 0 || s.Goal.Status == event.GoalChecking
}

// Submitted adds an accepted message before its event arrives.
func (s *State) Submitted(m event.Inbound) {
	if !slices.ContainsFunc(s.Pending, func(p event.Inbound) bool { return p.ID == m.ID }) {
		s.Pending = append(slices.Clip(s.Pending), m)
	}
}

// Moved updates the state for another conversation or branch, which ends with items.
func (s *State) Moved(items []HistoryItem) {
	s.Question, s.Turn.answers = questionIn(items), Question{}
}

// Call returns the running call with an ID, or the zero value.
func (t *Turn) Call(id string) ToolCall {
	if i := slices.IndexFunc(t.Calls, func(c ToolCall) bool { return c.ID == id }); i >= 0 {
		return t.Calls[i]
	}
	return ToolCall{}
}

// Apply updates the state for an event.
func (s *State) Apply(e event.Event) {
	switch e := e.(type) {
	case event.Received:
		s.Submitted(e.Message)
	case event.TurnStarted:
		s.turnStarted(e)
	case event.Folded:
		s.folded(e)
	case event.StateChanged:
		s.Turn.changed(e.State)
	case event.TurnFinished:
		s.Conversation = cmp.Or(e.ConversationID, s.Conversation)
		s.Turn, s.Requests = Turn{}, nil
	case event.TurnStopped, event.TurnFailed:
		s.Question = s.Turn.answers // nothing was answered, and its own question is void
		s.Turn, s.Requests = Turn{}, nil
	case event.Requested:
		s.Requests = append(slices.Clip(s.Requests), e.Request)
	case event.RequestEnded:
		s.Requests = filterOut(s.Requests, func(r event.Request) bool { return r.ID == e.ID })
	case event.AgentMessage:
		s.Turn.Spoke = true
		if e.IsQuestion {
			s.Question = Question{Text: e.Content, Options: e.Options, Asked: true, At: e.Time}
		}
	case event.TaskList:
		s.Tasks = e.Items
	case event.PromptRead, event.TextDelta, event.ToolCallDelta, event.ToolStarted, event.ToolFinished, event.Retry:
		s.Turn.worked(e)
	default:
		s.applySessionEvent(e)
	}
}

// applySessionEvent applies an event that does not belong to a turn.
func (s *State) applySessionEvent(e event.Event) {
	switch e := e.(type) {
	case event.GoalChanged:
		s.Goal = e.Goal
	case event.ApprovalChanged:
		s.Approval = e.Approval
	case event.UsageReported:
		s.Usage.Turn, s.Usage.Conversation, s.Usage.Day = e.Turn, e.Conversation, e.Day
		if e.Window > 0 {
			s.Usage.Context, s.Usage.Window = e.Context, e.Window
		}
	case event.FellBack:
		s.Provider = e.To
	case event.CompactStarted:
		s.Compacting = true
	case event.Compacted:
		s.Compacting = false
		if s.Usage.Window > 0 {
			s.Usage.Context = e.After
		}
	case event.CompactFailed:
		s.Compacting = false
	case event.RetrospectionStarted:
		s.Reviewing = true
	case event.RetrospectionEnded:
		s.Reviewing = false
	case event.ConversationBegan:
		s.Conversation = e.ID
	case event.ConversationEnded:
		if s.Conversation == e.ID {
			s.Conversation = ""
		}
		s.Question, s.Turn.answers = Question{}, Question{}
		s.Usage = Usage{Turn: s.Usage.Turn, Day: s.Usage.Day}
	case event.QuestionDropped:
		if s.Question.Text == e.Question {
			s.Question = Question{}
		}
		if s.Turn.answers.Text == e.Question {
			s.Turn.answers = Question{}
		}
	}
}

func (s *State) turnStarted(e event.TurnStarted) {
	turn := Turn{Running: true, State: event.StateIdle, answers: s.Question}
	if len(e.MessageIDs) > 0 {
		turn.First = s.pending(e.MessageIDs[0])
	}
	s.Turn = turn
	s.takeMessages(e.MessageIDs)
	s.Provider = cmp.Or(e.Provider, s.Provider)
	s.Usage.Turn = event.Totals{}
}

func (s *State) folded(e event.Folded) {
	asked := s.Question
	s.takeMessages(e.MessageIDs)
	if asked.Text != s.Turn.answers.Text || !asked.At.Equal(s.Turn.answers.At) { // asked in this turn
		s.Question = asked
	}
}

// takeMessages moves messages into the running turn. They answer the open question if they were sent after it, unless the
// turn is stopped or fails.
func (s *State) takeMessages(ids []string) {
	answered := len(ids) == 0
	for _, id := range ids {
		answered = answered || !s.pending(id).Time.Before(s.Question.At) || s.pending(id).ID == ""
	}
	if answered {
		s.Question = Question{}
	}
	s.Turn.Messages = append(slices.Clip(s.Turn.Messages), ids...)
	s.Pending = filterOut(s.Pending, func(m event.Inbound) bool { return slices.Contains(ids, m.ID) })
}

// pending returns a message not yet in a turn, or the zero value.
func (s *State) pending(id string) event.Inbound {
	if i := slices.IndexFunc(s.Pending, func(m event.Inbound) bool { return m.ID == id }); i >= 0 {
		return s.Pending[i]
	}
	return event.Inbound{}
}

// changed applies a change of the turn's state.
func (t *Turn) changed(to event.State) {
	t.State, t.Writing, t.Reading = to, false, event.PromptRead{}
	if to == event.StateThinking {
		t.Thought, t.Partial = true, false
	}
	if to != event.StateRetrying {
		t.Retry = nil
	}
}

// worked applies events of the model and its tools.
func (t *Turn) worked(e event.Event) {
	switch e := e.(type) {
	case event.PromptRead:
		t.Reading = e
	case event.TextDelta:
		if e.Text != "" {
			t.Spoke, t.Writing, t.Partial = true, true, true
		}
	case event.ToolCallDelta:
		t.Writing = true
	case event.ToolStarted:
		t.Calls = append(slices.Clip(t.Calls), ToolCall{e.ID, e.Name, e.Target})
	case event.ToolFinished:
		t.Calls = filterOut(t.Calls, func(c ToolCall) bool { return c.ID == e.ID })
		t.Leaves = t.Leaves || event.TraitsOf(e.Name).Ends && !e.IsError
	case event.Retry:
		t.State, t.Writing, t.Partial, t.Retry = event.StateRetrying, false, false, &e
	}
}

// filterOut returns a list without the elements matched by leave. It does not modify the list.
func filterOut[T any](list []T, leave func(T) bool) []T {
	if !slices.ContainsFunc(list, leave) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), leave)
}
