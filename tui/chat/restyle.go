package chat

// Restyler is an item that keeps what it drew.
type Restyler interface {
	// Restyle forgets what was drawn: Env.Styles are others now.
	Restyle()
}

// Restyled says that Styles are others now, for what is drawn from here on.
func (e *Env) Restyled() {
	e.look++
	clear(e.renderers)
}

// Restyle has the item drawn anew.
func (d *drawn) Restyle() { d.touch() }

// Restyle has the text drawn anew; a drawing that is being made off the screen's loop is dropped.
func (d *document) Restyle() {
	d.stream, d.lines, d.kept, d.plain, d.again, d.behind = nil, nil, 0, false, false, false
	d.cites.dressed, d.cites.version = nil, -1
}

// Restyle has the reasoning drawn anew.
func (r *Reasoning) Restyle() {
	r.text.width = 0
	r.touch()
}

// Restyle has the call drawn anew, with the steps and changes below it.
func (t *Tool) Restyle() {
	for _, d := range t.diffs {
		if d.view != nil {
			d.view.Restyle()
		}
	}
	t.touch()
}

// Restyle has the change drawn anew.
func (c *Changed) Restyle() {
	c.view.Restyle()
	c.touch()
}

// Restyle has the note drawn anew.
func (n *Note) Restyle() { n.width = 0 }
