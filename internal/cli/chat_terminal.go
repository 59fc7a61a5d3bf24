package cli

import (
	"sync"
	"time"

	"chatvault/internal/config"
	"chatvault/internal/routine"
	"chatvault/internal/terminal/attention"
	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

// rescueWait is how long the end of a process that cannot end in order waits for the window's
// title and progress to be put back.
const rescueWait = 100 * time.Millisecond

// attention is the window of all chats of this process: one title is put back at the end.
func (c *chats) attention(notify string) *attention.Terminal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.window == nil {
		c.window = attention.New(c.streams.Out.Unfiltered(), attention.Of(notify, c.streams.getenv))
	}
	return c.window
}

// rescue gives the terminal back where the process cannot end in order.
func (c *chats) rescue() (open bool) {
	open = c.terminal.Rescue()
	c.mu.Lock()
	window := c.window
	c.mu.Unlock()
	ended := make(chan struct{})
	routine.Go("window rescue", func() {
		defer close(ended)
		if window != nil {
			window.End()
		}
	})
	select {
	case <-ended:
	case <-time.After(rescueWait): // it takes nothing
	}
	return open
}

// look is what is known of the terminal's colours. They are asked for only where a theme depends
// on them, once, and for at most tty.QueryWait.
type look struct {
	once       sync.Once
	background tty.Background
}

// apply fills in what the screen must know of the terminal, which is open.
func (l *look) apply(o *tui.Options, t *tty.Terminal, getenv func(string) string) {
	o.Terminal = t
	o.ColorProfile = string(tty.ColorProfile(getenv))
	o.NoColor = getenv("NO_COLOR") != ""
	if o.Theme != config.ThemeAuto || o.NoColor {
		return
	}
	l.once.Do(func() { l.background = t.Background(getenv, tty.QueryWait) })
	o.Background = l.background
}
