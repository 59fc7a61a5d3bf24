package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// consent asks a client's user whether a change may happen. A call whose change needs consent returns only the question.
// The client repeats the call with the answer, and the change is made if it is still the same. So no call waits, and no
// lock is held.
type consent struct {
	able     bool // the client can ask its user
	shown    string
	answer   *sdk.ElicitResult
	question *sdk.ElicitParams
	state    string
}

const consentKey = "consent"

// errAsking is returned for a change that waits for the answer.
var errAsking = errors.New("the user is being asked")

// errUnable is the error if the client cannot ask its user.
var errUnable = errors.New(`this change needs the user's consent, and this client cannot ask for it (it has no elicitation). To allow it, the user can start the server with --approval off ("chatvault mcp --approval off"), set approval = "off" in chatvault's settings, or have it done in the chat`)

// consent returns the state of the user's consent to a call.
func (s *Server) consent(req *sdk.CallToolRequest) *consent {
	c := &consent{shown: req.Params.RequestState}
	if caps := req.ClientCapabilities(); caps != nil && caps.Elicitation != nil {
		c.able = caps.Elicitation.Form != nil || caps.Elicitation.URL == nil
	}
	if a, ok := req.Params.InputResponses[consentKey].(*sdk.ElicitResult); ok {
		c.answer = a
	}
	return c
}

// ask implements session.Ask.
func (c *consent) ask(_ context.Context, p tools.Proposal, why string) error {
	print := printOf(p)
	switch {
	case !c.able:
		return errUnable
	case c.answer == nil:
		c.question, c.state = question(p, why), print
		return errAsking
	case c.shown != print:
		return errors.New("what would be changed is not what the user was shown, because a note changed meanwhile; look at it again, then repeat the call")
	case c.answer.Action == "accept" && c.answer.Content["allow"] == true:
		return nil
	}
	return &tools.Denied{}
}

// request returns the question to the user, or nil if the call asked none.
func (c *consent) request() *sdk.CallToolResult {
	if c.question == nil {
		return nil
	}
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{consentKey: c.question}, RequestState: c.state}
}

// printOf returns a hash that identifies a change.
func printOf(p tools.Proposal) string {
	data, _ := json.Marshal([]any{p.Tool, p.Kind, p.Path, p.NewPath, p.Diff, p.Detail, p.Rewrites}) // texts and numbers
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// Bounds of a question, in bytes.
const (
	maxShownDiff   = 64 << 10
	maxShownDetail = 4000
)

// maxNamedNotes bounds the named notes of a change of many.
const maxNamedNotes = 40

// question returns the question about a change, for a person.
func question(p tools.Proposal, why string) *sdk.ElicitParams {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s", why, what(p))
	if p.Detail != "" {
		fmt.Fprintf(&b, "\n%s", session.Begins(p.Detail, maxShownDetail, ""))
	}
	if len(p.Rewrites) > 0 {
		fmt.Fprintf(&b, "\n%s are updated", p.Updates())
	}
	if p.Many() {
		fmt.Fprintf(&b, ": %s", text.First(text.Of(p.Rewrites, func(r tools.LinkRewrite) string { return r.Path }), maxNamedNotes))
		for _, r := range p.Rewrites[:min(len(p.Rewrites), tools.SampleNotes)] {
			fmt.Fprintf(&b, "\n\n%s", session.Begins(r.Diff, maxShownDetail, ", which only the chat shows"))
		}
	}
	if p.Diff != "" {
		fmt.Fprintf(&b, "\n\n%s", session.Begins(p.Diff, maxShownDiff, ", which only the chat shows"))
	}
	if unseen := session.Unseen(p); unseen != "" {
		fmt.Fprintf(&b, "\n\n%s.", unseen)
	}
	return &sdk.ElicitParams{
		Mode: "form", Message: terminal.Strict(b.String()),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow this change","description":"Without it nothing is changed.","default":false}},"required":["allow"]}`),
	}
}

// what describes a change in one line.
func what(p tools.Proposal) string {
	if p.Tool == undoName {
		return "Take back the turn " + terminal.StrictLine(p.Path)
	}
	return terminal.StrictLine(text.Capital(session.ChangeText(p)))
}
