// Package event defines the events of messages and turns and the subscriptions through which they are delivered. It
// knows nothing of the processor or the screen.
package event

import (
	"encoding/json"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/tools"
)

// Event is something that happened to a message or a turn. Subscribers receive all events in order; adjacent deltas may
// be merged.
type Event interface{ Header() Meta }

// Meta is the turn of an event, by the ID of its first message, and its time. TurnID is empty for events outside
// turns.
type Meta struct {
	TurnID string
	Time   time.Time
}

// Header returns the Meta itself, so that embedding it makes an Event.
func (m Meta) Header() Meta { return m }

// State is the state of a turn.
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

// StopReason is why a turn ended on its own.
type StopReason string

// The stop reasons, as `ask --json` names them.
const (
	StopCompleted  StopReason = "completed"
	StopLength     StopReason = "length"  // the answer was cut off at the model's token limit
	StopWaiting    StopReason = "waiting" // asked a question
	StopUnable     StopReason = "unable"  // something could not be done
	StopToolLimit  StopReason = "tool_limit"
	StopLoop       StopReason = "loop"
	StopNoProgress StopReason = "no_progress"
	StopBudget     StopReason = "budget"
	StopRefused    StopReason = "refused" // by the model, or a filter of its provider
	StopCut        StopReason = "cut"     // the provider ended the answer early
	StopInvalid    StopReason = "invalid" // the answer is not in the form of its schema
)

