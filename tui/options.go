package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal/attention"
	"chatvault/tui/complete"
	"chatvault/tui/paging"
	"chatvault/tui/pickers"
)

// Processor runs the turns: what the screen needs of a session for that.
type Processor interface {
	// Submit accepts a message; it is durable when the error is nil. The message
	// comes back with its ID and Time.
	Submit(ctx context.Context, m event.Inbound) (event.Inbound, error)
	// Stop stops the running turn; a no-op when there is none.
	Stop()
	// TakeBack takes a queued message out of the queue; false when it already went.
	TakeBack(id string) (event.Inbound, bool)
	// Answer answers a request of the running turn; an error when nobody waits for it any
	// more, or when it is no answer to it.
	Answer(id string, a event.Answer) error
}

// Events is a subscription to what the processor does. Next blocks for at least
// one event and returns what is there, in order; an error ends the subscription.
type Events interface {
	Next(ctx context.Context) ([]event.Event, error)
	Close()
}

// PromptHistory keeps what was typed, oldest first, from one start to the next.
type PromptHistory interface {
	Load() []string
	Append(text string)
}

// Conversation is what can be read of, and done with, the one on the screen.
type Conversation interface {
	paging.Source
	session.ConversationActions
	// New ends the running conversation.
	New(ctx context.Context) error
	// History is the conversation so far, and Transcript the same as Markdown.
	History(ctx context.Context) ([]session.HistoryItem, error)
	Transcript(ctx context.Context) (string, error)
	// LeaveQuestion drops the question that waits: it will not be answered.
	LeaveQuestion() error
	// Fork goes back to before the turn that a message of the user's belongs to. Reach looks at the turns
	// from that one on; ForkBack goes back too, and then takes the turns' changes of the vault back.
	Fork(ctx context.Context, messageID string) (session.Moved, error)
	Reach(ctx context.Context, messageID string) (session.Reach, error)
	ForkBack(ctx context.Context, messageID string, turns []string) (session.Moved, error)
	// Branches are the ways the conversation went, the active one first, and Switch goes over to another.
	Branches(ctx context.Context) ([]session.Branch, error)
	Switch(ctx context.Context, branchID string) (session.Moved, error)
}

// Routing is the way in for messages that SmartHole routes here.
type Routing interface {
	session.RoutingActions
	// Changes brings how the connection stands, each time that is another than before.
	Changes(ctx context.Context) <-chan session.RouteStatus
}

// Copying is how texts are copied, and pictures pasted.
type Copying interface {
	// Copy puts a text into the clipboard, or where it can be taken from, without what a terminal
	// that it is pasted into would obey. An error says that it is nowhere.
	Copy(ctx context.Context, text string) (session.Copied, error)
	// Picture is the picture that the clipboard holds; an error says why there is none.
	Picture(ctx context.Context) ([]byte, error)
}

// Usage is what was used of tokens and money.
type Usage interface {
	// Usage is what the conversation and the local day have used.
	Usage() (conversation, day event.Totals, err error)
	// Context is how many tokens of the model's window the conversation took when it was last known,
	// asked after Usage; 0: not known.
	Context() (tokens, window int)
	// Costs is what the days and conversations of the vault have used.
	Costs() (event.Costs, error)
}

// Drafts keep what stands in the composer.
type Drafts interface {
	// Save is called shortly after it changed, and at the end.
	Save(text string)
}

// Terminal is what the screen must know of the terminal beside what Bubble Tea knows.
type Terminal interface {
	// Continuable reports whether a shell could continue the process were it suspended (Ctrl+Z).
	Continuable() bool
	// Continued brings a signal each time the process continues after it was stopped.
	Continued() <-chan os.Signal
	// Suspension is what stops the process until the shell continues it.
	Suspension() tea.ExecCommand
	// Retake puts the terminal into raw mode again and returns what turns the screen's modes on.
	Retake(mouse bool) (modes string, err error)
}

