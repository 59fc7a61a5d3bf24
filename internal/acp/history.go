package acp

import (
	"fmt"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/text"
)

// history returns the updates for a history.
func (t *teller) history(items []session.HistoryItem) []protocol.SessionUpdate {
	var out []protocol.SessionUpdate
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
			out = append(out, t.past(i, h))
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

// past returns the update for an earlier call.
func (t *teller) past(n int, h session.HistoryItem) protocol.SessionUpdate {
	t.fresh = true
	status := protocol.ToolCallStatusCompleted
	if h.IsError {
		status = protocol.ToolCallStatusFailed
	}
	options := []protocol.ToolCallStartOpt{
		protocol.WithStartKind(kindOf(h.Content)), protocol.WithStartStatus(status), protocol.WithStartLocations(t.locations(h.Arguments)),
	}
	if content, _ := t.diffs(diffOf(event.ToolFinished{Name: h.Content, Result: h.Detail, IsError: h.IsError})); len(content) > 0 {
		options = append(options, protocol.WithStartContent(content))
	} else if shown := text.Clip(h.Detail, maxResult); shown != "" {
		options = append(options, protocol.WithStartContent([]protocol.ToolCallContent{protocol.ToolContent(protocol.TextBlock(fenced(shown)))}))
	}
	return protocol.StartToolCall(protocol.ToolCallId(fmt.Sprintf("past/%d", n)), titleOf(h.Content, h.Target), options...)
}
