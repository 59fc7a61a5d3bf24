package cli

import (
	"chatvault/internal/config"
	"chatvault/internal/lines"
	"chatvault/internal/session"
	completion "chatvault/tui/complete"
	"chatvault/tui/markdown"
	"context"
	"strings"
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
	o := x.screen(x.ctx, x.drafts)
	o.Conversations = x.pastConversations(keyless(secrets(x.config, c.streams.LookupEnv)))
	o.Export = c.exporter(x)
	o.Completing = x.completing()
	o.Settings = c.settings(x).forTUI()
	copying := x.copying(c.streams, keyless(secrets(x.config, c.streams.LookupEnv)))
	chat := lineChat{x.processor, o, copying}
	given := lines.Options{
		In: c.streams.In, Typed: c.streams.InIsTerminal, Out: c.streams.Out,
		Vault: o.VaultName, Provider: o.Provider, Events: o.Events,
		Agent: chat, Conversations: lineConversations{chat}, Changes: lineChanges{o.Changes}, Inbox: lineInbox{o}, Settings: lineSettings{o},
		Models: x.models, Trust: lineTrust{x.trust(c.settings(x).sources)}, Routing: lineRouting{o.Routing}, Drafts: x.drafts, Prompts: o.PromptHistory,
		Vaults: func(context.Context) ([]session.Vault, error) { return knownVaults(x.vault.Dir()) },
		Attached: func(ctx context.Context, message string) ([]session.VaultFile, error) {
			return completion.Attached(ctx, o.Completing.Find, message)
		},
		LastCode: lastCode, Commands: session.Commands(),
	}
	if c.streams.Out.IsTerminal() {
		given.Copying = lineCopying{copying}
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
