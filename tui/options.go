package tui

import (
	"context"
	"errors"
	"io"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal/attention"
	"chatvault/tui/complete"
)

// Processor is what the screen needs of agent.Processor.
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

// Terminal prepares the terminal's input. Open puts it into raw mode, Input is
// read from then on; Suspend and Resume surround a stay in the shell (Ctrl+Z);
// Close restores the terminal and may be called more than once.
type Terminal interface {
	Open() error
	Input() io.Reader
	Suspend() error
	Resume() error
	Close() error
}

// Background is the terminal's background, as far as it is known.
type Background int

// The backgrounds; an unknown one is taken for dark.
const (
	BackgroundUnknown Background = iota
	BackgroundDark
	BackgroundLight
)

// Screen is how the terminal is drawn on and read from.
type Screen struct {
	Theme      string // "auto" (or empty), or a name of theme.Looks
	Background Background
	NoColor    bool // NO_COLOR: the theme "none" whatever Theme says
	// ColorProfile is "truecolor", "256", "16" or "none"; empty: from the environment.
	ColorProfile string
	Mouse        bool
	AltScreen    bool
	// Attention is how somebody is told who looks elsewhere, and the window's title. Nil: neither.
	Attention *attention.Terminal

	// Terminal, Input and Output: where keys come from and the screen goes to.
	// Terminal wins over Input. All nil: standard input and output.
	Terminal Terminal
	Input    io.Reader
	Output   io.Writer
}

// Options is everything the screen is made from. Processor, Events and
// VaultName are required.
type Options struct {
	Processor Processor
	Events    Events

	VaultName string // shown in header and window title
	VaultDir  string // shown on the first-run screen
	Provider  string // what the header shows: "openai/gpt-5.2", "offline engine"
	// Offline says that Provider is the embedded engine, which the first-run
	// screen explains. ProviderChanges may bring another.
	Offline bool
	// ProviderChanges brings the names of providers found later (a local server
	// that answered after the first frame). May be nil; closing it is fine.
	ProviderChanges <-chan session.ProviderChange

	// Load reads what is shown at the start; it runs after the first frame, off
	// the screen's loop. May be nil.
	Load func(ctx context.Context) (session.Loaded, error)
	// Earlier reads the page before one that was shown, by its Page.Earlier; or all there is. Nil:
	// what Load, Fork and Switch bring is all.
	Earlier func(ctx context.Context, before string, all bool) (session.Page, error)
	// Before is what Earlier brings the page by that ends before a turn of a conversation, by their
	// ids; without a turn, the one at the conversation's end. Nil: all that was shown is kept.
	Before func(conversation, turn string) string
	// ExternalChange brings the conversation as it is now where another process changed it since it was
	// shown, or where it is wanted again. Nil: nobody else is at work.
	ExternalChange func(ctx context.Context, again bool) (p session.Page, changed bool, err error)
	// Unfinished lists the unfinished messages as they are now, oldest first: those of
	// processes that ended and those that failed in this one. Retry and Drop decide about
	// one; their errors say in plain words why it could not be done. Without all three
	// nothing is offered.
	Unfinished func(ctx context.Context) ([]session.Unfinished, error)
	Retry      func(ctx context.Context, id string) error
	Drop       func(ctx context.Context, id string) error
	// NewConversation ends the running conversation (/new). Nil: no such command.
	NewConversation func(ctx context.Context) error
	// SetGoal makes text the goal, or drops the goal when it is empty (/goal TEXT, /goal drop);
	// ResumeGoal goes on with a paused one (/goal resume). Without both: no such command.
	SetGoal    func(text string) (event.Goal, error)
	ResumeGoal func() error
	// Compact summarises the conversation so far for the model (/compact). Nil: no such command.
	Compact func() error
	// History is the conversation so far; with Fork earlier messages can be edited (/edit): it
	// goes back to before the turn that a message of the user's belongs to.
	History func(ctx context.Context) ([]session.HistoryItem, error)
	Fork    func(ctx context.Context, messageID string) (session.Moved, error)
	// Backing is how going back takes changes of the vault back.
	Backing Backing
	// Branches are the ways the conversation went, the active one first, and Switch goes over to
	// another (/branches). Without both: no such command.
	Branches func(ctx context.Context) ([]session.Branch, error)
	Switch   func(ctx context.Context, branchID string) (session.Moved, error)
	// Retrospect has the conversation, or the last one, looked back at (/retrospect); what comes
	// of it is told by an event. Nil: no such command.
	Retrospect func() error
	// Architecture works out what taking text for the setting information_architecture would
	// change. Nil: what is proposed cannot be accepted here.
	Architecture func(text string) (session.SettingChange, error)
	// Trust is what came with the vault (/trust). Nil: no such command.
	Trust Trust
	// Conversations are the vault's (/conversations). Without List and Read: no such command.
	Conversations Conversations
	// Routing is the way in for routed messages (/smarthole). Nil: no such command.
	Routing *Routing
	// Usage is what the conversation and the local day have used (/cost). Nil: no such command.
	Usage func() (conversation, day event.Totals, err error)
	// Context is how many tokens of the model's window the conversation took when it was last known,
	// asked after Usage; 0: not known. Nil: nobody knows before a turn.
	Context func() (tokens, window int)
	// Costs is what the days and conversations of the vault have used. Nil: nobody knows.
	Costs func() (event.Costs, error)

	// Changes is what was changed in the vault, and how it is taken back (/changes, /undo, /redo). Nil: no such
	// commands.
	Changes Changes
	// Vaults are the other vaults the screen can go over to (/vault). Taken, of what Vaults.Open
	// returns, is told once whether the screen shows that chat now: then the one before has ended.
	Vaults Vaults
	Taken  func(shown bool)

	// Citing is how what answers refer to is followed.
	Citing Citing
	// Completing is what can be named in a message, while it is written.
	Completing complete.Vault
	// EditDraft opens what is written in the user's editor. Nil: there is no such key.
	EditDraft DraftEditor
	// Copying is how what was said is copied (/copy).
	Copying Copying

	PromptHistory PromptHistory
	// SaveDraft keeps what stands in the composer, shortly after it changed and
	// at the end. May be nil.
	SaveDraft func(text string)
	// SaveFolds keeps which pastes of the draft show folded, right before it is saved; none: forget
	// them. They come back as Loaded.Folds. May be nil.
	SaveFolds func(folds []string)

	// Export writes the conversation on the screen to a file (/export), as Markdown or, where the
	// name ends with .json, as JSON; an empty name is one of its own making. It returns where it
	// is, and overwrites nothing. Nil: no such command.
	Export func(ctx context.Context, file string) (path string, err error)
	// Custom are the commands of the vault's own; it is asked whenever they are wanted. Nil: none.
	Custom func(ctx context.Context) (session.Custom, error)
	// Commands is the table of all commands; nil: session.Commands.
	Commands []session.Command
	// Keys are keys that are bound otherwise, by action (CheckKeys).
	Keys map[string][]string

	// Settings is the configuration, seen and changed (/settings). Nil: no such command.
	Settings Settings
	// Models is how the model is chosen (/model). Nil: no such command.
	Models Models
	// KeepTheme makes a theme that was chosen the one of the next start; said says where it is
	// kept, and what decides instead where something does. Nil: it goes with the program.
	KeepTheme func(name string) (said string, err error)
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
