package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// A conversation is shown from its end: earlier messages are read a page at a time when the view comes near them, or all
// at once by Home. To bound memory in a long session, whole turns far above the view are unloaded: those of the
// conversation that is then the first in the list can be read again like pages, older conversations are removed. Neither
// moves the visible text. Without Options.Conversation nothing is loaded or unloaded.

// gap is the unloaded beginning of a conversation.
type gap struct {
	marker  *chat.Earlier
	before  string    // the cursor for Conversation.Earlier
	above   list.Item // the item above the conversation's first one once it is loaded; may be nil
	reading bool
	read    func(ok bool) (waits bool) // called once the page is read; may be nil
	failed  bool                       // reading failed; it waits for the user to try again
	home    bool                       // the user asked for the beginning
}

// withGap adds the gap for earlier messages above a conversation's items. before is the cursor of the page before them;
// above is the item to stand above the conversation's first one.
func (t *talk) withGap(items []list.Item, before string, above list.Item) []list.Item {
	switch {
	case before != "" && t.o.Conversation != nil:
		t.gap = &gap{marker: chat.NewEarlier(t.env), before: before, above: above}
		return slices.Insert(items, 0, list.Item(t.gap.marker))
	case above != nil:
		t.begins(above)
		return slices.Insert(items, 0, above)
	}
	return items
}

// reloadPlace is called before the conversation below t.begin is shown again; whole reports whether that is all of it. It
// returns the item after which its items go, nil for the top of the list, and the item to stand above its first one.
func (t *talk) reloadPlace(whole bool) (after, above list.Item) {
	begin := t.begin
	if g := t.gap; g != nil && (begin == nil || g.above == begin) {
		begin, whole = g.above, false
	}
	if whole && begin != nil {
		return begin, nil
	}
	t.gap = nil
	return nil, begin
}

// scrolled is called after the user scrolled; home reports whether to the beginning.
func (t *talk) scrolled(home bool) {
	if t.gap != nil {
		t.gap.home, t.gap.failed = home, false
	}
}

// earlierDue returns a command that reads the gap if it is within the given number of lines of the view, or Home asked
// for it.
func (t *talk) earlierDue(lines int) tea.Cmd {
	near := 0
	if !t.list.Following() {
		near = lines
	}
	if g := t.gap; g != nil && !g.reading && !g.failed && (g.home || t.list.NearTop(near)) {
		return t.readGap(g)
	}
	return nil
}

// read reads a page of a marker's gap, even after a failure, and then calls read, which may be nil.
func (t *talk) read(marker list.Item, read func(ok bool) (waits bool)) tea.Cmd {
	g := t.gap
	if g == nil || list.Item(g.marker) != marker {
		return nil
	}
	if g.failed, g.read = false, read; g.reading {
		return nil
	}
	return t.readGap(g)
}

func (t *talk) readGap(g *gap) tea.Cmd {
	g.reading = true
	g.marker.State = "…"
	before, all := g.before, g.home
	page := func(ctx context.Context) (session.Page, error) { return t.o.Conversation.Earlier(ctx, before, all) }
	return loop.Then(t.ctx, page, func(page session.Page, err error) tea.Cmd {
		g.reading = false
		read := g.read
		if t.gap == g { // otherwise the conversation was reloaded in the meantime
			t.pageFound(g, page, err)
		}
		if g.read = nil; read == nil {
			return nil
		}
		if read(!g.failed) && g.failed {
			return t.flash("Earlier messages could not be read, so they were not searched", 2*quitWindow)
		}
		return nil
	})
}

// pageFound inserts a page.
func (t *talk) pageFound(g *gap, page session.Page, err error) {
	if err != nil {
		g.home, g.failed = false, true
		if !errors.Is(err, context.Canceled) {
			t.list.Redraw(func() { g.marker.State = " could not be read: " + err.Error() + ". Scrolling up tries again." })
		}
		return
	}
	g.before = page.Earlier
	items, more := t.historyItems(page.Items), page.Earlier != ""
	if more {
		g.marker.State = ""
	} else if t.gap = nil; g.above != nil {
		items = slices.Insert(items, 0, g.above)
		t.begins(g.above)
	}
	t.list.Earlier(g.marker, more, items...)
	if g.home && !more {
		t.list.Home()
	}
}

// begins records the item above the first one of a conversation that is loaded to its beginning.
func (t *talk) begins(at list.Item) {
	if t.begin == nil {
		t.begin = at
	}
}

// Unloading starts above the limits mostItems and mostBytes, and leaves about keptItems and keptBytes.
const (
	mostItems, keptItems = 1200, 600
	mostBytes, keptBytes = 32 << 20, 16 << 20
	// aboveView is the number of items above the view that are kept.
	aboveView = 200
)

// unload removes items far above the view if the list is too large.
func (t *talk) unload() {
	items, bytes := make([]list.Item, 0, t.list.Len()), 0
	t.list.Each(func(it list.Item) {
		items = append(items, it)
		bytes += sizeOf(it)
	})
	if t.o.Conversation == nil || t.gap != nil && t.gap.reading || len(items) <= mostItems && bytes <= mostBytes {
		return
	}
	i := len(items)
	for n, bytes := 0, 0; i > 0 && n < keptItems && bytes < keptBytes; n++ {
		i--
		bytes += sizeOf(items[i])
	}
	for i = min(i, t.list.Top()-aboveView); i > 1 && turnAt(items[i]) == ""; i-- {
	}
	if i > 1 {
		t.unloadTop(items, i)
	}
}

// unloadTop replaces the first n items by a gap. The next one begins a turn.
func (t *talk) unloadTop(items []list.Item, n int) {
	g := &gap{marker: chat.NewEarlier(t.env)}
	if t.gap != nil {
		g.above = t.gap.above
	}
	isBoundary := func(it list.Item) bool { _, is := it.(*chat.Boundary); return is }
	for _, it := range slices.Backward(items[:n]) {
		if isBoundary(it) {
			g.above = it
			break
		}
	}
	id := t.state.Conversation
	if at := slices.IndexFunc(items[n:], isBoundary); at >= 0 {
		id = ""
		for ended, b := range t.boundaries {
			if list.Item(b) == items[n+at] {
				id = ended
			}
		}
	}
	if id == "" {
		return // it was never recorded
	}
	g.before = t.o.Conversation.Before(id, turnAt(items[n]))
	t.gap = g
	t.list.ReplaceTop(n, g.marker)
}

// turnAt returns the recorded turn that begins with an item, or an empty string.
func turnAt(it list.Item) string {
	if o, ok := it.(interface{ Turn() string }); ok {
		return o.Turn()
	}
	return ""
}

func sizeOf(it list.Item) int {
	if s, ok := it.(interface{ Size() int }); ok {
		return s.Size()
	}
	return 0
}
