// Package conversation stores conversations: sequences of turns, each appended durably when it ends. A Manager has
// one active conversation, which ends after the idle timeout, before a new turn sees it. An ended conversation can be
// opened again.
//
// An appended turn is on disk. A file that cannot be parsed is set aside and never overwritten. A start reads only
// the index and the active conversation. What one process writes, others see.
//
// The turns of a conversation form a tree. A new turn follows the head, which is normally the last one; going back
// moves the head and turns what came after it into a branch. Turns is the active path, from the beginning to the head.
package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/conversation/artifact"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
)

// Role is the author of a Message.
type Role string

// The roles. RoleAgent is a message sent by send_message during a turn: it is shown to the user, while the model gets
// the tool call that sent it.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
	RoleAgent     Role = "agent"
)

// ToolCall is a tool call in an assistant message. Arguments is a JSON object as text.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Target    string `json:"target,omitempty"` // the file it acts on, for display
}

// Message is a message of a turn, or the result of a tool call.
type Message struct {
	ID        string       `json:"id,omitempty"` // RoleUser: ID of the message in the inbox
	Role      Role         `json:"role"`
	Time      time.Time    `json:"time"`
	Content   string       `json:"content,omitempty"`
	Context   string       `json:"context,omitempty"`   // RoleUser: context added for the model
	Attached  []Attachment `json:"attached,omitempty"`  // RoleUser: attached files; RoleTool: files shown to the model
	Source    string       `json:"source,omitempty"`    // RoleUser: "direct", "websocket"
	Input     string       `json:"input,omitempty"`     // RoleUser that was routed: "voice", "text"
	Sender    string       `json:"sender,omitempty"`    // RoleUser: name of the sender, where several people take part
	Reasoning string       `json:"reasoning,omitempty"` // RoleAssistant: the model's reasoning before it, for display
	ToolCalls []ToolCall   `json:"tool_calls,omitempty"`
	// Echo is data of a RoleAssistant message that the model's endpoint expects back with it. It is opaque text, which
	// Search ignores.
	Echo       string        `json:"echo,omitempty"`
	ToolCallID string        `json:"tool_call_id,omitempty"` // RoleTool
	ToolName   string        `json:"tool_name,omitempty"`    // RoleTool
	Summary    string        `json:"summary,omitempty"`      // RoleTool: a few words for display
	IsError    bool          `json:"is_error,omitempty"`     // RoleTool
	IsQuestion bool          `json:"is_question,omitempty"`  // RoleAgent
	Duration   time.Duration `json:"duration_ns,omitempty"`  // RoleTool
	// Artifacts are the files that the call or the answer produced.
	Artifacts []artifact.Artifact `json:"artifacts,omitempty"`
}

// Attachment is a file or folder as shown to the model with a message or a call's result.
type Attachment struct {
	Path  string        `json:"path"` // true name at that time; a display name for anything outside the vault
	Text  string        `json:"text"`
	Media *picture.Info `json:"media,omitempty"` // a picture or a document, stored by its hash
}

// Turn is a completed turn: a message, or several handled together, with everything done for it.
type Turn struct {
	ID        string    `json:"id"` // ID of its first message
	Started   time.Time `json:"started"`
	Ended     time.Time `json:"ended"`
	Messages  []Message `json:"messages"`
	ToolsUsed []string  `json:"tools_used,omitempty"`
	Question  string    `json:"question,omitempty"` // the turn ended with this question
	Options   []string  `json:"options,omitempty"`  // offered with the question
	Plan      bool      `json:"plan,omitempty"`     // it made a plan; the question asks whether to carry it out
	Ends      bool      `json:"ends,omitempty"`     // the agent ended the conversation in it
	Mode      string    `json:"mode,omitempty"`     // "plan": it was not allowed to change anything
	Failed    bool      `json:"failed,omitempty"`
	Error     string    `json:"error,omitempty"` // if Failed, for the user
	Provider  string    `json:"provider,omitempty"`
	Unsealed  bool      `json:"unsealed,omitempty"` // an endpoint rejected the Echo of earlier turns, so none is sent
	// Shortened lists the results sent in a shortened form, as window.Shortener.Kept. They stay shortened, so that prompt
	// caches remain valid.
	Shortened map[string]int `json:"shortened,omitempty"`
}

// Conversation is a sequence of turns that share a context.
type Conversation struct {
	ID      string
	Started time.Time
	Ended   time.Time // zero while active
	Reason  string    // why it ended
	Title   string    // generated or given by the user; may be empty
	Summary string
	Turns   []Turn // the active path
	// Compaction replaces, for the model, the turns up to Compaction.Through; nil if none are replaced.
	Compaction *Compaction

	tree        tree
	moved       time.Time    // when the head was last moved, or the conversation was opened again
	stale       []string     // turns whose question was dropped
	compactions []Compaction // oldest first, also those of branches
	file        version      // of its file as last read or written
}

// Compaction is a summary of a conversation's older turns, which replaces them in the model's context. The turns remain
// stored.
type Compaction struct {
	Through string    `json:"through"` // ID of the last turn that it covers
	Summary string    `json:"summary"`
	Time    time.Time `json:"time"`
}

