package cli

import (
	"chatvault/internal/config"
	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

// terminal opens the terminal and fills in what the screen must know of it. Its colours are
// asked for only where the theme depends on them, and for at most tty.QueryWait.
func (a *app) terminal(s Streams, o *tui.Options) (*tty.Terminal, error) {
	getenv := func(name string) string {
		v, _ := s.LookupEnv(name)
		return v
	}
	t := tty.New()
	if err := t.Open(); err != nil {
		return nil, err
	}
	o.Terminal = t
	o.ColorProfile = string(tty.ColorProfile(getenv))
	o.NoColor = getenv("NO_COLOR") != ""
	if o.Theme != config.ThemeAuto || o.NoColor {
		return t, nil
	}
	switch t.Background(getenv, tty.QueryWait) {
	case tty.Light:
		o.Background = tui.BackgroundLight
	case tty.Dark:
		o.Background = tui.BackgroundDark
	}
	return t, nil
}
