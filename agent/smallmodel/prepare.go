// Package smallmodel supports turns of small models: it selects passages for a message, recognizes the requested
// changes, and checks the model's answers. It neither reads notes nor calls models.
package smallmodel

import (
	"encoding/json"
	"fmt"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/tools"
)

// MaxRounds is the number of rounds of tool calls in a turn of a small model.
const MaxRounds = 6

// Prepare returns the arguments of a call as the message means them, such as an extension for a new note or a box for a
// task. Empty texts count as missing, except for the content of a note.
func Prepare(tool string, raw json.RawMessage, message string) json.RawMessage {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return raw
	}
	for name, v := range args {
		switch v := v.(type) {
		case string:
			if v == "" && name != "content" && name != "new_text" {
				delete(args, name)
			} else if name == "value" {
				args[name] = linked(v, message)
			}
		case []any:
			for i, item := range v {
				v[i] = linked(item, message)
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

// linked returns a value as the message's link to it, if there is one.
func linked(value any, message string) any {
	for _, m := range link().FindAllStringSubmatch(message, -1) {
		if strings.EqualFold(m[1], fmt.Sprint(value)) {
			return m[0]
		}
	}
	return value
}

var link = lazyregexp.New(`\[\[([^\[\]]+)\]\]`)
