// Package find searches for words in the transcript or another list of items. The text of all items is searched,
// newest first, a few milliseconds at a time; drawn positions are computed only for visible items.
package find

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/theme"
)

// Earlier reads a page of the messages that are missing at a marker, even after a failure, and then calls read.
type Earlier func(marker list.Item, read func()) tea.Cmd

// Search is a search in a list.
type Search struct {
	list    *list.List
	styles  *theme.Styles
	earlier Earlier
	now     func() time.Time

	open  bool
	kept  bool // keys go elsewhere
	keys  Keys
	input composer.Field
	state
}

// state is the state of a search for one pattern.
type state struct {
	pattern

	hits  map[list.Item]int // number of matches in each searched item
	total int
	todo  []list.Item // items still to be searched
	run   int         // counts the searches
	moves bool        // scroll to the current match once it is found again

	at       found     // the current match; its item is nil if there is none
	unfolded list.Item // the item unfolded to show a match, or nil
	resumes  bool      // move to the next match in earlier messages that were read

	length int       // of the list when it was searched
	looked time.Time // when growing items were last searched again
}

// New returns a closed Search.
func New(l *list.List, s *theme.Styles, k Keys, earlier Earlier, now func() time.Time) *Search {
	return &Search{list: l, styles: s, keys: k, earlier: earlier, now: now}
}

// NewWords returns a search for the words of a query, at the item that contains most of them.
func NewWords(l *list.List, s *theme.Styles, query string) *Search {
	query = strings.ToLower(query)
	f := &Search{list: l, styles: s, open: true}
	f.pattern, f.hits = newPattern(query, strings.Fields(query)...), map[list.Item]int{}
	most := 0
	l.Each(func(it list.Item) {
		if n := f.searchItem(it); n > most {
			most, f.at = n, found{item: it}
		}
	})
	return f
}

// Start scrolls from the beginning to the current match.
func (f *Search) Start() {
	f.list.Home()
	f.goTo(f.at)
}

// found identifies a match: its item and index in the item.
type found struct {
	item list.Item
	nth  int
}

// stepTime bounds one step of the search.
const stepTime = 4 * time.Millisecond

// maxWords bounds the searched text of an item, in bytes.
const maxWords = 4 << 20

// Active reports whether the search is open.
func (f *Search) Active() bool { return f.open }

// At returns the item of the current match, or nil.
func (f *Search) At() list.Item { return f.at.item }

// Open starts a search.
func (f *Search) Open() tea.Cmd {
	f.open, f.kept, f.input, f.state = true, false, composer.Field{}, state{run: f.run + 1}
	return nil
}

// Keep keeps the matches marked while keys go elsewhere.
func (f *Search) Keep() { f.kept = true }

// Kept reports whether Keep was called.
func (f *Search) Kept() bool { return f.open && f.kept }

// Again keeps the last search open, and moves to its next match, or the previous one if n is negative.
func (f *Search) Again(n int) tea.Cmd {
	if f.open {
		return f.Next(n)
	}
	f.open, f.kept = true, true
	return f.look(true)
}

// Close ends the search and keeps the scroll position.
func (f *Search) Close() {
	f.open, f.state = false, state{run: f.run + 1}
	f.list.Follow()
}

// Key handles the search's own keys.
func (f *Search) Key(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	switch {
	case keys.Matches(k, f.keys.Next):
		return true, f.Next(1)
	case keys.Matches(k, f.keys.Before):
		return true, f.Next(-1)
	}
	return false, nil
}

// Write passes any other key, or a paste, to the input.
func (f *Search) Write(k tea.KeyPressMsg) tea.Cmd {
	if text, ok := keys.Text(k); ok {
		f.input.Insert(text)
	} else {
		f.input.Key(k)
	}
	if f.input.Value() == f.typed {
		return nil
	}
	return f.look(true)
}

// look starts searching for the input, from the current match or the newest item.
func (f *Search) look(moves bool) tea.Cmd {
	f.run++
	f.moves = moves
	f.pattern = newPattern(f.input.Value(), f.input.Value())
	f.hits, f.total, f.todo = map[list.Item]int{}, 0, nil
	f.length, f.looked = f.list.Len(), f.now()
	if f.empty() {
		f.at = found{}
		f.refold()
		return nil
	}
	f.plan(f.at.item)
	return f.step(f.run)
}

// plan lists the items to search: from the given item or the newest upwards, then those below it.
func (f *Search) plan(from list.Item) {
	all := make([]list.Item, 0, f.list.Len())
	f.list.Each(func(it list.Item) {
		if chat.Selectable(it) {
			all = append(all, it)
		}
	})
	end := len(all)
	if i := slices.Index(all, from); i >= 0 {
		end = i + 1
	}
	slices.Reverse(all[:end])
	f.todo = all
}

