package cli

import (
	"encoding/json"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/session"
)

// historyItems is a conversation as the screen shows it, without what it carries of another.
func historyItems(c *conversation.Conversation) []session.HistoryItem {
	return itemsOf(c, 0, len(c.Turns), nil)
}

// itemsOf is a part of it, by its turns, with what is marked of them.
func itemsOf(c *conversation.Conversation, from, to int, m marks) []session.HistoryItem {
	var items []session.HistoryItem
	last := len(c.Turns) - 1 // that did not fail: a failed one answers nothing
	for last > 0 && c.Turns[last].Failed {
		last--
	}
	pending := c.PendingQuestion()
	for i := from; i < to; i++ {
		t := &c.Turns[i]
		said := turnItems(t, pending != nil && pending.MessageID == t.ID)
		if i == last && pending == nil {
			drop(said)
		}
		items = append(append(items, said...), m.after(c.Turns, i)...)
		if i+1 == c.Compacted() {
			items = append(items, session.HistoryItem{Role: session.HistorySummary, Content: c.Compaction.Summary, Time: c.Compaction.Time})
		}
	}
	return items
}

// drop says of a turn's question that nobody's answer is waited for any more.
func drop(items []session.HistoryItem) {
	for i := range items {
		items[i].Dropped = items[i].Role == session.HistoryQuestion
	}
}

// turnItems is one turn; waits says that its question waits for its answer.
func turnItems(t *conversation.Turn, waits bool) []session.HistoryItem {
	var items []session.HistoryItem
	calls := map[string]conversation.ToolCall{}
	worked := false // the turn had begun to do something
	for _, m := range t.Messages {
		item := session.HistoryItem{Content: m.Content, Time: m.Time}
		worked = worked || m.Role != conversation.RoleUser
		switch m.Role {
		case conversation.RoleUser:
			item.Role, item.Plan, item.Added = session.HistoryUser, t.Mode == string(event.ModePlan), worked
			item.ID, item.Turn, item.Via = m.ID, t.ID, event.Via(m)
			if m.Source == string(event.SourceGoal) {
				item.Role = session.HistoryGoal
			}
		case conversation.RoleAssistant:
			for _, call := range m.ToolCalls {
				calls[call.ID] = call
			}
			if m.Content == "" {
				continue
			}
			item.Role = session.HistoryAssistant
		case conversation.RoleAgent:
			item.Role = session.HistoryAgentMessage
			if m.IsQuestion {
				item.Role = session.HistoryQuestion
				if waits && m.Content == t.Question {
					item.Options = t.Options
				}
			}
		case conversation.RoleTool:
			if event.TraitsOf(m.ToolName).Speaks && !m.IsError {
				continue
			}
			item = session.HistoryItem{
				Role: session.HistoryTool, Content: m.ToolName, Time: m.Time, Target: calls[m.ToolCallID].Target, Arguments: json.RawMessage(calls[m.ToolCallID].Arguments),
				Summary: m.Summary, Detail: m.Content, IsError: m.IsError,
			}
		}
		items = append(items, item)
	}
	if t.Failed {
		items = append(items, session.HistoryItem{Role: session.HistoryError, Content: t.Error, Time: t.Ended, IsError: true})
	}
	return items
}
