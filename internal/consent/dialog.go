package consent

import (
	"fmt"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/tools"
)

// Dialog asks for the answer to a request line by line. It prints and reads nothing itself.
type Dialog struct {
	event.Request
	width int    // of the terminal, in cells
	taken []bool // decisions on the parts of a change; nil unless they are being asked about
	part  int    // the next part
}

// NewDialog returns a Dialog for a terminal of width cells.
func NewDialog(r event.Request, width int) *Dialog { return &Dialog{Request: r, width: width} }

// Text describes the request. It is printed before the first prompt.
func (d *Dialog) Text() string { return RequestText(d.Request, d.width, false) }

// Prompt returns the prompt for the next line.
func (d *Dialog) Prompt() string {
	switch {
	case d.taken != nil:
		return fmt.Sprintf("Accept part %d of %d? y, n, a, d, b or ?: ", d.part+1, len(d.taken))
	case d.Kind == event.RequestSecret:
		return terminal.StrictLine(d.Name) + " (hidden; empty to skip): "
	case d.Kind != event.RequestApproval:
		return terminal.StrictLine(d.Name) + " (empty to skip): "
	}
	more := ""
	if d.Change.Pick {
		more = fmt.Sprintf("p for part by part (%d), ", len(d.Change.Prose.Hunks))
	}
	if d.long() {
		more += "s to see all of it, "
	}
	if d.Change.Kind == tools.ChangeTool {
		more += "f for good, until it changes, "
	}
	return "Allow this? y, n, " + more + "a for all of this kind, or no and why: "
}

// long reports whether Text is truncated.
func (d *Dialog) long() bool { return len(terminal.Strict(d.Change.Detail)) > session.ShownDetail }

// Take returns the answer for a typed line. Unless done, text must be printed and another line read.
func (d *Dialog) Take(line string) (a event.Answer, done bool, text string) {
	switch {
	case d.taken != nil:
		next, ok := decidePart(d.taken, d.part, line)
		if !ok {
			return a, false, partsHelp
		}
		if d.part = next; next < len(d.taken) {
			return a, false, partText(d.Change, next, d.width)
		}
		return taking(d.taken), true, ""
	case d.Kind != event.RequestApproval:
		return providing(line), true, ""
	case d.Change.Pick && isWord(line, "p", "parts"):
		d.taken = make([]bool, len(d.Change.Prose.Hunks))
		return a, false, partText(d.Change, 0, d.width)
	case d.long() && isWord(line, "s", "show"):
		return a, false, RequestText(d.Request, d.width, true)
	}
	a, text = parse(line)
	return a, text == "", text
}

// providing returns the answer for a typed value.
func providing(value string) event.Answer {
	if value = strings.TrimSpace(value); value == "" {
		return event.Answer{Decision: event.Deny}
	}
	return event.Answer{Decision: event.Provide, Value: value}
}

// parse parses an answer to a change. Only a plain yes allows it; several words are a refusal with a reason. again is
// why the answer is invalid.
func parse(line string) (a event.Answer, again string) {
	line = strings.TrimSpace(line)
	word, rest, more := cutWord(line)
	allow := map[string]event.Decision{
		"y": event.AllowOnce, "yes": event.AllowOnce, "a": event.AllowConversation, "always": event.AllowConversation,
		"f": event.AllowAlways, "good": event.AllowAlways, "forever": event.AllowAlways,
	}[word]
	switch {
	case allow != "" && !more:
		return event.Answer{Decision: allow}, ""
	case word == "" || word == "n" || word == "no":
		return event.Answer{Decision: event.Deny, Note: rest}, ""
	case !more:
		return a, "Type y to allow it, a to allow all of this kind, n to deny it, or n and a reason."
	}
	return event.Answer{Decision: event.Deny, Note: line}, ""
}

// isWord reports whether a line is one of two words.
func isWord(line, short, long string) bool {
	word, _, more := cutWord(strings.TrimSpace(line))
	return (word == short || word == long) && !more
}

// cutWord splits off the first word of a line, in lower case, and the comma or colon after it.
func cutWord(line string) (word, rest string, more bool) {
	end := strings.IndexAny(line, " \t,;:")
	if end < 0 {
		return strings.ToLower(strings.TrimRight(line, ".!")), "", false
	}
	rest = strings.TrimLeft(line[end:], " \t,;:")
	return strings.ToLower(line[:end]), rest, rest != ""
}
