package acp

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tools"
)

// The answers that an editor offers to a request.
const (
	allowOnce         protocol.PermissionOptionId = "allow-once"
	allowConversation protocol.PermissionOptionId = "allow-conversation"
	allowAlways       protocol.PermissionOptionId = "allow-always" // only for a server
	rejectOnce        protocol.PermissionOptionId = "reject"
	rejectAndStop     protocol.PermissionOptionId = "reject-and-stop"
)

// ask sends a request of the turn to the editor. c.mu must be held. The answer is awaited in the background; if the
// turn withdraws the request, it is withdrawn from the editor.
func (c *chat) ask(r event.Request) {
	if r.Kind != event.RequestApproval {
		c.note(strings.TrimSpace(r.Text + "\nIt cannot be typed here: set it where your editor starts chatvault, or run chatvault in a terminal."))
		_ = c.Answer(r.ID, event.Answer{Decision: event.Deny})
		return
	}
	ctx, withdraw := context.WithCancel(c.ctx)
	c.asking[r.ID] = withdraw
	params := c.permission(r)
	c.follow.Add(1)
	routine.Go("acp consent", func() {
		defer c.follow.Done()
		defer withdraw()
		got, err := protocol.SendRequest[protocol.RequestPermissionResponse](c.server.conn, ctx, protocol.ClientMethodSessionRequestPermission, params)
		if !c.server.connected() {
			return // the turn ends with the session, and nothing is allowed until then
		}
		answer, stops := toAnswer(got.Outcome, err)
		_ = c.Answer(r.ID, answer) // fails if it was withdrawn
		if stops && ctx.Err() == nil {
			c.Stop()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asking, r.ID)
	})
}

// toAnswer converts an editor's answer. stops reports whether the turn must end. Unknown answers deny.
func toAnswer(got protocol.RequestPermissionOutcome, err error) (answer event.Answer, stops bool) {
	answer.Decision = event.Deny
	switch {
	case err != nil:
	case got.Cancelled != nil:
		stops = true
	case got.Selected != nil:
		switch got.Selected.OptionId {
		case allowOnce:
			answer.Decision = event.AllowOnce
		case allowConversation:
			answer.Decision = event.AllowConversation
		case rejectAndStop:
			stops = true
		}
	}
	return answer, stops
}

// permission returns a request for the editor, with exactly what will happen.
func (c *chat) permission(r event.Request) protocol.RequestPermissionRequest {
	p := r.Change
	call := protocol.ToolCallUpdate{
		ToolCallId: protocol.ToolCallId(r.ID), Title: new(terminal.StrictLine(text.Capital(session.ChangeText(p)))), Kind: new(kindOf(p.Tool)), Status: new(protocol.ToolCallStatusPending),
	}
	for _, running := range c.state.Turn.Calls {
		if running.Name == p.Tool && len(c.state.Turn.Messages) > 0 {
			call.ToolCallId = callID(c.state.Turn.Messages[0], running.ID)
		}
	}
	call.Content, call.Locations = c.teller.proposed(p)
	call.Content = append(call.Content, protocol.ToolContent(protocol.TextBlock(strings.TrimSpace(strings.Join([]string{
		session.Begins(p.Detail, maxResult, " (in the call's input)"), session.Unseen(p), terminal.Strict(r.Text),
	}, "\n\n")))))
	return protocol.RequestPermissionRequest{SessionId: c.id, ToolCall: call, Options: []protocol.PermissionOption{
		{OptionId: allowOnce, Kind: protocol.PermissionOptionKindAllowOnce, Name: "Allow"},
		{OptionId: allowConversation, Kind: protocol.PermissionOptionKindAllowAlways, Name: "Allow this kind of change in this conversation"},
		{OptionId: rejectOnce, Kind: protocol.PermissionOptionKindRejectOnce, Name: "Reject"},
		{OptionId: rejectAndStop, Kind: protocol.PermissionOptionKindRejectAlways, Name: "Reject and stop"},
	}}
}

// proposed returns a planned change for the editor.
func (t *teller) proposed(p tools.Proposal) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	content, at = t.diffs(p.Diff)
	if len(at) == 0 && p.Kind != tools.ChangeCreate {
		if name, ok := t.file(p.Path); ok {
			at = append(at, protocol.ToolCallLocation{Path: name})
		}
	}
	for _, w := range p.Rewrites {
		more, where := t.diffs(w.Diff)
		content, at = append(content, more...), append(at, where...)
	}
	return content, at
}

// The SDK's types for this lack the session, which the protocol now requires.
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

// question returns the agent's open question as a form, if the editor supports forms. Otherwise asked is false, and
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

// elicit shows a question in the editor. An empty answer means it was not answered there, and the next prompt may be
// the answer. Cancelling withdraws it.
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

// bufferWait is the timeout for asking the editor for a note's text.
const bufferWait = 5 * time.Second

// Text implements tools.Buffers. An editor that refuses does not have the file open, or does not know it.
func (c *chat) Text(ctx context.Context, path string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, bufferWait)
	defer cancel()
	r, err := protocol.SendRequest[protocol.ReadTextFileResponse](c.server.conn, ctx, protocol.ClientMethodFsReadTextFile, protocol.ReadTextFileRequest{
		SessionId: c.id, Path: filepath.Join(c.Dir(), filepath.FromSlash(path)),
	})
	var refused *protocol.RequestError
	switch {
	case err == nil:
		return []byte(r.Content), true, nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case errors.As(err, &refused) && c.server.connected():
		return nil, false, nil
	}
	return nil, false, errors.New("it is gone")
}

// connected reports whether the editor is still connected.
func (s *server) connected() bool {
	select {
	case <-s.conn.Done():
		return false
	default:
		return true
	}
}
