package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
)

// find is what is looked for in the transcript. The words of all items are looked through, a few
// milliseconds at a time, beginning with what is in sight; where they are drawn is looked for in what
// is in sight alone.
type find struct {
	open  bool
	input dialog.Input
	last  bool // what stands there was looked for before: what is typed takes its place
	pattern

	hits  map[list.Item]int // how often it is in each item that was looked through
	total int
	todo  []list.Item // to be looked through, in this order
	run   int         // counts the searches
	wait  bool        // the next step is on its way
	buf   [2][]byte

	first found     // where it began: an item in sight, and its first line that is
	now   found     // the match one is at; no item: none
	lent  list.Item // it was unfolded for a match in it; nil: none was
	page  *paging   // where earlier messages are being read, to look there; nil: nowhere

	length int       // of the transcript, as it was looked through
	gaps   int       // where messages were missing in it
	looked time.Time // when what still grows was looked through again

	undrawn bool  // the match one is at is in what is not drawn of its item
	place   place // of the match one is at
}

// found is a match: in an item, and the which of its matches, from 0; for where a search begins, a
// line of the item.
type found struct {
	item list.Item
	nth  int
}

// findStep is how long items are looked through at once.
const findStep = 4 * time.Millisecond

// maxWords bounds what of one item is looked through, in bytes.
const maxWords = 4 << 20

// findStepMsg goes on with a search.
type findStepMsg struct{ run int }

// finding says whether words are looked for.
func (m *Model) finding() bool { return m.find.open }

// openFind begins to look for words; what was looked for last stands there to be looked for again.
func (m *Model) openFind() tea.Cmd {
	f := &m.find
	last := f.typed
	*f = find{open: true, run: f.run + 1}
	m.list.InSight(func(s list.Sight) {
		if f.first.item == nil && selectable(s.Item) {
			f.first = found{s.Item, s.First}
		}
	})
	f.input.Set(last)
	f.last = last != ""
	return m.look()
}

// closeFind ends looking for words; the reading position stays.
func (m *Model) closeFind() {
	m.find = find{run: m.find.run + 1, pattern: pattern{typed: m.find.typed}}
	m.list.Follow()
}

// findKey handles a key while words are looked for.
func (m *Model) findKey(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	f := &m.find
	if !f.open {
		if keys.Matches(k, m.keys.Find) {
			return true, m.openFind()
		}
		return false, nil
	}
	switch {
	case k.Paste:
		return true, m.findInsert(string(k.Runes))
	case keys.Matches(k, m.findKeys.Next, m.keys.Find):
		return true, m.findNext(1)
	case keys.Matches(k, m.findKeys.Before):
		return true, m.findNext(-1)
	case keys.Matches(k, m.keys.Clear):
		m.closeFind()
		return true, nil
	case keys.Matches(k, m.keys.SelectUp, m.keys.SelectDown):
		it := f.now.item
		m.closeFind()
		if it == nil {
			return false, nil
		}
		m.selectItem(it)
		return true, nil
	case keys.Matches(k, m.keys.Stop, m.keys.Details, m.keys.PageUp, m.keys.PageDown, m.keys.LineUp, m.keys.LineDown,
		m.keys.Top, m.keys.Bottom, m.keys.Redraw, m.keys.Suspend, m.keys.Help, m.keys.Mouse):
		return false, nil
	}
	if text, ok := keys.Text(k); ok {
		return true, m.findInsert(text)
	}
	f.last = false
	if f.input.Key(k) && f.input.Value() != f.typed {
		return true, m.look()
	}
	return true, nil // no key is for the text that waits below
}

func (m *Model) findInsert(text string) tea.Cmd {
	f := &m.find
	if f.last {
		f.input.Set("")
		f.now, f.last = found{}, false
	}
	if !f.input.Insert(text) {
		return nil
	}
	return m.look()
}

// look begins to look for what is written, from the match one is at or from where the search began.
func (m *Model) look() tea.Cmd {
	f := &m.find
	at := f.now
	f.run++
	f.pattern = newPattern(f.input.Value())
	f.hits, f.total, f.todo, f.wait = map[list.Item]int{}, 0, nil, false
	f.length, f.gaps, f.looked = m.list.Len(), len(m.pages), m.now()
	if f.empty() {
		f.now = found{}
		m.giveBack()
		return nil
	}
	if at.item == nil {
		at.item = f.first.item
	}
	m.planFind(at.item)
	return m.lookOn(f.run)
}

