// Package list implements a scrolling column of items that draws only the visible ones. A frame costs the same
// however many items there are; scrolling up stops following the end, and new items do not move the text being read;
// a new size keeps the top line in place; and the list never draws more lines than its height.
package list

import "slices"

// Item is an entry with lines. It should cache its drawing, since the list asks for every frame in which it is
// visible. An item without lines takes no space. Items are pointers, compared by identity.
type Item interface {
	// Lines draws the item for a width in cells. Each line fits the width and is complete in itself. The list does
	// not modify the slice.
	Lines(width int) []string
}

// List is the column. Use New to create one.
type List struct {
	items         []Item
	gap           func(above, below Item) int
	width, height int

	follow bool
	// While not following, the first visible line is line offset of item top, counting the gap above the item first.
	top, offset int
	saved       anchor // kept until the view is scrolled
	held        Item   // stays in view from its first line while following; may be nil
}

// New returns an empty list that follows its end. gap returns the number of empty lines between two items.
func New(gap func(above, below Item) int) *List {
	return &List{gap: gap, follow: true}
}

// SetSize sets the size in cells and keeps the top line in place.
func (l *List) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width == l.width && height == l.height {
		return
	}
	l.saveAnchor()
	l.width, l.height = width, height
	l.restoreAnchor()
	l.clamp()
}

// Append adds items at the end.
func (l *List) Append(items ...Item) { l.items = append(l.items, items...) }

// Len returns the number of items.
func (l *List) Len() int { return len(l.items) }

// Following reports whether new items scroll the view to the end.
func (l *List) Following() bool { return l.follow }

// Hold makes the list stop following its end while an item is higher than the view, at its first line, so that a
// growing item can be read from its beginning. It holds until the view is scrolled.
func (l *List) Hold(it Item) { l.held = it }

// hold stops following at the held item, or follows again where all of it fits.
func (l *List) hold() {
	if l.held == nil {
		return
	}
	i := len(l.items) - 1
	for i >= 0 && l.items[i] != l.held {
		i--
	}
	switch {
	case i < 0:
	case !l.follow:
		l.follow = l.atEnd()
	case len(l.items[i].Lines(l.width)) > l.height:
		l.follow, l.top, l.offset = false, i, l.gapAbove(i)
	}
}

// moved is called when the view is scrolled.
func (l *List) moved() { l.saved, l.held = anchor{}, nil }

// Below reports whether there is anything below the view.
func (l *List) Below() bool {
	l.hold()
	return !l.follow && !l.atEnd()
}

// ScrollUp moves the view up by n lines and stops following, unless all items are visible.
func (l *List) ScrollUp(n int) {
	l.moved()
	l.unfollow()
	if l.follow {
		return
	}
	l.back(n)
}

// ScrollDown moves the view down by n lines and follows again at the end.
func (l *List) ScrollDown(n int) {
	if l.follow {
		return
	}
	l.moved()
	l.forward(n)
	l.clamp()
	if l.atEnd() {
		l.follow = true
	}
}

// Page returns how far a page key scrolls: the height less two lines of context.
func (l *List) Page() int { return max(l.height-2, 1) }

// Home scrolls to the beginning.
func (l *List) Home() {
	l.moved()
	l.unfollow()
	if !l.follow {
		l.top, l.offset = 0, 0
	}
}

// End scrolls to the end and follows it.
func (l *List) End() {
	l.moved()
	l.follow = true
}

// Lines draws the visible lines, at most the list's height.
func (l *List) Lines() []string {
	l.hold()
	l.clamp() // an item may have become shorter
	out := make([]string, 0, l.height)
	top, skip := l.first()
	for i := top; i < len(l.items) && len(out) < l.height; i++ {
		lines := l.items[i].Lines(l.width)
		if len(lines) == 0 {
			continue
		}
		for range l.gapAbove(i) {
			if skip > 0 {
				skip--
			} else if len(out) < l.height {
				out = append(out, "")
			}
		}
		from := min(skip, len(lines))
		skip -= from
		out = append(out, lines[from:min(len(lines), from+l.height-len(out))]...)
	}
	return out
}

// size returns the number of lines of an item and the gap above it.
func (l *List) size(i int) int {
	n := len(l.items[i].Lines(l.width))
	if n == 0 {
		return 0
	}
	return n + l.gapAbove(i)
}

// gapAbove returns the gap above an item, ignoring empty items.
func (l *List) gapAbove(i int) int {
	for j := i - 1; j >= 0; j-- {
		if len(l.items[j].Lines(l.width)) > 0 {
			return l.gap(l.items[j], l.items[i])
		}
	}
	return 0
}

// first returns the first visible line.
func (l *List) first() (top, offset int) {
	if !l.follow {
		return l.top, l.offset
	}
	return l.last()
}

// last returns the first line of the view at the end.
func (l *List) last() (top, offset int) {
	room := l.height
	for i := len(l.items) - 1; i >= 0; i-- {
		n := l.size(i)
		if n >= room {
			return i, n - room
		}
		room -= n
	}
	return 0, 0
}

// unfollow stops following at the current view. It has no effect if all items are visible.
func (l *List) unfollow() {
	if !l.follow {
		return
	}
	top, offset := l.last()
	if top == 0 && offset == 0 {
		return
	}
	l.follow, l.top, l.offset = false, top, offset
}

func (l *List) back(n int) {
	for n > 0 {
		if l.offset >= n {
			l.offset -= n
			return
		}
		n -= l.offset
		if l.top == 0 {
			l.offset = 0
			return
		}
		l.top--
		l.offset = l.size(l.top)
	}
}

func (l *List) forward(n int) {
	for n > 0 && l.top < len(l.items) {
		left := l.size(l.top) - l.offset
		if n < left {
			l.offset += n
			return
		}
		n -= max(left, 0)
		if l.top == len(l.items)-1 {
			return // clamp picks a position
		}
		l.top++
		l.offset = 0
	}
}

// clamp prevents empty space below the last item.
func (l *List) clamp() {
	if l.follow {
		return
	}
	l.top = min(l.top, max(len(l.items)-1, 0))
	top, offset := l.last()
	if l.top > top || l.top == top && l.offset > offset || l.top == len(l.items)-1 && l.offset >= l.size(l.top) {
		l.top, l.offset = top, offset
	}
}

func (l *List) atEnd() bool {
	top, offset := l.last()
	return l.top > top || l.top == top && l.offset >= offset
}

// Each calls do for every item, from the top.
func (l *List) Each(do func(Item)) {
	for _, it := range l.items {
		do(it)
	}
}

// InsertBefore inserts items before at, or at the end if at is missing. The view does not move, unless it follows the
// end.
func (l *List) InsertBefore(at Item, items ...Item) {
	i := slices.Index(l.items, at)
	if i < 0 {
		l.Append(items...)
		return
	}
	l.Redraw(func() { l.items = slices.Insert(l.items, i, items...) })
}

// ReplaceAfter replaces all items after at, or all items if at is missing, and scrolls to the end.
func (l *List) ReplaceAfter(at Item, items ...Item) {
	keep := slices.Index(l.items, at) + 1
	clear(l.items[keep:])
	l.items = append(l.items[:keep], items...)
	l.End()
}
