package llmtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// CheckRequest says what is malformed in the body of a chat-completions request, one line
// a problem; none means that every endpoint would take it.
func CheckRequest(body []byte) []string {
	var chat Chat
	if err := json.Unmarshal(body, &chat); err != nil {
		return []string{"the request is not a chat completion: " + err.Error()}
	}
	var problems []string
	if chat.Model == "" {
		problems = append(problems, "no model is set")
	}
	if chat.Stream && (chat.StreamOptions == nil || !chat.StreamOptions.IncludeUsage) {
		problems = append(problems, "stream_options.include_usage is not set")
	}
	problems = append(problems, checkMessages(chat.Messages)...)
	return append(problems, checkTools(chat.Tools)...)
}

// checkMessages walks the history once; open holds the calls that still want their answer.
func checkMessages(messages []Message) []string {
	var problems []string
	say := func(i int, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("message %d (%s): ", i, messages[i].Role)+fmt.Sprintf(format, args...))
	}
	if len(messages) == 0 {
		return []string{"there are no messages"}
	}
	seen := map[string]bool{}
	open := map[string]bool{}
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			say(i, "comes before the answer to tool call(s) %s", keys(open))
			open = map[string]bool{}
		}
		if m.Role != "assistant" && len(m.ToolCalls) > 0 {
			say(i, "only an assistant message may call tools")
		}
		empty := strings.TrimSpace(string(m.Content)) == ""
		switch m.Role {
		case "system", "developer", "user":
			if empty {
				say(i, "is empty")
			}
		case "assistant":
			if empty && len(m.ToolCalls) == 0 {
				say(i, "is an empty turn")
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" {
					say(i, "the call of %q has no id", c.Function.Name)
				} else if seen[c.ID] {
					say(i, "the id %q is used twice", c.ID)
				}
				seen[c.ID], open[c.ID] = true, true
				problems = append(problems, checkCall(i, c)...)
			}
		case "tool":
			if !open[m.ToolCallID] {
				say(i, "answers %q, which no call before it waits for", m.ToolCallID)
			}
			delete(open, m.ToolCallID)
			if empty {
				say(i, "is empty")
			}
		default:
			say(i, "has an unknown role")
		}
	}
	last := len(messages) - 1
	if len(open) > 0 {
		say(last, "the history ends without the answer to tool call(s) %s", keys(open))
	} else if messages[last].Role == "assistant" {
		say(last, "the last word is the assistant's: there is nothing to answer")
	}
	return problems
}

func checkCall(i int, c CallSent) []string {
	var problems []string
	if c.Type != "function" {
		problems = append(problems, fmt.Sprintf("message %d: call %s has type %q, not function", i, c.ID, c.Type))
	}
	if !toolName.MatchString(c.Function.Name) {
		problems = append(problems, fmt.Sprintf("message %d: call %s has a bad tool name %q", i, c.ID, c.Function.Name))
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.Function.Arguments), &object); err != nil || object == nil {
		problems = append(problems, fmt.Sprintf("message %d: the arguments of call %s are no JSON object: %q", i, c.ID, clip(c.Function.Arguments)))
	}
	return problems
}

func checkTools(tools []Tool) []string {
	var problems []string
	seen := map[string]bool{}
	for _, t := range tools {
		name := t.Function.Name
		switch {
		case t.Type != "function":
			problems = append(problems, fmt.Sprintf("tool %q has type %q, not function", name, t.Type))
		case !toolName.MatchString(name):
			problems = append(problems, fmt.Sprintf("tool name %q is not of letters, digits, _ and -", name))
		case seen[name]:
			problems = append(problems, fmt.Sprintf("tool %q is offered twice", name))
		}
		seen[name] = true
		problems = append(problems, checkSchema(name, t.Function.Parameters)...)
	}
	return problems
}

// schemas holds what checkSchema found: a suite sends the same tools with every request.
var schemas sync.Map

func checkSchema(tool string, parameters json.RawMessage) []string {
	key := tool + "\x00" + string(parameters)
	if known, ok := schemas.Load(key); ok {
		return known.([]string)
	}
	var problems []string
	var schema jsonschema.Schema
	if err := json.Unmarshal(parameters, &schema); err != nil {
		problems = append(problems, fmt.Sprintf("tool %q: its parameters are no JSON Schema: %v", tool, err))
	} else {
		if schema.Type != "object" {
			problems = append(problems, fmt.Sprintf("tool %q: its parameters are of type %q, not object", tool, schema.Type))
		}
		if _, err := schema.Resolve(nil); err != nil {
			problems = append(problems, fmt.Sprintf("tool %q: its schema does not resolve: %v", tool, err))
		}
	}
	schemas.Store(key, problems)
	return problems
}

func keys(m map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
