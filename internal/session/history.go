// Package session is what a front-end can ask of an open vault and its agent.
package session

import (
	"encoding/json"
	"time"

	"chatvault/agent/event"
)

// HistoryRole says what a HistoryItem is.
type HistoryRole string

// What a conversation shown at the start is made of.
const (
	HistoryUser         HistoryRole = "user"
	HistoryAssistant    HistoryRole = "assistant"
	HistoryAgentMessage HistoryRole = "agent_message"
	HistoryQuestion     HistoryRole = "question"
	HistoryTool         HistoryRole = "tool"
	HistoryError        HistoryRole = "error"
	HistoryNotice       HistoryRole = "notice"
	HistorySummary      HistoryRole = "summary" // stands, for the model, for what is above it
	HistoryGoal         HistoryRole = "goal"    // a message of the program's own, toward the goal
	HistoryContinued    HistoryRole = "continued"
	HistoryTakenBack    HistoryRole = "taken back" // what the turn above changed, at Time; all but Left
)

// HistoryItem is one thing of the conversation so far. For HistoryTool, Content
// is the tool's name, Target what it acted on, Summary how it ended. HistoryContinued stands where
// a conversation begins that continues another one: Content is what that was called, Time when it
// ended, Summary its summary, Detail a remark on what was carried.
type HistoryItem struct {
	Role    HistoryRole
	Content string
	Time    time.Time
	Target  string
	Summary string
	Via     string // HistoryUser: agent.Inbound.Via
	Added   bool   // HistoryUser: it went into a turn that ran already
	Detail  string // HistoryTool: what it gave, for the details
	// Arguments are what a HistoryTool was called with, a JSON object, for the details.
	Arguments json.RawMessage
	IsError   bool
	Plan      bool     // HistoryUser: a plan was asked for
	Options   []string // HistoryQuestion that waits for its answer: what was offered with it
	Dropped   bool     // HistoryQuestion: nobody's answer is waited for any more
	Carried   bool     // it was said in the conversation that this one continues
	Left      []string // HistoryTakenBack: what was not taken back, a line each
	ID        string   // HistoryUser, HistoryGoal: the message's id
	Turn      string   // HistoryUser, HistoryGoal: the id of the turn it belongs to
}

// Unfinished is a message that was accepted and not finished when chatvault
// last ended. It is offered, never replayed silently.
type Unfinished struct {
	Message   event.Inbound
	Attempts  int       // turns begun with it; 0: it only waited
	ToolsRan  bool      // tools may have changed the vault already
	Changes   []string  // what they are known to have changed: "edited a.md"
	LastError string    // why it was not finished; empty: the program ended in the middle
	LastTried time.Time // zero: never
}

// Loaded is what Options.Load found.
type Loaded struct {
	History    []HistoryItem
	ID         string // of the conversation
	Earlier    string // as Page.Earlier, and First as Page.First
	First      string
	Unfinished []Unfinished
	Examples   []string // questions for the first-run screen, best first
	Draft      string   // what stood in the composer at the last end
	Folds      []string // the pastes in it that showed folded
	Notices    []string // warnings worth a line in the transcript
	Goal       event.Goal
	Before     *Past // the conversation that ended last; nil: none did
}

// ProviderChange is a provider found after the start.
type ProviderChange struct {
	Name    string
	Offline bool
}
