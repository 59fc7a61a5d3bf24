package vi

import "strings"

// history holds the changes of a text.
type history struct {
	base       text // the text before the present command
	cursor     int  // where it began
	undo, redo []edit
}

// edit is a change at a position, and where the cursor was.
type edit struct {
	at       int
	was, now string
	cursor   int
}

// commit records the change since the last one.
func (e *Editor) commit() {
	was, now := string(e.base), string(e.text)
	if was == now {
		return
	}
	from, end := 0, 0
	for from < min(len(was), len(now)) && was[from] == now[from] {
		from++
	}
	for end < min(len(was), len(now))-from && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	was, now = strings.Clone(was[from:len(was)-end]), strings.Clone(now[from:len(now)-end]) // frees the whole texts
	e.undo = append(e.undo, edit{from, was, now, e.cursor})
	e.redo, e.base = nil, e.text
}

// step undoes n changes, or redoes them, and moves the cursor there.
func (e *Editor) step(from, to *[]edit, n int) {
	for ; n > 0 && len(*from) > 0; n-- {
		d := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		e.change(region{from: d.at, to: d.at + len(d.now)}, d.was)
		d.was, d.now = d.now, d.was
		*to = append(*to, d)
		e.base = e.text
		e.at = e.text.first(d.at)
		if near := min(d.cursor, len(e.text)); e.text.start(near) >= e.text.down(d.at, -1) && near <= e.text.end(e.text.down(d.at+len(d.now), 1)) {
			e.at = near
		}
	}
}
