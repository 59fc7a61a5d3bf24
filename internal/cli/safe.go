package cli

import "chatvault/internal/terminal"

// safeOut is text as Out prints it, for what is laid out before: by its lines and their width.
func (s Streams) safeOut(text string) string {
	if s.Out.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}
