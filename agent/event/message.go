package event

import (
	"time"

	"chatvault/conversation"
)

// Source says which way a message came.
type Source string

// The sources.
const (
	SourceDirect    Source = "direct"    // typed here
	SourceWebSocket Source = "websocket" // routed
	SourceGoal      Source = "goal"      // the program's own, to go on toward the goal
)

// Mode is how a message is worked on.
type Mode string

// The modes.
const (
	ModeAct  Mode = ""     // with all tools
	ModePlan Mode = "plan" // without any tool that writes; the answer is a plan to approve
)

// Inbound is a message to the agent.
type Inbound struct {
	ID       string            `json:"id"`
	Text     string            `json:"text"`
	Source   Source            `json:"source"`
	Time     time.Time         `json:"time"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Mode     Mode              `json:"mode,omitempty"`
	// Hold keeps a message that arrives during a turn for the next one; else it is folded
	// into the running turn at its next model step.
	Hold bool `json:"hold,omitempty"`
	// Attach are files and folders of the vault that go with the message: the model sees what is in
	// them beside it. What is not there, or must not be seen, is left out.
	Attach []string `json:"attach,omitempty"`
}

// MetaInput is the key of a routed message's Metadata that says how it was put in: "voice", "text".
const MetaInput = "input"

// Via says, in a word for the user, which way a message came: "voice" or "routed"; empty: it was
// typed here.
func (m Inbound) Via() string { return via(m.Source, m.Metadata[MetaInput]) }

func via(s Source, input string) string {
	switch {
	case s != SourceWebSocket:
		return ""
	case input == "voice":
		return "voice"
	}
	return "routed"
}

// Via says it of a message on record, as Inbound.Via does.
func Via(m conversation.Message) string { return via(Source(m.Source), m.Input) }

// Result is how a turn ended, in the shape the notification to its source has.
// A stopped turn is a success with an empty response.
type Result struct {
	Success              bool
	MessageID            string
	Response             string
	ToolsUsed            []string
	Error                string
	IsWaitingForResponse bool
	StopReason           StopReason
	Stopped              bool // by the user
	Dropped              bool // by the user, who has nothing done for the message any more; there was no turn
}
