// Package paging loads parts of the transcript on demand. A conversation is shown from its end: earlier messages are
// read a page at a time when the view comes near them, or all at once by Home. To bound memory in a long session,
// whole turns far above the view are unloaded: those of the conversation that is then the first in the list can be
// read again like pages, older conversations are removed. Neither moves the visible text.
package paging

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

// Source reads pages.
type Source interface {
	// Earlier reads the page before the cursor in Page.Earlier, or everything before it.
	Earlier(ctx context.Context, before string, all bool) (session.Page, error)
	// Before returns the cursor for the page that ends before a turn.
	Before(conversation, turn string) string
}

// Transcript describes the conversations whose items are in the list.
type Transcript interface {
	// Items returns items for the history.
	Items(history []session.HistoryItem) []list.Item
	// ID returns the id of the current conversation. Ended returns the ids of the conversations above it, keyed by
	// the items that mark their end.
	ID() string
	Ended() map[list.Item]string
	// Begins reports the item above the first item of a conversation that is loaded to its beginning.
	Begins(at list.Item)
}

// Pages holds the gap at the top of a list: the messages of its first conversation that are not loaded.
type Pages struct {
	ctx        context.Context
	env        *chat.Env
	list       *list.List
	source     Source
	transcript Transcript
	gap        *gap // nil for none
}

// New returns Pages without a gap. If the source is nil, nothing is loaded or unloaded.
func New(ctx context.Context, env *chat.Env, l *list.List, s Source, t Transcript) *Pages {
	return &Pages{ctx: ctx, env: env, list: l, source: s, transcript: t}
}

// gap is the unloaded beginning of a conversation.
type gap struct {
	marker  *chat.Earlier
	before  string    // the cursor for Source.Earlier
	above   list.Item // the item above the conversation's first one once it is loaded; may be nil
	reading bool
	failed  bool // reading failed; it waits for the user to try again
	home    bool // the user asked for the beginning
}

// Begin adds the gap for earlier messages above a conversation's items. before is the cursor of the page before them;
// above is the item to stand above the conversation's first one.
func (p *Pages) Begin(items []list.Item, before string, above list.Item) []list.Item {
	switch {
	case before != "" && p.source != nil:
		p.gap = &gap{marker: chat.NewEarlier(p.env), before: before, above: above}
		return slices.Insert(items, 0, list.Item(p.gap.marker))
	case above != nil:
		p.transcript.Begins(above)
		return slices.Insert(items, 0, above)
	}
	return items
}

// Reload is called before the conversation below begin is shown again; whole reports whether that is all of it. It
// returns the item after which its items go, nil for the top of the list, and the item to stand above its first one.
func (p *Pages) Reload(begin list.Item, whole bool) (after, above list.Item) {
	if g := p.gap; g != nil && (begin == nil || g.above == begin) {
		begin, whole = g.above, false
	}
	if whole && begin != nil {
		return begin, nil
	}
	p.gap = nil
	return nil, begin
}

// Scrolled is called after the user scrolled; home reports whether to the beginning.
func (p *Pages) Scrolled(home bool) {
	if p.gap != nil {
		p.gap.home, p.gap.failed = home, false
	}
}

// Due returns a command that reads the gap if it is within the given number of lines of the view, or Home asked for it.
func (p *Pages) Due(lines int) tea.Cmd {
	near := 0
	if !p.list.Following() {
		near = lines
	}
	if g := p.gap; g != nil && !g.reading && !g.failed && (g.home || p.list.NearTop(near)) {
		return p.read(g)
	}
	return nil
}

// Gaps returns the number of gaps, 0 or 1.
func (p *Pages) Gaps() int {
	if p.gap == nil {
		return 0
	}
	return 1
}

// stands reports whether a marker stands for the gap.
func (p *Pages) stands(marker list.Item) bool {
	return p.gap != nil && list.Item(p.gap.marker) == marker
}

// Read reads a page of a marker's gap, even after a failure; known is false if the marker has no gap.
func (p *Pages) Read(marker list.Item) (cmd tea.Cmd, known bool) {
	if !p.stands(marker) {
		return nil, false
	}
	if p.gap.failed = false; p.gap.reading {
		return nil, true
	}
	return p.read(p.gap), true
}

// Reading reports whether a marker's gap is being read and whether reading it failed.
func (p *Pages) Reading(marker list.Item) (reading, failed bool) {
	return p.stands(marker) && p.gap.reading, p.stands(marker) && p.gap.failed
}

func (p *Pages) read(g *gap) tea.Cmd {
	g.reading = true
	g.marker.Reading()
	before, all := g.before, g.home
	page := func(ctx context.Context) (session.Page, error) { return p.source.Earlier(ctx, before, all) }
	return loop.Then(p.ctx, page, func(page session.Page, err error) tea.Cmd {
		p.found(g, page, err)
		return nil
	})
}

// found inserts a page.
func (p *Pages) found(g *gap, page session.Page, err error) {
	g.reading = false
	if p.gap != g {
		return // the conversation was reloaded in the meantime
	}
	if err != nil {
		g.home, g.failed = false, true
		if !errors.Is(err, context.Canceled) {
			p.list.Redraw(func() { g.marker.Fail(err.Error()) })
		}
		return
	}
	g.before = page.Earlier
	items, more := p.transcript.Items(page.Items), page.Earlier != ""
	if more {
		g.marker.Rest()
	} else if p.gap = nil; g.above != nil {
		items = slices.Insert(items, 0, g.above)
		p.transcript.Begins(g.above)
	}
	p.list.Earlier(g.marker, more, items...)
	if g.home && !more {
		p.list.Home()
	}
}

// Unloading starts above the limits mostItems and mostBytes, and leaves about keptItems and keptBytes.
const (
	mostItems, keptItems = 1200, 600
	mostBytes, keptBytes = 32 << 20, 16 << 20
	// aboveView is the number of items above the view that are kept.
	aboveView = 200
)

// Unload removes items far above the view if the list is too large.
func (p *Pages) Unload() {
	items, bytes := make([]list.Item, 0, p.list.Len()), 0
	p.list.Each(func(it list.Item) {
		items = append(items, it)
		bytes += sizeOf(it)
	})
	if p.source == nil || p.gap != nil && p.gap.reading || len(items) <= mostItems && bytes <= mostBytes {
		return
	}
	i := len(items)
	for n, bytes := 0, 0; i > 0 && n < keptItems && bytes < keptBytes; n++ {
		i--
		bytes += sizeOf(items[i])
	}
	for i = min(i, p.list.Top()-aboveView); i > 1 && turnAt(items[i]) == ""; i-- {
	}
	if i > 1 {
		p.unload(items, i)
	}
}

// unload replaces the first n items by a gap. The next one begins a turn.
func (p *Pages) unload(items []list.Item, n int) {
	g := &gap{marker: chat.NewEarlier(p.env)}
	if p.gap != nil {
		g.above = p.gap.above
	}
	isBoundary := func(it list.Item) bool { _, is := it.(*chat.Boundary); return is }
	for _, it := range slices.Backward(items[:n]) {
		if isBoundary(it) {
			g.above = it
			break
		}
	}
	id := p.transcript.ID()
	if at := slices.IndexFunc(items[n:], isBoundary); at >= 0 {
		id = p.transcript.Ended()[items[n+at]]
	}
	if id == "" {
		return // it was never recorded
	}
	g.before = p.source.Before(id, turnAt(items[n]))
	p.gap = g
	p.list.ReplaceTop(n, g.marker)
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