// Last returns the time of the last activity.
func (c *Conversation) Last() time.Time {
	last := c.Started
	if n := len(c.Turns); n > 0 {
		last = c.Turns[n-1].Ended
	}
	if c.moved.After(last) && (c.Ended.IsZero() || c.moved.Before(c.Ended)) {
		return c.moved // viewing another branch of an ended one is no activity
	}
	return last
}

// LastTurn returns the ID of the last turn on the active path, or "" if there is none or c is nil.
func (c *Conversation) LastTurn() string {
	if c == nil || len(c.Turns) == 0 {
		return ""
	}
	return c.Turns[len(c.Turns)-1].ID
}

// Has reports whether a message was answered on any branch, that is, by a turn that did not fail.
func (c *Conversation) Has(messageID string) bool {
	return slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.answers(messageID) }) ||
		slices.ContainsFunc(c.tree.nodes, func(n node) bool { return n.turn.answers(messageID) })
}

// answers reports whether the turn answered a message.
func (t *Turn) answers(messageID string) bool { return !t.Failed && t.Holds(messageID) }

// Holds reports whether a message of the user is in the turn.
func (t *Turn) Holds(messageID string) bool {
	return t.ID == messageID || slices.ContainsFunc(t.Messages, func(m Message) bool { return m.Role == RoleUser && m.ID == messageID })
}

// Spoken returns turns without data for model endpoints, for display and export.
func Spoken(turns []Turn) []Turn {
	out := slices.Clone(turns)
	for i := range out {
		out[i].Messages = slices.Clone(out[i].Messages)
		for j := range out[i].Messages {
			out[i].Messages[j].Echo = ""
		}
	}
	return out
}

// Clone returns a copy to which turns can be appended without changing c. The turns themselves are shared, since they
// never change.
func (c *Conversation) Clone() *Conversation {
	if c == nil {
		return nil
	}
	d := *c
	d.Turns = slices.Clip(c.Turns)
	d.tree.nodes = slices.Clip(c.tree.nodes)
	d.stale = slices.Clip(c.stale)
	d.compactions = slices.Clip(c.compactions)
	return &d
}

// Compact durably records a summary that replaces, for the model, the turns of a conversation up to x.Through and
// any earlier summary. The turns remain stored.
func (m *Manager) Compact(id string, x Compaction) error {
	return m.change(id, func(c *Conversation) ([]record, error) {
		if strings.TrimSpace(x.Summary) == "" {
			return nil, errors.New("conversation: a compaction without a summary")
		}
		d := Conversation{Turns: c.Turns, Compaction: &x}
		if d.Compacted() == 0 {
			return nil, fmt.Errorf("conversation: no turn %q before %v to compact", x.Through, x.Time)
		}
		return []record{{Type: "compaction", Time: x.Time, Compaction: &x}}, nil
	})
}

// Compacted returns the number of turns that the Compaction replaces. It is 0 if the last of them cannot be found, so
// that none is lost. A failed turn has the ID of its retry: only turns that ended before the summary count.
func (c *Conversation) Compacted() int {
	x := c.Compaction
	if x == nil {
		return 0
	}
	n := 0
	for i := range c.Turns {
		if c.Turns[i].Ended.After(x.Time) {
			break
		}
		if c.Turns[i].ID == x.Through {
			n = i + 1
		}
	}
	return n
}

// standing returns the last compaction made on the active path, or nil.
func (c *Conversation) standing() *Compaction {
	for i := len(c.compactions) - 1; i >= 0; i-- {
		x := &c.compactions[i]
		if slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.ID == x.Through }) {
			return x
		}
	}
	return nil
}

// Entry is the index entry of a conversation.
type Entry struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended,omitzero"`
	Last     time.Time `json:"last"`
	Turns    int       `json:"turns"`              // on the active path
	Branches int       `json:"branches,omitempty"` // archived ones
	Title    string    `json:"title,omitempty"`    // may be empty
	Summary  string    `json:"summary,omitempty"`
	First    string    `json:"first,omitempty"` // the first words of the first message
}

// Name returns the title, or the first words of the first message if there is no title yet.
func (e Entry) Name() string { return cmp.Or(e.Title, e.First) }

// Entry returns the conversation's index entry.
func (c *Conversation) Entry() Entry {
	return Entry{
		ID: c.ID, Started: c.Started, Ended: c.Ended, Last: c.Last(), Turns: len(c.Turns), Branches: len(c.tree.leaves()),
		Title: c.Title, Summary: c.Summary, First: c.first(),
	}
}

const firstWords = 80 // characters

// first returns the beginning of the user's first message on the active path.
func (c *Conversation) first() string {
	for _, t := range c.Turns {
		for _, m := range t.Messages {
			if s := text.Excerpt(text.Head(m.Content, 8*firstWords), firstWords); s != "" && m.Role == RoleUser && !m.ByProgram() {
				return s
			}
		}
	}
	return ""
}
