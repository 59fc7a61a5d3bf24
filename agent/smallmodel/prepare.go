// Package smallmodel holds what a turn needs when the model is small: passages of notes that go along with a
// message, what a message asks for, and checks of what the model answers. All of it is pure: it reads no note
// and calls no model.
package smallmodel

import (
	"encoding/json"
	"fmt"
	"strings"

	"chatvault/tools"
)

// MaxRounds is the number of rounds of tool calls in a turn of a small model.
const MaxRounds = 6

// Prepare returns the arguments of a call as the message means them: an extension for a new note, a box for a
// task. Empty texts count as not given, but for what a note is to hold.
func Prepare(tool string, raw json.RawMessage, message string) json.RawMessage {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return raw
	}
	for name, v := range args {
		if v == "" && name != "content" && name != "new_text" {
			delete(args, name)
		}
	}
	for name, v := range args { // a link that the message wrote stays one
		switch v := v.(type) {
		case string:
			if link := "[[" + v + "]]"; name == "value" && strings.Contains(message, link) {
				args[name] = link
			}
		case []any:
			for i, item := range v {
				if link := fmt.Sprintf("[[%v]]", item); strings.Contains(message, link) {
					v[i] = link
				}
			}
		}
	}
	traits := tools.TraitsOf(tool)
	if c, ok := args["content"].(string); ok && traits.Adds {
		args["content"] = Fit(c, message)
	}
	if p, _ := args["path"].(string); traits.Whole && p != "" && !strings.HasSuffix(strings.ToLower(p), ".md") {
		args["path"] = strings.TrimRight(p, "/ ") + ".md"
	}
	out, err := json.Marshal(args)
	if err != nil {
		return raw
	}
	return out
}
