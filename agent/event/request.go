package event

import (
	"chatvault/tools"
)

// RequestKind says what a Request asks for.
type RequestKind string

// The kinds.
const (
	RequestApproval RequestKind = "approval" // may this change of the vault happen?
	RequestSecret   RequestKind = "secret"   // a key: typed masked, never shown or logged
	RequestSetting  RequestKind = "setting"  // another missing setting or environment value
)

// Request is what a turn cannot go on without. It waits until it is answered or the turn is
// stopped.
type Request struct {
	ID     string
	Kind   RequestKind
	Change tools.Proposal // RequestApproval: exactly what will happen
	Name   string         // RequestSecret, RequestSetting: of the variable or setting
	Text   string         // why it is asked and what becomes of the answer, in a sentence or two
}

// Decision is how a request was answered.
type Decision string

// The decisions.
const (
	AllowOnce         Decision = "allow_once"
	AllowConversation Decision = "allow_conversation" // this kind of change, until the conversation ends
	AllowAlways       Decision = "allow_always"       // a tool of another program, as long as it stays what it is
	Deny              Decision = "deny"               // also: no value is given
	Provide           Decision = "provide"            // the value that was asked for
	Withdrawn         Decision = "withdrawn"          // the turn ended first
)

// Answer answers a Request.
type Answer struct {
	Decision Decision
	Note     string // with Deny: what the model is told
	Value    string // with Provide
	// Hunks are, with an allowance of a change that says Pick, the parts of it that may happen, by
	// their places in Change.Prose.Hunks; nil: all of it. None at all is a Deny.
	Hunks []int
}
