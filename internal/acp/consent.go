package acp

import (
	"context"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tools"
)

// The answers that an editor offers to a request.
const (
	allowOnce         protocol.PermissionOptionId = "allow-once"
	allowConversation protocol.PermissionOptionId = "allow-conversation"
	allowAlways       protocol.PermissionOptionId = "allow-always" // of a server alone
	rejectOnce        protocol.PermissionOptionId = "reject"
	rejectAndStop     protocol.PermissionOptionId = "reject-and-stop"
)

// ask puts a request of the turn's to the editor, with c.mu held. It is answered beside what else
// happens, once at most: one that the turn takes back is taken back from the editor.
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
		answer, stops := decided(got.Outcome, err)
		_ = c.Answer(r.ID, answer) // else it was withdrawn
		if stops && ctx.Err() == nil {
			c.Stop()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asking, r.ID)
	})
}

// decided is an editor's answer as ours; stops: the turn is to end. What cannot be understood denies.
func decided(got protocol.RequestPermissionOutcome, err error) (answer event.Answer, stops bool) {
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

// permission is a request as the editor shows it: exactly what will happen.
func (c *chat) permission(r event.Request) protocol.RequestPermissionRequest {
	p := r.Change
	what := session.ChangeText(p)
	title, kind, status := text.OneLine(sentence(what)), kindOf(p.Tool), protocol.ToolCallStatusPending
	call := protocol.ToolCallUpdate{ToolCallId: protocol.ToolCallId(r.ID), Title: &title, Kind: &kind, Status: &status}
	for _, running := range c.state.Turn.Calls {
		if running.Name == p.Tool && len(c.state.Turn.Messages) > 0 {
			call.ToolCallId = callID(c.state.Turn.Messages[0], running.ID)
		}
	}
	call.Content, call.Locations = c.teller.proposed(p)
	call.Content = append(call.Content, protocol.ToolContent(protocol.TextBlock(strings.TrimSpace(p.Detail+"\n\n"+r.Text))))
	return protocol.RequestPermissionRequest{SessionId: c.id, ToolCall: call, Options: []protocol.PermissionOption{
		{OptionId: allowOnce, Kind: protocol.PermissionOptionKindAllowOnce, Name: "Allow"},
		{OptionId: allowConversation, Kind: protocol.PermissionOptionKindAllowAlways, Name: "Allow this kind of change in this conversation"},
		{OptionId: rejectOnce, Kind: protocol.PermissionOptionKindRejectOnce, Name: "Reject"},
		{OptionId: rejectAndStop, Kind: protocol.PermissionOptionKindRejectAlways, Name: "Reject and stop"},
	}}
}

// proposed is a change that did not happen yet, as the editor shows it.
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
