// Package selection tracks the selected item of the transcript, the chosen citation in it, and the code block that
// was copied last. The selected item is always in the list and visible; an item that is removed is deselected.
package selection

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/cells"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Mark is drawn in the margin of the selected item.
const Mark = "▐"

// Selection is the selection in a list.
type Selection struct {
	list     *list.List
	keys     Keys
	item     list.Item // nil if none is selected
	anchor   list.Item // the other end of several selected items, or nil
	cite     int       // the chosen citation's number, or -1
	lastCode struct {  // the code block taken last
		item list.Item
		at   int // its index
	}
}

// New returns an empty selection.
func New(l *list.List, k Keys) *Selection { return &Selection{list: l, keys: k} }

// Active reports whether an item is selected.
func (s *Selection) Active() bool { return s.item != nil }

// Item returns the selected item, or nil.
func (s *Selection) Item() list.Item { return s.item }

// Select selects an item and scrolls it into view.
func (s *Selection) Select(it list.Item) {
	s.change(it)
	s.reveal()
}

// Extend makes the selection extend from the selected item to the one selected next, or ends that.
func (s *Selection) Extend() {
	if s.anchor == nil {
		s.anchor = s.item
	} else {
		s.anchor = nil
	}
}

// Extended reports whether several items are, or can be, selected.
func (s *Selection) Extended() bool { return s.anchor != nil }

// items returns the selected items, from the top.
func (s *Selection) items() (all []list.Item) {
	if s.anchor == nil || s.anchor == s.item {
		return []list.Item{s.item}
	}
	inside := false
	s.list.Each(func(it list.Item) {
		end := it == s.item || it == s.anchor
		if (inside || end) && chat.Selectable(it) {
			all = append(all, it)
		}
		inside = inside != end
	})
	return all
}

func (s *Selection) change(it list.Item) {
	s.Choose(-1)
	s.item, s.cite = it, -1
}

// reveal scrolls as much of the item into view as fits.
func (s *Selection) reveal() { s.list.Reveal(s.item, 0, len(s.item.Lines(s.list.Width()))) }

// Step selects the next item, or the previous one if n is negative. The first step selects the last visible item.
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

// lastInSight returns the last visible item that can be selected.
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

// Leave clears the selection without moving the view.
func (s *Selection) Leave() {
	s.Choose(-1)
	s.item, s.anchor, s.cite = nil, nil, 0
	s.list.Follow()
}

// Keep deselects an item that has left the list.
func (s *Selection) Keep() {
	if s.Active() && !s.list.Has(s.item) || s.anchor != nil && !s.list.Has(s.anchor) {
		s.Leave()
	}
}

// Citations returns the citations of the selected item.
func (s *Selection) Citations() []cite.Citation {
	if it, ok := s.item.(chat.Cited); ok {
		return it.Citations(s.list.Width())
	}
	return nil
}

// Chosen returns the chosen citation, or the first one of the selected item.
func (s *Selection) Chosen() (cite.Citation, bool) {
	all := s.Citations()
	if len(all) == 0 {
		return cite.Citation{}, false
	}
	return all[max(s.chosenAt(all), 0)], true
}

// chosenAt returns the index of the chosen citation, or -1.
func (s *Selection) chosenAt(all []cite.Citation) int {
	return slices.IndexFunc(all, func(c cite.Citation) bool { return c.Number == s.cite })
}

// Choose marks a citation of the selected item; -1 marks none.
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

// ChooseIn selects an item without scrolling and marks a citation of it.
func (s *Selection) ChooseIn(it list.Item, number int) {
	s.change(it)
	s.Choose(number)
}

// ChooseStep marks the next citation of the selected item, or the previous one if n is negative, wrapping around. It
// returns false if there are none.
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

// ChooseLast chooses the first citation of the last answer with citations. It returns false if there is no such
// answer.
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

// maxBack bounds the number of items searched by BackTo.
const maxBack = 100

// BackTo calls found for up to maxBack items, starting at the last, until it returns true.
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

// Foldable reports whether an item can be folded or unfolded.
func Foldable(it list.Item) bool {
	f, ok := it.(chat.Foldable)
	return ok && f.Folds()
}

// Fold folds or unfolds the selected item. It returns false if the item is not foldable.
func (s *Selection) Fold() bool {
	if !Foldable(s.item) {
		return false
	}
	s.Flip(s.item)
	s.reveal()
	return true
}

// Flip unfolds or folds an item. The visible text stays in place.
func (s *Selection) Flip(it list.Item) {
	if f, ok := it.(chat.Foldable); ok {
		s.list.Redraw(f.Flip)
	}
}

