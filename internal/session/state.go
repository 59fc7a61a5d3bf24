package session

import (
	"cmp"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/tools"
)

// State is where a chat stands, as its events tell it. The zero State is one in which nothing has
// happened. What it holds is replaced and never changed in place: a copy stays as it was.
type State struct {
	Turn Turn
	// End is how the turn before ended: a TurnFinished, TurnStopped or TurnFailed; nil: none did.
	End event.Event
	// Pending are the messages that are in no turn yet, in the order they came in.
	Pending    []event.Inbound
	Question   Question
	Requests   []event.Request // of the running turn, oldest first
	Goal       event.Goal
	Tasks      []tools.TaskItem // the agent's steps, as it listed them last
	Usage      Usage
	Compacting bool   // a summary of earlier messages is being made
	Reviewing  bool   // a conversation is looked back at, or will be as soon as no turn runs
	Provider   string // which answers
	// Approval says which changes wait for the user's consent.
	Approval event.Approval
	// Conversation is the id of the conversation, as far as a turn told it.
	Conversation string
	// Architecture is what the newest reflection proposes for information_architecture.
	Architecture string
}

// Turn is the running turn; the zero value is none.
type Turn struct {
	Running  bool
	Messages []string      // their ids: those that began it, and those that were folded into it
	First    event.Inbound // the first of them, as far as it is known
	State    event.State
	Retry    *event.Retry // waited for; nil: none is
	Calls    []ToolCall   // that run
	Helpers  []string     // the calls that began sub-agents, in order
	Thought  bool         // a model call was made
	Writing  bool         // the model call under way writes
	Reading  event.PromptRead
	Partial  bool     // text of the model call under way is there: a retry voids it
	Spoke    bool     // it said something
	Leaves   bool     // the agent ends the conversation with it
	answers  Question // it is sent in answer to
}

// ToolCall is a tool call that runs.
type ToolCall struct{ ID, Name, Target string }

// Question is what the agent asked and nobody has answered; the zero value is none.
type Question struct {
	Text    string
	Options []string
	Asked   bool
	At      time.Time // zero: in an earlier process
}

func (q Question) same(as Question) bool { return q.Text == as.Text && q.At.Equal(as.At) }

// Usage is what the model calls have used: of the turn, the one that runs or ran last, of the
// conversation and of the day.
type Usage struct {
	Turn, Conversation, Day event.Totals
	Context, Window         int         // tokens of the model's window that are taken, and all; 0: not known
	Turns                   []TurnUsage // of this conversation, the newest last
}

// TurnUsage is what one turn has used. First is its first message's text.
type TurnUsage struct {
	ID, First string
	event.Totals
}

// maxTurnUsages is how many turns Usage.Turns goes back.
const maxTurnUsages = 12

// Opened is the state of a chat that goes on where an earlier process left it.
func Opened(l Loaded) State {
	s := State{Goal: l.Goal, Conversation: l.ID}
	s.Question = questionIn(l.History)
	return s
}

// questionIn is the question that a conversation waits with. A turn that failed answers nothing, nor
// does a message that was sent before the question.
func questionIn(items []HistoryItem) Question {
	var is, before Question
	var asked time.Time
	for _, h := range items {
		switch {
		case h.Carried: // it was said in another conversation
		case h.Role == HistoryQuestion && !h.Dropped:
			is, asked = Question{Text: h.Content, Options: h.Options, Asked: true}, h.Time
		case h.Role == HistoryQuestion, h.Role == HistoryAgentMessage:
			is = Question{}
		case h.Role == HistoryError:
			is = before
		case h.Role == HistoryUser, h.Role == HistoryGoal:
			if is.Asked {
				before = is
			}
			if !h.Time.Before(asked) {
				is = Question{}
			}
		}
	}
	return is
}

// Busy says whether anything is worked on, or about to be.
func (s *State) Busy() bool {
	return s.Turn.Running || s.Compacting || len(s.Pending) > 0 || s.Goal.Status == event.GoalChecking
}

// Submitted notes a message that was accepted, before its event comes.
func (s *State) Submitted(m event.Inbound) {
	if !slices.ContainsFunc(s.Pending, func(p event.Inbound) bool { return p.ID == m.ID }) {
		s.Pending = append(slices.Clip(s.Pending), m)
	}
}

// Moved is after the conversation became another one, or another branch of it, which ends with items.
func (s *State) Moved(items []HistoryItem) {
	s.Question, s.Turn.answers = questionIn(items), Question{}
}

// Helper is the number of the sub-agent that a call began, from 1; 0: it began none.
func (t *Turn) Helper(call string) int { return slices.Index(t.Helpers, call) + 1 }

// Begins is the number that the sub-agent gets which a call begins; 0: it begins none.
func (t *Turn) Begins(e event.ToolStarted) int {
	if !event.TraitsOf(e.Name).Delegates {
		return 0
	}
	return len(t.Helpers) + 1
}

