// Package loop runs results of background work in the program's update loop.
package loop

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Do is a message that runs in the update loop. A command may change the screen's state only in a Do; commands that
// read or write return one.
type Do func() tea.Cmd

// Then returns a command that runs work in the background and passes its result to take in the update loop.
func Then[T any](ctx context.Context, work func(context.Context) (T, error), take func(T, error) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		got, err := work(ctx)
		return Do(func() tea.Cmd { return take(got, err) })
	}
}
