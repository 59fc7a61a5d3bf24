// Package vi edits a text with the commands of vi: modes, motions, operators, text objects, registers, undo and ".". It
// knows nothing of the screen, and behaves as Vim does without options. While inserting, the caller edits the text.
package vi

import (
	"math"
	"strings"

	"chatvault/internal/base/cells"
)

// Mode is a mode, by its name for people.
type Mode string

// The modes. Visual selects characters, VisualLine lines.
const (
	Insert     Mode = "insert"
	Normal     Mode = "normal"
	Visual     Mode = "visual"
	VisualLine Mode = "visual line"
)

// Buffer is a text and the cursor's byte offset, at the beginning of a grapheme cluster.
type Buffer struct {
	Text string
	At   int
}

// Register is a register: a text, or whole lines.
type Register struct {
	Text  string
	Lines bool
}

// Editor is the state of editing a text.
type Editor struct {
	// Width returns the width of a text in cells.
	Width func(text string) int
	// Copied is the text last yanked into the register +.
	Copied string
	// Unnamed is the register of commands that name none; Clipboard is the register +.
	Unnamed, Clipboard Register

	mode      Mode
	keys      []string // of a command that is not complete
	text      text
	at        int
	goal      int     // column of vertical movement, in cells; -1 for the cursor's
	anchor    int     // the other end of a visual selection
	found     command // the last f, F, t or T
	search    search
	insertion insertion
	again     change
	history
}

// insertion is the text being inserted.
type insertion struct {
	before text // the text without it
	at     int
	times  int
	apart  string // between repetitions
}

// change is the last change, for ".".
type change struct {
	command
	inserted   string // the text inserted by the command
	rows, size int    // of a visual selection: lines, and characters in the last one; no rows for none
	lines      bool
}

// New returns an editor of an empty text, inserting.
func New() *Editor {
	return &Editor{Width: cells.Width, mode: Insert, goal: -1}
}

// Reset forgets the text and its changes; the registers keep what whole returns of them.
func (e *Editor) Reset(t string, whole func(string) string) {
	e.text, e.history, e.keys = text(t), history{base: text(t)}, nil
	e.Unnamed.Text, e.Clipboard.Text = whole(e.Unnamed.Text), whole(e.Clipboard.Text)
	if e.insertion = (insertion{before: e.text, at: len(t)}); e.mode != Insert {
		e.mode = Normal
	}
	e.again.inserted = whole(e.again.inserted)
}

// Mode returns the mode.
func (e *Editor) Mode() Mode { return e.mode }

// Pending returns the keys of a command that is not complete.
func (e *Editor) Pending() string { return strings.Join(e.keys, "") }

// Selected returns the bytes of a visual selection.
func (e *Editor) Selected(b Buffer) (from, to int) {
	e.text, e.at = text(b.Text), b.At
	r := e.selection()
	return r.from, r.to
}

// selection returns the visual selection.
func (e *Editor) selection() region {
	from, to := min(e.anchor, e.at), max(e.anchor, e.at)
	if e.mode == VisualLine {
		return region{e.text.start(from), e.text.end(to), true}
	}
	return region{from: from, to: e.text.next(to)}
}

// Escape drops an incomplete command, or else leaves the mode for normal mode.
func (e *Editor) Escape(b Buffer) Buffer {
	e.load(b)
	switch {
	case len(e.keys) > 0:
		e.keys = nil
	case e.mode == Insert:
		e.inserted()
	default:
		e.mode = Normal
	}
	return e.settle()
}

// load takes over the text, which may have been changed elsewhere.
func (e *Editor) load(b Buffer) {
	if e.mode != Insert && text(b.Text) != e.base {
		e.text = text(b.Text)
		e.commit()
	}
	e.text, e.at = text(b.Text), b.At
}

// settle ends a command and returns the buffer.
func (e *Editor) settle() Buffer {
	if e.at = e.text.begin(e.at); e.mode == Normal {
		e.at = min(e.at, e.text.last(e.at))
	}
	if e.mode != Insert {
		e.commit()
		e.cursor = e.at // of a change made elsewhere
	}
	return Buffer{string(e.text), e.at}
}

