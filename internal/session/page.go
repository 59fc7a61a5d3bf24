package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/session/telling"
	"chatvault/internal/text"
)

// Page is a part of a conversation that ends at its end or where another page begins.
type Page struct {
	ID      string // of the conversation
	Items   []HistoryItem
	Earlier string // cursor for Conversations.Earlier; empty on the first page
	// First is the beginning of the conversation if the page does not start there.
	First string
}

// A conversation is shown a page at a time, starting at its end.
const (
	pageTurns = 40  // maximum
	pageItems = 200 // items that fill a page regardless of its turns
)

// lastPage returns the end of a conversation, including its open question.
func (s *Conversations) lastPage(c *conversation.Conversation) (Page, error) {
	end := len(c.Turns)
	from := pageFrom(c.Turns, end)
	if q := c.PendingQuestion(); q != nil {
		if n := telling.AfterTurn(c.Turns, q.MessageID); n > 0 {
			from = min(from, n-1)
		}
	}
	p, err := s.page(c, from, end)
	for i := range p.Items {
		if h := &p.Items[i]; h.Role == HistoryError && h.Reported {
			h.Content, h.IsError = "This request failed in “chatvault ask”.", false
		}
	}
	return p, err
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

// page returns a part of a conversation. It is complete even if there is an error.
func (s *Conversations) page(c *conversation.Conversation, from, end int) (p Page, err error) {
	p.ID = c.ID
	for from > 0 && c.Turns[from-1].ID == c.Turns[from].ID { // a retry of the turn before it
		from--
	}
	if from == 0 {
		gone, goneErr := removed(s.manager, c.Continues)
		p.Items, err = CarriedItems(c, gone), goneErr
	} else {
		p.Earlier, p.First = s.Before(c.ID, c.Turns[from].ID), c.Entry().First
	}
	p.Items = append(p.Items, itemsOf(c, from, end, s.changes.marks(c.Turns[from:end]))...)
	return p, err
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
	return s.page(c, from, end)
}

// removed reports whether the conversation that another one continues has been removed.
func removed(m *conversation.Manager, x *conversation.Continuation) (bool, error) {
	if x == nil {
		return false, nil
	}
	list, err := m.List()
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(list, func(e conversation.Entry) bool { return e.ID == x.ID }), nil
}

// whole returns all items of a conversation.
func (s *Conversations) whole(c *conversation.Conversation) ([]HistoryItem, error) {
	p, err := s.page(c, 0, len(c.Turns))
	return p.Items, err
}

// CarriedItems returns what a conversation carried over from the one it continues, and the item that marks its own
// start.
func CarriedItems(c *conversation.Conversation, gone bool) []HistoryItem {
	x := c.Continues
	if x == nil {
		return nil
	}
	var items []HistoryItem
	for i := range x.Turns {
		said := TurnItems(&x.Turns[i], false)
		drop(said)
		for j := range said {
			said[j].Carried = true
		}
		items = append(items, said...)
		if i+1 == len(x.Turns)-len(c.Recalled()) && c.Compaction != nil && c.Compacted() == 0 {
			items = append(items, HistoryItem{Role: HistorySummary, Content: c.Compaction.Summary, Time: c.Compaction.Time, Carried: true})
		}
	}
	return append(items, HistoryItem{Role: HistoryContinued, Content: x.Name, Time: x.Ended, Summary: x.Summary, Detail: carriedText(x, gone)})
}

// ContinuedText describes in plain text what a conversation continues.
func ContinuedText(item HistoryItem) string {
	return "Continues “" + text.OneLine(item.Content) + "” of " + item.Time.Local().Format(telling.WhenLayout) + ". " + item.Detail
}

// carriedText describes what was carried over and where the rest is.
func carriedText(x *conversation.Continuation, gone bool) string {
	var text string
	switch n := len(x.Turns); {
	case n == 0:
		text = "Its summary alone was carried over"
	case n == 1 && x.Omitted == 0:
		text = "The turn above was carried over"
	case n == 1:
		text = fmt.Sprintf("The last turn of %d was carried over", n+x.Omitted)
	case x.Omitted == 0:
		text = fmt.Sprintf("The %d turns above were carried over", n)
	default:
		text = fmt.Sprintf("The last %d turns of %d were carried over", n, n+x.Omitted)
	}
	if gone {
		text += "; the conversation has since been deleted, so there is no more of it"
	}
	return text
}
