package ask

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"chatvault/internal/text"

	"chatvault/agent/event"
	"chatvault/internal/artifact"
	"chatvault/internal/session"
	"chatvault/tools"
)

// jsonHead begins every line of `ask --json`.
type jsonHead struct {
	Type   string    `json:"type"`
	Time   time.Time `json:"time"`
	Parent string    `json:"parent,omitempty"` // id of the call of `delegate` whose sub-agent did it
}

// jsonLine is the event as `ask --json` prints it; nil for events that are not part of it. parent
// is the call it happened in; empty: in none.
//
//nolint:gocyclo // one switch, so that what becomes of an event is found in one place
func jsonLine(e event.Event, parent string) any {
	head := func(kind string) jsonHead { return jsonHead{kind, e.Header().Time, parent} }
	type text struct {
		jsonHead
		Text string `json:"text"`
	}
	switch e := e.(type) {
	case event.Received:
		return struct {
			jsonHead
			ID     string `json:"id"`
			Text   string `json:"text"`
			Queued bool   `json:"queued"`
		}{head("received"), e.Message.ID, e.Message.Text, e.Queued}
	case event.StateChanged:
		return struct {
			jsonHead
			State event.State `json:"state"`
		}{head("state"), e.State}
	case event.ReasoningDelta:
		return text{head("reasoning_delta"), e.Text}
	case event.TextDelta:
		return text{head("text_delta"), e.Text}
	case event.TextDone:
		return text{head("text_done"), e.Text}
	case event.ToolCallDelta:
		return struct {
			jsonHead
			ID    string `json:"id"`
			Name  string `json:"name"`
			Bytes int    `json:"bytes"`
		}{head("tool_call_delta"), e.ID, e.Name, e.Bytes}
	case event.ToolStarted:
		return struct {
			jsonHead
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}{head("tool_started"), e.ID, e.Name, e.Arguments}
	case event.ToolFinished:
		return struct {
			jsonHead
			ID         string `json:"id"`
			Name       string `json:"name"`
			Result     string `json:"result"`
			IsError    bool   `json:"is_error"`
			DurationMS int64  `json:"duration_ms"`
		}{head("tool_finished"), e.ID, e.Name, e.Result, e.IsError, e.Duration.Milliseconds()}
	case event.AgentMessage:
		return struct {
			jsonHead
			Content    string   `json:"content"`
			IsQuestion bool     `json:"is_question"`
			Options    []string `json:"options,omitempty"`
		}{head("agent_message"), e.Content, e.IsQuestion, e.Options}
	case event.Folded:
		return struct {
			jsonHead
			MessageIDs []string `json:"message_ids"`
		}{head("folded"), e.MessageIDs}
	case event.TaskList:
		items := e.Items
		if items == nil {
			items = []tools.TaskItem{}
		}
		return struct {
			jsonHead
			Items []tools.TaskItem `json:"items"`
		}{head("task_list"), items}
	case event.Attached:
		return attachedLine(head("attached"), e)
	case event.Nested:
		return jsonLine(e.Event, e.CallID)
	case event.Compacted:
		return struct {
			jsonHead
			Summary string `json:"summary"`
			Before  int    `json:"before"` // estimated tokens
			After   int    `json:"after"`
		}{head("compacted"), e.Summary, e.Before, e.After}
	case event.GoalChanged:
		return struct {
			jsonHead
			Text     string           `json:"text"` // empty: there is no goal any more
			Status   event.GoalStatus `json:"status,omitempty"`
			Why      string           `json:"why,omitempty"`
			Turns    int              `json:"turns"`
			MaxTurns int              `json:"max_turns"`
			Failed   bool             `json:"failed,omitempty"` // paused because something failed
		}{head("goal"), e.Goal.Text, e.Goal.Status, e.Goal.Why, e.Goal.Turns, e.Goal.MaxTurns, e.Goal.Failed}
	case event.Retry:
		return struct {
			jsonHead
			Attempt int    `json:"attempt"`
			DelayMS int64  `json:"delay_ms"`
			Code    string `json:"code"`
			Message string `json:"message,omitempty"`
		}{head("retry"), e.Attempt, e.Delay.Milliseconds(), string(e.Code), e.Message}
	case event.FellBack:
		return fallbackLine(head("fallback"), e)
	case event.UsageReported:
		return usageLine(head("usage"), e)
	case event.Requested:
		return requestedLine(head("requested"), e.Request)
	case event.RequestEnded:
		return jsonRequestEnded{head("request_ended"), e.ID, e.Decision, e.Hunks}
	case event.TurnFinished:
		used := e.ToolsUsed
		if used == nil {
			used = []string{}
		}
		return struct {
			jsonHead
			MessageID      string           `json:"message_id"`
			Response       string           `json:"response"`
			ToolsUsed      []string         `json:"tools_used"`
			IsWaiting      bool             `json:"is_waiting_for_response"`
			ConversationID string           `json:"conversation_id"`
			Success        bool             `json:"success"`
			StopReason     event.StopReason `json:"stop_reason"`
			Unrecorded     bool             `json:"unrecorded,omitempty"` // it is not in the conversation; its message stays in the inbox
		}{head("turn_finished"), e.MessageID, e.Response, used, e.IsWaitingForResponse, e.ConversationID, e.Success, e.StopReason, e.Unrecorded}
	case event.TurnStopped:
		return struct {
			jsonHead
			Changed []string `json:"changed,omitempty"`
		}{head("turn_stopped"), e.Changed}
	case event.TurnFailed:
		return jsonError{head("error"), string(e.Code), e.Text}
	}
	return besideLine(head, e)
}