// planFind lists what is to be looked through: what is in sight, what is above it, upward, and what
// is below.
func (m *Model) planFind(from list.Item) {
	f := &m.find
	all := make([]list.Item, 0, m.list.Len())
	m.list.Each(func(it list.Item) {
		if selectable(it) {
			all = append(all, it)
		}
	})
	at := max(slices.Index(all, from), 0)
	end := at
	if f.now.item == nil {
		last := from
		m.list.InSight(func(s list.Sight) { last = s.Item })
		if end = slices.Index(all, last); end < at {
			end = at
		}
	}
	if len(all) == 0 {
		return
	}
	f.todo = append(f.todo, all[at:end+1]...)
	above := slices.Clone(all[:at])
	slices.Reverse(above)
	f.todo = append(append(f.todo, above...), all[end+1:]...)
}

// lookOn looks through some items, and says how it goes on.
func (m *Model) lookOn(run int) tea.Cmd {
	f := &m.find
	if !f.open || run != f.run {
		return nil
	}
	f.wait = false
	for began := time.Now(); len(f.todo) > 0; {
		it := f.todo[0]
		f.todo = f.todo[1:]
		m.lookThrough(it)
		if f.now.item == it && f.hits[it] == 0 {
			f.now = found{}
			m.giveBack()
		}
		if f.hits[it] > 0 && (f.now.item == nil || f.now.item == it) {
			m.begin(it)
		}
		if time.Since(began) >= findStep {
			break
		}
	}
	if len(f.todo) == 0 {
		return nil
	}
	f.wait = true
	return func() tea.Msg { return findStepMsg{run} }
}

// lookThrough counts what is looked for in an item.
func (m *Model) lookThrough(it list.Item) {
	f := &m.find
	f.total -= f.hits[it]
	f.buf[0] = m.wordsOf(it, f.buf[0][:0])
	n, kept := f.count(f.buf[0][:min(len(f.buf[0]), maxWords)], f.buf[1])
	f.buf[1] = kept
	f.hits[it] = n
	f.total += n
}

// wordsOf appends all that an item says.
func (m *Model) wordsOf(it list.Item, b []byte) []byte {
	if s, ok := it.(chat.Sourced); ok {
		return s.Words(b)
	}
	text, _ := m.sourceOf(it)
	return append(b, text...)
}

// begin goes to the match of an item that is nearest to where one is.
func (m *Model) begin(it list.Item) {
	f := &m.find
	n := f.hits[it]
	at := found{it, 0}
	switch {
	case n == 0:
		return
	case it == f.now.item:
		at.nth = min(f.now.nth, n-1)
	case it == f.first.item: // the first that is in sight
		drawn := f.drawnIn(it.Lines(m.list.Width()))
		for at.nth < len(drawn)-1 && drawn[at.nth].at().row < f.first.nth {
			at.nth++
		}
		at.nth = min(at.nth, n-1)
	case m.above(it):
		at.nth = n - 1
	}
	m.goTo(at)
}

// above says whether an item is above where the search began.
func (m *Model) above(it list.Item) bool {
	above, known := false, false
	m.list.Each(func(other list.Item) {
		switch {
		case known:
		case other == it:
			above, known = true, true
		case other == m.find.first.item:
			known = true
		}
	})
	return above
}

// findNext goes to the next match, to the one before where n is negative, round the ends. Upward it
// goes on in messages that are not read yet before it begins at the end again.
func (m *Model) findNext(n int) tea.Cmd {
	f := &m.find
	switch {
	case f.empty() || f.page != nil:
		return nil
	case f.now.item != nil && n > 0 && f.now.nth+1 < f.hits[f.now.item]:
		m.goTo(found{f.now.item, f.now.nth + 1})
		return nil
	case f.now.item != nil && n < 0 && f.now.nth > 0:
		m.goTo(found{f.now.item, f.now.nth - 1})
		return nil
	}
	missing := n < 0 || f.total == 0
	next := m.list.Next(f.now.item, n, func(it list.Item) bool { return f.hits[it] > 0 || missing && isMarker(it) })
	if f.now.item == nil && f.total == 0 && missing {
		next = m.list.Next(nil, -1, isMarker)
	}
	if isMarker(next) {
		return m.findEarlier(next)
	}
	if next == nil && f.total > 0 { // round the end
		var from list.Item
		next = m.list.Next(from, n, func(it list.Item) bool { return f.hits[it] > 0 })
	}
	if next == nil {
		return nil
	}
	at := found{next, 0}
	if n < 0 {
		at.nth = f.hits[next] - 1
	}
	m.goTo(at)
	return nil
}

