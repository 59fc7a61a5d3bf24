package find

import (
	"slices"
	"strings"

	"chatvault/tui/chat"
	"chatvault/tui/list"

	"charm.land/lipgloss/v2"
)

// Words goes through the places of a list that hold words of a query.
type Words struct {
	list  *list.List
	words []pattern
	items []list.Item // that hold any
	best  int         // of them, the first that holds the most
	at    int
	row   int // of the item one is at
}

// NewWords looks for the words of a query in all of a list.
func NewWords(l *list.List, query string) *Words {
	w := &Words{list: l, row: -1}
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if p := newPattern(word); !p.empty() {
			w.words = append(w.words, p)
		}
	}
	most, buf := 0, [2][]byte{}
	l.Each(func(it list.Item) {
		s, ok := it.(chat.Sourced)
		if !ok {
			return
		}
		buf[0] = s.Words(buf[0][:0])
		held := 0
		for i := range w.words {
			var n int
			if n, buf[1] = w.words[i].count(buf[0][:min(len(buf[0]), maxWords)], buf[1]); n > 0 {
				held++
			}
		}
		if held == 0 {
			return
		}
		if held > most {
			most, w.best = held, len(w.items)
		}
		w.items = append(w.items, it)
	})
	return w
}

// Seek brings a place into sight: the next for 1, the one before for -1, round the ends, and for 0 the
// first in the item that holds the most of the words. False: there is none.
func (w *Words) Seek(n int) bool {
	if len(w.items) == 0 {
		return false
	}
	if n == 0 {
		w.at, w.row = w.best, -1
	}
	rows := w.rows()
	i, known := slices.BinarySearch(rows, w.row)
	switch {
	case n < 0 && i > 0:
		w.row = rows[i-1]
	case n >= 0 && known && i+1 < len(rows):
		w.row = rows[i+1]
	case n >= 0 && !known && i < len(rows):
		w.row = rows[i]
	case n == 0:
		w.row = 0 // it is in what is folded
	default:
		w.at = (w.at + n + len(w.items)) % len(w.items)
		w.row = 0
		if rows := w.rows(); len(rows) > 0 && n < 0 {
			w.row = rows[len(rows)-1]
		} else if len(rows) > 0 {
			w.row = rows[0]
		}
	}
	const above = 2 // lines to be seen before it
	w.list.Home()
	w.list.Reveal(w.items[w.at], max(w.row-above, 0), len(w.items[w.at].Lines(w.list.Width())))
	w.list.Reveal(w.items[w.at], w.row, w.row+1)
	return true
}

// rows are the lines of the item one is at in which words are drawn.
func (w *Words) rows() (rows []int) {
	lines := w.items[w.at].Lines(w.list.Width())
	for i := range w.words {
		for _, m := range w.words[i].drawnIn(lines) {
			rows = append(rows, m.at().row)
		}
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// Mark sets the words off in rows of the list that are in sight.
func (w *Words) Mark(rows []string, style lipgloss.Style) {
	w.list.InSight(func(s list.Sight) {
		if !slices.Contains(w.items, s.Item) {
			return
		}
		for row := s.From; row < min(s.To, len(rows)); row++ {
			var paints []lipgloss.Range
			for i := range w.words {
				for _, m := range w.words[i].drawnIn(rows[row : row+1]) {
					for _, p := range m {
						paints = append(paints, lipgloss.NewRange(p.from, p.to, style))
					}
				}
			}
			rows[row] = repaint(rows[row], paints)
		}
	})
}
