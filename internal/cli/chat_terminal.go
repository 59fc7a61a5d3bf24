package cli

import (
	"os"
	"time"

	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/routine"
	"chatvault/internal/terminal/attention"
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

// apply fills in what the screen must know of the terminal.
func (c *chats) apply(o *tui.Options) {
	o.Terminal = c.terminal
	o.Input = c.terminal.Input()
	o.ColorProfile = colorprofile.Detect(c.streams.Out.Unfiltered(), os.Environ())
	o.NoColor = c.streams.getenv("NO_COLOR") != ""
}
