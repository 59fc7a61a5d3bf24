package tui

import (
	"slices"

	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// A chat may be open for days. What is far above the view is let go of, whole turns of it, and comes
// back as the pages of a conversation do: when the view comes near, by Home, or to be looked through.

// The transcript holds so much before some of it is let go of, and so much after that.
const (
	mostItems, keptItems = 1200, 600
	mostBytes, keptBytes = 32 << 20, 16 << 20
	// aboveView is how many items above what is in sight stay.
	aboveView = 200
)

// segment is a conversation, or its beginning, that is missing in the transcript.
type segment struct {
	before string      // what Options.Earlier brings the page by that ends it; empty: nothing is read
	above  list.Item   // what stands above its first item when nothing is missing; nil: nothing
	kept   []list.Item // its items, where they cannot be read: it never was recorded
}

// unload lets go of what is far above the view, where there is much of it.
func (m *Model) unload() {
	if m.o.Before == nil || m.o.Earlier == nil || m.selection.Active() || m.find.Active() {
		return
	}
	items, bytes := make([]list.Item, 0, m.list.Len()), 0
	m.list.Each(func(it list.Item) {
		items = append(items, it)
		bytes += sizeOf(it)
	})
	if len(items) <= mostItems && bytes <= mostBytes {
		return
	}
	from, to := gap(items, m.list.Top())
	if to-from <= 1 {
		return
	}
	m.miss(items, from, to)
}

// gap is the part of the items that is let go of: from the first turn, or place where messages are missing,
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
func (m *Model) miss(items []list.Item, from, to int) {
	gone, ok := m.segments(items, from, to)
	if !ok {
		return
	}
	last := len(gone) - 1
	at := &paging{marker: chat.NewEarlier(m.env), segment: gone[last], gone: gone[:last:last]}
	m.pages = slices.DeleteFunc(m.pages, func(p *paging) bool { return slices.Contains(items[from:to], list.Item(p.marker)) })
	above := 0 // pages above this one
	for above < len(m.pages) && slices.Contains(items[:from], list.Item(m.pages[above].marker)) {
		above++
	}
	m.pages = slices.Insert(m.pages, above, at)
	for _, it := range items[from:to] {
		m.printed.Forget(it)
	}
	m.list.Unload(from, to, at.marker)
}

// segments are the conversations that the items from from up to to belong to, oldest first.
func (m *Model) segments(items []list.Item, from, to int) (gone []segment, ok bool) {
	ended := make(map[list.Item]string, len(m.talk.boundaries))
	for id, b := range m.talk.boundaries {
		ended[b] = id
	}
	var now segment
	began := from // where the items of now begin
	for i := from; i < to; i++ {
		switch it := items[i].(type) {
		case *chat.Earlier:
			n := slices.IndexFunc(m.pages, func(p *paging) bool { return p.marker == it })
			if n < 0 || m.pages[n].reading || i > began {
				return nil, false
			}
			p := m.pages[n]
			if len(p.gone) > 0 || p.above != nil {
				if len(gone) > 0 || now.above != nil {
					return nil, false
				}
				gone, now.above = slices.Clone(p.gone), p.above
			}
		case *chat.Boundary:
			switch id := ended[it]; {
			case i == began: // nothing was said in it
			case id != "":
				now.before = m.o.Before(id, "")
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
		id := m.talk.id
		for _, it := range items[to:] {
			if b, is := it.(*chat.Boundary); is {
				id = ended[b]
				break
			}
		}
		if id == "" {
			return nil, false
		}
		now.before = m.o.Before(id, turnAt(items[to]))
	}
	return append(gone, now), true
}

// begun puts above the items of a place where messages are missing what stands there, when the conversation
// is there to its beginning, and goes on to the one before it; more says that there is any.
func (m *Model) begun(at *paging, items []list.Item) (_ []list.Item, more bool) {
	for at.before == "" {
		if at.above != nil {
			items = slices.Insert(items, 0, at.above)
			if m.talk.begin == nil {
				m.talk.begin = at.above
			}
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
func (at *paging) next() {
	last := len(at.gone) - 1
	at.segment, at.gone = at.gone[last], at.gone[:last]
}
