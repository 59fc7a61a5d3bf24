package vi

import (
	"strings"
	"unicode/utf8"
)

// history holds the changes of a text.
type history struct {
	base       text // the text before the present command
	cursor     int  // where it began
	undo, redo []edit
}

// edit is a change at a position, and where the cursor was.
type edit struct {
	at       int
	was, now text
	cursor   int
}

// clone copies a text, so that the whole that it is from can be freed.
func clone(t text) text { return text(strings.Clone(string(t))) }

// commit records the change since the last one.
func (e *Editor) commit() {
	was, now := e.base, e.text
	if was == now {
		return
	}
	from, end := 0, 0
	for from < min(len(was), len(now)) && was[from] == now[from] {
		from++
	}
	for from > 0 && (from < len(was) && !utf8.RuneStart(was[from]) || from < len(now) && !utf8.RuneStart(now[from])) {
		from--
	}
	for end < min(len(was), len(now))-from && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	e.undo = append(e.undo, edit{from, clone(was[from : len(was)-end]), clone(now[from : len(now)-end]), e.cursor})
	e.redo, e.base = nil, now
}

// step undoes n changes, or redoes them, and moves the cursor there.
func (e *Editor) step(from, to *[]edit, n int) {
	for ; n > 0 && len(*from) > 0; n-- {
		d := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		e.text = e.text[:d.at] + d.was + e.text[d.at+len(d.now):]
		d.was, d.now = d.now, d.was
		*to = append(*to, d)
		e.base = e.text
		e.at = e.text.first(min(d.at, len(e.text)))
		if near := min(d.cursor, len(e.text)); e.text.start(near) >= e.text.down(d.at, -1) && near <= e.text.end(e.text.down(d.at+len(d.now), 1)) {
			e.at = near
		}
	}
}
