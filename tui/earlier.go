package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// A conversation is shown from its end: earlier messages are read a page at a time when the view comes near them, or all
// at once by Home. This does not move the visible text.

// gap is the unloaded beginning of the first conversation in the list.
type gap struct {
	marker  *chat.Earlier
	before  string // the cursor for Conversation.Earlier
	reading bool
	read    func() // called once a page is read; may be nil
	failed  bool   // reading failed; it waits for the user to try again
	home    bool   // the user asked for the beginning
}

// scrolled is called after the user scrolled; home reports whether to the beginning.
func (t *talk) scrolled(home bool) {
	if t.gap != nil {
		t.gap.home, t.gap.failed = home, false
	}
}

// scroll scrolls by lines, up if n is negative.
func (t *talk) scroll(n int) {
	t.list.ScrollDown(max(n, 0))
	t.list.ScrollUp(max(-n, 0))
	t.scrolled(false)
}

// home scrolls to the beginning, which may have to be read.
func (t *talk) home() {
	t.list.Home()
	t.scrolled(true)
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
func (t *talk) read(marker list.Item, read func()) tea.Cmd {
	if t.gap == nil || list.Item(t.gap.marker) != marker {
		return nil
	}
	if t.gap.read = read; t.gap.reading {
		return nil
	}
	return t.readGap(t.gap)
}

func (t *talk) readGap(g *gap) tea.Cmd {
	g.reading, g.failed = true, false
	g.marker.State = "…"
	before, all := g.before, g.home
	page := func(ctx context.Context) (session.Page, error) { return t.o.Conversation.Earlier(ctx, before, all) }
	return loop.Then(t.ctx, page, func(page session.Page, err error) tea.Cmd {
		g.reading = false
		if t.gap == g { // otherwise the conversation was reloaded in the meantime
			return t.pageFound(g, page, err)
		}
		return nil
	})
}

// pageFound inserts a page.
func (t *talk) pageFound(g *gap, page session.Page, err error) tea.Cmd {
	if err != nil {
		g.home, g.failed = false, true
		t.list.Redraw(func() { g.marker.State = " could not be read: " + err.Error() + ". Scrolling up tries again." })
		return t.flash("Earlier messages could not be read", 2*quitWindow)
	}
	g.before, g.marker.State = page.Earlier, ""
	more := page.Earlier != ""
	if !more {
		t.gap = nil
	}
	t.list.Earlier(g.marker, more, t.historyItems(page.Items)...)
	if g.home && !more {
		t.list.Home()
	}
	if g.read != nil {
		g.read()
	}
	return nil
}