type (
	// Received reports that a message is durably stored. Queued is set if another turn runs.
	Received struct {
		Meta
		Message Inbound
		Queued  bool
	}
	// TurnStarted reports that the worker took the messages as one turn.
	TurnStarted struct {
		Meta
		MessageIDs []string
		Provider   string // llm.Provider.Name of the one that is tried first
	}
	// StateChanged is a change of the turn's State.
	StateChanged struct {
		Meta
		State State
	}
	// PromptRead reports how much of the prompt the model has read; zero means that it has begun to answer.
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
	// TextDone is the whole text of one model call, after its deltas. It is shorter than them if the model repeated
	// itself endlessly: one repetition is kept.
	TextDone struct {
		Meta
		Text string
	}
	// Answered is the answer to a message with an AnswerSchema, valid and on one line.
	Answered struct {
		Meta
		Value json.RawMessage
	}
	// ToolCallDelta reports the progress of a tool call that is being written: bytes of arguments and, once known,
	// its target.
	ToolCallDelta struct {
		Meta
		ID, Name string
		Bytes    int
		Target   string
	}
	// ToolStarted reports that a tool runs. Target is what it acts on, on one line.
	ToolStarted struct {
		Meta
		ID, Name  string
		Arguments json.RawMessage // always a valid JSON object
		Target    string
	}
	// ToolFinished reports the end of a call. Result is what the model sees.
	ToolFinished struct {
		Meta
		ID, Name string
		Result   string
		IsError  bool
		Summary  string
		Duration time.Duration
		Diff     string // as tools.Result.Diff
	}
	// AgentMessage is a message that the agent sends during a turn. A question may have Options; the user picks one
	// or answers in other words.
	AgentMessage struct {
		Meta
		Content    string
		IsQuestion bool
		Options    []string
	}
	// Requested reports that the turn waits for Processor.Answer.
	Requested struct {
		Meta
		Request Request
	}
	// RequestEnded reports that a request was answered or withdrawn.
	RequestEnded struct {
		Meta
		ID       string
		Decision Decision
		Hunks    []int // as Answer.Hunks
	}
	// Folded reports that waiting messages were added to the running turn.
	Folded struct {
		Meta
		MessageIDs []string
	}
	// TaskList is the agent's list of steps, whole, each time it changes.
	TaskList struct {
		Meta
		Items []tools.TaskItem
	}
	// Nested is a step of a sub-agent that the call of `delegate` with this ID started. Deltas of sub-agents are not
	// published.
	Nested struct {
		Meta
		CallID string
		Event  Event
	}
	// CompactStarted reports that a summary of older messages is being made: in a turn, or on demand without a
	// TurnID, in which case Processor.Busy is true and Processor.Stop cancels it. A Compacted or CompactFailed always
	// follows. If there is nothing to compact, a Notice is sent instead.
	CompactStarted struct{ Meta }
	// CompactFailed reports why there is no summary, for the user; Text is empty if they stopped it. Nothing has
	// changed.
	CompactFailed struct {
		Meta
		Text string
	}
	// Compacted reports that a summary replaces older messages for the model. Before and After are estimated tokens.
	Compacted struct {
		Meta
		Summary       string
		Before, After int
	}
	// GoalChanged reports the state of the goal; no Text means no goal.
	GoalChanged struct {
		Meta
		Goal Goal
	}
	// ApprovalChanged reports which changes require consent from now on.
	ApprovalChanged struct {
		Meta
		Approval Approval
	}
	// Retry reports that a model call failed and is repeated after Delay. It voids the deltas since the last
	// StateThinking.
	Retry struct {
		Meta
		Attempt int // number of the next attempt, from 2; 1 for another provider or a shorter request
		Delay   time.Duration
		Code    llm.Kind
		Reason  llm.Reason
		Message string
	}
	// FellBack reports that another provider replaces one that failed permanently, and why.
	FellBack struct {
		Meta
		From, To string // llm.Provider.Name
		Code     llm.Kind
		Reason   string // in the provider's words
	}
	// UsageReported counts the tokens of the model call that just ended, and of all calls so far in the turn, the
	// conversation and the local day.
	UsageReported struct {
		Meta
		Usage                   llm.Usage
		Turn, Conversation, Day Totals
		// Context is how many tokens of the model's Window the conversation takes after this call; both are zero for
		// calls about something else.
		Context, Window int
	}
	// ArtifactChanged reports the state of an artifact of a call or of the answer: created, then ready or failed
	// before the turn's last event.
	ArtifactChanged struct {
		Meta
		artifact.Artifact
		CallID string // empty if it is from the answer
		State  artifact.State
		Reason string // why it failed
	}
	// Attached reports the pictures and documents of a message.
	Attached struct {
		Meta
		MessageID string
		Media     []conversation.Attachment
	}
	// Notice is a message for the user that is not an error of the turn.
	Notice struct {
		Meta
		Text string
	}
	// TurnFinished reports that the turn ended on its own. It is the last event of a turn.
	TurnFinished struct {
		Meta
		Result
		ConversationID string
		// Unrecorded is set if the answer could not be recorded in the conversation: its messages stay in the inbox.
		Unrecorded bool
	}
	// TurnStopped reports that the user stopped the turn. It is the last event of a turn. Changed lists its changes
	// of the vault, a line each.
	TurnStopped struct {
		Meta
		MessageIDs []string
		Changed    []string
	}
	// TurnFailed reports that the turn failed. It is the last event of a turn. Text is for the user, with the
	// provider's reason and the next step.
	TurnFailed struct {
		Meta
		MessageIDs []string
		Code       llm.Kind
		Text       string
	}
	// ConversationBegan reports that a turn began another conversation. The ConversationEnded of the one before came
	// before.
	ConversationBegan struct {
		Meta
		ID string
	}
	// ConversationEnded reports the end of a conversation, with the reason: "idle" for its idle timeout, "new" for
	// another one, "agent" or "command".
	ConversationEnded struct {
		Meta
		ID, Reason string
	}
	// ConversationTitled reports the title of an ended conversation. It belongs to no turn.
	ConversationTitled struct {
		Meta
		ID, Title, Summary string
	}
	// QuestionDropped reports that a question no longer waits: it has expired, or the user left it.
	QuestionDropped struct {
		Meta
		ConversationID, Question string
		Left                     bool
	}
	// RetrospectionStarted reports that a review runs; Processor.Stop cancels it. RetrospectionEnded always follows,
	// after the result.
	RetrospectionStarted struct{ Meta }
	// RetrospectionEnded reports the end of a review; Stopped is set if the user stopped it.
	RetrospectionEnded struct {
		Meta
		Stopped bool
	}
	// Retrospected is the result of a review. Cut is why the review is incomplete, for the user; empty if it is
	// complete.
	Retrospected struct {
		Meta
		ConversationID    string
		ConversationTitle string
		Content           string
		Cut               string
	}
	// RetrospectionDelta is a piece of a review that is being written, possibly during a turn. A Retrospected always
	// follows.
	RetrospectionDelta struct {
		Meta
		ConversationID    string
		ConversationTitle string
		Text              string
	}
)

