package acp

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// The answers that an editor offers to a request.
const (
	allowOnce         protocol.PermissionOptionId = "allow-once"
	allowConversation protocol.PermissionOptionId = "allow-conversation"
	allowAlways       protocol.PermissionOptionId = "allow-always" // only for a server
	rejectOnce        protocol.PermissionOptionId = "reject"
	rejectAndStop     protocol.PermissionOptionId = "reject-and-stop"
	cancelled         protocol.PermissionOptionId = "" // the editor cancelled the prompt
)

// ask sends a request of the turn to the editor. c.mu must be held. The answer is awaited in the background; if the
// turn withdraws the request, it is withdrawn from the editor.
func (c *chat) ask(r event.Request) {
	if r.Kind != event.RequestApproval {
		c.aside(strings.TrimSpace(r.Text + "\nIt cannot be typed here: set it where your editor starts chatvault, or run chatvault in a terminal."))
		_ = c.Answer(r.ID, event.Answer{Decision: event.Deny})
		return
	}
	ctx, withdraw := context.WithCancel(c.ctx)
	c.asking[r.ID] = withdraw
	params := c.permission(r)
	routine.Go("acp consent", func() {
		defer withdraw()
		chosen, err := c.permit(ctx, params)
		if !c.server.connected() {
			return // the turn ends with the session, and nothing is allowed until then
		}
		answer := event.Answer{Decision: event.Deny}
		switch chosen {
		case allowOnce:
			answer.Decision = event.AllowOnce
		case allowConversation:
			answer.Decision = event.AllowConversation
		}
		_ = c.Answer(r.ID, answer) // fails if it was withdrawn
		if err == nil && (chosen == cancelled || chosen == rejectAndStop) && ctx.Err() == nil {
			c.Stop()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asking, r.ID)
	})
}

// permit sends a request for consent and returns the chosen option; with an error it is rejectOnce.
func (c *chat) permit(ctx context.Context, r protocol.RequestPermissionRequest) (protocol.PermissionOptionId, error) {
	got, err := protocol.SendRequest[protocol.RequestPermissionResponse](c.server.conn, ctx, protocol.ClientMethodSessionRequestPermission, r)
	switch {
	case err != nil:
		return rejectOnce, err
	case got.Outcome.Selected != nil:
		return got.Outcome.Selected.OptionId, nil
	}
	return cancelled, nil
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
	call.Content, call.Locations = c.proposed(p)
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
func (r *renderer) proposed(p tools.Proposal) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	content, at = r.diffs(p.Diff)
	if len(at) == 0 && p.Kind != tools.ChangeCreate && !p.Many() {
		if name, ok := r.file(p.Path); ok {
			at = append(at, protocol.ToolCallLocation{Path: name})
		}
	}
	for _, w := range p.Rewrites {
		more, where := r.diffs(w.Diff)
		content, at = append(content, more...), append(at, where...)
	}
	return content, at
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
