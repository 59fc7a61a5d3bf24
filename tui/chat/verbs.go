package chat

import (
	"unicode"
	"unicode/utf8"

	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// Doing puts a tool call into words, for one line of at most about width cells: "reading
// Projects/Alpha.md".
func Doing(name, target string, width int) string {
	target = terminal.Line(target)
	verb := session.Verb(terminal.Line(name), target != "")
	if target == "" {
		return verb
	}
	return verb + " " + shorten(target, max(width-len(verb)-1, 8))
}

// Sentence begins text with a capital letter.
func Sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + text[n:]
}
