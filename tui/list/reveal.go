package list

import "slices"

// Next is the item that ok likes and that comes after it, before it where n is negative; from the
// end, or the beginning, where it is nil. Items without lines are passed over. nil: there is none.
func (l *List) Next(it Item, n int, ok func(Item) bool) Item {
	i, step := slices.Index(l.items, it), 1
	if n < 0 {
		step = -1
	}
	if it == nil && n < 0 {
		i = len(l.items)
	}
	if it != nil && i < 0 {
		return nil
	}
	for i += step; i >= 0 && i < len(l.items); i += step {
		if ok(l.items[i]) && len(l.items[i].Lines(l.width)) > 0 {
			return l.items[i]
		}
	}
	return nil
}

// Last is the last item that has lines; nil where there is none.
func (l *List) Last() Item { return l.Next(nil, -1, func(Item) bool { return true }) }

// Has says whether the item is there and has lines.
func (l *List) Has(it Item) bool {
	return it != nil && slices.Index(l.items, it) >= 0 && len(it.Lines(l.width)) > 0
}

// Width is what items are drawn for, in cells.
func (l *List) Width() int { return l.width }

// Reveal brings lines of an item into sight, from row from up to row to, and moves the view no
// further than that takes. Of more lines than there is room for the first are shown, unless they
// fill the view already. The view follows the end no longer, unless all is in sight. It costs the
// same however far away the item is.
func (l *List) Reveal(it Item, from, to int) {
	i := slices.Index(l.items, it)
	if i < 0 || l.height == 0 {
		return
	}
	l.held = anchor{}
	l.unfollow()
	if l.follow {
		return // everything is in sight
	}
	gap := l.gapAbove(i)
	from, to = gap+from, gap+to // of the item with the gap above it
	switch row, known := l.rowOf(i); {
	case known && row+from >= 0 && row+to <= l.height, known && row+from <= 0 && row+to >= l.height:
		return
	case i < l.top, i == l.top && from < l.offset, to-from > l.height:
		l.top, l.offset = i, from
	default: // row to is the first below the view
		room := l.height - to
		for ; room > 0 && i > 0; room -= l.size(i) {
			i--
		}
		l.top, l.offset = i, max(-room, 0)
	}
	l.clamp()
}

// rowOf is the row of the view at which an item, with the gap above it, begins; known only where
// it is not far below, and not above.
func (l *List) rowOf(i int) (row int, known bool) {
	row = -l.offset
	for j := l.top; j < len(l.items) && row < l.height; j++ {
		if j == i {
			return row, true
		}
		row += l.size(j)
	}
	return 0, false
}

// Place is where an item is in what is in sight: its rows from and up to, without, to. Both are
// 0 where it is out of sight.
func (l *List) Place(it Item) (from, to int) {
	l.InSight(func(s Sight) {
		if s.Item == it {
			from, to = s.From, s.To
		}
	})
	return from, to
}

// Follow follows the end again where it is in sight.
func (l *List) Follow() {
	if !l.follow && l.atEnd() {
		l.End()
	}
}

// Sight is an item in sight: its lines from First on stand in the rows of the view from From up to,
// without, To.
type Sight struct {
	Item     Item
	From, To int
	First    int
}

// InSight calls do for every item of which lines are in sight, from the top.
func (l *List) InSight(do func(Sight)) {
	top, offset := l.first()
	row := -offset
	for i := top; i < len(l.items) && row < l.height; i++ {
		n := len(l.items[i].Lines(l.width))
		if n == 0 {
			continue
		}
		row += l.gapAbove(i)
		if from, to := max(row, 0), min(row+n, l.height); from < to {
			do(Sight{l.items[i], from, to, from - row})
		}
		row += n
	}
}

// At is the item a row of the view shows, and which of its lines, from 0; nil: none.
func (l *List) At(row int) (it Item, line int) {
	l.InSight(func(s Sight) {
		if row >= s.From && row < s.To {
			it, line = s.Item, s.First+row-s.From
		}
	})
	return it, line
}
