// Package transcript renders a conversation as text for a model, without what is private now.
package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/base/text"
	"chatvault/tools/wording"
)

// MaxLine is the maximum length of a line in bytes. A longer one continues on the next, so that any part can be
// shown.
const MaxLine = 2000

// Lines returns a conversation as text, without private paths. Continuation lines are indented, so that a message cannot
// imitate another.
func Lines(c *conversation.Conversation, private func(path string) bool) []string {
	e := c.Entry()
	lines := []string{Line(e), fmt.Sprintf("From %s to %s", wording.MomentText(c.Started), wording.MomentText(c.Last()))}
	if s := wording.OneLine(c.Summary); s != "" {
		lines = appendText(lines, "Summary: ", s)
	}
	if e.Branches > 0 {
		lines = append(lines, fmt.Sprintf("(%s not shown, from before the user went back and said something else)", wording.Counted(e.Branches, "earlier version")))
	}
	for i := range c.Turns {
		lines = append(lines, "")
		lines = append(lines, turnLines(&c.Turns[i], private)...)
	}
	return lines
}

func turnLines(t *conversation.Turn, private func(path string) bool) []string {
	var lines []string
	calls := map[string]conversation.ToolCall{}
	for _, m := range t.Messages {
		for _, call := range m.ToolCalls {
			calls[call.ID] = call
		}
		switch {
		case m.ByProgram():
			lines = appendText(lines, "Program: ", m.Content)
		case m.Role == conversation.RoleUser:
			lines = appendText(lines, cmp.Or(m.Sender, "User")+" ("+wording.MomentText(m.Time)+"): ", m.Content)
		case m.Role == conversation.RoleTool:
			call := calls[m.ToolCallID]
			if NamesPrivate(call.Arguments, m.Content, private) {
				call.Target = ""
			}
			lines = appendText(lines, "Tool ", toolLine(m.ToolName, call.Target, m.Summary, m.IsError))
		case m.IsQuestion:
			lines = appendText(lines, "Agent asked: ", m.Content)
		default:
			lines = appendText(lines, Speaker(m.Role)+": ", m.Content)
		}
	}
	if t.Failed {
		lines = appendText(lines, "", "[This request failed: "+wording.OneLine(t.Error)+"]")
	}
	return lines
}

// toolLine describes a call: tool, target and result.
func toolLine(tool, target, summary string, failed bool) string {
	said := wording.OneLine(summary)
	if failed {
		said = strings.TrimSuffix("failed ("+said+")", " ()")
	}
	return text.Join(": ", text.Join(" ", tool, wording.OneLine(target)), said)
}

// Speaker returns the speaker of a role.
func Speaker(r conversation.Role) string {
	switch r {
	case conversation.RoleUser:
		return "User"
	case conversation.RoleTool:
		return "Tool"
	default:
		return "Agent"
	}
}

// appendText appends a message in lines of bounded length, unless it is blank.
func appendText(lines []string, who, text string) []string {
	if strings.TrimSpace(text) == "" {
		return lines
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n")
	indent := who
	for line := range strings.SplitSeq(text, "\n") {
		for {
			part := cutLine(line)
			lines = append(lines, strings.TrimRight(indent+part, " "))
			indent = "  "
			if line = line[len(part):]; line == "" {
				break
			}
		}
	}
	return lines
}

// cutLine returns the start of a line that is too long, preferably up to a space.
func cutLine(line string) string {
	part := wording.CutAt(line, MaxLine)
	switch len(part) {
	case len(line):
		return part
	case 0: // invalid UTF-8
		return line[:MaxLine]
	}
	if i := strings.LastIndexByte(part, ' '); i > len(part)/2 {
		return part[:i+1]
	}
	return part
}

// Line returns a conversation as an entry of a list.
func Line(e conversation.Entry) string {
	name := wording.OneLine(e.Name())
	if name == "" {
		name = "(nothing was said)"
	}
	return fmt.Sprintf("[%s] %s (%s, %s)", e.ID, wording.Shorten(name, 300), wording.MomentText(e.Last), wording.Counted(e.Turns, "turn"))
}

// NamesPrivate reports whether a recorded call is about a private path, by its arguments (a JSON object) and its
// result. The path may have become private later.
func NamesPrivate(arguments, result string, private func(path string) bool) bool {
	if meant := resolvedPath(result); meant != "" && private(meant) {
		return true
	}
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return false
	}
	for _, name := range []string{"path", "source", "destination"} {
		if path, ok := args[name].(string); ok && private(path) {
			return true
		}
	}
	return false
}

// resolvedPrefix is the prefix of a result's first line if it names the resolved note.
const resolvedPrefix = "[Path: "

// MeantLine returns the first line of a result that names the resolved note.
func MeantLine(path string) string { return resolvedPrefix + wording.PlainName(path) + "]\n" }

// resolvedPath returns the note named in a result's first line or, as earlier versions recorded it, in its last; or "".
func resolvedPath(result string) string {
	first, _, _ := strings.Cut(result, "\n")
	last := result[strings.LastIndexByte(result, '\n')+1:]
	for _, line := range []string{first, last} {
		if path, ok := strings.CutPrefix(line, resolvedPrefix); ok {
			return strings.TrimSuffix(path, "]")
		}
	}
	return ""
}
