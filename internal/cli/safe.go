package cli

import "chatvault/internal/terminal"

// safe is text for stderr, which a person may be looking at.
func (s Streams) safe(text string) string {
	if s.Err.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}

// safeOut is text for stdout: made safe for a person, byte for byte for a pipe.
func (s Streams) safeOut(text string) string {
	if s.Out.IsTerminal() {
		return terminal.Text(text)
	}
	return text
}
