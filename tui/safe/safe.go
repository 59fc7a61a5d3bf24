// Package safe is the one door through which text from outside reaches the
// screen: Text, Line, Title and Stream before it is drawn, Frame on what was
// drawn. What safe means is chatvault/internal/terminal's to say.
package safe

import "chatvault/internal/terminal"

// Text makes text of several lines safe: newlines and tabs stay, every other
// control character becomes a visible symbol.
func Text(s string) string { return terminal.Text(s) }

// Line makes text safe for one line.
func Line(s string) string { return terminal.Line(s) }

// Title makes text safe for the window's title.
func Title(s string) string { return terminal.Title(s) }

// Stream makes text safe that arrives in pieces: a piece may end inside a
// character. The zero value is ready.
type Stream struct{ s terminal.Sanitizer }

// Next takes a piece and gives what of it can be shown.
func (s *Stream) Next(piece string) string { return s.s.Write(piece) }

// End gives what was held back.
func (s *Stream) End() string { return s.s.Flush() }

// Frame lets only styles and links of our own through of what was drawn.
func Frame(s string) string { return terminal.Rendered(s) }
