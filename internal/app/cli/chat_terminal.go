package cli

import (
	"image/color"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal/attention"
	"chatvault/tui"
)

// rescueWait is how long a process that cannot exit cleanly waits for the window's title to be restored.
const rescueWait = 100 * time.Millisecond

// rescue restores the terminal when the process cannot exit cleanly. It reports whether the terminal was in use.
func (c *chats) rescue() (open bool) {
	open = c.terminal.Rescue()
	ended := make(chan struct{})
	routine.Go("window rescue", func() {
		defer close(ended)
		_, _ = io.WriteString(c.streams.Out.Unfiltered(), attention.WindowOf(c.streams.getenv).End())
	})
	select {
	case <-ended:
	case <-time.After(rescueWait): // the terminal takes no output
	}
	return open
}

// apply sets the terminal options of the screen.
func (c *chats) apply(o *tui.Options) {
	o.Terminal = c.terminal
	o.Input, o.Output = c.terminal.Input(), c.terminal.Output()
	o.ColorProfile = colorprofile.Detect(c.streams.Out.Unfiltered(), os.Environ())
	o.NoColor = c.streams.getenv("NO_COLOR") != ""
	o.Background = background(c.streams.getenv)
	o.Window = attention.WindowOf(c.streams.getenv)
}

// background returns the terminal's background by COLORFGBG ("15;0" or "15;default;0", where the last number is the
// background among the sixteen colors), or none if it is not set. The Linux console, which may print a query instead
// of answering it, is dark.
func background(getenv func(string) string) tea.BackgroundColorMsg {
	v := getenv("COLORFGBG")
	n, err := strconv.Atoi(v[strings.LastIndexByte(v, ';')+1:])
	switch known := err == nil && strings.Contains(v, ";") && n >= 0 && n <= 15; {
	case known && n != 7 && n <= 8, !known && getenv("TERM") == "linux":
		return tea.BackgroundColorMsg{Color: color.Black}
	case known:
		return tea.BackgroundColorMsg{Color: color.White}
	}
	return tea.BackgroundColorMsg{}
}
