package acp

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// maxResult is the maximum length of a tool result sent to an editor, in bytes.
const maxResult = 20_000

// renderer sends the updates of an editor for events. It tracks what has been sent.
type renderer struct {
	dir   string // the vault's
	send  func(protocol.SessionUpdate)
	text  bool // text was sent since the user's message
	fresh bool // the next text starts a new paragraph
}

// event sends the updates for an event. was is the state before it.
func (r *renderer) event(was *session.State, e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		r.streamed(e.Text)
	case event.ReasoningDelta:
		r.fresh = true
		r.send(protocol.UpdateAgentThoughtText(e.Text))
	case event.StateChanged:
		r.fresh = r.fresh || e.State == event.StateThinking
	case event.Retry:
		line := session.RetryLine(e)
		if was.Turn.Partial {
			line += " Ignore the answer so far."
		}
		r.aside(line)
	case event.AgentMessage:
		r.message(e)
	case event.ToolStarted:
		r.started(e)
	case event.ToolFinished:
		r.finished(e)
	case event.Nested:
		r.nestedStep(e)
	case event.TaskList:
		r.send(protocol.UpdatePlan(entries(e.Items)...))
	case event.UsageReported:
		r.usage(e)
	case event.ConversationTitled:
		if e.Title != "" && e.ID == was.Conversation {
			r.send(protocol.SessionUpdate{SessionInfoUpdate: &protocol.SessionSessionInfoUpdate{SessionUpdate: "session_info_update", Title: &e.Title}})
		}
	case event.TurnStarted:
		r.text = false
	case event.TurnFinished:
		if !was.Turn.Spoke { // it was not streamed
			r.streamed(e.Response)
		}
	case event.TurnFailed:
		r.cutOff(e.TurnID, was.Turn.Calls)
	case event.TurnStopped:
		r.cutOff(e.TurnID, was.Turn.Calls)
		if len(e.Changed) > 0 {
			r.aside(session.StoppedLine(e) + " /undo reverts that.")
		}
	case event.CompactStarted, event.RetrospectionEnded: // the editor shows that the prompt runs
	case event.ArtifactChanged:
		r.aside(session.ArtifactLine(e))
		if e.File != "" { // it is on disk
			link := protocol.ResourceLinkBlock(e.Name, (&url.URL{Scheme: "file", Path: filepath.ToSlash(e.File)}).String())
			link.ResourceLink.MimeType, link.ResourceLink.Meta = &e.MediaType, map[string]any{"canvas": e.Canvas}
			r.send(protocol.UpdateAgentMessage(link))
		}
	default:
		r.aside(session.Remark(was, e))
	}
}

// streamed sends streamed text of the agent.
func (r *renderer) streamed(words string) {
	if words == "" {
		return
	}
	if r.text && r.fresh {
		words = "\n\n" + words
	}
	r.text, r.fresh = true, false
	r.send(protocol.UpdateAgentMessageText(words))
}

// paragraph sends a text that is a separate paragraph.
func (r *renderer) paragraph(words string) {
	if words == "" {
		return
	}
	r.fresh = true
	r.streamed(words)
	r.fresh = true
}