// Key handles a key outside of insert mode: a character, or the name of a key such as "enter" or "ctrl+r".
func (e *Editor) Key(b Buffer, key string) Buffer {
	e.load(b)
	if len(e.keys) == 0 {
		e.cursor = e.at
	}
	if key == "backspace" && len(e.keys) > 0 {
		e.keys = e.keys[:len(e.keys)-1]
		return b
	}
	e.keys = append(e.keys, key)
	c, done := parse(e.keys, e.mode)
	if !done {
		return b
	}
	if e.keys = nil; c.op != "" || c.name != "j" && c.name != "k" {
		e.goal = -1
	}
	if e.mode == Normal {
		e.run(c)
	} else {
		e.visual(c)
	}
	return e.settle()
}

// run runs a command of normal mode.
func (e *Editor) run(c command) {
	if c.op != "" {
		if r, ok := e.target(c); ok {
			e.operate(c, r)
		}
		return
	}
	t, n := e.text, c.n()
	switch c.name {
	case "i", "a", "I", "A", "o", "O":
		e.open(c)
	case "v", "V":
		e.anchor, e.mode = e.at, visualModes[c.name]
	case "u":
		e.step(&e.undo, &e.redo, n)
	case "ctrl+r":
		e.step(&e.redo, &e.undo, n)
	case ".":
		e.repeat(c)
	case "p", "P":
		e.remember(c)
		e.put(c, region{from: e.at, to: e.at})
	case "J":
		if t.end(e.at) == len(t) {
			return
		}
		e.remember(c)
		e.join(region{from: t.start(e.at), to: t.end(t.down(e.at, n-1))})
	case "r", "~":
		r := region{from: e.at, to: e.at}
		for ; n > 0 && !t.atEnd(r.to); n-- {
			r.to = t.next(r.to)
		}
		if r.to == e.at || c.name == "r" && (n > 0 || c.arg == "") {
			return
		}
		e.remember(c)
		by := changed(c, string(t[r.from:r.to]))
		if e.change(r, by); c.name == "~" || c.arg == "\n" {
			e.at += len(by)
		} else {
			e.at = e.text.prev(e.at + len(by))
		}
	default:
		e.jump(c)
	}
}

// jump moves the cursor.
func (e *Editor) jump(c command) {
	to, _, ok := e.move(c)
	if !ok {
		return
	}
	switch e.at = to; c.name {
	case "$":
		e.goal = math.MaxInt
	case "}": // at the end of the text, on its last character
		e.at = min(to, e.text.last(to))
	}
}

// remember records a change for ".".
func (e *Editor) remember(c command) { e.again = change{command: c} }

// target returns the region of an operator with a motion or a text object.
func (e *Editor) target(c command) (r region, ok bool) {
	t := e.text
	how := exclusive
	if r, ok = e.object(c, e.at); !ok {
		var to int
		if to, how, ok = e.move(c); !ok {
			return r, false
		}
		r = region{from: min(e.at, to), to: max(e.at, to), lines: how == linewise}
		if how == inclusive && !t.atEnd(r.to) {
			r.to = t.next(r.to)
		}
	}
	indent := t.skip(t.start(r.from)) >= r.from
	switch {
	case r.lines:
	case how == exclusive && r.to > r.from && r.to == t.start(r.to): // ends at the line before
		r.to--
		r.lines = indent
	case c.op == "d" && t.end(r.from) < r.to && indent && t.atEnd(t.skip(r.to)): // nothing else would remain
		r.lines = true
	}
	return r, true
}

var visualModes = map[string]Mode{"v": Visual, "V": VisualLine}

