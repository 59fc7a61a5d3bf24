// Package export exports a conversation as a document: as Markdown or as JSON.
package export

import (
	"fmt"
	"slices"
	"time"

	"chatvault/conversation"
	"chatvault/internal/base/text"
)

// Path is a conversation along one path: the active one, or that to the end of a branch.
type Path struct {
	*conversation.Conversation
	Turns    []conversation.Turn // along the path
	Branches []conversation.Branch
	Branch   int // from 1: the path ends with this branch; zero means the active path
}

// Active returns a conversation along its active path.
func Active(c *conversation.Conversation) Path {
	return Path{Conversation: c, Turns: c.Turns, Branches: c.Branches()}
}

// Of returns a conversation along its active path, or one of its branches by number.
func Of(c *conversation.Conversation, branch int) (Path, error) {
	t := Active(c)
	t.Branch = branch
	switch {
	case branch == 0:
		return t, nil
	case len(t.Branches) == 0:
		return t, fmt.Errorf("conversation %s has no branches: no message of it was edited", c.ID)
	case branch < 0 || branch > len(t.Branches):
		return t, fmt.Errorf("conversation %s has %s; --branch takes a number from 1 to %d", c.ID, text.Count(len(t.Branches), "branch"), len(t.Branches))
	}
	b := t.Branches[branch-1]
	t.Turns = slices.Concat(c.Turns[:AfterTurn(c.Turns, b.Fork)], b.Turns)
	return t, nil
}

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
	Branch     string                   `json:"branch,omitempty"` // the turns are those of the path to its end
	Turns      []conversation.Turn      `json:"turns"`
	Branches   []conversation.Branch    `json:"branches,omitempty"`
	Compaction *conversation.Compaction `json:"compaction,omitempty"`
	Pending    *conversation.Pending    `json:"pending,omitempty"`
}

const documentSchema = 1

// Document returns the conversation as a JSON document.
func (t Path) Document(active bool) ConversationJSON {
	d := ConversationJSON{
		Schema: documentSchema, ID: t.ID, Started: t.Started, Ended: t.Ended, Active: active,
		Title: t.Title, Summary: t.Summary, Turns: conversation.Spoken(t.Turns), Compaction: t.Compaction, Pending: t.PendingQuestion(),
	}
	if d.Turns == nil {
		d.Turns = []conversation.Turn{}
	}
	if t.Branch > 0 {
		d.Branch = t.Branches[t.Branch-1].ID
		return d
	}
	for _, b := range t.Branches {
		b.Turns = conversation.Spoken(b.Turns)
		d.Branches = append(d.Branches, b)
	}
	return d
}

// WhenLayout is the layout of local times in lists.
const WhenLayout = "2006-01-02 15:04"

// SameDay reports whether two times have the same date, each in its own zone.
func SameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }
