// Package event is what happens to messages and turns, as values: the events, what they are made of, and
// the mailboxes they come in. It knows no processor and no screen.
package event

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/artifact"
	"chatvault/tools"
)

// Event is something that happened to a message or a turn. Subscribers get
// events in order; adjacent deltas may arrive merged, nothing else is ever dropped.
// Every event carries a Meta.
type Event interface{ Header() Meta }

// Meta says which turn an event belongs to (the id of its first message; empty
// where it belongs to none) and when it happened.
type Meta struct {
	TurnID string
	Time   time.Time
}

// Header returns the Meta itself, so that embedding it makes an Event.
func (m Meta) Header() Meta { return m }

// State is where a turn stands.
type State string

// The states, as `ask --json` names them.
const (
	StateIdle                 State = "idle"
	StateThinking             State = "thinking"
	StateActing               State = "acting"
	StateObserving            State = "observing"
	StateWaitingClarification State = "waiting_clarification"
	StateWaitingDecision      State = "waiting_decision"
	StateRetrying             State = "retrying"
	StateCompleted            State = "completed"
	StateError                State = "error"
)

// StopReason says why a turn ended on its own.
type StopReason string

// The stop reasons, as `ask --json` names them.
const (
	StopCompleted  StopReason = "completed"
	StopLength     StopReason = "length"  // the answer was cut off at the model's token limit
	StopWaiting    StopReason = "waiting" // asked a question
	StopUnable     StopReason = "unable"  // something that was asked for could not be done
	StopToolLimit  StopReason = "tool_limit"
	StopLoop       StopReason = "loop"
	StopNoProgress StopReason = "no_progress"
	StopBudget     StopReason = "budget"
	StopRefused    StopReason = "refused" // by the model, or a filter of its provider
	StopCut        StopReason = "cut"     // the provider ended the answer early
)

type (
	// Received says that a message is durable in the inbox; Queued, that another turn runs.
	Received struct {
		Meta
		Message Inbound
		Queued  bool
	}
	// TurnStarted says that the worker took these messages, together, as one turn.
	TurnStarted struct {
		Meta
		MessageIDs []string
		Provider   string // llm.Provider.Name
	}
	// StateChanged is a change of the turn's State.
	StateChanged struct {
		Meta
		State State
	}
	// PromptRead reports how far the model has read the prompt of the call under way. Its zero value ends that.
	PromptRead struct {
		Meta
		llm.Reading
	}
	// Suggested is a message that the agent suggests for the composer.
	Suggested struct {
		Meta
		Text string
	}
	// ReasoningDelta is a piece of the model's reasoning, kept apart from the answer.
	ReasoningDelta struct {
		Meta
		Text string
	}
	// TextDelta is a piece of the answer.
	TextDelta struct {
		Meta
		Text string
	}
	// TextDone is the whole text of one model call, after its deltas. It is shorter than they
	// were where the model repeated itself without end: one repeat is kept.
	TextDone struct {
		Meta
		Text string
	}
	// ToolCallDelta says that a tool call is being written: Bytes of arguments so far, and what
	// it will act on, where they say that already.
	ToolCallDelta struct {
		Meta
		ID, Name string
		Bytes    int
		Target   string
	}
	// ToolStarted says that a tool runs. Target is what it acts on, for one line of a screen.
	ToolStarted struct {
		Meta
		ID, Name  string
		Arguments json.RawMessage // always a valid JSON object
		Target    string
	}
	// ToolFinished says that it ended. Result is what the model sees.
	ToolFinished struct {
		Meta
		ID, Name string
		Result   string
		IsError  bool
		Summary  string
		Duration time.Duration
		Diff     string // as tools.Result.Diff
	}
	// AgentMessage is what the agent says mid-task (send_message).
	// A question may come with Options, of which the user picks one or answers in other words.
	AgentMessage struct {
		Meta
		Content    string
		IsQuestion bool
		Options    []string
	}
	// Requested says that the turn waits for the user: Processor.Answer answers it.
	Requested struct {
		Meta
		Request Request
	}
	// RequestEnded says that a request was answered, or that nobody needs the answer any more.
	RequestEnded struct {
		Meta
		ID       string
		Decision Decision
		Hunks    []int // as Answer.Hunks: the parts of a change that were taken; nil: all of it
	}
	// Folded says that waiting messages went into the running turn, at its next model step.
	Folded struct {
		Meta
		MessageIDs []string
	}
	// TaskList is the agent's list of steps, whole, each time it changes.
	TaskList struct {
		Meta
		Items []tools.TaskItem
	}
	// Nested is a step of a sub-agent, within the call of `delegate` with this id. Deltas of
	// sub-agents are not published.
	Nested struct {
		Meta
		CallID string
		Event  Event
	}
	// CompactStarted says that a summary of older messages is being made, which is a model call
	// of its own without deltas: within a turn (its TurnID), or on demand while none runs (no
	// TurnID; Processor.Busy holds and Processor.Stop ends it). Compacted or CompactFailed ends
	// it, always. Asking where there is nothing to compact is answered by a Notice alone.
	CompactStarted struct{ Meta }
	// CompactFailed says why no summary came of it, for the user; empty where they stopped it.
	// Nothing has changed. Within a turn its last event follows.
	CompactFailed struct {
		Meta
		Text string
	}
	// Compacted says that older messages of the conversation were replaced, for the model, by
	// a summary; what was said stays on disk. Before and After are estimated tokens.
	Compacted struct {
		Meta
		Summary       string
		Before, After int
	}
	// GoalChanged says how the goal stands now; a Goal without text is none.
	GoalChanged struct {
		Meta
		Goal Goal
	}
	// ApprovalChanged says which changes wait for the user's consent from now on.
	ApprovalChanged struct {
		Meta
		Approval Approval
	}
	// Retry says that a model call failed and is tried again after Delay. It voids the
	// text and reasoning deltas since the last StateThinking.
	Retry struct {
		Meta
		Attempt int // the attempt that comes, 2…; 1: the first of the next provider, or of a shorter request
		Delay   time.Duration
		Code    llm.Kind
		Reason  llm.Reason
		Message string
	}
	// FellBack says that another provider answers in place of one that failed for good, and why: from
	// now on, with a Retry before it and a Notice after it; or, Earlier, still, as a turn begins that an
	// earlier one told of.
	FellBack struct {
		Meta
		From, To string // llm.Provider.Name
		Code     llm.Kind
		Reason   string // in the provider's words
		Earlier  bool
	}
	// UsageReported counts the tokens of the model call that just ended, and of all calls so
	// far of the turn, the conversation and the local day.
	UsageReported struct {
		Meta
		Usage                   llm.Usage
		Turn, Conversation, Day Totals
		// Context is how many tokens of the model's window the conversation takes after this call,
		// Window how many it has; both 0 where the call was about something else.
		Context, Window int
	}
	// ArtifactChanged says how far a thing has come that a call brought, or the answer: it is created, and
	// then ready or failed, before the turn's last event.
	ArtifactChanged struct {
		Meta
		artifact.Artifact
		CallID string // empty: the answer
		State  artifact.State
		Reason string // why it failed
	}
	// Attached says which pictures and documents go with a message.
	Attached struct {
		Meta
		MessageID string
		Media     []conversation.Attachment
	}
	// Notice is something the user should know that is no error of the turn.
	Notice struct {
		Meta
		Text string
	}
	// NoteChanged says that somebody else changed, moved or removed a note on disk that the running
	// turn has read, each time it is told of: with a Notice for those who show no more.
	NoteChanged struct {
		Meta
		Path string // its true name
	}
	// TurnFinished says that the turn ended on its own; the last event of a turn.
	TurnFinished struct {
		Meta
		Result
		ConversationID string
		// Unrecorded says that the answer is not in the conversation, since it could not be written
		// there: its messages stay in the inbox.
		Unrecorded bool
	}
	// TurnStopped says that the user stopped the turn; the last event of a turn.
	// Changed lists, one line each, what its tools had already done to the vault.
	TurnStopped struct {
		Meta
		MessageIDs []string
		Changed    []string
	}
	// TurnFailed says that the turn failed; the last event of a turn. Text is for the user,
	// with the provider's reason and the next step.
	TurnFailed struct {
		Meta
		MessageIDs []string
		Code       llm.Kind
		Text       string
	}
	// ConversationBegan says that a turn began another conversation than the one before. EndedID
	// is the one that ended for it, a ConversationEnded before told so; empty: none did.
	ConversationBegan struct {
		Meta
		ID, EndedID string
	}
	// ConversationEnded says that a conversation ended: by its idle timeout ("idle"), for another
	// one ("new"), by the agent, after its answer was recorded ("agent"), or by a command of the
	// user ("command").
	ConversationEnded struct {
		Meta
		ID, Reason string
	}
	// ConversationTitled says what an ended conversation is called; that is found out in the
	// background, so that it belongs to no turn.
	ConversationTitled struct {
		Meta
		ID, Title, Summary string
	}
	// QuestionDropped says that nobody's answer to a question is waited for any more: it has expired,
	// or, Left, the user does not want to answer it.
	QuestionDropped struct {
		Meta
		ConversationID, Question string
		Left                     bool
	}
	// RetrospectionStarted says that a look back at a conversation is being made, or will be as soon as
	// no turn runs; Processor.Stop ends it. RetrospectionEnded ends it, always; what came of it is told
	// before. Where a turn came first it starts anew.
	RetrospectionStarted struct {
		Meta
		ConversationID string
	}
	// RetrospectionEnded says that it ended; Stopped, that the user stopped it.
	RetrospectionEnded struct {
		Meta
		ConversationID string
		Stopped        bool
	}
	// Retrospected is a reflection on a conversation, made in the background. Cut is why it is incomplete, for the
	// user; empty if it is complete.
	Retrospected struct {
		Meta
		ConversationID    string
		ConversationTitle string
		Content           string
		Cut               string
	}
	// RetrospectionDelta is a piece of a reflection that is being made, alone or beside a turn, of which
	// it is no part. A Retrospected ends it, always.
	RetrospectionDelta struct {
		Meta
		ConversationID    string
		ConversationTitle string
		Text              string
	}
)