// Call is the call of an id that runs.
func (t *Turn) Call(id string) ToolCall {
	if i := slices.IndexFunc(t.Calls, func(c ToolCall) bool { return c.ID == id }); i >= 0 {
		return t.Calls[i]
	}
	return ToolCall{}
}

// Apply notes an event.
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
		s.turnEnded(e)
	case event.TurnStopped, event.TurnFailed:
		s.Question = s.Turn.answers // nothing was answered, and what it asked does not last
		s.turnEnded(e)
	case event.Requested:
		s.Requests = append(slices.Clip(s.Requests), e.Request)
	case event.RequestEnded:
		s.Requests = without(s.Requests, func(r event.Request) bool { return r.ID == e.ID })
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
		s.told(e)
	}
}

// told notes an event that is about no turn, or no matter of one.
func (s *State) told(e event.Event) {
	switch e := e.(type) {
	case event.GoalChanged:
		s.Goal = e.Goal
	case event.ApprovalChanged:
		s.Approval = e.Approval
	case event.UsageReported:
		s.used(e)
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
	case event.Retrospected:
		s.Architecture = cmp.Or(e.Architecture, s.Architecture)
	}
}

func (s *State) turnStarted(e event.TurnStarted) {
	turn := Turn{Running: true, State: event.StateIdle, answers: s.Question}
	if len(e.MessageIDs) > 0 {
		turn.First = s.pending(e.MessageIDs[0])
	}
	s.Turn = turn
	s.take(e.MessageIDs)
	s.Provider = cmp.Or(e.Provider, s.Provider)
	s.Usage.Turn = event.Totals{}
}

func (s *State) folded(e event.Folded) {
	asked := s.Question
	s.take(e.MessageIDs)
	if !asked.same(s.Turn.answers) { // this turn asked it
		s.Question = asked
	}
}

// take moves messages into the running turn: unless that is stopped or fails, they answer the
// question that waits, if they were sent after it was asked.
func (s *State) take(ids []string) {
	answered := len(ids) == 0
	for _, id := range ids {
		answered = answered || !s.pending(id).Time.Before(s.Question.At) || s.pending(id).ID == ""
	}
	if answered {
		s.Question = Question{}
	}
	s.Turn.Messages = append(slices.Clip(s.Turn.Messages), ids...)
	s.Pending = without(s.Pending, func(m event.Inbound) bool { return slices.Contains(ids, m.ID) })
}

// pending is a message that is in no turn yet; the zero value where it is not known.
func (s *State) pending(id string) event.Inbound {
	if i := slices.IndexFunc(s.Pending, func(m event.Inbound) bool { return m.ID == id }); i >= 0 {
		return s.Pending[i]
	}
	return event.Inbound{}
}

// turnEnded is after the turn's last event.
func (s *State) turnEnded(e event.Event) {
	s.End, s.Turn, s.Requests = e, Turn{}, nil
}

// used counts a model call.
func (s *State) used(e event.UsageReported) {
	u := &s.Usage
	u.Turn, u.Conversation, u.Day = e.Turn, e.Conversation, e.Day
	if e.Window > 0 {
		u.Context, u.Window = e.Context, e.Window
	}
	if e.Turn.Calls == 0 || e.TurnID == "" && !s.Turn.Running {
		return
	}
	turns := slices.Clone(u.Turns)
	if n := len(turns); n > 0 && turns[n-1].ID == e.TurnID {
		turns[n-1].Totals = e.Turn
	} else {
		turns = append(turns, TurnUsage{e.TurnID, s.Turn.First.Text, e.Turn})
	}
	u.Turns = turns[max(len(turns)-maxTurnUsages, 0):]
}

// changed is after a change of the turn's state.
func (t *Turn) changed(to event.State) {
	t.State, t.Writing, t.Reading = to, false, event.PromptRead{}
	if to == event.StateThinking {
		t.Thought, t.Partial = true, false
	}
	if to != event.StateRetrying {
		t.Retry = nil
	}
}

// worked notes what the model and its tools do.
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
		if event.TraitsOf(e.Name).Delegates {
			t.Helpers = append(slices.Clip(t.Helpers), e.ID)
		}
	case event.ToolFinished:
		t.Calls = without(t.Calls, func(c ToolCall) bool { return c.ID == e.ID })
		t.Leaves = t.Leaves || event.TraitsOf(e.Name).Ends && !e.IsError
	case event.Retry:
		t.State, t.Writing, t.Partial, t.Retry = event.StateRetrying, false, false, &e
	}
}

// without is a list without the elements that leave says; the list stays as it is.
func without[T any](list []T, leave func(T) bool) []T {
	if !slices.ContainsFunc(list, leave) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), leave)
}
