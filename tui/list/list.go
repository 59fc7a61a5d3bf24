// Package list is a scrolling column of items of which only those in sight are
// drawn. It promises that a frame costs the same however many items there are,
// that scrolling up stops following and nothing that arrives moves what is being
// read, that a new size keeps the line at the top in place, and that it never
// shows more lines than its height.
package list

import "slices"

// Item is something with lines. An item caches what it drew; the list asks again
// for every frame it is in sight. An item without lines takes no room. Items are pointers:
// the list tells them apart by identity.
type Item interface {
	// Lines draws the item for a width in cells; each line fits it and is
	// complete in itself. The list does not change the slice.
	Lines(width int) []string
}

// List is the column. The zero value is not usable: New makes one.
type List struct {
	items         []Item
	gap           func(above, below Item) int
	width, height int

	follow bool
	// top and offset say which line is the first in sight, when not following:
	// line offset of item top, the gap above the item counted first.
	top, offset int
	seen        int    // items there when following stopped
	held        anchor // kept until the view is moved on purpose
}

// New makes an empty list that follows its end. gap gives the empty lines between
// two items.
func New(gap func(above, below Item) int) *List {
	return &List{gap: gap, follow: true}
}

// SetSize sets the size in cells. The line at the top stays there.
func (l *List) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width == l.width && height == l.height {
		return
	}
	l.hold()
	l.width, l.height = width, height
	l.restore()
	l.clamp()
}

// Append adds an item at the end.
func (l *List) Append(items ...Item) { l.items = append(l.items, items...) }

// Len is the number of items.
func (l *List) Len() int { return len(l.items) }

// Following says that the end stays in sight as items arrive.
func (l *List) Following() bool { return l.follow }

// Below says how many items arrived below what is in sight since following
// stopped, and whether there is anything at all below.
func (l *List) Below() (items int, more bool) {
	if l.follow {
		return 0, false
	}
	for _, it := range l.items[min(l.seen, len(l.items)):] {
		if len(it.Lines(l.width)) > 0 {
			items++
		}
	}
	return items, !l.atEnd()
}

// ScrollUp moves the view up by n lines and stops following, unless everything
// is in sight already.
func (l *List) ScrollUp(n int) {
	l.held = anchor{}
	l.unfollow()
	if l.follow {
		return
	}
	l.back(n)
}

// ScrollDown moves the view down by n lines; at the end it follows again.
func (l *List) ScrollDown(n int) {
	if l.follow {
		return
	}
	l.held = anchor{}
	l.forward(n)
	l.clamp()
	if l.atEnd() {
		l.follow = true
	}
}

// Page is how far a page key scrolls: a screen less two lines of context.
func (l *List) Page() int { return max(l.height-2, 1) }

// Home shows the beginning.
func (l *List) Home() {
	l.held = anchor{}
	l.unfollow()
	if !l.follow {
		l.top, l.offset = 0, 0
	}
}

// End shows the end and follows it.
func (l *List) End() {
	l.held = anchor{}
	l.follow = true
}

// Lines draws what is in sight: at most the height, fewer when there is less.
func (l *List) Lines() []string {
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

// size is an item's lines with the gap above it.
func (l *List) size(i int) int {
	n := len(l.items[i].Lines(l.width))
	if n == 0 {
		return 0
	}
	return n + l.gapAbove(i)
}

// gapAbove looks past items that take no room.
func (l *List) gapAbove(i int) int {
	for j := i - 1; j >= 0; j-- {
		if len(l.items[j].Lines(l.width)) > 0 {
			return l.gap(l.items[j], l.items[i])
		}
	}
	return 0
}

// first gives the first line in sight.
func (l *List) first() (top, offset int) {
	if !l.follow {
		return l.top, l.offset
	}
	return l.last()
}

// last gives the first line of the view that ends at the end.
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

// unfollow stops following where the view is now; it goes on when all is in sight.
func (l *List) unfollow() {
	if !l.follow {
		return
	}
	top, offset := l.last()
	if top == 0 && offset == 0 {
		return
	}
	l.follow, l.top, l.offset, l.seen = false, top, offset, len(l.items)
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
			return // clamp finds the place
		}
		l.top++
		l.offset = 0
	}
}

// clamp keeps the view from showing less than it could.
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

// InsertBefore puts items before one that is there, at the end where it is not. What is in sight
// stays, or the end does.
func (l *List) InsertBefore(at Item, items ...Item) {
	i := slices.Index(l.items, at)
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
	keep := slices.Index(l.items, at) + 1
	clear(l.items[keep:])
	l.items = append(l.items[:keep], items...)
	l.End()
}
