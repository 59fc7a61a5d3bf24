package tui

// toggleDetails shows or folds what the transcript keeps folded. What is being read stays.
func (m *Model) toggleDetails() {
	m.list.Redraw(func() { m.env.Details = !m.env.Details })
}
