package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/config"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/terminal/attention"
	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

// chats are the vaults this process chats with: one is on the screen; another one may be made
// ready, or be closed behind it. The terminal is theirs in turn, and stays as it is.
type chats struct {
	ctx      context.Context
	streams  Streams
	globals  *globals
	terminal *tty.Terminal
	user     *config.Config // of a start without a vault; nil: there is one

	mu      sync.Mutex
	window  *attention.Terminal
	shown   *oneChat
	ready   map[*oneChat]bool // opened, and not told yet whether they are shown
	closing sync.WaitGroup
}

// oneChat is the chat of one vault.
type oneChat struct {
	*session.Session
	ctx  context.Context
	stop context.CancelFunc
}

// untilPainted is how long the screen takes to write its first frame.
const untilPainted = 10 * time.Millisecond

// begin opens a chat; nothing shows it yet.
func (c *chats) begin(g *globals) (*oneChat, error) {
	a, err := open(c.streams, g, session.Options{Name: "chat", Place: session.Window, Attended: true, CatchUp: true, FirstFrame: untilPainted})
	if err != nil {
		return nil, err
	}
	x := &oneChat{Session: a}
	x.ctx, x.stop = context.WithCancel(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ready == nil {
		c.ready = map[*oneChat]bool{}
	}
	c.ready[x] = true
	return x, nil
}

// options are what the screen makes the chat from.
func (c *chats) options(x *oneChat) tui.Options {
	o := c.screen(x)
	o.Citing = citing(x, c.streams.getenv, c.terminal)
	o.Copying = c.copier(x)
	o.EditDraft = x.draftEditor(c.streams.getenv, c.terminal)
	o.Vaults = c.vaults(x.Dir())
	o.Vaults.Taken = func(shown bool) { c.taken(x, shown) }
	o.Attention = c.attention(x.Config().Notify.V)
	x.Settings.OnChange(func(cfg *config.Config) {
		o.Attention.Use(attention.Of(cfg.Notify.V, c.streams.getenv))
	})
	c.apply(&o)
	return o
}

// vaults are those that the screen can go over to; from is the folder of the one on it.
func (c *chats) vaults(from string) tui.Vaults {
	open := func(find func(string) (string, error)) func(context.Context, string) (tui.Options, error) {
		return func(ctx context.Context, dir string) (tui.Options, error) {
			c.closing.Wait() // it may be the vault that is being closed
			folder, err := find(dir)
			if err != nil {
				return tui.Options{}, err
			}
			return c.switchVault(ctx, from, folder)
		}
	}
	return tui.Vaults{
		List: func(context.Context) ([]session.Vault, error) { return session.KnownVaults(from) },
		Open: open(folderMeant), Make: open(makeVault),
	}
}

// noVault is the screen of a start where no vault was named and none is found: it offers those there are.
func (c *chats) noVault(cfg *config.Config) tui.Options {
	cwd, _ := os.Getwd()
	o := tui.Options{
		Processor: nobody{}, Events: nobody{}, VaultName: "No vault", VaultDir: cwd, Version: versionText(),
		Screen: tui.Screen{Theme: cfg.Theme.V, Mouse: cfg.Mouse.V}, Typed: tui.Typed{Keys: cfg.Bindings()},
		Load: func(context.Context) (session.Loaded, error) {
			return session.Loaded{Notices: []string{"There are no notes in " + cwd + ". A vault is the folder that holds your notes: /vault opens one, or makes one."}}, nil
		},
		Vaults: c.vaults(""),
	}
	o.Vaults.First = true
	c.apply(&o)
	o.Attention = c.attention(cfg.Notify.V)
	return o
}

// nobody works where there is no vault.
type nobody struct{}

var errNobody = errors.New("no vault is open: /vault opens one")

func (nobody) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) { return m, errNobody }
func (nobody) Stop()                                                            {}
func (nobody) TakeBack(string) (event.Inbound, bool)                            { return event.Inbound{}, false }
func (nobody) Answer(string, event.Answer) error                                { return errNobody }
func (nobody) Close()                                                           {}
func (nobody) Next(ctx context.Context) ([]event.Event, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// taken is told whether the screen shows a chat that was made ready. The one before is closed
// beside it.
func (c *chats) taken(x *oneChat, shown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ready, x)
	if !shown {
		c.closeBeside(x)
		return
	}
	if c.shown != nil {
		c.closeBeside(c.shown)
	}
	c.shown = x
}

// closeBeside closes a chat without keeping the screen from going on.
func (c *chats) closeBeside(x *oneChat) {
	routine.Join(&c.closing, "close a vault", func() {
		defer func() {
			if v := recover(); v != nil {
				x.Log().Error("panic while closing a vault", "panic", v)
			}
		}()
		x.end()
	})
}

// end closes a chat; a turn that runs is cut, and its message kept.
func (x *oneChat) end() {
	x.stop()
	x.Close()
}

// onScreen is the chat that is shown.
func (c *chats) onScreen() *oneChat {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

// close closes all there are.
func (c *chats) close() {
	c.mu.Lock()
	all := c.ready
	if all == nil {
		all = map[*oneChat]bool{}
	}
	if c.shown != nil {
		all[c.shown] = true
	}
	c.ready, c.shown = map[*oneChat]bool{}, nil
	c.mu.Unlock()
	for x := range all {
		x.end()
	}
	c.closing.Wait()
}

// switchVault makes the chat of another vault ready.
func (c *chats) switchVault(ctx context.Context, from, folder string) (tui.Options, error) {
	if from != "" && session.SameFolder(folder, from) {
		return tui.Options{}, errors.New("that vault is already open")
	}
	g := *c.globals
	g.vault = folder
	x, err := c.begin(&g)
	if err != nil {
		return tui.Options{}, fmt.Errorf("%s was not opened: %w", folder, err)
	}
	if ctx.Err() != nil { // the user stays
		c.taken(x, false)
		return tui.Options{}, ctx.Err()
	}
	return c.options(x), nil
}

// folderNamed is the path a person wrote, relative to the working folder and with ~ for home.
func folderNamed(dir string) (string, error) {
	home, _ := os.UserHomeDir()
	return filepath.Abs(config.ExpandHome(dir, home))
}

// folderMeant is the folder a person named, relative to the working folder and with ~ for home.
func folderMeant(dir string) (string, error) {
	dir, err := folderNamed(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s; create it first, or name another", dir)
	case err != nil:
		return "", fmt.Errorf("%s cannot be opened: %w", dir, err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is a file; name the folder with the notes", dir)
	}
	return dir, nil
}