// Screen is how the terminal is drawn on and read from.
type Screen struct {
	Theme   string // "auto" (or empty), or a name of theme.Looks
	NoColor bool   // NO_COLOR: the theme "none" whatever Theme says
	// ColorProfile is how many colours the terminal shows. Zero: none.
	ColorProfile colorprofile.Profile
	// Background is the terminal's; the screen asks for it where the theme depends on it. No colour: taken for dark.
	Background tea.BackgroundColorMsg
	Mouse      bool
	// Attention is how somebody is told who looks elsewhere, and the window's title. Nil: neither.
	Attention *attention.Terminal

	Terminal Terminal // nil: none can be suspended
	// Input and Output are where keys come from and the screen goes to. Nil: standard input and output.
	Input  io.Reader
	Output io.Writer
}

// Engine is who answers.
type Engine struct {
	Provider string // what the header shows: "openai/gpt-5.2", "offline engine"
	// Offline says that Provider is the embedded engine, which the first-run
	// screen explains. ProviderChanges may bring another.
	Offline bool
	// Forms are the forms of the embedded engine's commands.
	Forms []string
	// ProviderChanges brings the names of providers found later (a local server
	// that answered after the first frame). May be nil; closing it is fine.
	ProviderChanges <-chan session.ProviderChange
}

// Writing is what helps to write a message.
type Writing struct {
	// Completing is what can be named in a message, while it is written. Nil: commands.
	Completing complete.Vault
	// EditDraft opens what is written in the user's editor. Nil: there is no such key.
	EditDraft     DraftEditor
	PromptHistory PromptHistory
	// Drafts keep what stands in the composer. Nil: it goes with the program.
	Drafts Drafts
}

// Typed is what can be typed for something to happen: commands and keys.
type Typed struct {
	// Custom are the commands of the vault's own; it is asked whenever they are wanted. Nil: none.
	Custom func(ctx context.Context) (session.Custom, error)
	// Commands is the table of all commands; nil: session.Commands.
	Commands []session.Command
	// Keys are keys that are bound otherwise, by action (CheckKeys).
	Keys map[string][]string
}

// Session is what the screen can ask of the session beside its processor.
type Session struct {
	// Conversation is the one on the screen. Nil: what Load brings is all.
	Conversation Conversation
	// Inbox is the unfinished messages (/inbox). Nil: nothing is offered.
	Inbox pickers.Inbox
	// Goal is what is worked toward (/goal). Nil: no such command.
	Goal session.GoalActions
	// Approval says which changes wait for consent (/approval). Nil: no such command.
	Approval session.ApprovalActions
	// Trust is what came with the vault (/trust). Nil: no such command.
	Trust pickers.Brought
	// Conversations are the vault's (/conversations). Nil: no such command.
	Conversations session.Archive
	// Routing is the way in for routed messages (/smarthole). Nil: no such command.
	Routing Routing
	// Servers are those whose tools the agent may use (/mcp). Nil: none are configured.
	Servers session.ServerActions
	// Usage is what was used (/cost). Nil: no such command.
	Usage Usage

	// Changes is what was changed in the vault, and how it is taken back (/changes, /undo, /redo). Nil: no such
	// commands.
	Changes session.ChangeLog
	// Settings is the configuration, seen and changed (/settings). Nil: no such command.
	Settings pickers.Configuration
	// Models is how the model is chosen (/model). Nil: no such command.
	Models pickers.ModelSources
}

// Options is everything the screen is made from. Processor, Events and
// VaultName are required.
type Options struct {
	Processor Processor
	Events    Events

	VaultName string // shown in header and window title
	VaultDir  string // shown on the first-run screen
	ReadOnly  bool   // nothing in it can be changed: said in the header
	Engine

	// Load reads what is shown at the start; it runs after the first frame, off
	// the screen's loop. May be nil.
	Load func(ctx context.Context) (session.Loaded, error)
	Session
	// Vaults are the other vaults the screen can go over to (/vault).
	Vaults Vaults

	// Citing is how what answers refer to is followed.
	Citing Citing
	// Copying is how what was said is copied (/copy), and a picture pasted. Nil: neither can be.
	Copying Copying

	Writing
	Typed
	Screen

	Version string
	Now     func() time.Time // nil: time.Now
}

func (o Options) check() error {
	switch {
	case o.Processor == nil:
		return errors.New("tui: Options.Processor is missing")
	case o.Events == nil:
		return errors.New("tui: Options.Events is missing")
	case o.VaultName == "":
		return errors.New("tui: Options.VaultName is missing")
	}
	return nil
}
