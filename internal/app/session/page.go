package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/app/session/export"
)

// Page is a part of a conversation that ends at its end or where another page begins.
type Page struct {
	ID      string // of the conversation
	Items   []HistoryItem
	Earlier string // cursor for Conversations.Earlier; empty on the first page
	// First is the beginning of the conversation if the page does not start there.
	First string
}

// Question returns the open question of the conversation whose end the page is.
func (p Page) Question() Question { return questionIn(p.Items) }

// pageTurns is how many turns of a conversation are shown at a time, starting at its end.
const pageTurns = 40

// lastPage returns the end of a conversation, including its open question.
func (s *Conversations) lastPage(c *conversation.Conversation) Page {
	end := len(c.Turns)
	from := max(end-pageTurns, 0)
	if q := c.PendingQuestion(); q != nil {
		if n := export.AfterTurn(c.Turns, q.MessageID); n > 0 {
			from = min(from, n-1)
		}
	}
	return s.page(c, from, end)
}

// page returns a part of a conversation.
func (s *Conversations) page(c *conversation.Conversation, from, end int) Page {
	for from > 0 && c.Turns[from-1].ID == c.Turns[from].ID { // a retry of the turn before it
		from--
	}
	p := Page{ID: c.ID, Items: itemsOf(c, from, end)}
	if from > 0 {
		p.Earlier, p.First = c.ID+" "+c.Turns[from].ID, c.Entry().First
	}
	return p
}

// Earlier returns the page before a cursor, or everything before it.
func (s *Conversations) Earlier(_ context.Context, before string, all bool) (Page, error) {
	id, turn, _ := strings.Cut(before, " ")
	c, err := s.manager.Get(id)
	if err != nil {
		return Page{}, gone(err)
	}
	end := slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.ID == turn })
	if end < 0 {
		return Page{}, errors.New("the conversation has changed in the meantime")
	}
	from := max(end-pageTurns, 0)
	if all {
		from = 0
	}
	return s.page(c, from, end), nil
}
