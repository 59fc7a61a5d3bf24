package tui

import "context"

// Run shows the chat until the user leaves it or ctx ends.
func Run(_ context.Context, o Options) error {
	return o.check()
}
