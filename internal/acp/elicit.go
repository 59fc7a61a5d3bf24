package acp

import (
	"context"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
)

// The SDK's own types for this have no session, which the protocol asks for by now.
type (
	elicitation struct {
		SessionID protocol.SessionId `json:"sessionId"`
		Mode      string             `json:"mode"`
		Message   string             `json:"message"`
		Schema    formSchema         `json:"requestedSchema"`
	}
	formSchema struct {
		Type       string           `json:"type"`
		Properties map[string]field `json:"properties"`
	}
	field struct {
		Type  string   `json:"type"`
		Title string   `json:"title"`
		Enum  []string `json:"enum,omitempty"`
	}
	elicited struct {
		Action  string            `json:"action"`
		Content map[string]string `json:"content"`
	}
)

// The fields of the form.
const (
	fieldChoice = "choice"
	fieldAnswer = "answer"
)

// question is what the agent asked with its turn, where the editor has forms; not asked: nothing is, or
// the next prompt is the answer.
func (c *chat) question(last event.Event) (form elicitation, asked bool) {
	end, ok := last.(event.TurnFinished)
	if !ok || !end.IsWaitingForResponse || c.client.Elicitation == nil || c.client.Elicitation.Form == nil {
		return form, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.state.Question
	form = elicitation{SessionID: c.id, Mode: "form", Message: q.Text, Schema: formSchema{Type: "object", Properties: map[string]field{
		fieldAnswer: {Type: "string", Title: "Answer"},
	}}}
	if len(q.Options) > 0 {
		form.Schema.Properties[fieldChoice] = field{Type: "string", Title: "One of these", Enum: q.Options}
		form.Schema.Properties[fieldAnswer] = field{Type: "string", Title: "Or in your own words"}
	}
	return form, q.Asked
}

// elicit has the editor show a question; empty: it was not answered there, and the next prompt may be
// the answer. A cancel takes it back.
func (c *chat) elicit(ctx context.Context, form elicitation) (answer string, cancelled bool) {
	ctx, withdraw := context.WithCancel(ctx)
	defer withdraw()
	c.mu.Lock()
	c.withdraw = func() {
		cancelled = true
		withdraw()
	}
	c.mu.Unlock()
	got, err := protocol.SendRequest[elicited](c.server.conn, ctx, protocol.ClientMethodElicitationCreate, form)
	c.mu.Lock()
	c.withdraw = nil
	defer c.mu.Unlock()
	if err != nil || got.Action != "accept" {
		return "", cancelled
	}
	if words := strings.TrimSpace(got.Content[fieldAnswer]); words != "" {
		return words, cancelled
	}
	return got.Content[fieldChoice], cancelled
}
