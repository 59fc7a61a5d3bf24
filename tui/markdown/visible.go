package markdown

import "chatvault/internal/terminal"

// visible makes safe what the parser decoded: a character reference such as
// &#27; must not bring back what was made safe before.
func visible(s string) string { return terminal.Text(s) }
