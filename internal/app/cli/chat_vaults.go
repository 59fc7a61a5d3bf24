package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal/attention"
	"chatvault/internal/base/terminal/tty"
	"chatvault/internal/base/text"
	"chatvault/tui"
)

// chats runs the chats of this process, one after another: switching to another vault ends one and opens the next.
type chats struct {
	ctx      context.Context
	streams  Streams
	globals  *globals
	terminal *tty.Terminal
	user     *config.Config // at a start without a vault, else nil
	demo     demo           // opened from the list of vaults
	open     *oneChat       // may be nil
}

// oneChat is the chat of one vault.
type oneChat struct {
	*session.Session
	ctx  context.Context
	stop context.CancelFunc
}

// untilPainted is how long the screen takes for its first frame.
const untilPainted = 10 * time.Millisecond

// begin opens the chat of a vault.
func (c *chats) begin(cfg *config.Config, dir string) error {
	a, err := session.Open(c.globals.options(c.streams, cfg, dir, session.Options{Name: "chat", Attended: true, CatchUp: true, FirstFrame: untilPainted}))
	if err != nil {
		return err
	}
	c.open = &oneChat{Session: a}
	c.open.ctx, c.open.stop = context.WithCancel(c.ctx)
	return nil
}

// close closes the open chat, if any. A running turn is canceled and its message kept.
func (c *chats) close() {
	if c.open != nil {
		c.open.stop()
		c.open.Close()
		c.open = nil
	}
}

// run shows chats until the user quits.
func (c *chats) run() error {
	for {
		next, err := tui.Run(c.ctx, c.options())
		if err != nil || next == "" {
			return err
		}
		release := c.terminal.Hold()
		err = c.goTo(next)
		release()
		if err != nil {
			return err
		}
	}
}

// goTo closes the open chat and opens the one of the vault in a folder.
func (c *chats) goTo(folder string) error {
	c.close()
	c.globals.vault = folder
	cfg, found, err := loadConfig(c.streams, c.globals)
	if err != nil {
		return err
	}
	return c.begin(cfg, found.Dir)
}

// options returns the screen's options for the open chat.
func (c *chats) options() tui.Options {
	x := c.open
	var o tui.Options
	if x == nil {
		o = c.noVault()
	} else {
		o = c.screen(x)
		o.Citing = citing(x, c.streams.getenv, c.terminal)
		o.Copying = c.copier(x)
		o.EditDraft = x.draftEditor(c.streams.getenv, c.terminal)
		o.Vaults = c.vaults(x.Dir())
		o.Notify = func(text string) string {
			return attention.Notification(x.Settings.Current().Notify.V, c.streams.getenv, text)
		}
	}
	c.apply(&o)
	return o
}

// vaults lists the vaults that can be opened; from is the folder of the open one.
func (c *chats) vaults(from string) session.VaultActions {
	return session.VaultActions{
		List: func(context.Context) ([]session.Vault, error) { return session.KnownVaults(from) },
		Find: func(dir string) (string, error) {
			found, err := config.FindVault(config.Search{Given: dir})
			if err == nil && from != "" && session.SameFolder(found.Dir, from) {
				err = errors.New("that vault is already open")
			}
			if err == nil { // the open chat stays if that one cannot be opened
				g := *c.globals
				g.vault = found.Dir
				_, _, err = loadConfig(c.streams, &g)
			}
			return found.Dir, err
		},
		Make: makeVault,
	}
}

// noVault returns the screen's options if no vault was named or found: it offers the known ones.
func (c *chats) noVault() tui.Options {
	cwd, _ := os.Getwd()
	cfg, vaults := c.user, c.vaults("")
	vaults.First = true
	if c.streams.Sample != nil {
		vaults.Sample = c.demo.open
	}
	return tui.Options{
		Processor: noProcessor{}, Events: noProcessor{}, VaultName: "No vault", VaultDir: cwd, Version: versionText(),
		Screen: tui.Screen{Theme: cfg.Theme.V, Mouse: cfg.Mouse.V}, Typed: tui.Typed{KeyStyle: cfg.KeyStyle.V, Keys: cfg.Bindings()},
		Load: func(context.Context) (session.Loaded, error) {
			return session.Loaded{Notices: []string{"There are no notes in " + cwd + ". A vault is the folder that holds your notes: /vault opens one, or makes one."}}, nil
		},
		Vaults: vaults,
	}
}

// noProcessor is a processor without a vault.
type noProcessor struct{}

var errNoVault = errors.New("no vault is open: /vault opens one")

func (noProcessor) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) {
	return m, errNoVault
}
func (noProcessor) Stop()                                 {}
func (noProcessor) TakeBack(string) (event.Inbound, bool) { return event.Inbound{}, false }
func (noProcessor) Answer(string, event.Answer) error     { return errNoVault }
func (noProcessor) Close()                                {}
func (noProcessor) Next(ctx context.Context) ([]event.Event, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// makeVault creates the folder of a vault.
func makeVault(name string) (string, error) {
	home, _ := os.UserHomeDir()
	dir, err := filepath.Abs(config.ExpandHome(name, home))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o755) //nolint:gosec // the usual mode of a user's folder
	}
	if err == nil {
		err = os.Mkdir(dir, 0o755) //nolint:gosec // as above
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be made: %w", dir, text.Cause(err))
	}
	if _, err := config.FindVault(config.Search{Given: dir}); err != nil {
		_ = os.Remove(dir)
		return "", err
	}
	return dir, nil
}
