package acp

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
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

// teller converts events to updates for an editor. It tracks what has been sent.
type teller struct {
	dir    string // the vault's
	text   bool   // text was sent since the user's message
	fresh  bool   // the next text starts a new paragraph
	calls  map[protocol.ToolCallId]call
	nested map[string][]string
}

// call is a running call: what its result does not tell.
type call struct {
	moved []protocol.ToolCallLocation // locations after a move
	whole []protocol.ToolCallContent  // content of a note it writes as a whole
}

// event returns the updates for an event. was is the state before it.
func (t *teller) event(was *session.State, e event.Event) []protocol.SessionUpdate {
	switch e := e.(type) {
	case event.TextDelta:
		return t.streamed(e.Text)
	case event.ReasoningDelta:
		t.fresh = true
		return one(protocol.UpdateAgentThoughtText(e.Text))
	case event.StateChanged:
		t.fresh = t.fresh || e.State == event.StateThinking
	case event.Retry:
		line := session.RetryLine(e)
		if was.Turn.Partial {
			line += " Ignore the answer so far."
		}
		return t.aside(line)
	case event.AgentMessage:
		return t.message(e)
	case event.ToolStarted:
		return t.started(e)
	case event.ToolFinished:
		return t.finished(e)
	case event.Nested:
		return t.nestedStep(e)
	case event.TaskList:
		return one(protocol.UpdatePlan(entries(e.Items)...))
	case event.UsageReported:
		return usage(e)
	case event.ConversationTitled:
		if e.Title != "" && e.ID == was.Conversation {
			return one(protocol.SessionUpdate{SessionInfoUpdate: &protocol.SessionSessionInfoUpdate{SessionUpdate: "session_info_update", Title: &e.Title}})
		}
	case event.TurnStarted:
		t.text, t.nested, t.calls = false, map[string][]string{}, map[protocol.ToolCallId]call{}
	case event.TurnFinished:
		if !was.Turn.Spoke { // it was not streamed
			return t.streamed(e.Response)
		}
	case event.TurnFailed:
		return cutOff(e.TurnID, was.Turn.Calls)
	case event.TurnStopped:
		out := cutOff(e.TurnID, was.Turn.Calls)
		if len(e.Changed) > 0 {
			out = append(out, t.aside(session.StoppedLine(e)+" /undo reverts that.")...)
		}
		return out
	case event.CompactStarted, event.RetrospectionEnded: // the editor shows that the prompt runs
	case event.ArtifactChanged:
		return append(t.aside(session.ArtifactLine(e)), artifactLink(e)...)
	default:
		return t.aside(session.Remark(was, e))
	}
	return nil
}

func one(u protocol.SessionUpdate) []protocol.SessionUpdate { return []protocol.SessionUpdate{u} }

// streamed returns the update for streamed text of the agent.
func (t *teller) streamed(words string) []protocol.SessionUpdate {
	if words == "" {
		return nil
	}
	if t.text && t.fresh {
		words = "\n\n" + words
	}
	t.text, t.fresh = true, false
	return one(protocol.UpdateAgentMessageText(words))
}

// paragraph returns the update for a text that is a separate paragraph.
func (t *teller) paragraph(words string) []protocol.SessionUpdate {
	if words == "" {
		return nil
	}
	t.fresh = true
	out := t.streamed(words)
	t.fresh = true
	return out
}

// aside returns the update for a remark of the program, as a Markdown quotation.
func (t *teller) aside(words string) []protocol.SessionUpdate {
	if words == "" {
		return nil
	}
	return t.paragraph("> " + strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\n> "))
}

// artifactLink returns a link to an artifact that is on disk.
func artifactLink(e event.ArtifactChanged) []protocol.SessionUpdate {
	if e.File == "" {
		return nil
	}
	return one(protocol.UpdateAgentMessage(protocol.ResourceLinkBlock(e.Name, (&url.URL{Scheme: "file", Path: filepath.ToSlash(e.File)}).String())))
}

// message returns the update for a message or a question of the agent during its work.
func (t *teller) message(e event.AgentMessage) []protocol.SessionUpdate {
	if !e.IsQuestion {
		return t.aside(e.Content)
	}
	words := e.Content + session.OptionLines(e.Options)
	if len(e.Options) > 0 {
		words += "\n\nAnswer with a number, or in your own words."
	}
	return t.paragraph(strings.ReplaceAll(words, "\n", "  \n"))
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
	return text.Capital(strings.TrimSpace(session.Verb(tool, target != "") + " " + target))
}

// silent reports whether the user sees a tool's messages instead of its calls.
func silent(tool string) bool { return event.TraitsOf(tool).Speaks }

// started returns the update for a call that is running.
func (t *teller) started(e event.ToolStarted) []protocol.SessionUpdate {
	if silent(e.Name) {
		return nil
	}
	t.fresh = true
	id := callID(e.TurnID, e.ID)
	t.calls[id] = t.outcome(e)
	return one(protocol.StartToolCall(id, titleOf(e.Name, e.Target), protocol.WithStartKind(kindOf(e.Name)),
		protocol.WithStartStatus(protocol.ToolCallStatusInProgress), protocol.WithStartLocations(t.locations(e.Arguments)), protocol.WithStartRawInput(e.Arguments)))
}

// cutOff returns updates for the calls of a turn that ended before them.
func cutOff(turn string, calls []session.ToolCall) (out []protocol.SessionUpdate) {
	for _, c := range calls {
		if !silent(c.Name) {
			out = append(out, protocol.UpdateToolCall(callID(turn, c.ID), protocol.WithUpdateStatus(protocol.ToolCallStatusFailed)))
		}
	}
	return out
}

// finished returns the update for a call's result.
func (t *teller) finished(e event.ToolFinished) []protocol.SessionUpdate {
	if silent(e.Name) {
		return nil
	}
	t.fresh = true
	status := protocol.ToolCallStatusCompleted
	if e.IsError {
		status = protocol.ToolCallStatusFailed
	}
	options := []protocol.ToolCallUpdateOpt{protocol.WithUpdateStatus(status)}
	id := callID(e.TurnID, e.ID)
	c := t.calls[id]
	delete(t.calls, id)
	content, at := t.diffs(diffOf(e))
	if !e.IsError {
		at = slices.Concat(c.moved, at)
		if len(content) == 0 {
			content = c.whole
		}
	}
	if len(content) == 0 { // a person reads why a call failed, without the advice for the model
		said := cmp.Or(session.FailureLine(e), e.Result)
		content = []protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(fenced(text.Clip(said, maxResult))))}
	}
	if len(at) > 0 {
		options = append(options, protocol.WithUpdateLocations(at))
	}
	return one(protocol.UpdateToolCall(id, append(options, protocol.WithUpdateContent(content))...))
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

