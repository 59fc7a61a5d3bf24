// Package paging is where messages are missing in the transcript. A conversation is shown from its end:
// what comes before is read, a page at a time, when the view comes near, and all of it by Home. A chat may
// be open for days: what is far above the view is unloaded, whole turns of it, and comes back as pages do.
// It promises that nothing that is in sight moves for it.
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

// Source is where pages are read.
type Source interface {
	// Earlier reads the page before one that was shown, by its Page.Earlier; or all there is.
	Earlier(ctx context.Context, before string, all bool) (session.Page, error)
	// Before is what Earlier brings the page by that ends before a turn of a conversation, by their ids;
	// without a turn, the one at the conversation's end. Empty: it cannot be read again.
	Before(conversation, turn string) string
}

// Transcript is the conversation whose items the list holds, and those above it.
type Transcript interface {
	// Items makes items of what was said.
	Items(history []session.HistoryItem) []list.Item
	// ID is that of the conversation at the end, Ended those of the ones above, by the items that say
	// that they ended.
	ID() string
	Ended() map[list.Item]string
	// Begins is told what stands above the first item of a conversation that is there to its beginning.
	Begins(at list.Item)
}

// Pages are the places in a list where messages are missing, from the top.
type Pages struct {
	ctx        context.Context
	env        *chat.Env
	list       *list.List
	source     Source
	transcript Transcript
	places     []*place
}

// New misses nothing yet. Without a source what is shown is all.
func New(ctx context.Context, env *chat.Env, l *list.List, s Source, t Transcript) *Pages {
	return &Pages{ctx: ctx, env: env, list: l, source: s, transcript: t}
}

// place is where messages are missing.
type place struct {
	marker *chat.Earlier
	segment
	gone    []segment // missing above that, the newest last
	reading bool
	failed  bool // it waits for the user to try again
	home    bool // the beginning is to be shown
}

// segment is a conversation, or its beginning, that is missing in the transcript.
type segment struct {
	before string      // what Source.Earlier brings the page by that ends it; empty: nothing is read
	above  list.Item   // what stands above its first item when nothing is missing; nil: nothing
	kept   []list.Item // its items, where they cannot be read: it never was recorded
}

// Begin puts above the items of a conversation what stands for those before them, which before brings;
// above is what stands above the first one when all of it is there.
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

// Reload is before the conversation is shown anew that begins below begin: its items go after the item
// after, and above stands above its first one.
func (p *Pages) Reload(begin list.Item) (after, above list.Item) {
	if begin == nil && len(p.places) > 0 { // it is the one that was there at the start
		above = p.places[0].above
	}
	after = begin
	for _, at := range p.places {
		if after != nil && at.above == after { // it was unloaded, with what is missing below it
			if above, after = at.above, nil; len(at.gone) > 0 {
				at.next()
				at.home, at.failed, after = false, false, at.marker
			}
			break
		}
	}
	return after, above
}

// Keep drops the places that are in the list no longer.
func (p *Pages) Keep() {
	p.places = slices.DeleteFunc(p.places, func(at *place) bool { return !p.list.Has(at.marker) })
}

// Scrolled is after the user moved the view, to the beginning or somewhere else.
func (p *Pages) Scrolled(home bool) {
	for i, at := range p.places {
		at.home, at.failed = home && i == 0, false // the first one stands above all others
	}
}

// Due reads what the view of some lines has come near to, or what it is to show.
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

// Gaps is the number of places.
func (p *Pages) Gaps() int { return len(p.places) }

func (p *Pages) at(marker list.Item) *place {
	i := slices.IndexFunc(p.places, func(at *place) bool { return list.Item(at.marker) == marker })
	if i < 0 {
		return nil
	}
	return p.places[i]
}

// Read reads a page of the messages that a marker stands for, also where that failed before; false: it
// stands for none.
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

// Reading says whether the messages that a marker stands for are being read, and whether that failed.
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
		if before != "" { // else only what stands above it is missing
			page, err = read(ctx, before, all)
		}
		return loop.Do(func() tea.Cmd {
			p.found(at, before, page, err)
			return nil
		})
	}
}

// found puts a page in its place, which comes before before.
func (p *Pages) found(at *place, before string, page session.Page, err error) {
	at.reading = false
	if !slices.Contains(p.places, at) || before != at.before {
		return // the conversation went back meanwhile, and is shown anew
	}
	if err != nil {
		at.home, at.failed = false, true
		if !errors.Is(err, context.Canceled) {
			p.list.Redraw(func() { at.marker.Fail(err.Error()) })
		}
		return
	}
	at.before = page.Earlier
	items, more := p.begun(at, p.transcript.Items(page.Items))
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

// begun puts above the items of a place where messages are missing what stands there, when the conversation
// is there to its beginning, and goes on to the one before it; more says that there is any.
func (p *Pages) begun(at *place, items []list.Item) (_ []list.Item, more bool) {
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

// next goes on to the conversation before.
func (at *place) next() {
	last := len(at.gone) - 1
	at.segment, at.gone = at.gone[last], at.gone[:last]
}

// The transcript holds so much before some of it is unloaded, and so much after that.
const (
	mostItems, keptItems = 1200, 600
	mostBytes, keptBytes = 32 << 20, 16 << 20
	// aboveView is how many items above what is in sight stay.
	aboveView = 200
)

// Unload removes of the list what is far above the view, where there is much of it.
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
	p.miss(items, from, to)
}

// gap is the part of the items that is unloaded: from the first turn, or place where messages are missing,
// up to a turn far above what is in sight, which begins with item top. from is to where there is none.
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

// turnAt is the turn that begins with an item; empty where none does, or it is not recorded.
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

// miss puts one place where messages are missing where the items from from up to to were.
func (p *Pages) miss(items []list.Item, from, to int) {
	gone, ok := p.segments(items, from, to)
	if !ok {
		return
	}
	last := len(gone) - 1
	at := &place{marker: chat.NewEarlier(p.env), segment: gone[last], gone: gone[:last:last]}
	p.places = slices.DeleteFunc(p.places, func(x *place) bool { return slices.Contains(items[from:to], list.Item(x.marker)) })
	above := 0 // pages above this one
	for above < len(p.places) && slices.Contains(items[:from], list.Item(p.places[above].marker)) {
		above++
	}
	p.places = slices.Insert(p.places, above, at)
	p.list.Unload(from, to, at.marker)
}

// segments are the conversations that the items from from up to to belong to, oldest first.
func (p *Pages) segments(items []list.Item, from, to int) (gone []segment, ok bool) {
	ended := p.transcript.Ended()
	var now segment
	began := from // where the items of now begin
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
			case i == began: // nothing was said in it
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