// visual runs a command of visual mode.
func (e *Editor) visual(c command) {
	t, r := e.text, e.selection()
	switch {
	case visualModes[c.name] == e.mode:
		e.mode = Normal
	case visualModes[c.name] != "":
		e.mode = visualModes[c.name]
	case c.name == "o", c.name == "O":
		e.anchor, e.at = e.at, e.anchor
	case c.op != "":
		if strings.ContainsAny(c.name, "XDSRCY") {
			r = t.whole(r)
		}
		if e.mode == VisualLine && e.at < t.start(e.anchor) && c.op != "r" {
			r.from = e.at // where the cursor stays
		}
		e.mode, e.at = Normal, r.from
		if e.operate(c, r); c.op != "y" {
			e.again.lines, e.again.rows = r.lines, strings.Count(string(t[r.from:r.to]), "\n")+1
			for at := max(t.start(r.to), r.from); at < r.to; at = t.next(at) {
				e.again.size++
			}
		}
	default:
		e.extend(c)
	}
}

// extend moves the end of the selection, or selects a text object.
func (e *Editor) extend(c command) {
	at := e.at
	if e.mode == VisualLine {
		at = e.text.end(at)
	}
	if e.anchor < at && strings.ContainsAny(c.name, "wWp") {
		at = e.text.next(at)
	}
	r, ok := e.object(c, at)
	if s := e.selection(); ok && e.anchor != e.at && r.from >= s.from && r.to <= s.to {
		c.count = c.n() + 1 // the next larger one
		r, ok = e.object(c, at)
	}
	if !ok {
		e.jump(c)
		return
	}
	if e.anchor == e.at || r.from < e.anchor {
		e.anchor = r.from
	}
	if e.at = max(e.text.prev(r.to), r.from); r.lines {
		e.mode, e.at = VisualLine, e.text.start(r.to)
	}
}

// open enters insert mode.
func (e *Editor) open(c command) {
	t, apart := e.text, ""
	switch c.name {
	case "a":
		e.at = min(t.next(e.at), t.end(e.at))
	case "I":
		e.at = t.skip(t.start(e.at))
	case "A":
		e.at = t.end(e.at)
	case "o":
		e.at, apart = t.end(e.at)+1, "\n"
		e.change(region{from: e.at - 1, to: e.at - 1}, apart)
	case "O":
		e.at, apart = t.start(e.at), "\n"
		e.change(region{from: e.at, to: e.at}, apart)
	}
	if e.remember(c); apart == "" {
		e.cursor = e.at
	}
	e.insert(c.n(), apart)
}

func (e *Editor) insert(times int, apart string) {
	e.mode, e.insertion = Insert, insertion{e.text, e.at, times, apart}
}

// inserted ends an insertion: it repeats the text, and keeps it for ".".
func (e *Editor) inserted() {
	i, now := e.insertion, e.text
	after := string(i.before[i.at:])
	e.mode, e.again.inserted = Normal, ""
	if end := len(now) - len(after); end >= i.at && strings.HasSuffix(string(now), after) && now[:i.at] == i.before[:i.at] {
		e.again.inserted = string(now[i.at:end])
		if more := repeat(i.apart+e.again.inserted, i.times-1); more != "" && e.at == end {
			e.change(region{from: end, to: end}, more)
			e.at = end + len(more)
		}
	}
	if e.at > e.text.start(e.at) {
		e.at = e.text.prev(e.at)
	}
}

// repeat repeats the last change.
func (e *Editor) repeat(c command) {
	a := e.again
	if a.name == "" {
		return
	}
	if c.count > 0 {
		a.count = c.count
	}
	if a.rows == 0 {
		e.run(a.command)
	} else {
		t := e.text
		r := region{e.at, max(t.down(e.at, a.rows-1), e.at), a.lines}
		line := t.end(r.to)
		for n := a.size; n > 0 && r.to <= line; n-- {
			r.to = t.next(r.to)
		}
		if a.lines {
			r.to = line
		}
		e.operate(a.command, r)
	}
	if e.mode == Insert {
		e.change(region{from: e.at, to: e.at}, a.inserted)
		e.at += len(a.inserted)
		e.inserted()
	}
	e.again = a
}
