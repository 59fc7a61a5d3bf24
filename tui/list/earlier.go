package list

import "slices"

// Earlier inserts items in place of the marker that stands for them, or after it if the marker stays. Items below
// keep their place on the screen.
func (l *List) Earlier(marker Item, stays bool, items ...Item) {
	i := slices.Index(l.items, marker)
	if i < 0 {
		return
	}
	l.saved = anchor{}
	below := i + 1
	from, n := i, len(items)-1
	if stays {
		from, n = below, len(items)
	}
	first := below // the first non-empty item below the marker
	for first < len(l.items) && len(l.items[first].Lines(l.width)) == 0 {
		first++
	}
	// lines is the distance from the top of the view to its first line; negative if that is above the view.
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

// NearTop reports whether the first item is visible or at most n lines above the view.
func (l *List) NearTop(n int) bool {
	top, offset := l.first()
	for n -= offset; top > 0 && n > 0; {
		top--
		n -= l.size(top)
	}
	return top == 0
}

// Top returns the index of the first visible item.
func (l *List) Top() int {
	top, _ := l.first()
	return top
}

// ReplaceTop replaces the first n items, which must be above the view, without moving the view.
func (l *List) ReplaceTop(n int, items ...Item) {
	l.items = slices.Replace(l.items, 0, n, items...)
	if !l.follow {
		l.top += len(items) - n
	}
}
