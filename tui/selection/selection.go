// Package selection is the item of the transcript that is selected, and in it the citation that is
// chosen and the block of code that was taken last. It promises that what is selected is in sight, and
// is there: an item that went is not selected any more.
package selection

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Mark stands beside the lines of the selected item.
const Mark = "▐"

// Selection is what is selected in a list.
type Selection struct {
	list *list.List
	keys Keys
	item list.Item // nil: none is
	cite int       // the citation's number; -1: none is
	took struct {  // the block of code that was taken last
		item list.Item
		at   int // from 0
	}
}

// New selects nothing yet.
func New(l *list.List, k Keys) *Selection { return &Selection{list: l, keys: k} }

// Active says whether an item is selected.
func (s *Selection) Active() bool { return s.item != nil }

// Item is what is selected; nil: nothing is.
func (s *Selection) Item() list.Item { return s.item }

// Select selects an item, and brings it into sight.
func (s *Selection) Select(it list.Item) {
	s.change(it)
	s.reveal()
}

func (s *Selection) change(it list.Item) {
	s.Choose(-1)
	s.item, s.cite = it, -1
}

// reveal brings all of the item into sight, or as much as there is room for.
func (s *Selection) reveal() { s.list.Reveal(s.item, 0, len(s.item.Lines(s.list.Width()))) }

// Step selects the next item, the one before where n is negative; the first step selects the last item
// in sight.
func (s *Selection) Step(n int) {
	if !s.Active() {
		if it := s.lastInSight(); it != nil && n < 0 {
			s.Select(it)
		}
		return
	}
	next := s.list.Next(s.item, n, chat.Selectable)
	switch {
	case next != nil:
		s.Select(next)
	case n > 0:
		s.Leave()
		s.list.End()
	default:
		s.list.Home()
	}
}

// lastInSight is the last item in sight that can be selected.
func (s *Selection) lastInSight() list.Item {
	if s.list.Following() {
		return s.list.Next(nil, -1, chat.Selectable)
	}
	var last list.Item
	s.list.InSight(func(in list.Sight) {
		if chat.Selectable(in.Item) {
			last = in.Item
		}
	})
	return last
}

// Leave selects nothing any more; what is in sight stays.
func (s *Selection) Leave() {
	s.Choose(-1)
	s.item, s.cite = nil, 0
	s.list.Follow()
}

// Keep leaves an item that is there no longer.
func (s *Selection) Keep() {
	if s.Active() && !s.list.Has(s.item) {
		s.Leave()
	}
}

// Citations are those of the selected item.
func (s *Selection) Citations() []cite.Citation {
	if it, ok := s.item.(chat.Cited); ok {
		return it.Citations(s.list.Width())
	}
	return nil
}

// Chosen is the citation that is chosen, else the first of the selected item.
func (s *Selection) Chosen() (cite.Citation, bool) {
	all := s.Citations()
	if len(all) == 0 {
		return cite.Citation{}, false
	}
	return all[max(s.chosenAt(all), 0)], true
}

// chosenAt is the place of the citation that is chosen; -1: none is.
func (s *Selection) chosenAt(all []cite.Citation) int {
	return slices.IndexFunc(all, func(c cite.Citation) bool { return c.Number == s.cite })
}

// Choose marks a citation of the selected item; -1: none.
func (s *Selection) Choose(number int) {
	it, ok := s.item.(chat.Cited)
	if !ok {
		return
	}
	it.Choose(number)
	if s.cite = number; number >= 0 {
		row := it.Row(s.list.Width(), number)
		s.list.Reveal(s.item, row, row+1)
	}
}

// ChooseIn selects an item without moving it, and marks a citation of it.
func (s *Selection) ChooseIn(it list.Item, number int) {
	s.change(it)
	s.Choose(number)
}

// ChooseStep goes on to the next citation of the selected item, to the one before where n is negative,
// round the ends; false: it has none.
func (s *Selection) ChooseStep(n int) bool {
	all := s.Citations()
	if len(all) == 0 {
		return false
	}
	at := s.chosenAt(all)
	if at < 0 && n < 0 {
		at = len(all)
	}
	s.Choose(all[(at+n+len(all))%len(all)].Number)
	return true
}

