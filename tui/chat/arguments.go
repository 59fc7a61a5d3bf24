package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
)

// argument is what a tool was called with, under one name.
type argument struct {
	name, value string // made safe, on one line
	lines       int    // of the value; 1 where it is no text
}

const (
	// maxArguments and maxValue bound what is kept of the arguments of a call, the latter in bytes.
	maxArguments = 12
	maxValue     = 400
)

// inDiff are the arguments whose text the diff of a change shows.
var inDiff = map[string]bool{"content": true, "old_text": true, "new_text": true, "text": true}

// argumentsOf takes the arguments of a call apart, in the order in which they were written.
// What is no JSON object has none.
func argumentsOf(raw json.RawMessage) []argument {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var out []argument
	for d.More() && len(out) < maxArguments {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		a := argument{name: terminal.Line(fmt.Sprint(name)), lines: 1}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text, a.lines = s, strings.Count(strings.TrimRight(s, "\n"), "\n")+1
			text, _, _ = strings.Cut(text, "\n")
		}
		if len(text) > maxValue {
			text = strings.ToValidUTF8(text[:maxValue], "") + "…"
		}
		a.value = strings.Clone(terminal.Line(text)) // not with all there was
		out = append(out, a)
	}
	return out
}

// drawArguments gives a line for each argument that is not to be seen anyway.
func (t *Tool) drawArguments(width int) []string {
	s := t.env.Styles
	var out []string
	for _, a := range t.arguments {
		if a.value == t.target || inDiff[a.name] && len(t.diffs) > 0 {
			continue
		}
		value := a.value
		if a.lines > 1 {
			value += fmt.Sprintf(" … %d lines", a.lines)
		}
		name := ansi.Truncate(a.name, width, "…")
		room := width - ansi.StringWidth(name) - 2
		if room < 1 {
			out = append(out, s.Muted.Render(name))
			continue
		}
		out = append(out, s.Muted.Render(name+": ")+ansi.Truncate(value, room, "…"))
	}
	return out
}
