package lines

import (
	"context"
	"io"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/session/provider"
	"chatvault/internal/terminal/output"
)

// Options is what the chat is made from. Without Copying, Trust, Models or Routing nothing is copied,
// agreed to, chosen or routed here.
type Options struct {
	In    io.Reader
	Typed bool // a person types, at a terminal
	Out   *output.Writer

	Vault    string // its name
	Provider string // who answers
	Events   Events

	Agent         Agent
	Conversations Conversations
	Changes       *session.Changes
	Inbox         *session.Inbox
	Settings      Settings
	Models        Models
	Trust         Trust
	Routing       session.RoutingActions
	Servers       session.ServerActions
	Drafts        Drafts
	Prompts       Prompts // what was typed, kept
	Copying       Copying

	// Vaults are those that are known.
	Vaults func(ctx context.Context) ([]session.Vault, error)
	// Attached finds the files and folders that a message names with @.
	Attached func(ctx context.Context, message string) ([]session.VaultFile, error)
	// LastCode is the last block of code in a text of Markdown; empty: there is none.
	LastCode func(markdown string) string
	// Commands is the table of all commands.
	Commands []session.Command
}

// Events are what happens.
type Events interface {
	Next(ctx context.Context) ([]event.Event, error)
	Close()
}

// Agent works on messages.
type Agent interface {
	Submit(ctx context.Context, m event.Inbound) (event.Inbound, error)
	Stop()
	Answer(id string, a event.Answer) error
	Busy() bool
	session.GoalActions
	session.ApprovalActions
	Usage() (conversation, day event.Totals, err error)
	Context() (tokens, window int)
	Load(ctx context.Context) (session.Loaded, error)
	Custom(ctx context.Context) (session.Custom, error)
}

// Conversations are the vault's, and the active one.
type Conversations interface {
	List(ctx context.Context) ([]session.Past, error)
	Search(ctx context.Context, query string) ([]session.Past, error)
	Read(ctx context.Context, id string) ([]session.HistoryItem, error)
	Continue(ctx context.Context, id string) (session.Page, error)
	Rename(ctx context.Context, id, title string) error
	Delete(ctx context.Context, id string) error
	Export(ctx context.Context, id string) (path string, err error)

	History(ctx context.Context) ([]session.HistoryItem, error)
	Transcript(ctx context.Context) (string, error)
	Fork(ctx context.Context, messageID string) (session.Moved, error)
	Branches(ctx context.Context) ([]session.Branch, error)
	Switch(ctx context.Context, branchID string) (session.Moved, error)
	New(ctx context.Context) error
	session.ConversationActions
	ArtifactsCommand(ctx context.Context, words string) (said string, err error)
}

// Settings are the configuration.
type Settings interface {
	List(ctx context.Context) (list []session.Setting, wrong []string)
	Set(ctx context.Context, key string, typed *string, inVault bool) (said string, err error)
	Architecture(text string) (session.SettingChange, error)
}

// Models are those there are to choose from.
type Models interface {
	Sources() []provider.ModelSource
	List(ctx context.Context, id string) ([]provider.ModelChoice, error)
	Unlisted(ctx context.Context, name string) string
	Use(name string) (provider.ModelUsed, error)
	session.EffortActions
}

// Trust is what came with the vault.
type Trust interface {
	Look(ctx context.Context) (what, whole string, err error)
	Answer(agreed bool) (said string, err error)
	session.SkillActions
}

// Drafts keep what was typed and not sent.
type Drafts interface{ Save(text string) }

// Prompts keep what was sent.
type Prompts interface{ Append(text string) }

// Copying puts a text into the clipboard.
type Copying interface {
	Copy(ctx context.Context, text string) (session.Copied, error)
}
