package list

import "slices"

// InsertBefore puts items before one that is there, at the end where it is not. What is in sight
// stays, or the end does.
func (l *List) InsertBefore(at Item, items ...Item) {
	i := l.index(at)
	if i < 0 {
		l.Append(items...)
		return
	}
	l.Redraw(func() {
		l.items = slices.Insert(l.items, i, items...)
		if i < l.seen {
			l.seen += len(items)
		}
	})
}

// ReplaceAfter puts items in the place of all that come after one that is there, of all there are
// where it is not, and shows the end.
func (l *List) ReplaceAfter(at Item, items ...Item) {
	keep := l.index(at) + 1
	clear(l.items[keep:])
	l.items = append(l.items[:keep], items...)
	l.End()
}

// index is the place of an item, -1 where it is not there.
func (l *List) index(at Item) int {
	for i := len(l.items) - 1; i >= 0; i-- { // it is near the end
		if l.items[i] == at {
			return i
		}
	}
	return -1
}
