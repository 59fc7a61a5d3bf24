package conversation

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/text"
)

// Entry is what the index knows of a conversation without opening its file.
type Entry struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended,omitzero"`
	Last     time.Time `json:"last"`
	Turns    int       `json:"turns"`              // on the active path
	Branches int       `json:"branches,omitempty"` // archived ones
	Title    string    `json:"title,omitempty"`    // empty: none was made yet
	Summary  string    `json:"summary,omitempty"`
	First    string    `json:"first,omitempty"` // the first words of the first message
	// Continues is the ended conversation that it continues; empty: none.
	Continues string `json:"continues,omitempty"`
	Pinned    bool   `json:"pinned,omitempty"` // see Conversation
}

// Name is what a list shows: the title, or as long as there is none the first words of the
// first message, or as long as nothing was said the name of the one that it continues. It is
// empty where it continues none.
func (e Entry) Name() string {
	if e.Title != "" {
		return e.Title
	}
	return e.First
}

// Entry is what the index knows of the conversation.
func (c *Conversation) Entry() Entry {
	e := Entry{
		ID: c.ID, Started: c.Started, Ended: c.Ended, Last: c.Last(), Turns: len(c.Turns), Branches: len(c.tree.leaves()),
		Title: c.Title, Summary: c.Summary, First: c.first(), Pinned: c.Pinned,
	}
	if c.Continues != nil {
		e.Continues, e.First = c.Continues.ID, cmp.Or(e.First, c.Continues.Name)
	}
	return e
}

const firstWords = 80 // characters

// first is the beginning of the first message: of the active path, or where that is empty of
// what is archived.
func (c *Conversation) first() string {
	for i := range c.Turns {
		if s := c.Turns[i].said(); s != "" {
			return s
		}
	}
	for i := range c.tree.nodes {
		if s := c.tree.nodes[i].turn.said(); s != "" {
			return s
		}
	}
	return ""
}

// said is the beginning of the turn's first message of the user.
func (t *Turn) said() string {
	for i := range t.Messages {
		if t.Messages[i].Role == RoleUser {
			if s := beginning(t.Messages[i].Content, firstWords); s != "" {
				return s
			}
		}
	}
	return ""
}

// beginning is the first words of a text in one line of at most limit characters; an ellipsis
// says where it was cut.
func beginning(s string, limit int) string {
	s = text.Head(s, 8*limit) // a pasted book is not looked through for spaces
	line := text.OneLine(s)
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	cut := string([]rune(line)[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " .,;:-–—") + "…"
}
