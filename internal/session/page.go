package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/session/telling"
	"chatvault/internal/text"
)

// Page is a part of a conversation, to its end or to where a page before began.
type Page struct {
	ID      string // of the conversation
	Items   []HistoryItem
	Earlier string // what Options.Earlier brings the page before it by; empty: it is the first
	// First are the first words of the conversation, where it does not begin in the page.
	First string
}

// A conversation is shown a page at a time, from its end.
const (
	pageTurns = 40  // at most
	pageItems = 200 // that make a page whatever the number of turns
)

// lastPage is the end of a conversation, from where its question that waits was asked at least.
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

// pageFrom is the turn that the page begins with that ends before turn end.
func pageFrom(turns []conversation.Turn, end int) int {
	items := 0
	for i := end - 1; i >= 0; i-- {
		items += len(turns[i].Messages)
		if end-i == pageTurns || items >= pageItems {
			return i
		}
	}
	return 0
}

// page is a part of a conversation. With an error it is whole all the same.
func (s *Conversations) page(c *conversation.Conversation, from, end int) (p Page, err error) {
	p.ID = c.ID
	if from == 0 {
		gone, goneErr := removed(s.manager, c.Continues)
		p.Items, err = CarriedItems(c, gone), goneErr
	} else {
		p.Earlier, p.First = cursor(c, from), c.Entry().First
	}
	p.Items = append(p.Items, itemsOf(c, from, end, s.changes.marks(c.Turns[from:end]))...)
	return p, err
}

// cursor names the place before turn n of a conversation: with the turn's id, as the conversation
// may go another way meanwhile.
func cursor(c *conversation.Conversation, n int) string {
	return c.ID + " " + strconv.Itoa(n) + " " + c.Turns[n].ID
}

// What stands for a turn's number in a cursor where that is not known.
const (
	byTurn = "turn" // its id says which it is
	atEnd  = "end"  // of the conversation
)

// Before names the place before a turn of a conversation, or its end.
func (s *Conversations) Before(conversation, turn string) string {
	if turn == "" {
		return conversation + " " + atEnd
	}
	return conversation + " " + byTurn + " " + turn
}

// place is the number of the turn a cursor names; -1: it is not on the way any more.
func place(c *conversation.Conversation, number, turn string) int {
	switch number {
	case atEnd:
		return len(c.Turns)
	case byTurn:
		return slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.ID == turn })
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n >= len(c.Turns) || c.Turns[n].ID != turn {
		return -1
	}
	return n
}

// Earlier reads the page before one, or all of the conversation before it.
func (s *Conversations) Earlier(_ context.Context, before string, all bool) (Page, error) {
	id, rest, _ := strings.Cut(before, " ")
	number, turn, _ := strings.Cut(rest, " ")
	if _, err := strconv.Atoi(number); err != nil && number != atEnd && number != byTurn {
		return Page{}, fmt.Errorf("there is no page before %q", before)
	}
	c, err := s.manager.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return Page{}, errors.New("the conversation has been removed")
	}
	if err != nil {
		return Page{}, err
	}
	end := place(c, number, turn)
	if end < 0 {
		return Page{}, errors.New("the conversation has changed in the meantime")
	}
	from := 0
	if !all {
		from = pageFrom(c.Turns, end)
	}
	return s.page(c, from, end)
}

// removed says whether the conversation that another one continues was removed since.
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

// whole is all of a conversation.
func (s *Conversations) whole(c *conversation.Conversation) ([]HistoryItem, error) {
	p, err := s.page(c, 0, len(c.Turns))
	return p.Items, err
}

// CarriedItems are what a conversation carries of the one it continues, and the line where it
// begins itself.
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

// ContinuedText says in print what a conversation continues.
func ContinuedText(item HistoryItem) string {
	return "Continues “" + text.OneLine(item.Content) + "” of " + item.Time.Local().Format(telling.WhenLayout) + ". " + item.Detail
}

// carriedText says what was carried of a conversation, and where the rest is.
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
