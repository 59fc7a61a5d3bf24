package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/event"
	"chatvault/tui/safe"
)

// Doing puts a tool call into words, for one line of at most about width cells: "reading
// Projects/Alpha.md".
func Doing(name, target string, width int) string {
	verb := event.TraitsOf(name).Verb
	if verb == "" {
		verb = "running " + safe.Line(name)
	}
	target = safe.Line(target)
	if target == "" {
		return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(verb, " of"), " for"), ":")
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