// aside sends a remark of the program, as a Markdown quotation.
func (r *renderer) aside(words string) {
	if words != "" {
		r.paragraph("> " + strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\n> "))
	}
}

// message sends a message or a question of the agent during its work.
func (r *renderer) message(e event.AgentMessage) {
	if !e.IsQuestion {
		r.aside(e.Content)
		return
	}
	words := e.Content + session.OptionLines(e.Options)
	if len(e.Options) > 0 {
		words += "\n\nAnswer with a number, or in your own words."
	}
	r.paragraph(strings.ReplaceAll(words, "\n", "  \n"))
}

// callID returns a call's ID within the session: different turns may use the same one.
func callID(turn, call string) protocol.ToolCallId { return protocol.ToolCallId(turn + "/" + call) }

// kindOf returns the protocol's kind of a tool.
func kindOf(tool string) protocol.ToolKind {
	if k := event.TraitsOf(tool).Kind; k != "" {
		return protocol.ToolKind(k)
	}
	return protocol.ToolKindOther
}

// titleOf describes a call on one line: "Reading Notes/a.md".
func titleOf(tool, target string) string {
	target = text.OneLine(target)
	return text.Capital(strings.TrimSpace(session.Verb(tool, false, target != "") + " " + target))
}

// silent reports whether the user sees a tool's messages instead of its calls.
func silent(tool string) bool { return event.TraitsOf(tool).Speaks }

// started sends a call that is running.
func (r *renderer) started(e event.ToolStarted) {
	if silent(e.Name) {
		return
	}
	r.fresh = true
	var a arguments
	_ = json.Unmarshal(e.Arguments, &a) // arguments of another form name no file
	if !json.Valid(e.Arguments) {       // an update with them could not be sent
		e.Arguments = json.RawMessage("{}")
	}
	var whole []protocol.ToolCallContent // the result for a new note has no diff
	if name, ok := r.file(a.Path); ok && event.TraitsOf(e.Name).Whole {
		whole = append(whole, protocol.ToolDiffContent(name, a.Content))
	}
	r.send(protocol.StartToolCall(callID(e.TurnID, e.ID), titleOf(e.Name, e.Target), protocol.WithStartKind(kindOf(e.Name)),
		protocol.WithStartStatus(protocol.ToolCallStatusInProgress), protocol.WithStartLocations(r.locations(a)), protocol.WithStartContent(whole), protocol.WithStartRawInput(e.Arguments)))
}

// cutOff sends that the calls of a turn failed which ended before them.
func (r *renderer) cutOff(turn string, calls []session.ToolCall) {
	for _, c := range calls {
		if !silent(c.Name) {
			r.send(protocol.UpdateToolCall(callID(turn, c.ID), protocol.WithUpdateStatus(protocol.ToolCallStatusFailed)))
		}
	}
}

// finished sends a call's result.
func (r *renderer) finished(e event.ToolFinished) {
	if silent(e.Name) {
		return
	}
	r.fresh = true
	status := protocol.ToolCallStatusCompleted
	if e.IsError {
		status = protocol.ToolCallStatusFailed
	}
	options := []protocol.ToolCallUpdateOpt{protocol.WithUpdateStatus(status)}
	content, at := r.diffs(diffOf(e))
	if len(content) == 0 && (e.IsError || !event.TraitsOf(e.Name).Whole) { // a person reads why a call failed, without the advice for the model
		said := cmp.Or(session.FailureLine(e), e.Result)
		content = []protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(fenced(text.Clip(said, maxResult))))}
	}
	if len(at) > 0 {
		options = append(options, protocol.WithUpdateLocations(at))
	}
	if len(content) > 0 {
		options = append(options, protocol.WithUpdateContent(content))
	}
	r.send(protocol.UpdateToolCall(callID(e.TurnID, e.ID), options...))
}

// diffOf returns how a call changed notes, or "" if unknown.
func diffOf(e event.ToolFinished) string {
	if e.Diff == "" && event.TraitsOf(e.Name).Edits && !e.IsError {
		if i := strings.Index(e.Result, "\n--- "); i >= 0 {
			return e.Result[i+1:]
		}
	}
	return e.Diff
}

// arguments are the arguments of the tools that name files, with the line where a tool starts reading.
type arguments struct {
	Path    string `json:"path"`
	Source  string `json:"source"`
	Content string `json:"content"`
	Start   *int   `json:"start_line"`
}

// locations returns the files that a call names.
func (r *renderer) locations(a arguments) (out []protocol.ToolCallLocation) {
	for _, path := range []string{a.Path, a.Source} {
		if name, ok := r.file(path); ok {
			out = append(out, protocol.ToolCallLocation{Path: name, Line: a.Start})
		}
	}
	return out
}

