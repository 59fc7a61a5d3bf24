package tui

import (
	"context"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/terminal/attention"
	"chatvault/tui/complete"
)

// Processor runs turns.
type Processor interface {
	// Submit accepts a message. If the error is nil, the message is stored durably and returned with its ID and Time.
	Submit(ctx context.Context, m event.Inbound) (event.Inbound, error)
	// Stop stops the running turn, if any.
	Stop()
	// TakeBack removes a message from the queue. It returns false if it has already left the queue.
	TakeBack(id string) (event.Inbound, bool)
	// Answer answers a request of the running turn. It returns an error if the request has ended or the answer is
	// invalid.
	Answer(id string, a event.Answer) error
}

// Events is a subscription to the processor's events. Next blocks until there is at least one event and returns the
// pending ones, oldest first; an error ends the subscription.
type Events interface {
	Next(ctx context.Context) ([]event.Event, error)
	Close()
}

// PromptHistory stores typed texts across starts, oldest first.
type PromptHistory interface {
	Load() []string
	Append(text string)
}

// Conversation reads and changes the conversation on the screen.
type Conversation interface {
	// Earlier reads the page before the cursor in Page.Earlier, or everything before it.
	Earlier(ctx context.Context, before string, all bool) (session.Page, error)
	session.ConversationActions
	// New ends the current conversation.
	New(ctx context.Context) error
	// History returns the conversation so far, and Transcript returns it as Markdown.
	History(ctx context.Context) ([]session.HistoryItem, error)
	Transcript(ctx context.Context) (string, error)
	// LeaveQuestion drops the open question.
	LeaveQuestion() error
	// Fork goes back to before the turn of a user's message.
	Fork(ctx context.Context, messageID string) (session.Moved, error)
	// Branches returns the branches of the conversation, the active one first; Switch switches to another.
	Branches(ctx context.Context) ([]session.Branch, error)
	Switch(ctx context.Context, branchID string) (session.Moved, error)
}

// Routing receives messages that SmartHole routes here.
type Routing interface {
	session.RoutingActions
	// Changes returns a channel of changes of the connection's status.
	Changes(ctx context.Context) <-chan session.RouteStatus
}

// Copying accesses the clipboard.
type Copying interface {
	// Copy copies a text to the clipboard or, if there is none, to a substitute, without control characters that
	// would take effect when pasted into a terminal. It returns an error if it failed.
	Copy(ctx context.Context, text string) (session.Copied, error)
	// Picture returns the picture in the clipboard, or an error that explains why there is none.
	Picture(ctx context.Context) ([]byte, error)
}

// Usage returns tokens and costs used.
type Usage interface {
	// Usage returns the totals of the conversation and of the local day.
	Usage() (conversation, day event.Totals, err error)
}

// Drafts stores the text in the composer.
type Drafts interface {
	// Save is called shortly after the text changed, and at the end.
	Save(text string)
}

// Terminal provides terminal functions that Bubble Tea lacks.
type Terminal interface {
	// Continued returns a channel that receives a signal each time the process continues after being stopped.
	Continued() <-chan os.Signal
	// Suspension returns a command that stops the process until the shell continues it.
	Suspension() tea.ExecCommand
	// Refresh returns a command after which the screen's modes are set again.
	Refresh() tea.ExecCommand
}

// Screen configures the terminal.
type Screen struct {
	Theme   string // "auto" or empty, or a name in theme.Looks
	NoColor bool   // NO_COLOR is set: use the theme "none" in any case
	// ColorProfile is the terminal's colour profile; zero means no colours.
	ColorProfile colorprofile.Profile
	// Background is the terminal's background. If unset and needed by the theme, the screen queries it; until then it
	// counts as dark.
	Background tea.BackgroundColorMsg
	Mouse      bool
	Window     attention.Window // whether the window has a title
	// Notify returns the sequence that notifies the user, and may take a moment. Nil disables notifications.
	Notify func(text string) (sequence string)

	Terminal Terminal // nil disables suspension
	// Input and Output default to standard input and output.
	Input  io.Reader
	Output io.Writer
}

// Engine describes the model that answers.
type Engine struct {
	Provider string // shown in the header: "openai/gpt-5.2", "offline engine"
	// Offline reports whether Provider is the embedded engine, which the first screen explains. ProviderChanges may
	// replace it.
	Offline bool
	// Forms lists the forms of the embedded engine's commands, such as "delete NOTE".
	Forms []string
	// ProviderChanges sends the names of providers found later, such as a local server that answers after the first
	// frame. It may be nil or closed.
	ProviderChanges <-chan provider.ModelUsed
}

// Writing configures the composer.
type Writing struct {
	// Completing provides names for completion. If nil, only commands are completed.
	Completing complete.Vault
	// EditDraft opens the text in the user's editor. Nil disables the key.
	EditDraft     DraftEditor
	PromptHistory PromptHistory
	// Drafts stores the text in the composer. If nil, it is lost at exit.
	Drafts Drafts
}

// Typed configures commands and keys.
type Typed struct {
	// Custom returns the vault's own commands and is called whenever they are needed. It may be nil.
	Custom func(ctx context.Context) (session.Custom, error)
	// Commands is the table of commands; nil means session.Commands.
	Commands []session.Command
	// KeyStyle is "vi" for the keys of vi.
	KeyStyle string
	// Keys are custom keys by action, valid according to CheckKeys.
	Keys map[string][]string
}

// Session holds the session's features. A nil field disables the feature and its commands.
type Session struct {
	// Conversation is the one on the screen. If nil, it consists only of what Load returns.
	Conversation Conversation
	// Inbox holds the unfinished messages (/inbox).
	Inbox session.InboxActions
	// Goal is the goal being pursued (/goal).
	Goal session.GoalActions
	// Approval decides which changes need consent (/approval).
	Approval session.ApprovalActions
	// Trust handles content that came with the vault (/trust).
	Trust Brought
	// Conversations are the vault's conversations (/conversations).
	Conversations session.Archive
	// Routing receives routed messages (/smarthole).
	Routing Routing
	// Servers are the MCP servers whose tools the agent may use (/mcp).
	Servers session.ServerActions
	// Usage returns tokens and costs (/cost).
	Usage Usage

	// Changes lists and undoes changes of the vault (/changes, /undo, /redo).
	Changes session.ChangeLog
	// Settings reads and changes the configuration (/settings).
	Settings session.SettingActions
	// Models selects the model (/model).
	Models session.ModelActions
}

// Options configures the screen. Processor, Events and VaultName are required.
type Options struct {
	Processor Processor
	Events    Events

	VaultName string // shown in the header and the window title
	VaultDir  string // shown on the first screen
	ReadOnly  bool   // notes cannot be changed; shown in the header
	Engine

	// Load reads the initial content. It runs in the background after the first frame and may be nil.
	Load func(ctx context.Context) (session.Loaded, error)
	Session
	// Vaults are the other vaults that can be opened (/vault).
	Vaults session.VaultActions

	// Citing provides access to the notes that answers refer to.
	Citing Citing
	// Copying accesses the clipboard (/copy and pasting pictures). It may be nil.
	Copying Copying

	Writing
	Typed
	Screen

	Version string
	Now     func() time.Time // defaults to time.Now
}
