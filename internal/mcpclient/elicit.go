package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// Asker puts a question of a server to the user; ok is false where they do not answer.
type Asker interface {
	AskValue(ctx context.Context, name, why string) (value string, ok bool, err error)
}

// asking says who can be asked while a call is under way.
func (l *link) asking(a Asker) (done func()) {
	l.mu.Lock()
	l.ask = a
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		l.ask = nil
		l.mu.Unlock()
	}
}

// maxFields is how many questions a server may ask at once.
const maxFields = 6

// secretive is what asks for what no server should be told.
var secretive = regexp.MustCompile(`(?i)pass ?(word|phrase|code|wd)|secret|token|api[ _-]?key|private[ _-]?key|credential|\bpin\b|\botp\b|2fa|cvv|card number|seed phrase`)

// elicited puts what a server wants to know to the user, a question each, while it works on a call. What
// looks like a secret is refused, and so is every address it wants to have opened.
func (l *link) elicited(ctx context.Context, server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	l.mu.Lock()
	asker := l.ask
	l.mu.Unlock()
	no := &sdk.ElicitResult{Action: "decline"}
	if asker == nil || p.Mode == "url" || p.URL != "" {
		return no, nil
	}
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
		Required   []string                  `json:"required"`
	}
	data, _ := json.Marshal(p.RequestedSchema) // what cannot be told is no schema below
	if json.Unmarshal(data, &schema) != nil || len(schema.Properties) > maxFields || secretive.MatchString(p.Message) || secretive.Match(data) {
		return no, nil //nolint:nilerr // what makes no sense is declined
	}
	content := map[string]any{}
	names := slices.Sorted(maps.Keys(schema.Properties))
	message := text.Clip(text.OneLine(terminal.StrictLine(p.Message)), 600)
	if len(names) == 0 { // it only wants a yes
		value, ok, err := asker.AskValue(ctx, "yes, for the MCP server "+server, fmt.Sprintf("The server %s asks: “%s” Type yes to agree.", server, message))
		if err != nil || !ok || !strings.EqualFold(value, "yes") {
			return no, err
		}
		return &sdk.ElicitResult{Action: "accept"}, nil
	}
	for _, name := range names {
		f := schema.Properties[name]
		value, ok, err := asker.AskValue(ctx, text.Clip(terminal.StrictLine(name), 60)+", for the MCP server "+server,
			fmt.Sprintf("The server %s asks: “%s”%s What you type is sent to it.", server, message, choices(f)))
		if err != nil {
			return nil, err
		}
		if !ok {
			if slices.Contains(schema.Required, name) {
				return no, nil
			}
			continue
		}
		if content[name], ok = typed(f, value); !ok {
			return no, nil
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// choices names what may be answered.
func choices(f map[string]any) string {
	list, _ := f["enum"].([]any)
	var names []string
	for _, x := range list {
		names = append(names, text.Clip(terminal.StrictLine(fmt.Sprint(x)), 40))
	}
	if len(names) == 0 {
		return ""
	}
	return " One of: " + text.Clip(strings.Join(names, ", "), 400) + "."
}

// typed is what was typed as the type that the field has.
func typed(f map[string]any, value string) (any, bool) {
	switch f["type"] {
	case "integer":
		n, err := strconv.Atoi(value)
		return n, err == nil
	case "number":
		n, err := strconv.ParseFloat(value, 64)
		return n, err == nil
	case "boolean":
		switch strings.ToLower(value) {
		case "yes", "y", "true":
			return true, true
		case "no", "n", "false":
			return false, true
		}
		return nil, false
	case "array", "object":
		return nil, false
	}
	return value, true
}
