package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ParseArguments returns the arguments of a call as one JSON object; none mean {}.
func ParseArguments(text string) (json.RawMessage, error) {
	data := bytes.TrimSpace([]byte(text))
	if len(data) == 0 {
		return json.RawMessage("{}"), nil
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(data, &obj); err != nil {
		return nil, err
	}
	if obj == nil {
		return nil, fmt.Errorf("it is null")
	}
	return data, nil
}

// Arguments are those of a call as a history may hold them: what is no JSON object is an empty one, and the
// call's result says what was wrong.
func Arguments(text string) json.RawMessage {
	args, err := ParseArguments(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return args
}

// NoResult stands where a call has no result.
const NoResult = "Error: The result of this call is not known."

// Answers are the results of a message's calls, in their order, sought in what follows it up to the next message
// with calls. One that is not there is told to be missing.
func Answers(calls []ToolCall, after []Message) []Message {
	if len(calls) == 0 {
		return nil
	}
	found := map[string][]Message{}
	for _, a := range after {
		if len(a.ToolCalls) > 0 {
			break
		}
		if a.Role == RoleTool {
			found[a.ToolCallID] = append(found[a.ToolCallID], a)
		}
	}
	out := make([]Message, len(calls))
	for i, c := range calls {
		out[i] = Message{Role: RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: NoResult, IsError: true}
		if all := found[c.ID]; len(all) > 0 {
			out[i], found[c.ID] = all[0], all[1:]
		}
	}
	return out
}

// maxCallID bounds an id in bytes: what the strictest of the known endpoints takes.
const maxCallID = 40

// FreshID returns id, or another where it is used already or cannot stand in a history, and
// marks it used: some servers count from zero in every response, and no history may hold an id
// twice.
func FreshID(id string, used map[string]bool) string {
	if id == "" || len(id) > maxCallID || strings.ContainsFunc(id, notPortable) {
		id = "call"
	}
	fresh := id
	for n := 2; used[fresh]; n++ {
		suffix := fmt.Sprintf("-%d", n)
		fresh = id[:min(len(id), maxCallID-len(suffix))] + suffix
	}
	used[fresh] = true
	return fresh
}

// notPortable are characters that not every known endpoint takes in the name or the id of a call.
func notPortable(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
}

// MaxToolName bounds the name of a tool in bytes, as the known endpoints do.
const MaxToolName = 64

// PortableName is a tool's name as a history may hold it. A model that once called a tool by a name
// no endpoint accepts would else be refused in every turn that follows.
func PortableName(name string) string {
	name = strings.Map(func(r rune) rune {
		if notPortable(r) {
			return '_'
		}
		return r
	}, name)
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), MaxToolName)]
}
