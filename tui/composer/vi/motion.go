package vi

import (
	"regexp"
	"slices"
	"strings"
)

// kind is how the end of a motion belongs to its region.
type kind int

const (
	exclusive kind = iota // the last character does not
	inclusive
	linewise // all of its lines do
)

// steps are motions that a count repeats. They return the same position if they lead nowhere.
var steps = map[string]struct {
	kind
	step func(t text, at int) int
}{
	"0":  {exclusive, text.start},
	"^":  {exclusive, text.first},
	"h":  {exclusive, func(t text, at int) int { return max(t.prev(at), t.start(at)) }},
	"l":  {exclusive, func(t text, at int) int { return min(t.next(at), t.end(at)) }},
	"w":  {exclusive, func(t text, at int) int { return t.word(at, false, false) }},
	"W":  {exclusive, func(t text, at int) int { return t.word(at, true, false) }},
	"b":  {exclusive, func(t text, at int) int { return t.wordBack(at, false) }},
	"B":  {exclusive, func(t text, at int) int { return t.wordBack(at, true) }},
	"e":  {inclusive, func(t text, at int) int { return t.wordEnd(at, false, false) }},
	"E":  {inclusive, func(t text, at int) int { return t.wordEnd(at, true, false) }},
	"ge": {inclusive, func(t text, at int) int { return t.wordEndBack(at, false) }},
	"gE": {inclusive, func(t text, at int) int { return t.wordEndBack(at, true) }},
	"}":  {exclusive, func(t text, at int) int { return t.paragraph(at, 1) }},
	"{":  {exclusive, func(t text, at int) int { return t.paragraph(at, -1) }},
}

// word returns the start of the next word. For an operator (op), the last word ends at the end of its line.
func (t text) word(at int, big, op bool) int {
	class, line := t.class(at, big), at
	stops := func() bool { return at == len(t) || op && at > line && (t.atEnd(at) || t.atEnd(line)) }
	for first := true; !stops() && (first || class != 0 && t.class(at, big) == class); first = false {
		at = t.next(at)
	}
	for !stops() && t.class(at, big) == 0 && (!t.empty(at) || at == line) {
		at = t.next(at)
	}
	return at
}

func (t text) wordBack(at int, big bool) int {
	for at = t.prev(at); t.class(at, big) == 0; at = t.prev(at) {
		if at == 0 || t.empty(at) {
			return at
		}
	}
	return t.runBack(at, big)
}

// wordEnd returns the end of a word. With stay, that is the present one even at its end.
func (t text) wordEnd(at int, big, stay bool) int {
	class, to := t.class(at, big), t.next(at)
	if stay && t.class(to, big) != class {
		return at
	}
	if class == 0 || t.class(to, big) != class {
		for to < len(t) && t.class(to, big) == 0 {
			to = t.next(to)
		}
	}
	if to == len(t) {
		return t.last(to)
	}
	return t.prev(t.run(to, big))
}

func (t text) wordEndBack(at int, big bool) int {
	if t.class(at, big) != 0 {
		at = t.runBack(at, big)
	}
	for at = t.prev(at); at > 0 && t.class(at, big) == 0 && !t.empty(at); {
		at = t.prev(at)
	}
	return at
}

// paragraph returns the next empty line behind or before a paragraph, or the end of the text.
func (t text) paragraph(at, by int) int {
	for full := false; ; {
		full = full || !t.empty(t.start(at))
		next := t.down(at, by)
		switch {
		case next == t.start(at) && by < 0:
			return 0
		case next == t.start(at):
			return t.end(at)
		case full && t.empty(next):
			return next
		}
		at = next
	}
}

// brackets are the pairs of %.
const brackets = "()[]{}"

// match returns the bracket that belongs to the first one at or after a position in its line.
func (t text) match(at int) (int, bool) {
	at = min(at, t.last(at))
	n := strings.IndexAny(string(t[at:t.end(at)]), brackets)
	if n < 0 {
		return at, false
	}
	b := strings.IndexByte(brackets, t[at+n])
	return t.enclosing(at+n, brackets[b&^1:], b%2 == 0)
}

// enclosing returns the nearest bracket of a pair that is not closed, or not opened: after a position (forward) or
// before it.
func (t text) enclosing(at int, pair string, forward bool) (int, bool) {
	step, deeper, ends := -1, pair[1], pair[0]
	if forward {
		step, deeper, ends = 1, ends, deeper
	}
	depth := 0
	for i := at + step; i >= 0 && i < len(t); i += step {
		switch t[i] {
		case deeper:
			depth++
		case ends:
			if depth--; depth < 0 {
				return i, true
			}
		}
	}
	return at, false
}

// search is a search in the text.
type search struct {
	pattern *regexp.Regexp
	back    bool
}

