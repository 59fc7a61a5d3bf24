package list

import (
	"slices"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// anchor is a position in an item that survives redrawing at another width or in another form: the number of letters
// and digits before it. Wrapping, rules, borders and bullets depend on the width; letters do not.
type anchor struct {
	item    Item
	letters int
	above   int // lines without letters, or of the gap, between the position and the next letter
}

// saveAnchor saves the position of the first visible line unless one is already saved, so that rounding does not
// accumulate over a series of size changes.
func (l *List) saveAnchor() {
	if l.follow || l.saved.item != nil || l.width == 0 || l.top >= len(l.items) {
		return
	}
	it := l.items[l.top]
	lines := it.Lines(l.width)
	line := l.offset - l.gapAbove(l.top)
	a := anchor{item: it}
	if line < 0 {
		a.above, line = -line, 0
	}
	for _, s := range lines[:min(line, len(lines))] {
		a.letters += letters(s)
	}
	for ; line < len(lines) && letters(lines[line]) == 0; line++ {
		a.above++
	}
	l.saved = a
}

// restoreAnchor scrolls the saved position to the top.
func (l *List) restoreAnchor() {
	if l.follow || l.saved.item == nil {
		return
	}
	if l.top = slices.Index(l.items, l.saved.item); l.top < 0 {
		l.saved, l.top = anchor{}, len(l.items)
		return // clamp picks a position
	}
	lines := l.items[l.top].Lines(l.width)
	before, line := 0, 0
	for ; line < len(lines); line++ {
		n := letters(lines[line])
		if n > 0 && before+n > l.saved.letters {
			break
		}
		before += n
	}
	gap, bare := l.gapAbove(l.top), 0
	for bare < line && letters(lines[line-1-bare]) == 0 {
		bare++
	}
	if bare == line {
		bare += gap
	}
	l.offset = gap + line - min(l.saved.above, bare)
}

// Redraw calls do, which changes how items are drawn, and keeps the visible text in place.
func (l *List) Redraw(do func()) {
	l.saveAnchor()
	do()
	l.restoreAnchor()
	l.clamp()
}

// letters returns the number of letters and digits in a drawn line.
func letters(line string) int {
	n := 0
	for _, r := range ansi.Strip(line) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// Earlier inserts items in place of the marker that stands for them, or after it if the marker stays. Items below
// keep their place on the screen.
func (l *List) Earlier(marker Item, stays bool, items ...Item) {
	i := slices.Index(l.items, marker)
	if i < 0 {
		return
	}
	var seen Sight // the last visible item or, if that is the marker, the one below it
	if l.InSight(func(s Sight) { seen = s }); seen.Item == marker {
		seen = Sight{Item: l.Next(marker, 1, func(Item) bool { return true }), From: l.height}
	}
	if stays {
		items = append([]Item{marker}, items...)
	}
	l.items = slices.Replace(l.items, i, i+1, items...)
	if l.saved = (anchor{}); l.follow || seen.Item == nil {
		return
	}
	l.top = slices.Index(l.items, seen.Item)
	l.offset = l.gapAbove(l.top) + seen.First
	l.back(seen.From)
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

// ReplaceTop replaces the first n items, which must be above the view, without moving the view.
func (l *List) ReplaceTop(n int, items ...Item) {
	l.Redraw(func() { l.items = slices.Replace(l.items, 0, n, items...) })
}
