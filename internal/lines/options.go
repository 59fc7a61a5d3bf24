package lines

import (
	"context"
	"io"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
	"chatvault/internal/terminal/output"
)

// Options is what the chat is made from. Without Copying nothing is copied here.
type Options struct {
	In    io.Reader
	Typed bool // a person types, at a terminal
	Out   *output.Writer

	Vault    string // its name
	Provider string // who answers
	Events   *event.Subscription

	Agent         *session.Session
	Conversations *session.Conversations
	Changes       *session.Changes
	Inbox         *session.Inbox
	Settings      Settings
	Models        *provider.Models
	Trust         *session.Trust
	Routing       session.RoutingActions
	Servers       session.ServerActions
	Drafts        *home.Drafts
	Prompts       home.PromptHistory // what was typed, kept
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

// Settings are the configuration.
type Settings interface {
	List(ctx context.Context) (list []session.Setting, wrong []string)
	Set(ctx context.Context, key string, typed *string, inVault bool) (said string, err error)
	Architecture(text string) (session.SettingChange, error)
}

// Copying puts a text into the clipboard.
type Copying interface {
	Copy(ctx context.Context, text string) (session.Copied, error)
}
