// Package paging loads parts of the transcript on demand. A conversation is shown from its end: earlier messages are
// read a page at a time when the view comes near them, or all at once by Home. To bound memory in a long session,
// whole turns far above the view are unloaded and read again like pages. Neither moves the visible text.
package paging

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// Source reads pages.
type Source interface {
	// Earlier reads the page before the cursor in Page.Earlier, or everything before it.
	Earlier(ctx context.Context, before string, all bool) (session.Page, error)
	// Before returns the cursor for the page that ends before a turn, or at the end of the conversation if turn is
	// empty. It returns an empty string if the page cannot be read again.
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

// Pages holds the gaps in a list, from the top.
type Pages struct {
	ctx        context.Context
	env        *chat.Env
	list       *list.List
	source     Source
	transcript Transcript
	places     []*place
}

// New returns Pages without gaps. If the source is nil, nothing is loaded or unloaded.
func New(ctx context.Context, env *chat.Env, l *list.List, s Source, t Transcript) *Pages {
	return &Pages{ctx: ctx, env: env, list: l, source: s, transcript: t}
}

// place is a gap in the list.
type place struct {
	marker *chat.Earlier
	segment
	gone    []segment // further segments above, the newest last
	reading bool
	failed  bool // reading failed; it waits for the user to try again
	home    bool // the user asked for the beginning
}

// segment is a conversation, or the beginning of one, that is not loaded.
type segment struct {
	before string      // the cursor for Source.Earlier; empty if there is nothing to read
	above  list.Item   // the item above its first one once it is loaded; may be nil
	kept   []list.Item // its items if it was never recorded and so cannot be read
}

// Begin adds the gap for earlier messages above a conversation's items. before is the cursor of the page before them;
// above is the item to stand above the conversation's first one.
func (p *Pages) Begin(items []list.Item, before string, above list.Item) []list.Item {
	switch {
	case before != "" && p.source != nil:
		at := &place{marker: chat.NewEarlier(p.env), segment: segment{before: before, above: above}}
		p.places = append(p.places, at)
		return slices.Insert(items, 0, list.Item(at.marker))
	case above != nil:
		p.transcript.Begins(above)
		return slices.Insert(items, 0, above)
	}
	return items
}

// Reload is called before the conversation below begin is shown again. It returns the item after which its items go
// and the item to stand above its first one.
func (p *Pages) Reload(begin list.Item) (after, above list.Item) {
	if begin == nil && len(p.places) > 0 { // the conversation loaded at start
		above = p.places[0].above
	}
	after = begin
	for _, at := range p.places {
		if after != nil && at.above == after { // unloaded together with earlier ones
			if above, after = at.above, nil; len(at.gone) > 0 {
				at.next()
				at.home, at.failed, after = false, false, at.marker
			}
			break
		}
	}
	return after, above
}

// Keep drops the gaps whose markers left the list.
func (p *Pages) Keep() {
	p.places = slices.DeleteFunc(p.places, func(at *place) bool { return !p.list.Has(at.marker) })
}

// Scrolled is called after the user scrolled; home reports whether to the beginning.
func (p *Pages) Scrolled(home bool) {
	for i, at := range p.places {
		at.home, at.failed = home && i == 0, false // the first gap is above all others
	}
}

// Due returns a command that reads the gaps within the given number of lines of the view, or that Home asked for.
func (p *Pages) Due(lines int) tea.Cmd {
	near := 0
	if !p.list.Following() {
		near = lines
	}
	var cmds []tea.Cmd
	for _, at := range p.places {
		if !at.reading && !at.failed && (at.home || p.list.Near(at.marker, near)) {
			cmds = append(cmds, p.read(at, at.home))
		}
	}
	return tea.Batch(cmds...)
}

// Gaps returns the number of gaps.
func (p *Pages) Gaps() int { return len(p.places) }

func (p *Pages) at(marker list.Item) *place {
	i := slices.IndexFunc(p.places, func(at *place) bool { return list.Item(at.marker) == marker })
	if i < 0 {
		return nil
	}
	return p.places[i]
}

// Read reads a page of a marker's gap, even after a failure; known is false if the marker has no gap.
func (p *Pages) Read(marker list.Item) (cmd tea.Cmd, known bool) {
	at := p.at(marker)
	if at == nil {
		return nil, false
	}
	if at.failed = false; at.reading {
		return nil, true
	}
	return p.read(at, false), true
}

// Reading reports whether a marker's gap is being read and whether reading it failed.
func (p *Pages) Reading(marker list.Item) (reading, failed bool) {
	at := p.at(marker)
	return at != nil && at.reading, at != nil && at.failed
}

func (p *Pages) read(at *place, all bool) tea.Cmd {
	at.reading = true
	at.marker.Reading()
	ctx, read, before := p.ctx, p.source.Earlier, at.before
	return func() tea.Msg {
		var page session.Page
		var err error
		if before != "" { // otherwise only the item above is missing
			page, err = read(ctx, before, all)
		}
		return loop.Do(func() tea.Cmd {
			p.found(at, before, page, err)
			return nil
		})
	}
}

// found inserts a page that was read by the cursor before.
func (p *Pages) found(at *place, before string, page session.Page, err error) {
	at.reading = false
	if !slices.Contains(p.places, at) || before != at.before {
		return // the conversation was reloaded in the meantime
	}
	if err != nil {
		at.home, at.failed = false, true
		if !errors.Is(err, context.Canceled) {
			p.list.Redraw(func() { at.marker.Fail(err.Error()) })
		}
		return
	}
	at.before = page.Earlier
	items, more := p.completeGap(at, p.transcript.Items(page.Items))
	if more {
		at.marker.Rest()
	} else {
		p.places = slices.DeleteFunc(p.places, func(o *place) bool { return o == at })
	}
	p.list.Earlier(at.marker, more, items...)
	if at.home && !more {
		p.list.Home()
	}
}

// completeGap completes a gap's conversation if it is loaded to its beginning: it inserts the item above it and moves
// on to the conversation before. more reports whether there is one.
func (p *Pages) completeGap(at *place, items []list.Item) (_ []list.Item, more bool) {
	for at.before == "" {
		if at.above != nil {
			items = slices.Insert(items, 0, at.above)
			p.transcript.Begins(at.above)
		}
		if len(at.gone) == 0 {
			return items, false
		}
		at.next()
		items = slices.Insert(items, 0, at.kept...)
		at.kept = nil
	}
	return items, true
}

// next moves on to the previous conversation.
func (at *place) next() {
	last := len(at.gone) - 1
	at.segment, at.gone = at.gone[last], at.gone[:last]
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
	if p.source == nil {
		return
	}
	items, bytes := make([]list.Item, 0, p.list.Len()), 0
	p.list.Each(func(it list.Item) {
		items = append(items, it)
		bytes += sizeOf(it)
	})
	if len(items) <= mostItems && bytes <= mostBytes {
		return
	}
	from, to := gap(items, p.list.Top())
	if to-from <= 1 {
		return
	}
	p.unloadRange(items, from, to)
}

// gap returns the range of items to unload: from the first turn or gap up to the start of a turn far above item top,
// the first visible one. from equals to if there is none.
func gap(items []list.Item, top int) (from, to int) {
	i := len(items)
	for n, bytes := 0, 0; i > 0 && n < keptItems && bytes < keptBytes; n++ {
		i--
		bytes += sizeOf(items[i])
	}
	for i = min(i, top-aboveView); i > 0 && turnAt(items[i]) == ""; i-- {
	}
	if i <= 0 {
		return 0, 0
	}
	for from < i && turnAt(items[from]) == "" && !chat.IsEarlier(items[from]) {
		from++
	}
	return from, i
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

// unloadRange replaces the items [from, to) by a single gap.
func (p *Pages) unloadRange(items []list.Item, from, to int) {
	gone, ok := p.segments(items, from, to)
	if !ok {
		return
	}
	last := len(gone) - 1
	at := &place{marker: chat.NewEarlier(p.env), segment: gone[last], gone: gone[:last:last]}
	p.places = slices.DeleteFunc(p.places, func(x *place) bool { return slices.Contains(items[from:to], list.Item(x.marker)) })
	above := 0 // number of gaps above this one
	for above < len(p.places) && slices.Contains(items[:from], list.Item(p.places[above].marker)) {
		above++
	}
	p.places = slices.Insert(p.places, above, at)
	p.list.Unload(from, to, at.marker)
}

// segments returns the conversations of the items [from, to), oldest first.
func (p *Pages) segments(items []list.Item, from, to int) (gone []segment, ok bool) {
	ended := p.transcript.Ended()
	var now segment
	began := from // where the current segment's items begin
	for i := from; i < to; i++ {
		switch it := items[i].(type) {
		case *chat.Earlier:
			n := slices.IndexFunc(p.places, func(x *place) bool { return x.marker == it })
			if n < 0 || p.places[n].reading || i > began {
				return nil, false
			}
			x := p.places[n]
			if len(x.gone) > 0 || x.above != nil {
				if len(gone) > 0 || now.above != nil {
					return nil, false
				}
				gone, now.above = slices.Clone(x.gone), x.above
			}
		case *chat.Boundary:
			switch id := ended[it]; {
			case i == began: // an empty conversation
			case id != "":
				now.before = p.source.Before(id, "")
			case slices.ContainsFunc(items[began:i], chat.IsEarlier):
				return nil, false
			default:
				now.kept = slices.Clone(items[began:i])
			}
			gone = append(gone, now)
			now, began = segment{above: it}, i+1
		}
	}
	if began < to {
		id := p.transcript.ID()
		for _, it := range items[to:] {
			if b, is := it.(*chat.Boundary); is {
				id = ended[b]
				break
			}
		}
		if id == "" {
			return nil, false
		}
		now.before = p.source.Before(id, turnAt(items[to]))
	}
	return append(gone, now), true
}
