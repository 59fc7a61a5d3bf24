package list

import "slices"

// Earlier puts items below one that marks where they are missing, in the place of the marker
// unless it stays: the items that come before what is below it. What is below stays where it is
// on the screen.
func (l *List) Earlier(marker Item, stays bool, items ...Item) {
	i := slices.Index(l.items, marker)
	if i < 0 {
		return
	}
	l.held = anchor{}
	below := i + 1
	from, n := i, len(items)-1
	if stays {
		from, n = below, len(items)
	}
	first := below // of what is below the marker and takes room
	for first < len(l.items) && len(l.items[first].Lines(l.width)) == 0 {
		first++
	}
	// Its first line is so many lines below the top of the view; above the top where that is negative.
	moves, lines := !l.follow && l.top <= first && first < len(l.items), 0
	if moves {
		lines = l.gapAbove(first) - l.offset
		for j := l.top; j < first; j++ {
			lines += l.size(j)
		}
	}
	l.items = slices.Replace(l.items, from, below, items...)
	if l.follow {
		return
	}
	l.top = max(l.top+n, 0)
	l.seen = max(l.seen+n, 0)
	if moves {
		l.top, l.offset = first+n, l.gapAbove(first+n)
		if lines < 0 {
			l.offset -= lines
		} else {
			l.back(lines)
		}
	}
	l.clamp()
}

// Near says whether an item is in sight, or at most n lines above what is.
func (l *List) Near(it Item, n int) bool {
	i := slices.Index(l.items, it)
	if i < 0 {
		return false
	}
	top, offset := l.first()
	if i >= top {
		for room := l.height + offset; top < i && room > 0; top++ {
			room -= l.size(top)
			if room <= 0 {
				return false
			}
		}
		return true
	}
	for n -= offset; top > i && n > 0; {
		top--
		n -= l.size(top)
	}
	return top == i
}

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
