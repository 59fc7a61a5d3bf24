package list

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
