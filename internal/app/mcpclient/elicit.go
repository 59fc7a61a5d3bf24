package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Asker asks the user for a value on behalf of a server; ok is false if they do not give one. The agent's messenger is
// one.
type Asker interface {
	AskValue(ctx context.Context, name, why string) (value string, ok bool, err error)
}

// Bounds of a server's questions. Larger ones are declined.
const (
	maxFields   = 6
	maxQuestion = 4000 // in bytes
)

// secret matches questions for what no server should learn.
var secret = regexp.MustCompile(`(?i)pass ?(word|phrase|code|wd)|secret|token|api[ _-]?key|private[ _-]?key|credential|\bpin\b|\botp\b|2fa|cvv|card number|seed phrase`)

// setAsker lets the server ask the user until ctx ends, if m can ask. It waits for the end of an
// earlier question.
func (l *link) setAsker(ctx context.Context, m tools.Messenger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask = nil
	if a, ok := m.(Asker); ok {
		l.ask = func(name, why string) (string, bool, error) { return a.AskValue(ctx, name, why) }
	}
}

// elicit asks the user a server's question, once for each field, one question at a time. It declines questions outside
// a call, questions for secrets, and requests to open an address.
func (l *link) elicit(server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	decline := &sdk.ElicitResult{Action: "decline"}
	var schema struct {
		Properties map[string]field `json:"properties"`
		Required   []string         `json:"required"`
	}
	data, err := json.Marshal(p.RequestedSchema)
	if err != nil || json.Unmarshal(data, &schema) != nil || l.ask == nil || p.URL != "" || len(schema.Properties) > maxFields ||
		len(p.Message) > maxQuestion || secret.MatchString(p.Message) || secret.Match(data) {
		return decline, nil
	}
	ask := func(name, hint string) (value string, ok bool, err error) {
		return l.ask(name+", for the MCP server "+server, fmt.Sprintf("The server %s asks: “%s” %s", server, terminal.StrictLine(p.Message), hint))
	}
	if len(schema.Properties) == 0 {
		value, _, err := ask("yes", "Type yes to agree.")
		if err != nil || !strings.EqualFold(value, "yes") {
			return decline, err
		}
	}
	content := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		f := schema.Properties[name]
		value, ok, err := ask(text.Clip(terminal.StrictLine(name), 60), f.choices()+"What you type is sent to it.")
		if err != nil {
			return nil, err
		}
		if ok {
			content[name], ok = f.parse(value)
		} else {
			ok = !slices.Contains(schema.Required, name)
		}
		if !ok {
			return decline, nil
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// field is the JSON Schema of a value that a server asks for.
type field struct {
	Type string `json:"type"`
	Enum []any  `json:"enum"`
}

// choices returns a sentence with the possible values; empty if they are not restricted.
func (f field) choices() string {
	if f.Type == "boolean" {
		f.Enum = []any{true, false}
	}
	if len(f.Enum) == 0 {
		return ""
	}
	names := text.Of(f.Enum, func(x any) string { return text.Clip(terminal.StrictLine(fmt.Sprint(x)), 40) })
	return "One of: " + text.Clip(strings.Join(names, ", "), 400) + ". "
}

// parse converts what the user typed; ok is false if it is no value of the field's type.
func (f field) parse(typed string) (value any, ok bool) {
	if f.Type == "string" {
		return typed, true
	}
	return value, json.Unmarshal([]byte(typed), &value) == nil
}