// next returns the nth match from a position, around the ends of the text.
func (s search) next(t text, at, n int, back bool) (int, kind, bool) {
	var all []int
	if s.pattern != nil {
		for _, m := range s.pattern.FindAllStringIndex(string(t), -1) {
			if t.begin(m[0]) == m[0] {
				all = append(all, m[0])
			}
		}
	}
	if len(all) == 0 {
		return at, exclusive, false
	}
	i, exact := slices.BinarySearch(all, at)
	if back {
		i -= n
	} else if i += n; !exact {
		i--
	}
	return all[(i%len(all)+len(all))%len(all)], exclusive, true
}

// move returns where a motion leads; ok is false if it leads nowhere.
func (e *Editor) move(c command) (to int, how kind, ok bool) {
	t, at, n, op := e.text, e.at, c.n(), c.op != ""
	if s, is := steps[c.name]; is && (!op || c.name != "w" && c.name != "W") {
		for to = at; n > 0 && (n == c.n() || ok); n-- {
			next := s.step(t, to)
			to, ok = next, next != to
		}
		return to, s.kind, to != at || op && slices.Contains([]string{"0", "^", "h", "l", "e", "E", "}"}, c.name)
	}
	switch c.name {
	case "w", "W":
		return e.words(c)
	case "f", "F", "t", "T":
		e.found = c
		return e.find(c, false)
	case ";", ",":
		again := e.found
		if again.count = c.count; c.name == "," {
			again.name = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[again.name]
		}
		return e.find(again, true)
	case "%":
		to, ok = t.match(at)
		return to, inclusive, ok
	case "/", "?":
		if e.search.back = c.name == "?"; c.arg != "" {
			e.search.pattern = regexp.MustCompile(regexp.QuoteMeta(c.arg))
		}
		return e.search.next(t, at, n, e.search.back)
	case "n", "N":
		return e.search.next(t, at, n, e.search.back != (c.name == "N"))
	}
	return e.vertical(c)
}

// vertical moves to another line.
func (e *Editor) vertical(c command) (to int, how kind, ok bool) {
	t, at, n := e.text, e.at, c.n()
	switch c.name {
	case "j", "+":
		to = t.down(at, n)
	case "k", "-":
		to = t.down(at, -n)
	case "$", "g_", "_", lines:
		to, ok = t.down(at, n-1), n == 1
	case "gg":
		to, ok = t.down(0, n-1), true
	case "G":
		if to, ok = t.down(0, n-1), true; c.count == 0 {
			to = t.start(len(t))
		}
	default:
		return at, exclusive, false
	}
	ok = ok || to != t.start(at)
	switch {
	case c.name == "j" || c.name == "k":
		return e.column(to), linewise, ok
	case c.name == "$" && e.mode != Normal:
		return t.end(to), inclusive, true
	case c.name == "$":
		return t.last(to), inclusive, ok
	case c.name == "g_":
		return max(to, t.prev(to+len(strings.TrimRight(string(t[to:t.end(to)]), " \t")))), inclusive, ok
	case c.op == "y" && (c.name == lines || c.name == "_"):
		return max(at, to), linewise, ok
	}
	return t.first(to), linewise, ok
}

// words moves by words for an operator. cw does not change the space behind the word.
func (e *Editor) words(c command) (to int, how kind, ok bool) {
	t, big := e.text, c.name == "W"
	end := c.op == "c" && t.class(e.at, big) != 0
	to = e.at
	for n := c.n(); n > 0; n-- {
		if end {
			to = t.wordEnd(to, big, n == c.n())
		} else {
			to = t.word(to, big, n == 1)
		}
	}
	if end {
		return to, inclusive, true
	}
	return to, exclusive, true
}

// find moves to a character in the line. A repeated t does not stay before the same character.
func (e *Editor) find(c command, again bool) (to int, how kind, ok bool) {
	t, back, till := e.text, c.name == "F" || c.name == "T", c.name == "t" || c.name == "T"
	step, how, before := text.next, inclusive, e.at
	if back {
		step, how = text.prev, exclusive
	}
	to = e.at
	if again && till && c.n() == 1 {
		to = step(t, to)
	}
	for n := c.n(); n > 0; {
		if back && to <= t.start(e.at) || !back && to >= t.end(e.at) {
			return e.at, how, false
		}
		if before, to = to, step(t, to); string(t[to:t.next(to)]) == c.arg && c.arg != "\n" {
			n--
		}
	}
	if till {
		to = before
	}
	return to, how, true
}

// column returns the position in a line at the column at which vertical movement began.
func (e *Editor) column(line int) int {
	t := e.text
	if e.goal < 0 {
		e.goal = e.Width(string(t[t.start(e.at):e.at]))
	}
	at, used, end := line, 0, t.last(line)
	if e.mode != Normal {
		end = t.end(line)
	}
	for at < end {
		if used += e.Width(string(t[at:t.next(at)])); used > e.goal {
			break
		}
		at = t.next(at)
	}
	return at
}
