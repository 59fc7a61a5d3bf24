package cli

import "chatvault/tui"

// offlineEngineName is the name of the embedded engine, which the screen explains.
const offlineEngineName = "offline engine"

// terminal fills in what the screen must know of the terminal.
func (a *app) terminal(s Streams, o *tui.Options) {
	if v, ok := s.LookupEnv("NO_COLOR"); ok && v != "" {
		o.NoColor = true
	}
}
