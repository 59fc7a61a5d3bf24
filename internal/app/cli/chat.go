package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"chatvault/agent/llm/offline"
	"chatvault/internal/app/config"
	"chatvault/internal/app/lines"
	"chatvault/internal/app/session"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal/tty"
	"chatvault/tui"
	completion "chatvault/tui/complete"
	"chatvault/tui/markdown"
)

func runChat(s Streams, g *globals) (err error) {
	cfg, found, err := loadConfig(s, g)
	onScreen := s.InIsTerminal && s.Out.IsTerminal()
	if !onScreen && (err != nil || !asLines(cfg, s)) {
		return usageError("the chat needs a terminal on standard input and output\nTo ask once without it: chatvault ask \"your question\"")
	}
	c := &chats{streams: s, globals: g, terminal: tty.New(), demo: demo{streams: s, globals: g}}
	defer func() { err = errors.Join(err, c.demo.remove()) }()
	signalled, unwatch := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer unwatch() // last: a signal while the chat closes does not interrupt it
	var stop context.CancelFunc
	c.ctx, stop = context.WithCancel(signalled)
	s.faults.screen.Store(&screen{stop, c.rescue}) // before any other goroutine
	defer endWithin(c.ctx, endWait, c.rescue)()
	defer c.close()
	defer stop() // closing takes no longer than allowed after a signal
	if err == nil && found.Unsure != "" && onScreen {
		err = askUnsure(s, found)
	}
	if err == nil {
		err = c.begin(cfg, found.Dir)
	}
	switch {
	case errors.Is(err, config.ErrNoVault) && !asLines(cfg, s):
		c.user = cfg // the screen offers the known vaults
	case err != nil:
		return err
	case asLines(cfg, s):
		return c.runLines(c.open)
	}
	t := c.terminal
	if err := t.Open(); err != nil {
		return failure("%v", err)
	}
	defer func() { _ = t.Close() }()
	stopFromOutside(t, stop)
	err = c.run()
	_ = t.Close()
	if p := s.faults.first.Load(); p != nil {
		s.faults.end(p)
	}
	return c.leave(err)
}

// leave finishes a chat whose screen ended with err.
func (c *chats) leave(err error) error {
	s, a := c.streams, c.open
	if a == nil && err == nil {
		return usageError("no vault was opened, and nothing was created\nName a folder of Markdown notes: chatvault --vault DIR")
	}
	if a != nil && a.Busy() {
		fmt.Fprintln(s.Err, "A turn was running. Its message is kept, and offered at the next start.")
	}
	if a != nil && err == nil && c.ctx.Err() == nil {
		finish(s, a.Finish)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return failure("%v", err)
	}
	return nil
}

// stopFromOutside stops the chat when its window is closed, even without a signal, and on an interrupt. Ctrl+C is a
// key while the screen is open and a signal afterward. It stays handled until the process exits, so that it cannot
// cut off the closing.
func stopFromOutside(t *tty.Terminal, stop func()) {
	routine.Go("window closed", func() {
		<-t.Gone()
		failpoint.Pass("round window closed")
		stop()
	})
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	routine.Go("interrupted", func() {
		for range interrupted {
			if !t.Lent() { // else it is for the program that has the terminal
				stop()
			}
		}
	})
}

// screen returns the chat's options, with or without a screen.
func (c *chats) screen(x *oneChat) tui.Options {
	a := x.Session
	name, embedded := a.Provider()
	return tui.Options{
		Processor: a, Events: a.Subscribe(),
		VaultName: a.Vault(), VaultDir: session.ShortPath(a.Dir()), ReadOnly: a.ReadOnly(),
		Writing: tui.Writing{Completing: a.Mentions, PromptHistory: a.Prompts, Drafts: a.Drafts},
		Typed:   tui.Typed{Custom: a.Custom, KeyStyle: a.Config().KeyStyle.V, Keys: a.Config().Bindings()},
		Engine:  tui.Engine{Provider: name, Offline: embedded, Forms: offline.Forms(), ProviderChanges: a.ProviderChanges(x.ctx)},
		Load:    a.Load,
		Session: tui.Session{
			Conversation: a.Conversations, Conversations: a.Conversations, Inbox: a.Inbox, Goal: a, Approval: a, Routing: a.Routing, Servers: a.Servers(),
			Changes: a.Changes, Trust: a.Trust, Settings: a.Settings, Models: a.Models, Usage: a,
		},
		Screen:  tui.Screen{Theme: a.Config().Theme.V, Mouse: a.Config().Mouse.V},
		Version: versionText(),
	}
}

// copier returns how the chat copies. Each escape sequence is a single write; the screen writes whole frames, so they
// do not mix.
func (c *chats) copier(x *oneChat) *session.Copying {
	return x.NewCopying(c.streams.getenv, func(sequence []byte) error {
		_, err := c.streams.Out.Unfiltered().Write(sequence)
		return err
	})
}

// asLines reports whether to run the chat as lines: by its setting, or without one by ACCESSIBLE, a variable that
// several programs use.
func asLines(cfg *config.Config, s Streams) bool {
	if cfg.Accessible.Set() {
		return cfg.Accessible.V
	}
	on, err := strconv.ParseBool(cmp.Or(s.getenv("ACCESSIBLE"), "false"))
	return on || err != nil
}

// runLines runs the chat as lines until the user leaves or ctx ends.
func (c *chats) runLines(x *oneChat) error {
	x.ProviderChanges(x.ctx) // so that the first message waits less
	x.Routing.Changes(x.ctx) // connects if configured
	given := lines.Options{
		In: c.streams.In, Typed: c.streams.InIsTerminal, Out: c.streams.Out, Session: x.Session,
		Attached: func(ctx context.Context, message string) ([]session.VaultFile, error) {
			return completion.Attached(ctx, x.Mentions.Find, message)
		},
		LastCode: lastCode, Commands: session.Commands(),
	}
	if c.streams.Out.IsTerminal() {
		given.Copy = c.copier(x).Copy
	}
	lines.Run(c.ctx, given)
	if c.ctx.Err() == nil {
		finish(c.streams, x.Finish)
	}
	return nil
}

// lastCode returns the last code block of a Markdown text.
func lastCode(text string) string {
	code := markdown.CodeBlocks(text)
	if len(code) == 0 {
		return ""
	}
	return code[len(code)-1].Text
}