// Denied says that the call's change was not allowed.
func (e ToolFinished) Denied() bool {
	return e.IsError && strings.HasPrefix(e.Summary, tools.DeniedSummary)
}

// transitions holds every legal change of a turn's State; none other happens.
var transitions = map[State][]State{
	StateIdle:                 {StateThinking, StateError},
	StateThinking:             {StateActing, StateRetrying, StateThinking, StateWaitingDecision, StateCompleted, StateError},
	StateActing:               {StateObserving, StateWaitingClarification, StateWaitingDecision, StateError},
	StateObserving:            {StateThinking, StateCompleted, StateError},
	StateRetrying:             {StateThinking, StateError},
	StateWaitingClarification: {StateIdle},
	StateWaitingDecision:      {StateActing, StateObserving, StateThinking, StateIdle, StateError},
	StateCompleted:            {StateIdle},
	StateError:                {StateIdle},
}

// Legal says whether a turn may go from one state to another.
func Legal(from, to State) bool {
	return slices.Contains(transitions[from], to)
}

// ToolTraits are how calls of a tool are shown.
type ToolTraits = tools.Traits

// TraitsOf are the traits of the tool of a name, as ToolStarted and records have it.
func TraitsOf(tool string) ToolTraits { return tools.TraitsOf(tool) }

// GoalStatus is where a goal stands.
type GoalStatus string

// The statuses of a goal.
const (
	GoalActive   GoalStatus = "active"   // the agent works toward it
	GoalChecking GoalStatus = "checking" // a turn ended; whether it is met is being found out
	GoalMet      GoalStatus = "met"
	GoalPaused   GoalStatus = "paused" // stopped, out of budget, at its limit of turns; the next message resumes it
)

// Goal is what the agent keeps working toward over several turns.
type Goal struct {
	Text     string     `json:"text"`
	Status   GoalStatus `json:"status"`
	Why      string     `json:"why,omitempty"` // the last check's reason, or why it is paused
	Turns    int        `json:"turns"`         // that worked toward it since it was set or resumed
	MaxTurns int        `json:"max_turns"`
	Set      time.Time  `json:"set"`
	Failed   bool       `json:"failed,omitempty"` // paused because something failed, at no limit
}

// InProgress says whether the agent goes on toward the goal by itself.
func (g Goal) InProgress() bool {
	return g.Text != "" && (g.Status == GoalActive || g.Status == GoalChecking)
}