// ChooseLast chooses the first citation of the last answer that has one; false: none has.
func (s *Selection) ChooseLast() bool {
	return BackTo(s.list, func(it list.Item) bool {
		c, ok := it.(chat.Cited)
		if !ok {
			return false
		}
		all := c.Citations(s.list.Width())
		if len(all) > 0 {
			s.ChooseIn(it, all[0].Number)
		}
		return len(all) > 0
	})
}

// maxBack is how many items are looked at for the last one of a kind.
const maxBack = 100

// BackTo goes back through the items of a list from the last one until found says so, and some of them
// at most.
func BackTo(l *list.List, found func(list.Item) bool) bool {
	it := l.Next(nil, -1, chat.Selectable)
	for n := 0; it != nil && n < maxBack; n++ {
		if found(it) {
			return true
		}
		it = l.Next(it, -1, chat.Selectable)
	}
	return false
}

// Foldable says whether something of an item is folded, or can be.
func Foldable(it list.Item) bool {
	f, ok := it.(chat.Foldable)
	return ok && f.Folds()
}

// Fold shows what is folded of the selected item, or folds it again; false: nothing of it is.
func (s *Selection) Fold() bool {
	if !Foldable(s.item) {
		return false
	}
	s.Flip(s.item)
	s.reveal()
	return true
}

// Flip unfolds an item, shows all of one of which a part is shown, or folds it; what is being read stays
// in its place.
func (s *Selection) Flip(it list.Item) {
	if l, ok := it.(chat.Lengthy); ok && l.More() {
		s.list.Redraw(l.ShowAll)
		return
	}
	if f, ok := it.(chat.Foldable); ok {
		s.list.Redraw(f.Flip)
	}
}

// Place is the rows of what is in sight that are the selected item's, where there is a margin for the
// mark; else the mark stands in the place of their first cell.
func (s *Selection) Place(rows []string, margin int, styles *theme.Styles) (from, to int) {
	if !s.Active() {
		return 0, 0
	}
	from, to = s.list.Place(s.item)
	if margin > 0 {
		return from, to
	}
	for i := from; i < min(to, len(rows)); i++ {
		rows[i] = styles.AccentBold.Render(Mark) + ansi.TruncateLeft(rows[i], 1, "")
	}
	return 0, 0
}

// Code are the blocks of code of the selected item.
func (s *Selection) Code() []markdown.Code {
	switch it := s.item.(type) {
	case *chat.User, *chat.Assistant, *chat.Message, *chat.Retrospection:
		text, _ := it.(chat.Sourced).Raw()
		return markdown.CodeBlocks(text)
	}
	return nil
}

// TakeCode takes the block of code at a place, from 0; -1: the one after that which was taken last of
// this item, round the end, or the first.
func (s *Selection) TakeCode(at int) (code markdown.Code, taken int) {
	all := s.Code()
	if at < 0 {
		at = 0
		if s.took.item == s.item {
			at = (s.took.at + 1) % len(all)
		}
	}
	s.took.item, s.took.at = s.item, at
	return all[at], at
}

// Source is what the selected item was made of, and what it is called.
func (s *Selection) Source() (text, called string) {
	text, whole := chat.Source(s.item, s.list.Width())
	called = name(s.item)
	if !whole {
		called = "the beginning of " + called
	}
	return text, called
}

// name names an item in words.
func name(it list.Item) string {
	switch it.(type) {
	case *chat.User:
		return "your message"
	case *chat.Assistant:
		return "the answer"
	case *chat.Message:
		return "what the agent said"
	case *chat.Tool:
		return "the tool's result"
	case *chat.Reasoning:
		return "the reasoning"
	case *chat.Retrospection:
		return "the review"
	case *chat.Compaction, *chat.Boundary, *chat.Continued:
		return "the summary"
	case *chat.Tasks:
		return "the steps"
	case *chat.Error:
		return "the error"
	}
	return "this"
}
