package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Source is where a message came from.
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
	// Hold keeps a message that arrives during a turn for the next one. Otherwise it is folded into the running turn
	// before its next model call.
	Hold bool `json:"hold,omitempty"`
	// Attach are files and folders of the vault whose content the model gets with the message. Missing and private
	// ones are left out.
	Attach []string `json:"attach,omitempty"`
	// AnswerSchema is the JSON Schema that the answer must be valid against; nil means that it is text.
	AnswerSchema json.RawMessage `json:"answer_schema,omitempty"`
}

// MetaInput is the Metadata key for how a routed message was entered: "voice" or "text".
const MetaInput = "input"

// MetaSender is the Metadata key for the name of a message's sender, where several people take part.
const MetaSender = "sender"

// maxSender is the maximum length of a sender's name, in characters.
const maxSender = 40

// Sender returns the name of the sender, on one line; empty for the user.
func (m Inbound) Sender() string {
	return text.Clip(terminal.StrictLine(text.OneLine(m.Metadata[MetaSender])), maxSender)
}

// From returns the sender and how the message was routed, for display.
func (m Inbound) From() string { return text.Join(" · ", m.Sender(), m.Via()) }

// Via returns how a message was routed, in a word for the user: "voice" or "routed"; empty if it was typed here.
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

// Via returns Inbound.Via of a recorded message.
func Via(m conversation.Message) string { return via(Source(m.Source), m.Input) }

// Result is how a turn ended, as its source is notified. A stopped turn is a success with an empty response.
type Result struct {
	Success              bool
	MessageID            string
	Response             string
	ToolsUsed            []string
	Error                string
	IsWaitingForResponse bool
	StopReason           StopReason
	Stopped              bool // by the user
	Dropped              bool // the user discarded the message; there was no turn
}

// RequestKind is the kind of a Request.
type RequestKind string

// The kinds.
const (
	RequestApproval RequestKind = "approval" // may this change of the vault happen?
	RequestSecret   RequestKind = "secret"   // a key: typed masked, never shown or logged
	RequestSetting  RequestKind = "setting"  // another missing setting or environment value
)

// Request is something that a turn needs from the user. It waits until it is answered or the turn is stopped.
type Request struct {
	ID     string
	Kind   RequestKind
	Change tools.Proposal // RequestApproval: the exact change
	Name   string         // RequestSecret, RequestSetting: of the variable or setting
	Text   string         // reason, and how the answer is used, in a sentence or two
}

// Decision is how a request was answered.
type Decision string

// The decisions.
const (
	AllowOnce         Decision = "allow_once"
	AllowConversation Decision = "allow_conversation" // this kind of change, until the conversation ends
	AllowAlways       Decision = "allow_always"       // a tool of another program, until it changes
	Deny              Decision = "deny"               // also: no value is given
	Provide           Decision = "provide"            // the requested value
	Withdrawn         Decision = "withdrawn"          // the turn ended first
)

// Answer answers a Request.
type Answer struct {
	Decision Decision
	Note     string // with Deny: message for the model
	Value    string // with Provide
	// Hunks are the parts of a change to allow, by their index in Change.Prose.Hunks, if the change can be picked
	// from; nil means all of it. An empty list is a Deny.
	Hunks []int
}

// MaxNote is the maximum length of Answer.Note, in runes.
const MaxNote = 2000

// Checked returns the answer as the turn gets it, or an error if it does not fit the request. Chosen parts of a change are
// existing ones, without duplicates, in order; choosing none denies the change.
func (a Answer) Checked(r Request) (Answer, error) {
	switch a.Value = strings.TrimSpace(a.Value); {
	case a.Decision == Deny:
		a.Hunks = nil
	case r.Kind != RequestApproval && a.Decision == Provide:
		if a.Value == "" {
			return a, errors.New("nothing was typed")
		}
	case r.Kind == RequestApproval && (a.Decision == AllowOnce || a.Decision == AllowConversation || a.Decision == AllowAlways && r.Change.Kind == tools.ChangeTool):
		if a.Hunks == nil {
			break
		}
		if !r.Change.Pick {
			return a, errors.New("this change can only be taken as a whole")
		}
		all := len(r.Change.Prose.Hunks)
		a.Hunks = slices.Compact(slices.Sorted(slices.Values(a.Hunks)))
		for _, i := range a.Hunks {
			if i < 0 || i >= all {
				return a, fmt.Errorf("the change has %d parts: there is no part %d", all, i+1)
			}
		}
		if len(a.Hunks) == 0 {
			a.Decision = Deny
		}
		if len(a.Hunks) == 0 || len(a.Hunks) == all {
			a.Hunks = nil
		}
	default:
		return a, fmt.Errorf("%q does not answer a request of the kind %q", a.Decision, r.Kind)
	}
	if r.Kind == RequestApproval {
		a.Value = ""
	}
	a.Note = text.Clip(strings.TrimSpace(a.Note), MaxNote)
	return a, nil
}

// Approval selects the changes of the vault that require the user's consent.
type Approval string

// The approvals, weakest first.
const (
	ApprovalOff         Approval = "off"         // no change
	ApprovalDestructive Approval = "destructive" // those that take much away, and many in a turn
	ApprovalWrites      Approval = "writes"      // every one
	ApprovalPlan        Approval = "plan"        // no change except by an approved plan
)

// Approvals returns all modes, weakest first.
func Approvals() []Approval {
	return []Approval{ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan}
}

// Next returns the next mode, starting over after the last.
func (a Approval) Next() Approval {
	all := Approvals()
	return all[(slices.Index(all, a)+1)%len(all)]
}

// Named returns the user's name for it.
func (a Approval) Named() string {
	switch a {
	case ApprovalOff:
		return "autonomous"
	case ApprovalPlan:
		return "plan only"
	}
	return string(a)
}

// PlainAnswer normalizes a short answer for comparisons: case, spaces and the final full stop are ignored.
func PlainAnswer(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return strings.TrimRight(text, ".!")
}

// ChosenOption returns the 0-based option that an answer picks by number or text. If the number of one option is the
// text of another, it means the number.
func ChosenOption(answer string, options []string) (int, bool) {
	answer = PlainAnswer(answer)
	if answer == "" {
		return 0, false
	}
	number := strings.TrimPrefix(answer, "option ")
	number = strings.TrimSuffix(strings.TrimPrefix(number, "("), ")")
	if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(options) && number[0] != '+' {
		return n - 1, true
	}
	for i, o := range options {
		if PlainAnswer(o) == answer {
			return i, true
		}
	}
	return 0, false
}

// NoOption reports whether an answer is a bare number that picks none of the options, unless an option is a number
// itself.
func NoOption(answer string, options []string) bool {
	number := func(s string) bool { _, err := strconv.Atoi(PlainAnswer(s)); return err == nil }
	if _, ok := ChosenOption(answer, options); ok || len(options) == 0 || slices.ContainsFunc(options, number) {
		return false
	}
	return number(answer)
}
