package tools

import (
	"context"

	"chatvault/internal/prosediff"
)

// What a Messenger can do beside passing messages on. A tool that needs one of these is among a
// turn's tools only when the Messenger is it.

// Asker puts a question with options to the user; the turn then ends and waits.
type Asker interface {
	AskUser(ctx context.Context, question string, options []string) error
}

// TaskItem is one step of the agent's task list.
type TaskItem struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// TaskLister shows the agent's steps; each call replaces the list.
type TaskLister interface {
	SetTasks(ctx context.Context, items []TaskItem) error
}

// Delegator runs a sub-agent on a task and returns its report.
type Delegator interface {
	Delegate(ctx context.Context, task string) (report string, err error)
}

// Ender ends the conversation, once the turn's answer is recorded. Reason is the agent's, and may
// be empty.
type Ender interface {
	EndConversation(reason string)
}

// Recorder notes each change of the vault down right before it happens, so that an attempt that
// is cut off can be told from one that did it; its error keeps the change from happening.
type Recorder interface {
	BeforeChange(ctx context.Context, e Effect) error
}

// Effect is one change of the vault as a Recorder notes it down.
type Effect struct {
	Op      string `json:"op"`                 // vault.Change.Op
	Path    string `json:"path"`               // true name
	NewPath string `json:"new_path,omitempty"` // move: where to
	Before  string `json:"before,omitempty"`   // hash of what a write replaces
	Planned string `json:"planned,omitempty"`  // hash of what a write puts there
}

// Approver decides, by asking the user where it must, whether a change may happen. Its error is
// the refusal, a *Denied where the user said no.
type Approver interface {
	// Consents says whether Approve is to be asked now.
	Consents() bool
	Approve(ctx context.Context, p Proposal) (Consent, error)
}

// Consent is what of a change may happen.
type Consent struct {
	// Hunks are those that may, by their places in Proposal.Prose.Hunks; nil: all of it. Only of a
	// proposal that says Pick may there be less.
	Hunks   []int
	Unasked bool // nobody saw the change: it is one that does not wait
}

// Proposal is a change of the vault that has been worked out and not happened yet.
type Proposal struct {
	Tool    string // the tool's name
	Kind    ChangeKind
	Path    string // true name: what is created, changed, moved or deleted
	NewPath string // ChangeMove: where to
	Diff    string // unified; what will be written, against what is there
	Detail  string // what no diff shows: "folder with 12 notes", "to the trash"
	// Prose is Diff with its hunks, of the whole text; nil where there is no text to compare,
	// or too much.
	Prose *prosediff.Diff
	// Pick says that the change can happen in parts: those of Prose.Hunks that the user takes.
	Pick bool
	// Rewrites are the notes whose links the change puts right, ChangeMove.
	Rewrites []LinkRewrite
	// Destructive changes take text away: deleting, and writing over a note, or editing it, so
	// that more than half of it goes.
	Destructive bool
	Unread      bool // ChangeOverwrite: of a note that the turn has not read
	Folder      bool // ChangeMove, ChangeDelete: what goes is a folder

	Print string // ChangeTool: stands for what the tool is; another one is another tool
}

// LinkRewrite is a note whose links are changed along with what a change is about.
type LinkRewrite struct {
	Path  string // true name, before the change
	Links int    // that are changed in it
	Diff  string // unified
}

// LinkChooser asks the user whether a move shall update the links that it would break, in a vault
// where Obsidian is set to ask.
type LinkChooser interface {
	ChooseLinks(ctx context.Context, p Proposal) (LinkChoice, error)
}

// LinkChoice is what the user decided about links.
type LinkChoice int

// The choices.
const (
	LinksUnasked LinkChoice = iota // nobody could be asked
	LinksUpdate
	LinksLeave
)

// ChangeKind is a kind of change, as one allows it for a whole conversation.
type ChangeKind string

// The kinds of changes.
const (
	ChangeCreate    ChangeKind = "create"
	ChangeOverwrite ChangeKind = "overwrite"
	ChangeEdit      ChangeKind = "edit"
	ChangeMove      ChangeKind = "move"
	ChangeDelete    ChangeKind = "delete"
	ChangeFolder    ChangeKind = "create_folder"
	ChangeLinks     ChangeKind = "update_links" // with a move, which is not what is asked about
	ChangeTool      ChangeKind = "use_tool"     // no change of the vault: a tool of another program is called
)

// Denied is the user's refusal of a change.
type Denied struct {
	Note string // what the user said to it; may be empty
}

func (d *Denied) Error() string {
	if d.Note == "" {
		return "the user denied it"
	}
	return "the user denied it and said: " + d.Note
}
