package tui

import (
	"chatvault/tui/dialog"
	"chatvault/tui/list"
)

// toggleDetails shows or folds what is kept folded. What is being read stays.
func (m *Model) toggleDetails() {
	m.redraw(func() { m.env.Details = !m.env.Details })
}

// redraw keeps what is in sight in its place while do changes how items are drawn: in the
// transcript, and in what is read above it.
func (m *Model) redraw(do func()) {
	m.list.Redraw(func() {
		if l := m.reading(); l != nil {
			l.Redraw(do)
			return
		}
		do()
	})
}

// reading is what is read above the transcript; nil: nothing is.
func (m *Model) reading() *list.List {
	if r, ok := m.dialogs.Top().(interface{ Column() dialog.Column }); ok {
		l, _ := r.Column().(*list.List)
		return l
	}
	return nil
}
