package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

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
	guest    *session.Guest
	able     bool // the client can ask its user
	shown    string
	answer   *sdk.ElicitResult
	question *sdk.ElicitParams
	state    string
}

const consentKey = "consent"

// The form's field and its values, which clients show as they are.
const (
	answerField = "answer"

	allowOnce   = "Allow once"
	allowAlways = "Always allow this kind of change in this session"
	deny        = "No"
)

// errAsking is returned for a change that waits for the answer.
var errAsking = errors.New("the user is being asked")

// errUnable is the error if the client cannot ask its user.
var errUnable = errors.New(`this change needs the user's consent, and this client cannot ask for it (it has no elicitation). To allow it, the user can start the server with --approval off ("chatvault mcp --approval off"), set approval = "off" in chatvault's settings, or have it done in the chat`)

// consent returns the state of the user's consent to a call.
func (s *Server) consent(req *sdk.CallToolRequest) *consent {
	c := &consent{guest: s.guest, shown: req.Params.RequestState}
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
	case c.answer.Action == "accept" && c.answer.Content[answerField] == allowAlways && p.Tool != undoName:
		c.guest.Allow(p)
		return nil
	case c.answer.Action == "accept" && c.answer.Content[answerField] == allowOnce:
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

// question returns the question about a change, for a person. Some clients show only three lines of it, so the first ones
// say the most, and the reason is last.
func question(p tools.Proposal, why string) *sdk.ElicitParams {
	answers := []string{allowOnce, allowAlways, deny}
	if p.Tool == undoName {
		answers = []string{allowOnce, deny}
	}
	const more = ", which only the chat shows"
	d := digestOf(p.Diff)
	detail, diff := session.Begins(p.Detail, maxShownDetail, ""), session.Begins(d.hunks, maxShownDiff, more)
	head := []string{what(p) + "?", session.Unseen(p)}
	var rest []string
	if p.Diff == "" || p.Kind == tools.ChangeDelete {
		head, rest = append(head, detail), []string{diff}
	} else {
		head[0] += " (" + fmt.Sprintf("−%d +%d lines", d.removed, d.added) + ")"
		head, rest = append(head, d.lines...), []string{diff, detail}
	}
	if p.Many() {
		for _, r := range p.Rewrites[:min(len(p.Rewrites), tools.SampleNotes)] {
			rest = append(rest, session.Begins(r.Diff, maxShownDetail, more))
		}
	}
	if len(p.Rewrites) > 0 {
		updated := p.Updates() + " are updated"
		if p.Many() {
			updated += ": " + text.First(text.Of(p.Rewrites, func(r tools.LinkRewrite) string { return r.Path }), maxNamedNotes)
		}
		rest = append(rest, updated)
	}
	message := text.Join("\n", head...) + "\n\n" + text.Join("\n\n", append(rest, why)...)
	return &sdk.ElicitParams{
		Mode: "form", Message: terminal.Strict(message),
		RequestedSchema: map[string]any{
			"type": "object", "required": []string{answerField},
			"properties": map[string]any{answerField: map[string]any{"type": "string", "title": "Allow it?", "enum": answers}},
		},
	}
}

// what describes a change in one line.
func what(p tools.Proposal) string {
	if p.Tool == undoName {
		return "Take back " + terminal.StrictLine(p.Path)
	}
	return terminal.StrictLine(text.Capital(session.ChangeText(p)))
}