// Place returns the rows of the view that the selected item occupies, for a mark in the margin. Without a margin it
// draws the mark over the first cell of those rows and returns 0, 0.
func (s *Selection) Place(rows []string, margin int, styles *theme.Styles) (from, to int) {
	if !s.Active() {
		return 0, 0
	}
	for _, it := range s.items() {
		if top, end := s.list.Place(it); end > 0 {
			if to == 0 {
				from = top
			}
			to = end
		}
	}
	if margin > 0 {
		return from, to
	}
	for i := from; i < min(to, len(rows)); i++ {
		rows[i] = styles.AccentBold.Render(Mark) + cells.TruncateLeft(rows[i], 1, "")
	}
	return 0, 0
}

// Code returns the code blocks of the selected item.
func (s *Selection) Code() []markdown.Code {
	switch it := s.item.(type) {
	case *chat.User, *chat.Assistant, *chat.Message, *chat.Retrospection:
		return markdown.CodeBlocks(it.(chat.Sourced).Raw())
	}
	return nil
}

// TakeCode returns the code block after the one last taken from the selected item, wrapping around, or the first, and
// its index.
func (s *Selection) TakeCode() (code markdown.Code, at int) {
	all := s.Code()
	if s.lastCode.item == s.item {
		at = (s.lastCode.at + 1) % len(all)
	}
	s.lastCode.item, s.lastCode.at = s.item, at
	return all[at], at
}

// Source returns the selected item's source text and a phrase that names it.
func (s *Selection) Source() (text, called string) {
	if all := s.items(); len(all) > 1 {
		parts := make([]string, len(all))
		for i, it := range all {
			parts[i] = chat.Source(it, s.list.Width())
		}
		return strings.Join(parts, "\n\n"), fmt.Sprintf("%d items", len(all))
	}
	return chat.Source(s.item, s.list.Width()), "the text"
}

// Keys holds the bindings for the selected item.
type Keys struct {
	Before, After, Note, NextNote, NoteBefore, Fold, Copy, CopyCode, Edit, Again, Open key.Binding
}

// DefaultKeys returns the default bindings.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Before:     bind("↑", "select the one above", "up"),
		After:      bind("↓", "select the one below", "down"),
		Note:       bind("Enter", "show the note it refers to, or else fold or unfold it", "enter"),
		NextNote:   bind("Tab", "next note it refers to", "tab", "right"),
		NoteBefore: bind("Shift+Tab", "previous note", "shift+tab", "left"),
		Fold:       bind("Space", "unfold or fold it", "space"),
		Copy:       bind("y", "copy the original text", "y"),
		CopyCode:   bind("c", "copy a code block; again for another", "c"),
		Edit:       bind("e", "edit your message and send it as a new branch; in an answer, edit the note", "e"),
		Again:      bind("r", "try this turn again, as a new branch", "r"),
		Open:       bind("o", "open the note in Obsidian", "o"),
	}
}

// Can lists the actions available on the selected item.
type Can struct{ Copy, EditNote, OpenNote, GoBack bool }

// Ways returns footers that list the selected item's keys, longest first, all with the key that goes back. up is the
// key that selects.
func (s *Selection) Ways(up string, can Can) []string {
	it, on := s.item, s.keys
	var offers []string
	add := func(when bool, b key.Binding, does string) {
		if k := keys.First(b, ""); when && k != "" {
			offers = append(offers, k+" "+does)
		}
	}
	cites := len(s.Citations())
	folds := "unfold"
	if f, ok := it.(chat.Foldable); ok && f.Unfolded() {
		folds = "fold"
	}
	_, yours := it.(*chat.User)
	again := yours
	switch it.(type) {
	case *chat.Assistant, *chat.Error, *chat.Stopped:
		again = true
	}
	add(cites > 0, on.Note, "show note")
	add(cites == 0 && Foldable(it), on.Note, folds)
	add(can.Copy, on.Copy, "copy")
	add(can.Copy && len(s.Code()) > 0, on.CopyCode, "code")
	add(cites > 1, on.NextNote, "next")
	add(cites > 0 && can.EditNote, on.Edit, "edit")
	add(cites > 0 && can.OpenNote, on.Open, "Obsidian")
	add(cites > 0 && Foldable(it), on.Fold, folds)
	add(yours && can.GoBack, on.Edit, "edit")
	add(again && can.GoBack, on.Again, "try again")
	offers = append(offers, up+" ↓ move")
	var ways []string
	for n := len(offers); n >= 0; n-- {
		ways = append(ways, phrase.Join(append(slices.Clone(offers[:n]), "Esc back")...))
	}
	return ways
}
