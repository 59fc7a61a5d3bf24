package cli

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/terminal/tty"
	"chatvault/tui"
)

// draftEditor opens what is written in the user's editor.
func (x *oneChat) draftEditor(getenv func(string) string, t *tty.Terminal) tui.DraftEditor {
	return func(_ context.Context, text string) (tea.ExecCommand, func(bool) (string, error), error) {
		name, err := x.Drafts.Lend(text)
		if err != nil {
			return nil, nil, err
		}
		// The editor ends with the chat, however that ends.
		command, err := x.editFile(x.ctx, getenv, t, name, 0)
		if err != nil {
			_, _ = x.Drafts.TakeBack() // the text is where it was
			return nil, nil, err
		}
		return command, func(failed bool) (string, error) {
			if x.ctx.Err() == nil || !failed {
				return x.Drafts.TakeBack()
			}
			return "", nil // the chat ends: the next start finds what the editor saved
		}, nil
	}
}
