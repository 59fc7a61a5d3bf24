package session

import (
	"context"
	"errors"
	"io/fs"
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

// A conversation is shown a page at a time, starting at its end.
const (
	pageTurns = 40  // maximum
	pageItems = 200 // items that fill a page regardless of its turns
)

// lastPage returns the end of a conversation, including its open question.
func (s *Conversations) lastPage(c *conversation.Conversation) Page {
	end := len(c.Turns)
	from := pageFrom(c.Turns, end)
	if q := c.PendingQuestion(); q != nil {
		if n := export.AfterTurn(c.Turns, q.MessageID); n > 0 {
			from = min(from, n-1)
		}
	}
	return s.page(c, from, end)
}

// pageFrom returns the index of the first turn of the page that ends before turn end.
func pageFrom(turns []conversation.Turn, end int) int {
	items := 0
	for i := end - 1; i > 0; i-- {
		items += len(turns[i].Messages)
		if end-i == pageTurns || items >= pageItems {
			return i
		}
	}
	return 0
}

// page returns a part of a conversation.
func (s *Conversations) page(c *conversation.Conversation, from, end int) Page {
	for from > 0 && c.Turns[from-1].ID == c.Turns[from].ID { // a retry of the turn before it
		from--
	}
	p := Page{ID: c.ID, Items: itemsOf(c, from, end)}
	if from > 0 {
		p.Earlier, p.First = s.Before(c.ID, c.Turns[from].ID), c.Entry().First
	}
	return p
}

// Before returns the cursor before a turn of a conversation, or at its end if turn is empty.
func (s *Conversations) Before(conversation, turn string) string { return conversation + " " + turn }

// Earlier returns the page before a cursor, or everything before it.
func (s *Conversations) Earlier(_ context.Context, before string, all bool) (Page, error) {
	id, turn, _ := strings.Cut(before, " ")
	c, err := s.manager.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return Page{}, errors.New("the conversation has been removed")
	}
	if err != nil {
		return Page{}, err
	}
	end := len(c.Turns)
	if turn != "" {
		end = slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.ID == turn })
	}
	if end < 0 {
		return Page{}, errors.New("the conversation has changed in the meantime")
	}
	from := 0
	if !all {
		from = pageFrom(c.Turns, end)
	}
	return s.page(c, from, end), nil
}
