package cli

import (
	"sync"

	"chatvault/internal/config"
	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

// look is what is known of the terminal's colours. They are asked for only where a theme depends
// on them, once, and for at most tty.QueryWait.
type look struct {
	once       sync.Once
	background tui.Background
}

// apply fills in what the screen must know of the terminal, which is open.
func (l *look) apply(o *tui.Options, t *tty.Terminal, getenv func(string) string) {
	o.Terminal = t
	o.ColorProfile = string(tty.ColorProfile(getenv))
	o.NoColor = getenv("NO_COLOR") != ""
	if o.Theme != config.ThemeAuto || o.NoColor {
		return
	}
	l.once.Do(func() {
		switch t.Background(getenv, tty.QueryWait) {
		case tty.Light:
			l.background = tui.BackgroundLight
		case tty.Dark:
			l.background = tui.BackgroundDark
		}
	})
	o.Background = l.background
}
