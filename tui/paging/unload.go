package paging

import (
	"slices"

	"chatvault/tui/chat"
	"chatvault/tui/list"
)

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
	p.transcript.Unloaded(items[from:to])
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