// fenced returns a text as a Markdown code block.
func fenced(words string) string {
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(words, "\n") + "\n" + fence
}

// nestedStep sends a sub-agent's step, under its parent call.
func (r *renderer) nestedStep(e event.Nested) {
	step := ""
	switch n := e.Event.(type) {
	case event.ToolStarted:
		step = titleOf(n.Name, n.Target)
	case event.Notice:
		step = n.Text
	}
	if step == "" {
		return
	}
	r.send(protocol.UpdateToolCall(callID(e.TurnID, e.CallID),
		protocol.WithUpdateContent([]protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(text.OneLine(step)))})))
}

// entries returns the agent's steps. The first open one is in progress.
func entries(items []tools.TaskItem) []protocol.PlanEntry {
	out := []protocol.PlanEntry{}
	at := protocol.PlanEntryStatusInProgress
	for _, item := range items {
		entry := protocol.PlanEntry{Content: item.Text, Priority: protocol.PlanEntryPriorityMedium, Status: protocol.PlanEntryStatusCompleted}
		if !item.Done {
			entry.Status, at = at, protocol.PlanEntryStatusPending
		}
		out = append(out, entry)
	}
	return out
}

func (r *renderer) usage(e event.UsageReported) {
	if e.Window == 0 || e.Context == 0 { // the embedded engine does not count tokens
		return
	}
	u := &protocol.SessionUsageUpdate{SessionUpdate: "usage_update", Used: e.Context, Size: e.Window}
	if e.Conversation.Priced {
		u.Cost = &protocol.Cost{Amount: e.Conversation.Cost, Currency: "USD"}
	}
	r.send(protocol.SessionUpdate{UsageUpdate: u})
}

// file returns the absolute path of a file of the vault. ok is false for an invalid path.
func (r *renderer) file(path string) (name string, ok bool) {
	path = filepath.FromSlash(path)
	return filepath.Join(r.dir, path), path != "" && filepath.IsLocal(path)
}

// diffs returns a unified diff for an editor, and the locations of its parts.
func (r *renderer) diffs(diff string) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	parts, whole := prosediff.Excerpts(diff)
	for _, p := range parts {
		name, ok := r.file(p.Name)
		if !ok {
			continue
		}
		at = append(at, protocol.ToolCallLocation{Path: name, Line: new(p.Line)})
		if p.Added {
			content = append(content, protocol.ToolDiffContent(name, p.After))
		} else {
			content = append(content, protocol.ToolDiffContent(name, p.After, p.Before))
		}
	}
	if !whole && len(content) > 0 {
		content = append(content, protocol.ToolContent(protocol.TextBlock("The change is longer than what is shown of it here.")))
	}
	return content, at
}

// history sends a history.
func (r *renderer) history(items []session.HistoryItem) {
	for i, h := range items {
		words := strings.TrimRight(h.Content, "\n")
		switch h.Role {
		case session.HistoryUser:
			r.text = false
			r.send(protocol.UpdateUserMessageText(text.Join(": ", h.Sender, words)))
		case session.HistoryAssistant:
			r.paragraph(words)
		case session.HistoryReasoning:
			r.send(protocol.UpdateAgentThoughtText(words))
		case session.HistoryQuestion:
			r.paragraph(words + session.OptionLines(h.Options))
		case session.HistoryTool:
			of, id := event.Meta{TurnID: "past"}, strconv.Itoa(i)
			r.started(event.ToolStarted{Meta: of, ID: id, Name: h.Content, Target: h.Target, Arguments: h.Arguments})
			r.finished(event.ToolFinished{Meta: of, ID: id, Name: h.Content, Result: h.Detail, IsError: h.IsError})
		case session.HistoryError:
			r.aside("Error: " + words)
		case session.HistorySummary:
			r.aside("Summary of what is above: " + words)
		default:
			r.aside(words)
		}
	}
	r.text = false
}
