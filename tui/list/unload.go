package list

import "slices"

// Top is the place of the first item in sight.
func (l *List) Top() int {
	top, _ := l.first()
	return top
}

// Unload puts items in the place of those from place from up to, without, to, which are above what is in sight;
// that stays.
func (l *List) Unload(from, to int, items ...Item) {
	n := to - from - len(items)
	l.items = slices.Replace(l.items, from, to, items...)
	if !l.follow {
		l.top, l.seen = l.top-n, max(l.seen-n, 0)
	}
}
