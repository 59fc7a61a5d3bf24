// Package loop is how what is done beside the screen's loop comes back into it.
package loop

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Do is a message that is run when it arrives: only there may a command change what the screen
// knows. A command that reads or writes for a while returns one.
type Do func() tea.Cmd

// Now is a Do that nothing may come before: where a key results in one, the next key is for what comes
// of it.
type Now func() tea.Cmd

// Then is a command that has work done beside the loop, and what came of it taken within it.
func Then[T any](ctx context.Context, work func(context.Context) (T, error), take func(T, error) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		got, err := work(ctx)
		return Do(func() tea.Cmd { return take(got, err) })
	}
}
