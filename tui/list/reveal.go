package list

import "slices"

// Next returns the next item after it that satisfies ok, or the previous one if n is negative. If it is nil, the
// search starts at the beginning, or at the end. Empty items are skipped. It returns nil if there is none.
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

// Last returns the last non-empty item, or nil.
func (l *List) Last() Item { return l.Next(nil, -1, func(Item) bool { return true }) }

// Has reports whether the list contains the item and the item is not empty.
func (l *List) Has(it Item) bool {
	return it != nil && slices.Index(l.items, it) >= 0 && len(it.Lines(l.width)) > 0
}

// Width returns the width of items, in cells.
func (l *List) Width() int { return l.width }

// Reveal scrolls the rows [from, to) of an item into view by the shortest distance. If they do not fit, the first are
// shown, unless they already fill the view. The list stops following the end unless all items are visible. The cost
// does not depend on the distance.
func (l *List) Reveal(it Item, from, to int) {
	i := slices.Index(l.items, it)
	if i < 0 || l.height == 0 {
		return
	}
	l.moved()
	l.unfollow()
	if l.follow {
		return // all items are visible
	}
	visible := false
	l.InSight(func(s Sight) {
		end := s.First + s.To - s.From
		visible = visible || s.Item == it && (s.First <= from && to <= end || from <= s.First && end <= to && s.To-s.From == l.height)
	})
	gap := l.gapAbove(i)
	switch from, to = gap+from, gap+to; { // relative to the gap above the item
	case visible:
		return
	case i < l.top, i == l.top && from < l.offset, to-from > l.height:
		l.top, l.offset = i, from
	default: // row to is below the view
		room := l.height - to
		for ; room > 0 && i > 0; room -= l.size(i) {
			i--
		}
		l.top, l.offset = i, max(-room, 0)
	}
	l.clamp()
}

// Place returns the rows [from, to) of the view that an item occupies; both are 0 if it is not visible.
func (l *List) Place(it Item) (from, to int) {
	l.InSight(func(s Sight) {
		if s.Item == it {
			from, to = s.From, s.To
		}
	})
	return from, to
}

// Follow follows the end again if it is visible.
func (l *List) Follow() {
	if !l.follow && l.atEnd() {
		l.End()
	}
}

// Sight is a visible item: its lines starting at First occupy the rows [From, To) of the view.
type Sight struct {
	Item     Item
	From, To int
	First    int
}

// InSight calls do for each visible item, from the top.
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

// At returns the item at a row of the view and the index of its line; nil if there is none.
func (l *List) At(row int) (it Item, line int) {
	l.InSight(func(s Sight) {
		if row >= s.From && row < s.To {
			it, line = s.Item, s.First+row-s.From
		}
	})
	return it, line
}
