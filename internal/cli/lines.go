package cli

import (
	"context"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/lines"
	"chatvault/internal/session"
	completion "chatvault/tui/complete"
	"chatvault/tui/markdown"
)

// asLines says whether the chat is to be lines: by its setting, or where that is not given by
// ACCESSIBLE, which several programs know.
func asLines(cfg *config.Config, s Streams) bool {
	if cfg.Accessible.Set() {
		return cfg.Accessible.V
	}
	switch strings.ToLower(s.getenv("ACCESSIBLE")) {
	case "", "0", "false", "no", "off":
		return false
	}
	return true
}

// wantsLines is asLines where no vault is open yet.
func (g *globals) wantsLines(s Streams) bool {
	cfg, _, err := loadConfig(s, g)
	return err == nil && asLines(cfg, s)
}

// runLines runs the chat as lines until it is left or ctx ends.
func (c *chats) runLines(x *oneChat) error {
	x.ProviderChanges(x.ctx) // so that the first message waits less
	x.Routing.Changes(x.ctx) // turned on where that is configured
	name, _ := x.Provider()
	vault := x.Vault()
	if x.ReadOnly() {
		vault += " (read-only)"
	}
	given := lines.Options{
		In: c.streams.In, Typed: c.streams.InIsTerminal, Out: c.streams.Out,
		Vault: vault, Provider: name, Events: x.Subscribe(),
		Agent: x.Session, Conversations: x.Conversations, Changes: x.Changes, Inbox: x.Inbox, Settings: x.Settings,
		Models: x.Models, Trust: x.Trust, Routing: x.Routing, Servers: x.Servers(), Drafts: x.Drafts, Prompts: x.Prompts,
		Vaults: func(context.Context) ([]session.Vault, error) { return session.KnownVaults(x.Dir()) },
		Attached: func(ctx context.Context, message string) ([]session.VaultFile, error) {
			return completion.Attached(ctx, x.Mentions.Find, message)
		},
		LastCode: lastCode, Commands: session.Commands(),
	}
	if c.streams.Out.IsTerminal() {
		given.Copying = c.copier(x)
	}
	lines.Run(c.ctx, given)
	return nil
}

// lastCode is the last block of code in a text of Markdown.
func lastCode(text string) string {
	code := markdown.CodeBlocks(text)
	if len(code) == 0 {
		return ""
	}
	return code[len(code)-1].Text
}
