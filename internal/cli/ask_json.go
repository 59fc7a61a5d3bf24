package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"chatvault/agent"
)

// jsonHead begins every line of `ask --json`.
type jsonHead struct {
	Type string    `json:"type"`
	Time time.Time `json:"time"`
}

// jsonLine is the event as `ask --json` prints it; nil for events that are not part of it.
func jsonLine(e agent.Event) any {
	head := func(kind string) jsonHead { return jsonHead{kind, e.Header().Time} }
	type text struct {
		jsonHead
		Text string `json:"text"`
	}
	switch e := e.(type) {
	case agent.Received:
		return struct {
			jsonHead
			ID     string `json:"id"`
			Text   string `json:"text"`
			Queued bool   `json:"queued"`
		}{head("received"), e.Message.ID, e.Message.Text, e.Queued}
	case agent.StateChanged:
		return struct {
			jsonHead
			State agent.State `json:"state"`
		}{head("state"), e.State}
	case agent.ReasoningDelta:
		return text{head("reasoning_delta"), e.Text}
	case agent.TextDelta:
		return text{head("text_delta"), e.Text}
	case agent.TextDone:
		return text{head("text_done"), e.Text}
	case agent.ToolCallDelta:
		return struct {
			jsonHead
			ID    string `json:"id"`
			Name  string `json:"name"`
			Bytes int    `json:"bytes"`
		}{head("tool_call_delta"), e.ID, e.Name, e.Bytes}
	case agent.ToolStarted:
		return struct {
			jsonHead
			ID        string          `json:"id"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}{head("tool_started"), e.ID, e.Name, e.Arguments}
	case agent.ToolFinished:
		return struct {
			jsonHead
			ID         string `json:"id"`
			Name       string `json:"name"`
			Result     string `json:"result"`
			IsError    bool   `json:"is_error"`
			DurationMS int64  `json:"duration_ms"`
		}{head("tool_finished"), e.ID, e.Name, e.Result, e.IsError, e.Duration.Milliseconds()}
	case agent.AgentMessage:
		return struct {
			jsonHead
			Content    string `json:"content"`
			IsQuestion bool   `json:"is_question"`
		}{head("agent_message"), e.Content, e.IsQuestion}
	case agent.Retry:
		return struct {
			jsonHead
			Attempt int    `json:"attempt"`
			DelayMS int64  `json:"delay_ms"`
			Code    string `json:"code"`
			Message string `json:"message,omitempty"`
		}{head("retry"), e.Attempt, e.Delay.Milliseconds(), string(e.Code), e.Message}
	case agent.UsageReported:
		u := struct {
			jsonHead
			PromptTokens     int      `json:"prompt_tokens"`
			CachedTokens     int      `json:"cached_tokens,omitempty"`
			CompletionTokens int      `json:"completion_tokens"`
			ReasoningTokens  int      `json:"reasoning_tokens,omitempty"`
			Cost             *float64 `json:"cost,omitempty"`
			Estimated        bool     `json:"estimated,omitempty"`
		}{head("usage"), e.Usage.PromptTokens, e.Usage.CachedTokens, e.Usage.CompletionTokens, e.Usage.ReasoningTokens, nil, e.Usage.Estimated}
		if e.Usage.HasCost {
			u.Cost = &e.Usage.Cost
		}
		return u
	case agent.TurnFinished:
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
			StopReason     agent.StopReason `json:"stop_reason"`
		}{head("turn_finished"), e.MessageID, e.Response, used, e.IsWaitingForResponse, e.ConversationID, e.Success, e.StopReason}
	case agent.TurnStopped:
		return struct {
			jsonHead
			Changed []string `json:"changed,omitempty"`
		}{head("turn_stopped"), e.Changed}
	case agent.TurnFailed:
		return jsonError{head("error"), string(e.Code), e.Text}
	}
	return nil
}

type jsonError struct {
	jsonHead
	Code    string `json:"code"`
	Message string `json:"message"`
}

// jsonPrinter prints one object a line; what is no event of the contract goes to err.
type jsonPrinter struct {
	enc  *json.Encoder
	err  io.Writer
	safe func(string) string
}

func newJSONPrinter(s Streams) jsonPrinter {
	enc := json.NewEncoder(s.Out)
	enc.SetEscapeHTML(false)
	return jsonPrinter{enc, s.Err, s.safe}
}

func (p jsonPrinter) event(e agent.Event) error {
	if n, ok := e.(agent.Notice); ok {
		fmt.Fprintln(p.err, p.safe(n.Text))
	}
	if line := jsonLine(e); line != nil {
		return p.enc.Encode(line)
	}
	return nil
}

// failure tells of an error that came before the turn.
func (p jsonPrinter) failure(code, text string) error {
	return p.enc.Encode(jsonError{jsonHead{"error", time.Now()}, code, text})
}
