package list

import (
	"slices"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// anchor is a place in an item that stays the same when the item is drawn anew, at another
// width or in another form: how many letters and digits stand before it. Wrapping, rules,
// borders and bullets change with the width; the letters do not.
type anchor struct {
	item    Item
	letters int
	above   int // lines without letters, or of the gap, between the place and the letter after it
}

// hold notes the place of the first line in sight, unless it is noted already: going from
// size to size, what is read stays, however far each rounds.
func (l *List) hold() {
	if l.follow || l.held.item != nil || l.width == 0 || l.top >= len(l.items) {
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
	l.held = a
}

// restore brings the noted place to the top again.
func (l *List) restore() {
	if l.follow || l.held.item == nil {
		return
	}
	if l.top = slices.Index(l.items, l.held.item); l.top < 0 {
		l.held, l.top = anchor{}, len(l.items)
		return // clamp finds a place
	}
	lines := l.items[l.top].Lines(l.width)
	before, line := 0, 0
	for ; line < len(lines); line++ {
		n := letters(lines[line])
		if n > 0 && before+n > l.held.letters {
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
	l.offset = gap + line - min(l.held.above, bare)
}

// Redraw keeps what is in sight in its place while do changes how items are drawn.
func (l *List) Redraw(do func()) {
	l.hold()
	do()
	l.restore()
	l.clamp()
}

// letters counts the letters and digits of a drawn line.
func letters(line string) int {
	n := 0
	for _, r := range ansi.Strip(line) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}
