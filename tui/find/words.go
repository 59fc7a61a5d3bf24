package find

import (
	"math"
	"strings"

	"chatvault/tui/chat"
	"chatvault/tui/list"

	"charm.land/lipgloss/v2"
)

// Words steps through the items of a list that contain words of a query.
type Words struct {
	list  *list.List
	words []pattern
	items []list.Item // items that contain any of the words
	best  int         // index of the first item with the most of them
	at    int
}

// NewWords searches a list for the words of a query.
func NewWords(l *list.List, query string) *Words {
	w := &Words{list: l}
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if p := newPattern(word); !p.empty() {
			w.words = append(w.words, p)
		}
	}
	most := 0
	l.Each(func(it list.Item) {
		text, held := chat.Words(nil, it, l.Width()), 0
		for i := range w.words {
			if n, _ := w.words[i].count(text[:min(len(text), maxWords)], nil); n > 0 {
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

// Seek scrolls to the next item that contains a word if n is 1, to the previous one if -1, wrapping around, and to
// the best one if 0. It returns false if there is none.
func (w *Words) Seek(n int) bool {
	if len(w.items) == 0 {
		return false
	}
	if w.at = (w.at + n + len(w.items)) % len(w.items); n == 0 {
		w.at = w.best
	}
	it, row := w.items[w.at], math.MaxInt
	lines := it.Lines(w.list.Width())
	for i := range w.words {
		for _, m := range w.words[i].drawnIn(lines) {
			row = min(row, m.at().row)
		}
	}
	if row == math.MaxInt { // the match is folded
		row = 0
	}
	const above = 2 // lines of context above
	w.list.Home()
	w.list.Reveal(it, max(row-above, 0), len(lines))
	w.list.Reveal(it, row, row+1)
	return true
}

// Mark highlights the words in visible rows.
func (w *Words) Mark(rows []string, style lipgloss.Style) {
	for row := range rows {
		var paints []lipgloss.Range
		for i := range w.words {
			for _, m := range w.words[i].drawnIn(rows[row : row+1]) {
				paints = append(paints, lipgloss.NewRange(m.at().from, m.at().to, style))
			}
		}
		rows[row] = repaint(rows[row], paints)
	}
}