// Denied reports whether the call's change was not allowed.
func (e ToolFinished) Denied() bool {
	return e.IsError && strings.HasPrefix(e.Summary, tools.DeniedSummary)
}

// ToolTraits are how calls of a tool are shown.
type ToolTraits = tools.Traits

// TraitsOf returns the traits of a tool by its name.
func TraitsOf(tool string) ToolTraits { return tools.TraitsOf(tool) }

// GoalStatus is the status of a goal.
type GoalStatus string

// The statuses of a goal.
const (
	GoalActive   GoalStatus = "active"   // the agent works toward it
	GoalChecking GoalStatus = "checking" // a turn ended, and a model call checks whether it is met
	GoalMet      GoalStatus = "met"
	GoalPaused   GoalStatus = "paused" // stopped, out of budget, at its limit of turns; the next message resumes it
)

// Goal is what the agent works toward over several turns.
type Goal struct {
	Text     string     `json:"text"`
	Status   GoalStatus `json:"status"`
	Why      string     `json:"why,omitempty"` // the last check's reason, or why it is paused
	Turns    int        `json:"turns"`         // that worked toward it since it was set or resumed
	MaxTurns int        `json:"max_turns"`
	Set      time.Time  `json:"set"`
	Failed   bool       `json:"failed,omitempty"` // paused because something failed, at no limit
}

// InProgress reports whether the agent continues toward the goal without a new message.
func (g Goal) InProgress() bool {
	return g.Text != "" && (g.Status == GoalActive || g.Status == GoalChecking)
}

// Totals sums the usage of model calls.
type Totals struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens,omitempty"`      // part of Prompt
	Written    int     `json:"cache_write_tokens,omitempty"` // part of Prompt, into the cache
	Completion int     `json:"completion_tokens"`
	Reasoning  int     `json:"reasoning_tokens,omitempty"` // part of Completion
	Cost       float64 `json:"cost,omitempty"`             // US dollars, of the calls whose price is known
	Priced     bool    `json:"priced,omitempty"`           // Cost is known, for some call at least
	Estimated  bool    `json:"estimated,omitempty"`        // some call's tokens were estimated
}

// Add counts one model call.
func (t *Totals) Add(u llm.Usage) {
	call := Totals{
		Calls: 1, Prompt: u.PromptTokens, Cached: u.CachedTokens, Written: u.CacheWriteTokens,
		Completion: u.CompletionTokens, Reasoning: u.ReasoningTokens, Cost: u.Cost, Priced: u.HasCost, Estimated: u.Estimated,
	}
	*t = t.Plus(call)
}

// Plus is the sum of two totals.
func (t Totals) Plus(u Totals) Totals {
	t.Calls += u.Calls
	t.Prompt += u.Prompt
	t.Cached += u.Cached
	t.Written += u.Written
	t.Completion += u.Completion
	t.Reasoning += u.Reasoning
	t.Cost += u.Cost
	t.Priced = t.Priced || u.Priced
	t.Estimated = t.Estimated || u.Estimated
	return t
}