// step searches some items and returns the command for the next step.
func (f *Search) step(run int) tea.Cmd {
	if !f.open || run != f.run {
		return nil
	}
	for began := time.Now(); len(f.todo) > 0; {
		it := f.todo[0]
		f.todo = f.todo[1:]
		f.searchItem(it)
		if f.at.item == it && f.hits[it] == 0 {
			f.at = found{}
			f.refold()
		}
		switch n := f.hits[it]; {
		case n == 0:
		case f.at.item == nil: // start at the newest match
			f.goTo(found{it, n - 1})
		case f.at.item == it && (f.moves || f.at.nth >= n):
			f.goTo(found{it, min(f.at.nth, n-1)})
		}
		if time.Since(began) >= stepTime {
			break
		}
	}
	if len(f.todo) == 0 {
		return nil
	}
	return func() tea.Msg { return loop.Do(func() tea.Cmd { return f.step(run) }) }
}

// searchItem counts the matches in an item and returns the number of needles that match.
func (f *Search) searchItem(it list.Item) (needles int) {
	f.total -= f.hits[it]
	words := chat.Words(nil, it, f.list.Width())
	n, needles := f.count(words[:min(len(words), maxWords)])
	f.hits[it] = n
	f.total += n
	return needles
}

// Next moves to the next match, or the previous one if n is negative, wrapping around. Moving up reads earlier
// messages before it wraps.
func (f *Search) Next(n int) tea.Cmd {
	switch {
	case f.empty():
		return nil
	case f.at.item != nil && n > 0 && f.at.nth+1 < f.hits[f.at.item]:
		f.goTo(found{f.at.item, f.at.nth + 1})
		return nil
	case f.at.item != nil && n < 0 && f.at.nth > 0:
		f.goTo(found{f.at.item, f.at.nth - 1})
		return nil
	}
	missing := n < 0 || f.total == 0
	next := f.list.Next(f.at.item, n, func(it list.Item) bool { return f.hits[it] > 0 || missing && chat.IsEarlier(it) })
	if f.at.item == nil && f.total == 0 && missing {
		next = f.list.Next(nil, -1, chat.IsEarlier)
	}
	if chat.IsEarlier(next) {
		return f.earlier(next, func() { f.resumes, f.length = true, -1 }) // searched again
	}
	if next == nil && f.total > 0 { // wrap around
		next = f.list.Next(nil, n, func(it list.Item) bool { return f.hits[it] > 0 })
	}
	if next == nil {
		return nil
	}
	at := found{next, 0}
	if n < 0 {
		at.nth = f.hits[next] - 1
	}
	f.goTo(at)
	return nil
}

// goTo makes a match current, unfolds its item if necessary, and scrolls to it.
func (f *Search) goTo(at found) {
	if f.unfolded != nil && f.unfolded != at.item {
		f.refold()
	}
	f.at = at
	drawn := f.drawnIn(at.item.Lines(f.list.Width()))
	if u, ok := at.item.(chat.Foldable); ok && at.nth >= len(drawn) && u.Folds() && !u.Unfolded() {
		was := len(drawn)
		f.list.Redraw(u.Flip)
		if drawn = f.drawnIn(at.item.Lines(f.list.Width())); len(drawn) > was {
			f.unfolded = at.item
		} else {
			f.list.Redraw(u.Flip) // the match is in text that is never drawn
		}
	}
	row := max(f.where().row, 0)
	const around = 2 // lines of context
	f.list.Reveal(at.item, max(row-around, 0), min(row+around+1, len(at.item.Lines(f.list.Width()))))
	f.list.Reveal(at.item, row, row+1)
}

// refold folds the item that was unfolded to show a match.
func (f *Search) refold() {
	if u, ok := f.unfolded.(chat.Foldable); ok && u.Unfolded() {
		f.list.Redraw(u.Flip)
	}
	f.unfolded = nil
}

// Due searches items that were added or, if grows is set, that may have grown since the last search.
func (f *Search) Due(grows bool) (cmd tea.Cmd) {
	if !f.open || f.empty() || len(f.todo) > 0 {
		return nil
	}
	if f.list.Len() != f.length || grows && f.now().Sub(f.looked) >= again {
		cmd = f.look(false)
	}
	if !f.resumes || len(f.todo) > 0 {
		return cmd
	}
	f.resumes = false
	return tea.Batch(cmd, f.Next(-1))
}

// again is the interval at which growing items are searched again.
const again = time.Second

// Keys holds the bindings of an open search.
type Keys struct{ Before, Next key.Binding }

// DefaultKeys returns the default bindings.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Before: bind("Enter, ↑, Ctrl+P", "previous match (older)", "enter", "up", "ctrl+p"),
		Next:   bind("↓, Ctrl+N, Shift+Enter, Alt+Enter", "next match (newer)", "down", "ctrl+n", "shift+enter", "alt+enter"),
	}
}
