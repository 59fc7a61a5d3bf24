package tools

import (
	"context"

	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/text"
)

// Optional interfaces of a Messenger. A tool that needs one is offered only if the turn's Messenger implements it.

// Asker asks the user a question with options. The turn then ends and waits.
type Asker interface {
	AskUser(ctx context.Context, question string, options []string) error
}

// TaskItem is one step of the agent's task list.
type TaskItem struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// TaskLister shows the agent's steps. Each call replaces the list.
type TaskLister interface {
	SetTasks(ctx context.Context, items []TaskItem) error
}

// Delegator runs a sub-agent on a task and returns its report.
type Delegator interface {
	Delegate(ctx context.Context, task string) (report string, err error)
}

// Ender ends the conversation after the turn's answer is recorded. reason is the agent's and may be empty.
type Ender interface {
	EndConversation(reason string)
}

// Recorder is called right before each change of the vault, which the vault's journal records. Its error prevents the
// change.
type Recorder interface {
	BeforeChange(ctx context.Context) error
}

// CallRecorder durably records the running call right before it is sent to an MCP server, so that it is not repeated
// after an interruption. Its error prevents the call.
type CallRecorder interface {
	BeforeCall(ctx context.Context) error
}

// Approver decides whether a change may happen, asking the user if necessary. Its error refuses the change: a *Denied
// if the user did.
type Approver interface {
	// Consents reports whether changes currently need approval.
	Consents() bool
	Approve(ctx context.Context, p Proposal) (Consent, error)
}

// Consent is which parts of a change may happen.
type Consent struct {
	// Hunks are indexes into Proposal.Prose.Hunks; nil means the whole change. A subset is only allowed if the
	// proposal has Pick.
	Hunks   []int
	Unasked bool // the change needed no consent and was not shown
}

// Proposal is a planned change of the vault that has not happened yet.
type Proposal struct {
	Tool    string // the tool's name
	Kind    ChangeKind
	Path    string // actual path of what is created, changed, moved or deleted; empty for an edit of many notes
	NewPath string // ChangeMove: the new path
	Diff    string // unified, from the current to the planned text
	Detail  string // what a diff does not show: "folder with 12 notes", "to the trash"
	// Prose is Diff as hunks of the whole text; nil if there is no text to compare, or too much.
	Prose *prosediff.Diff
	// Pick reports whether the user may accept only some of Prose.Hunks.
	Pick bool
	// Rewrites are the other notes that change too, mostly in links, or all notes of a change of many.
	Rewrites []LinkRewrite
	// Destructive reports whether the change removes text: it deletes, overwrites, or edits away more than half of a
	// note.
	Destructive bool
	Unread      bool // ChangeOverwrite: the turn has not read the note
	Folder      bool // ChangeMove, ChangeDelete: of a folder

	Print string // ChangeTool: fingerprint of the tool's definition
}

// LinkRewrite is a note whose links are updated by a change of another note, or one of many notes that are edited.
type LinkRewrite struct {
	Path  string // actual path, before the change
	Links int    // number of updated links, or of edited places
	Diff  string // unified
}

// Many reports whether the change edits many notes.
func (p *Proposal) Many() bool { return p.Path == "" && len(p.Rewrites) > 0 }

// Sample reports whether the change of a note, by its index in Rewrites, is shown as a sample of a change of many.
func (p *Proposal) Sample(i int) bool { return p.Many() && i < SampleNotes }

// SampleNotes is the number of notes whose changes are shown as samples of a change of many.
const SampleNotes = 3

// Subject returns what is changed, for a person: the path, or the number of notes.
func (p *Proposal) Subject() string {
	if p.Many() {
		return text.Count(len(p.Rewrites), "note")
	}
	return p.Path
}

// Places returns a number of links or edited places with its noun.
func (p *Proposal) Places(n int) string {
	if p.Many() {
		return text.Count(n, "place")
	}
	return text.Count(n, "link")
}

// Updates describes how much of other notes, or of many notes, the change updates: "4 links in 3 notes".
func (p *Proposal) Updates() string {
	n, notes := 0, 0
	for _, r := range p.Rewrites {
		n, notes = n+r.Links, notes+min(r.Links, 1)
	}
	if n == 0 {
		return text.Count(len(p.Rewrites), "note")
	}
	return p.Places(n) + " in " + text.Count(notes, "note")
}

// ChangeKind is a kind of change that can be allowed for a whole conversation.
type ChangeKind string

// The kinds of changes.
const (
	ChangeCreate    ChangeKind = "create"
	ChangeOverwrite ChangeKind = "overwrite"
	ChangeEdit      ChangeKind = "edit"
	ChangeMove      ChangeKind = "move"
	ChangeDelete    ChangeKind = "delete"
	ChangeFolder    ChangeKind = "create_folder"
	ChangeTool      ChangeKind = "use_tool" // not a change of the vault: a call of an MCP server's tool
)

// Denied is the user's refusal of a change.
type Denied struct {
	Note string // the user's comment; may be empty
}

func (d *Denied) Error() string {
	if d.Note == "" {
		return "the user denied it"
	}
	return "the user denied it and said: " + d.Note
}
