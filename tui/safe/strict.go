package safe

import "chatvault/internal/terminal"

// Strict makes text of several lines safe for somebody who is to approve it: nothing of it
// disappears. What Text drops is named, <U+202E>.
func Strict(s string) string { return terminal.Strict(s) }

// StrictLine is Strict for one line: line ends and tabs show as symbols.
func StrictLine(s string) string { return terminal.StrictLine(s) }
