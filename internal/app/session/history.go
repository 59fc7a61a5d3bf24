package session

import (
	"encoding/json"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// HistoryRole is the kind of a HistoryItem.
type HistoryRole string

// The kinds of history items.
const (
	HistoryUser         HistoryRole = "user"
	HistoryAssistant    HistoryRole = "assistant"
	HistoryReasoning    HistoryRole = "reasoning" // of the model, before what follows
	HistoryAgentMessage HistoryRole = "agent_message"
	HistoryQuestion     HistoryRole = "question"
	HistoryTool         HistoryRole = "tool"
	HistoryError        HistoryRole = "error"
	HistoryNotice       HistoryRole = "notice"
	HistorySummary      HistoryRole = "summary" // replaces, for the model, what is above it
	HistoryGoal         HistoryRole = "goal"    // a message that the program sent for the goal
)

// HistoryItem is an entry of the conversation so far. For HistoryTool, Content is the tool's name, Target its object,
// Summary its result.
type HistoryItem struct {
	Role    HistoryRole
	Content string
	Time    time.Time
	Target  string
	Summary string
	Sender  string   // HistoryUser: its name, where several people take part
	Via     string   // HistoryUser: event.Inbound.Via
	Added   bool     // HistoryUser: added to a running turn
	Media   []string // HistoryUser: its pictures and documents, as MediaLines
	Detail  string   // HistoryTool: its output
	// Arguments are those of a HistoryTool, a JSON object.
	Arguments json.RawMessage
	IsError   bool
	Plan      bool     // HistoryUser: asks for a plan
	Options   []string // HistoryQuestion that is open: the offered answers
	Waits     bool     // HistoryQuestion: it is open
	ID        string   // HistoryUser, HistoryGoal: the message's ID
	Turn      string   // HistoryUser, HistoryGoal: the ID of its turn
}

// Unfinished is a message that was accepted and not finished before chatvault last exited. It is offered, never run
// without asking.
type Unfinished struct {
	Message   event.Inbound
	Attempts  int       // turns begun with it; zero if it was only queued
	ToolsRan  bool      // tools may have changed the vault
	Changes   []string  // known changes: "edited a.md"
	LastError string    // why it was not finished; empty if the program exited
	LastTried time.Time // zero if never
	// Where describes its conversation, or why it cannot run there. It is empty for the current one. Same reports
	// whether that conversation is unchanged since the message was sent.
	Where string
	Same  bool
}

// Loaded is the result of Session.Load.
type Loaded struct {
	Page       // the end of the conversation
	Unfinished []Unfinished
	Examples   []string // questions for the first-run screen, best first
	Draft      string   // text in the composer at the last exit
	Notices    []string // warnings for the transcript
	Goal       event.Goal
}

// itemsOf returns the items of the turns from up to to.
func itemsOf(c *conversation.Conversation, from, to int) []HistoryItem {
	var items []HistoryItem
	pending := c.PendingQuestion()
	for i := from; i < to; i++ {
		t := &c.Turns[i]
		items = append(items, TurnItems(t, pending != nil && pending.MessageID == t.ID)...)
		if i+1 == c.Compacted() {
			items = append(items, HistoryItem{Role: HistorySummary, Content: c.Compaction.Summary, Time: c.Compaction.Time})
		}
	}
	return items
}

// TurnItems returns the items of a turn. waits reports whether its question is open.
func TurnItems(t *conversation.Turn, waits bool) []HistoryItem {
	var items []HistoryItem
	calls := map[string]conversation.ToolCall{}
	worked := false // the turn has called a tool
	for _, m := range t.Messages {
		item := HistoryItem{Content: m.Content, Time: m.Time}
		worked = worked || m.Role != conversation.RoleUser
		switch m.Role {
		case conversation.RoleUser:
			item.Role, item.Plan, item.Added = HistoryUser, t.Mode == string(event.ModePlan), worked
			item.ID, item.Turn, item.Sender, item.Via, item.Media = m.ID, t.ID, m.Sender, event.Via(m), MediaLines(m.Attached)
			if m.Source == string(event.SourceGoal) {
				item.Role = HistoryGoal
			}
		case conversation.RoleAssistant:
			if m.Reasoning != "" {
				items = append(items, HistoryItem{Role: HistoryReasoning, Content: m.Reasoning, Time: m.Time})
			}
			for _, call := range m.ToolCalls {
				calls[call.ID] = call
			}
			if m.Content == "" {
				continue
			}
			item.Role = HistoryAssistant
		case conversation.RoleAgent:
			item.Role = HistoryAgentMessage
			if m.IsQuestion {
				item.Role = HistoryQuestion
				if waits && m.Content == t.Question {
					item.Waits, item.Options = true, t.Options
				}
			}
		case conversation.RoleTool:
			if event.TraitsOf(m.ToolName).Speaks && !m.IsError {
				continue
			}
			item = HistoryItem{
				Role: HistoryTool, Content: m.ToolName, Time: m.Time, Target: calls[m.ToolCallID].Target, Arguments: json.RawMessage(calls[m.ToolCallID].Arguments),
				Summary: m.Summary, Detail: m.Content, IsError: m.IsError,
			}
		}
		items = append(items, item)
		for _, a := range m.Artifacts {
			items = append(items, HistoryItem{Role: HistoryNotice, Content: ArtifactText(a), Time: m.Time})
		}
	}
	if t.Failed {
		items = append(items, HistoryItem{Role: HistoryError, Content: t.Error, Time: t.Ended})
	}
	return items
}