// outcome returns the content of a call that writes a whole note, and the destination of a move: the result for a new
// note has no diff.
func (t *teller) outcome(e event.ToolStarted) (c call) {
	var a struct {
		Path        string `json:"path"`
		Content     string `json:"content"`
		Destination string `json:"destination"`
	}
	if json.Unmarshal(e.Arguments, &a) != nil {
		return c
	}
	if name, ok := t.file(a.Destination); ok {
		c.moved = append(c.moved, protocol.ToolCallLocation{Path: name})
	}
	if name, ok := t.file(a.Path); ok && event.TraitsOf(e.Name).Whole {
		c.whole = append(c.whole, protocol.ToolDiffContent(name, a.Content))
	}
	return c
}

// fenced returns a text as a Markdown code block.
func fenced(words string) string {
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(words, "\n") + "\n" + fence
}

// nestedStep returns the update for a sub-agent's step, under its parent call.
func (t *teller) nestedStep(e event.Nested) []protocol.SessionUpdate {
	step := ""
	switch n := e.Event.(type) {
	case event.ToolStarted:
		step = titleOf(n.Name, n.Target)
	case event.Notice:
		step = n.Text
	}
	if step == "" {
		return nil
	}
	t.nested[e.CallID] = append(t.nested[e.CallID], "- "+text.OneLine(step))
	return one(protocol.UpdateToolCall(callID(e.TurnID, e.CallID),
		protocol.WithUpdateContent([]protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(strings.Join(t.nested[e.CallID], "\n")))})))
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

func usage(e event.UsageReported) []protocol.SessionUpdate {
	if e.Window == 0 || e.Context == 0 { // the embedded engine does not count tokens
		return nil
	}
	u := &protocol.SessionUsageUpdate{SessionUpdate: "usage_update", Used: e.Context, Size: e.Window}
	if e.Conversation.Priced {
		u.Cost = &protocol.Cost{Amount: e.Conversation.Cost, Currency: "USD"}
	}
	return one(protocol.SessionUpdate{UsageUpdate: u})
}

// file returns the absolute path of a file of the vault. ok is false for an invalid path.
func (t *teller) file(path string) (name string, ok bool) {
	path = filepath.FromSlash(path)
	return filepath.Join(t.dir, path), path != "" && filepath.IsLocal(path)
}

// locations returns the files that a call names, with the line where it starts reading.
func (t *teller) locations(arguments json.RawMessage) []protocol.ToolCallLocation {
	var a struct {
		Path   string `json:"path"`
		Source string `json:"source"`
		Start  *int   `json:"start_line"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return nil
	}
	var out []protocol.ToolCallLocation
	for _, path := range []string{a.Path, a.Source} {
		if name, ok := t.file(path); ok {
			out = append(out, protocol.ToolCallLocation{Path: name, Line: a.Start})
		}
	}
	return out
}

// diffs returns a unified diff for an editor, and the locations of its parts.
func (t *teller) diffs(diff string) (content []protocol.ToolCallContent, at []protocol.ToolCallLocation) {
	parts, whole := prosediff.Excerpts(diff)
	for _, p := range parts {
		name, ok := t.file(p.Name)
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

// history returns the updates for a history.
func (t *teller) history(items []session.HistoryItem) []protocol.SessionUpdate {
	var out []protocol.SessionUpdate
	t.calls = map[protocol.ToolCallId]call{}
	for i, h := range items {
		words := strings.TrimRight(h.Content, "\n")
		switch h.Role {
		case session.HistoryUser:
			t.text = false
			out = append(out, protocol.UpdateUserMessageText(words))
		case session.HistoryAssistant:
			out = append(out, t.paragraph(words)...)
		case session.HistoryQuestion:
			out = append(out, t.paragraph(words+session.OptionLines(h.Options))...)
		case session.HistoryTool:
			of, id := event.Meta{TurnID: "past"}, strconv.Itoa(i)
			out = append(out, t.started(event.ToolStarted{Meta: of, ID: id, Name: h.Content, Target: h.Target, Arguments: h.Arguments})...)
			out = append(out, t.finished(event.ToolFinished{Meta: of, ID: id, Name: h.Content, Result: h.Detail, IsError: h.IsError})...)
		case session.HistoryError:
			out = append(out, t.aside("Error: "+words)...)
		case session.HistorySummary:
			out = append(out, t.aside("Summary of what is above: "+words)...)
		default:
			out = append(out, t.aside(words)...)
		}
	}
	t.text = false
	return out
}