func isMarker(it list.Item) bool {
	_, ok := it.(*chat.Earlier)
	return ok
}

// goTo shows a match: it unfolds the item where that is needed, and brings its line into sight.
func (m *Model) goTo(at found) {
	f := &m.find
	if f.lent != nil && f.lent != at.item {
		m.giveBack()
	}
	f.now = at
	drawn := m.matchesIn(at.item)
	if u, ok := at.item.(chat.Unfoldable); ok && at.nth >= len(drawn) && u.Folds() && !u.Unfolded() {
		was := len(drawn)
		m.redraw(u.Flip)
		if l, ok := at.item.(chat.Lengthy); ok && l.More() && at.nth >= len(m.matchesIn(at.item)) {
			m.redraw(l.ShowAll)
		}
		if drawn = m.matchesIn(at.item); len(drawn) > was {
			f.lent = at.item
		} else {
			m.redraw(u.Flip) // it is in what is not shown either way
		}
	}
	row := 0
	i := m.drawnNth(at, len(drawn))
	if f.undrawn = i < 0; !f.undrawn {
		row = drawn[i].at().row
	}
	const around = 2 // lines to be seen with it
	m.list.Reveal(at.item, max(row-around, 0), min(row+around+1, len(at.item.Lines(m.list.Width()))))
	m.list.Reveal(at.item, row, row+1)
}

// giveBack folds again what was unfolded for a match.
func (m *Model) giveBack() {
	if u, ok := m.find.lent.(chat.Unfoldable); ok && u.Unfolded() {
		m.redraw(u.Flip)
	}
	m.find.lent = nil
}

// matchesIn is where what is looked for is drawn in an item.
func (m *Model) matchesIn(it list.Item) []match {
	return m.find.drawnIn(it.Lines(m.list.Width()))
}

// drawnNth is which of n drawn matches shows a match: what is drawn may show some of an item's
// matches only, or some twice. -1: none does.
func (m *Model) drawnNth(at found, n int) int {
	all := m.find.hits[at.item]
	switch {
	case n == 0 || all == 0:
		return -1
	case n == all:
		return at.nth
	}
	return min(at.nth*n/all, n-1)
}

// findEarlier reads a page of earlier messages, to look there.
func (m *Model) findEarlier(marker list.Item) tea.Cmd {
	for _, at := range m.pages {
		if at.marker == marker {
			m.find.page, at.failed = at, false
			if at.reading {
				return nil
			}
			return m.readEarlier(at, false)
		}
	}
	return nil
}

// findDue looks through what came, or grew, since it was looked through last.
func (m *Model) findDue() tea.Cmd {
	f := &m.find
	if !f.open || f.empty() || f.wait {
		return nil
	}
	now, came := m.now(), m.list.Len() != f.length || len(m.pages) != f.gaps
	if !came && f.page == nil && (!m.turn.running || now.Sub(f.looked) < findAgain) {
		return nil
	}
	f.length, f.gaps, f.looked = m.list.Len(), len(m.pages), now
	at := 0
	m.list.Each(func(it list.Item) {
		if at++; at > f.length-growing && selectable(it) { // what still grows is at the end
			m.lookThrough(it)
		}
	})
	if came && m.recount() {
		return m.look()
	}
	if page := f.page; page != nil && !page.reading {
		f.page = nil
		if page.failed {
			return m.pass("Earlier messages could not be read, so that nothing was looked for in them", 2*quitWindow)
		}
		return m.findNext(-1)
	}
	return nil
}

// recount takes out of the search what is there no longer, and looks through what is new; true: that
// is too much to be done at once.
func (m *Model) recount() (begin bool) {
	f := &m.find
	there := make(map[list.Item]bool, m.list.Len())
	var fresh []list.Item
	m.list.Each(func(it list.Item) {
		there[it] = true
		if _, known := f.hits[it]; !known && selectable(it) {
			fresh = append(fresh, it)
		}
	})
	for it, n := range f.hits {
		if !there[it] {
			f.total -= n
			delete(f.hits, it)
		}
	}
	if f.now.item != nil && !there[f.now.item] {
		f.now = found{}
	}
	if len(fresh) > atOnce {
		return true
	}
	for _, it := range fresh {
		m.lookThrough(it)
	}
	return false
}

// What goes on while words are looked for is looked through now and then.
const (
	findAgain = 300 * time.Millisecond
	growing   = 20  // items that may still grow
	atOnce    = 200 // new items that are looked through at once: a page of earlier messages
)
