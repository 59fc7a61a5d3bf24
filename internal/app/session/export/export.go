// Package export exports a conversation as a document: as Markdown or as JSON.
package export

import (
	"time"

	"chatvault/conversation"
)

// AfterTurn returns the number of turns up to the last one with an ID (a retry has its turn's ID), or 0 if there is
// none.
func AfterTurn(turns []conversation.Turn, id string) int {
	for i := len(turns) - 1; i >= 0; i-- {
		if id != "" && turns[i].ID == id {
			return i + 1
		}
	}
	return 0
}

// ConversationJSON is everything recorded of a conversation, for programs.
type ConversationJSON struct {
	Schema     int                      `json:"schema"`
	ID         string                   `json:"id"`
	Started    time.Time                `json:"started"`
	Ended      time.Time                `json:"ended,omitzero"`
	Active     bool                     `json:"active,omitempty"`
	Title      string                   `json:"title,omitempty"`
	Summary    string                   `json:"summary,omitempty"`
	Turns      []conversation.Turn      `json:"turns"` // on the active path
	Branches   []conversation.Branch    `json:"branches,omitempty"`
	Compaction *conversation.Compaction `json:"compaction,omitempty"`
	Pending    *conversation.Pending    `json:"pending,omitempty"`
}

const documentSchema = 1

// Document returns the conversation as a JSON document.
func Document(c *conversation.Conversation, active bool) ConversationJSON {
	d := ConversationJSON{
		Schema: documentSchema, ID: c.ID, Started: c.Started, Ended: c.Ended, Active: active,
		Title: c.Title, Summary: c.Summary, Turns: conversation.Spoken(c.Turns), Compaction: c.Compaction, Pending: c.PendingQuestion(),
	}
	if d.Turns == nil {
		d.Turns = []conversation.Turn{}
	}
	for _, b := range c.Branches() {
		b.Turns = conversation.Spoken(b.Turns)
		d.Branches = append(d.Branches, b)
	}
	return d
}

// WhenLayout is the layout of local times in lists.
const WhenLayout = "2006-01-02 15:04"
