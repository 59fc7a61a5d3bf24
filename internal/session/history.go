package session

import (
	"encoding/json"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// HistoryRole says what a HistoryItem is.
type HistoryRole string

// What a conversation shown at the start is made of.
const (
	HistoryUser         HistoryRole = "user"
	HistoryAssistant    HistoryRole = "assistant"
	HistoryAgentMessage HistoryRole = "agent_message"
	HistoryQuestion     HistoryRole = "question"
	HistoryTool         HistoryRole = "tool"
	HistoryError        HistoryRole = "error"
	HistoryNotice       HistoryRole = "notice"
	HistorySummary      HistoryRole = "summary" // stands, for the model, for what is above it
	HistoryGoal         HistoryRole = "goal"    // a message of the program's own, toward the goal
	HistoryContinued    HistoryRole = "continued"
	HistoryTakenBack    HistoryRole = "taken back" // what the turn above changed, at Time; all but Left
)

// HistoryItem is one thing of the conversation so far. For HistoryTool, Content
// is the tool's name, Target what it acted on, Summary how it ended. HistoryContinued stands where
// a conversation begins that continues another one: Content is what that was called, Time when it
// ended, Summary its summary, Detail a remark on what was carried.
type HistoryItem struct {
	Role    HistoryRole
	Content string
	Time    time.Time
	Target  string
	Summary string
	Via     string   // HistoryUser: agent.Inbound.Via
	Added   bool     // HistoryUser: it went into a turn that ran already
	Media   []string // HistoryUser: the pictures and documents that it took with it, as MediaLines
	Detail  string   // HistoryTool: what it gave, for the details
	// Arguments are what a HistoryTool was called with, a JSON object, for the details.
	Arguments json.RawMessage
	IsError   bool
	Reported  bool     // HistoryError: a command reported it by its exit status
	Plan      bool     // HistoryUser: a plan was asked for
	Options   []string // HistoryQuestion that waits for its answer: what was offered with it
	Dropped   bool     // HistoryQuestion: nobody's answer is waited for any more
	Carried   bool     // it was said in the conversation that this one continues
	Left      []string // HistoryTakenBack: what was not taken back, a line each
	ID        string   // HistoryUser, HistoryGoal: the message's id
	Turn      string   // HistoryUser, HistoryGoal: the id of the turn it belongs to
}

// Unfinished is a message that was accepted and not finished when chatvault
// last ended. It is offered, never replayed silently.
type Unfinished struct {
	Message   event.Inbound
	Attempts  int       // turns begun with it; 0: it only waited
	ToolsRan  bool      // tools may have changed the vault already
	Changes   []string  // what they are known to have changed: "edited a.md"
	LastError string    // why it was not finished; empty: the program ended in the middle
	LastTried time.Time // zero: never
	// Where says in a few words which conversation it belongs to, or why it cannot run there; empty: to the one
	// that goes on here. Same says that this is as it was when the message was sent.
	Where string
	Same  bool
}

// Loaded is what Options.Load found.
type Loaded struct {
	History    []HistoryItem
	ID         string // of the conversation
	Earlier    string // as Page.Earlier, and First as Page.First
	First      string
	Unfinished []Unfinished
	Examples   []string // questions for the first-run screen, best first
	Draft      string   // what stood in the composer at the last end
	Notices    []string // warnings worth a line in the transcript
	Goal       event.Goal
	Before     *Past // the conversation that ended last; nil: none did
}

// ProviderChange is a provider found after the start.
type ProviderChange struct {
	Name    string
	Offline bool
}

// historyItems is a conversation as the screen shows it, without what it carries of another.
func historyItems(c *conversation.Conversation) []HistoryItem {
	return itemsOf(c, 0, len(c.Turns), nil)
}

// itemsOf is a part of it, by its turns, with what is marked of them.
func itemsOf(c *conversation.Conversation, from, to int, m marks) []HistoryItem {
	var items []HistoryItem
	last := len(c.Turns) - 1 // that did not fail: a failed one answers nothing
	for last > 0 && c.Turns[last].Failed {
		last--
	}
	pending := c.PendingQuestion()
	for i := from; i < to; i++ {
		t := &c.Turns[i]
		said := TurnItems(t, pending != nil && pending.MessageID == t.ID)
		if i == last && pending == nil {
			drop(said)
		}
		items = append(append(items, said...), m.after(c.Turns, i)...)
		if i+1 == c.Compacted() {
			items = append(items, HistoryItem{Role: HistorySummary, Content: c.Compaction.Summary, Time: c.Compaction.Time})
		}
	}
	return items
}

// drop says of a turn's question that nobody's answer is waited for any more.
func drop(items []HistoryItem) {
	for i := range items {
		items[i].Dropped = items[i].Role == HistoryQuestion
	}
}

// TurnItems is one turn; waits says that its question waits for its answer.
func TurnItems(t *conversation.Turn, waits bool) []HistoryItem {
	var items []HistoryItem
	calls := map[string]conversation.ToolCall{}
	worked := false // the turn had begun to do something
	for _, m := range t.Messages {
		item := HistoryItem{Content: m.Content, Time: m.Time}
		worked = worked || m.Role != conversation.RoleUser
		switch m.Role {
		case conversation.RoleUser:
			item.Role, item.Plan, item.Added = HistoryUser, t.Mode == string(event.ModePlan), worked
			item.ID, item.Turn, item.Via, item.Media = m.ID, t.ID, event.Via(m), MediaLines(m.Attached)
			if m.Source == string(event.SourceGoal) {
				item.Role = HistoryGoal
			}
		case conversation.RoleAssistant:
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
					item.Options = t.Options
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
		items = append(items, HistoryItem{Role: HistoryError, Content: t.Error, Time: t.Ended, IsError: true, Reported: t.Reported})
	}
	return items
}
