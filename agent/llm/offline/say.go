package offline

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/offline/toolresult"
)

// say adds a paragraph to the answer.
func (s *script) say(text string) {
	if text = strings.TrimSpace(text); text != "" {
		s.out = append(s.out, text)
	}
}

func (s *script) sayf(format string, a ...any) { s.say(fmt.Sprintf(format, a...)) }

// didf says what was done. A plan leaves it out: its steps say what would be.
func (s *script) didf(format string, a ...any) {
	if s.sketch == nil {
		s.sayf(format, a...)
	}
}

// failf says what could not be done.
func (s *script) failf(format string, a ...any) {
	s.bad++
	s.sayf(format, a...)
}

// refused says what went wrong with a call; what, what was not done: "I could not …".
func (s *script) refused(what string, c call) {
	if why, ok := denial(c); ok {
		s.failf("I did not%s: %s", strings.TrimPrefix(what, "I could not"), why)
		return
	}
	s.failf("%s: %s", what, toolresult.Reason(c.result))
}

// denial says, for the user, that a change was not allowed, and whether that is so.
func denial(c call) (why string, denied bool) {
	text, _, _ := strings.Cut(c.result, " Nothing was changed.")
	switch {
	case !c.failed:
	case strings.HasPrefix(text, "Error: Not allowed: "):
		return strings.TrimPrefix(text, "Error: Not allowed: "), true
	case strings.HasPrefix(text, "Error: The user denied this change and said: "):
		return "you denied it, and said " + clip(oneLine(strings.TrimPrefix(text, "Error: The user denied this change and said: ")), 400), true
	case strings.HasPrefix(text, "Error: The user denied this change"):
		return "you denied it.", true
	}
	return "", false
}
