package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// maxArguments bounds what is kept of a call's arguments, in bytes.
const maxArguments = 16 << 10

// boundedArguments are a call's arguments, with what is long in them cut and marked where they are
// longer than maxArguments.
func boundedArguments(args json.RawMessage) json.RawMessage {
	args = bytes.TrimSpace(args)
	if len(args) <= maxArguments {
		if len(args) == 0 || !json.Valid(args) {
			return nil
		}
		return args
	}
	var fields map[string]any
	if json.Unmarshal(args, &fields) == nil {
		for _, limit := range []int{8 << 10, 2 << 10, 512, 64} {
			for name, v := range fields {
				fields[name] = shortened(v, limit)
			}
			if short, err := json.Marshal(fields); err == nil && len(short) <= maxArguments {
				return short
			}
		}
	}
	short, err := json.Marshal(map[string]any{"cut": fmt.Sprintf("the arguments were %d bytes long", len(args))})
	if err != nil {
		return nil
	}
	return short
}

// maxTitle bounds what is kept of what was asked for, in characters.
const maxTitle = 200

// shortTitle is a title on one line, of bounded length.
func shortTitle(title string) string {
	title = text.Head(title, 16*maxTitle) // more is not looked at
	return text.Excerpt(strings.ToValidUTF8(title, ""), maxTitle)
}

// shortened cuts texts longer than limit and says so; lists and objects that are longer go whole.
func shortened(v any, limit int) any {
	switch v := v.(type) {
	case string:
		if len(v) <= limit {
			return v
		}
		return fmt.Sprintf("%s [... cut, %d bytes in all]", text.Head(v, limit), len(v))
	case []any, map[string]any:
		if data, err := json.Marshal(v); err == nil && len(data) > limit {
			return fmt.Sprintf("[cut, %d bytes in all]", len(data))
		}
	}
	return v
}