// artifactLines are what the lines about artifacts are called, written out for who looks for one.
var artifactLines = map[artifact.State]string{
	artifact.Created: "artifact_created", artifact.Ready: "artifact_ready", artifact.Failed: "artifact_failed",
}

// besideLine is the line of what goes on beside the turn.
func besideLine(head func(string) jsonHead, e event.Event) any {
	switch e := e.(type) {
	case event.ArtifactChanged:
		return struct {
			jsonHead
			artifact.Artifact
			CallID string `json:"call_id,omitempty"` // empty: the answer brought it
			Reason string `json:"reason,omitempty"`  // of artifact_failed
			File   string `json:"file,omitempty"`    // of artifact_ready: where its bytes are
		}{head(artifactLines[e.State]), e.Artifact, e.CallID, e.Reason, e.File}
	case event.RetrospectionDelta:
		return struct {
			jsonHead
			ConversationID string `json:"conversation_id"`
			Text           string `json:"text"`
		}{head("retrospection_delta"), e.ConversationID, e.Text}
	case event.Retrospected:
		return struct {
			jsonHead
			ConversationID string `json:"conversation_id"`
			Content        string `json:"content"`
			Cut            string `json:"cut,omitempty"` // why there is no more of it
		}{head("retrospection"), e.ConversationID, e.Content, e.Cut}
	}
	return nil
}

// fallbackLine is nil where an earlier turn told of it.
func fallbackLine(head jsonHead, e event.FellBack) any {
	if e.Earlier {
		return nil
	}
	return struct {
		jsonHead
		From   string `json:"from"`
		To     string `json:"to"`
		Code   string `json:"code"`
		Reason string `json:"reason,omitempty"`
	}{head, e.From, e.To, string(e.Code), e.Reason}
}

type jsonError struct {
	jsonHead
	Code    string `json:"code"`
	Message string `json:"message"`
}

// jsonPrinter prints one object a line; what is no event of the contract goes to err.
type jsonPrinter struct {
	enc *json.Encoder
	err io.Writer
}

func newJSONPrinter(out, err io.Writer) jsonPrinter {
	enc := text.Encoder(out)
	return jsonPrinter{enc, err}
}

func (p jsonPrinter) event(_ *session.State, e event.Event) error {
	inner := e
	if nested, ok := e.(event.Nested); ok {
		inner = nested.Event
	}
	if n, ok := inner.(event.Notice); ok {
		fmt.Fprintln(p.err, n.Text)
	}
	if line := session.BoundaryLine(e); line != "" {
		fmt.Fprintln(p.err, line)
	}
	if r, ok := e.(event.Requested); ok && r.Request.Kind == event.RequestApproval {
		fmt.Fprintln(p.err, refusedText(r.Request.Change))
	}
	if line := jsonLine(e, ""); line != nil {
		return p.enc.Encode(line)
	}
	return nil
}

// JSONFailure prints the line of an error that came before the turn.
func JSONFailure(out io.Writer, code, text string) error {
	return newJSONPrinter(out, nil).enc.Encode(jsonError{jsonHead{Type: "error", Time: time.Now()}, code, text})
}
