package vi

import (
	"math"
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

// plain are motions that need only the text. They return an unchanged position if there is none.
var plain = map[string]struct {
	kind
	step func(t text, at int) int
}{
	"b":  {exclusive, func(t text, at int) int { return t.wordBack(at, false) }},
	"B":  {exclusive, func(t text, at int) int { return t.wordBack(at, true) }},
	"e":  {inclusive, func(t text, at int) int { return t.wordEnd(at, false, false) }},
	"E":  {inclusive, func(t text, at int) int { return t.wordEnd(at, true, false) }},
	"ge": {inclusive, func(t text, at int) int { return t.wordEndBack(at, false) }},
	"gE": {inclusive, func(t text, at int) int { return t.wordEndBack(at, true) }},
	"}":  {exclusive, func(t text, at int) int { return t.paragraph(at, 1) }},
	"{":  {exclusive, func(t text, at int) int { return t.paragraph(at, -1) }},
	")":  {exclusive, text.sentence},
	"(":  {exclusive, text.sentenceBack},
}

// word returns the start of the next word. For an operator (op), the last word ends at the end of its line.
func (t text) word(at int, big, op bool) int {
	class := t.class(at, big)
	if t.atEnd(at) {
		if at = t.next(at); op {
			return at
		}
	} else {
		at = t.next(at)
	}
	stops := func() bool { return at == len(t) || op && t.atEnd(at) }
	for class != 0 && !stops() && t.class(at, big) == class {
		at = t.next(at)
	}
	for !stops() && t.class(at, big) == 0 && !t.empty(at) {
		at = t.next(at)
	}
	return at
}

func (t text) wordBack(at int, big bool) int {
	if at == 0 {
		return 0
	}
	for at = t.prev(at); t.class(at, big) == 0; at = t.prev(at) {
		if at == 0 || t.empty(at) {
			return at
		}
	}
	class := t.class(at, big)
	for at > 0 && t.class(t.prev(at), big) == class {
		at = t.prev(at)
	}
	return at
}

// wordEnd returns the end of a word. With stay, that is the present one even at its end.
func (t text) wordEnd(at int, big, stay bool) int {
	class, to := t.class(at, big), t.next(at)
	if class == 0 || !stay && t.class(to, big) != class {
		for to < len(t) && t.class(to, big) == 0 {
			to = t.next(to)
		}
	} else if stay && t.class(to, big) != class {
		return at
	}
	if to == len(t) {
		return t.last(to)
	}
	return t.prev(t.run(to, big))
}

func (t text) wordEndBack(at int, big bool) int {
	class := t.class(at, big)
	for at > 0 && class != 0 && t.class(at, big) == class {
		at = t.prev(at)
	}
	if class == 0 {
		at = t.prev(at)
	}
	for at > 0 && t.class(at, big) == 0 && !t.empty(at) {
		at = t.prev(at)
	}
	return at
}

// paragraph returns the next empty line behind or before a paragraph, or the end of the text.
func (t text) paragraph(at, by int) int {
	full := false
	for {
		full = full || !t.empty(t.start(at))
		next := t.down(at, by)
		if next == t.start(at) {
			if by < 0 {
				return 0
			}
			return t.end(at)
		}
		if at = next; full && t.empty(at) {
			return at
		}
	}
}

// sentenceEnd matches the end of a sentence and the space behind it, or the border of a paragraph.
var sentenceEnd = regexp.MustCompile(`[.!?][)\]"']*(?:[ \t\n]+|$)|\n\n+[ \t]*`)

// sentences returns the starts of all sentences.
func (t text) sentences() []int {
	starts := []int{t.skip(0)}
	add := func(at int) {
		if at < len(t) && at > starts[len(starts)-1] {
			starts = append(starts, at)
		}
	}
	for _, m := range sentenceEnd.FindAllStringIndex(string(t), -1) {
		if n := strings.Index(string(t[m[0]:m[1]]), "\n\n"); n >= 0 { // an empty line is one
			add(m[0] + n + 1)
		}
		add(m[1])
	}
	return starts
}

func (t text) sentence(at int) int {
	for _, s := range t.sentences() {
		if s > at {
			return s
		}
	}
	return len(t)
}

func (t text) sentenceBack(at int) int {
	for _, s := range slices.Backward(t.sentences()) {
		for t.empty(s) && s+1 < len(t) && t.empty(s+1) { // back to the last empty line, but ahead to the first
			s++
		}
		if s < at {
			return s
		}
	}
	return 0
}

// find returns the nth c in the line, after the cursor or before it.
func (t text) find(at, n int, c string, back bool) (int, bool) {
	for to := at; ; {
		if back && to == t.start(at) || !back && t.atEnd(to) {
			return at, false
		}
		if back {
			to = t.prev(to)
		} else {
			to = t.next(to)
		}
		if !t.atEnd(to) && string(t[to:t.next(to)]) == c {
			if n--; n == 0 {
				return to, true
			}
		}
	}
}

// brackets are the pairs of %.
const brackets = "()[]{}"

// match returns the bracket that belongs to the first one at or after a position in its line.
func (t text) match(at int) (int, bool) {
	if t.atEnd(at) {
		at = t.last(at)
	}
	n := strings.IndexAny(string(t[at:t.end(at)]), brackets)
	if n < 0 {
		return at, false
	}
	b := strings.IndexByte(brackets, t[at+n])
	return t.enclosing(at+n, brackets[b&^1], brackets[b|1], b%2 == 0)
}

// enclosing returns the nearest bracket that is not closed, or not opened: after a position (forward) or before it.
func (t text) enclosing(at int, open, closing byte, forward bool) (int, bool) {
	step, deeper, ends := -1, closing, open
	if forward {
		step, deeper, ends = 1, open, closing
	}
	depth := 0
	for i := at + step; i >= 0 && i < len(t); i += step {
		switch {
		case t[i] == ends && depth == 0:
			return i, true
		case t[i] == ends:
			depth--
		case t[i] == deeper:
			depth++
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
func (s search) next(t text, at, n int, back bool) (int, bool) {
	if s.pattern == nil {
		return at, false
	}
	var all []int
	for _, m := range s.pattern.FindAllStringIndex(string(t), -1) {
		all = append(all, m[0])
	}
	if len(all) == 0 {
		return at, false
	}
	i, exact := slices.BinarySearch(all, at)
	switch {
	case back:
		i -= n
	case exact:
		i += n
	default:
		i += n - 1
	}
	return all[(i%len(all)+len(all))%len(all)], true
}

// under returns the pattern of the word at or after a position in its line.
func (t text) under(at int) string {
	word := at
	for word < t.end(at) && t.class(word, false) < 2 {
		word = t.next(word)
	}
	if word == t.end(at) {
		if word = t.first(at); t.atEnd(word) || word < at {
			return ""
		}
	}
	class := t.class(word, false)
	for word > t.start(at) && t.class(t.prev(word), false) == class {
		word = t.prev(word)
	}
	found := string(t[word:t.run(word, false)])
	if quoted := regexp.QuoteMeta(found); class == 2 {
		return `\b` + quoted + `\b`
	} else {
		return quoted
	}
}

// move returns where a motion leads; ok is false if it leads nowhere.
func (e *Editor) move(c command) (to int, how kind, ok bool) {
	t, at, n, op := e.text, e.at, c.n(), c.op != ""
	if p, is := plain[c.name]; is {
		for to = at; n > 0; n-- {
			next := p.step(t, to)
			if ok = ok || next != to; next == to {
				break
			}
			to = next
		}
		return to, p.kind, ok || op && strings.Contains("eE}", c.name)
	}
	switch c.name {
	case "h", "left", "backspace":
		for to = at; n > 0 && to > t.start(at); n-- {
			to = t.prev(to)
		}
		return to, exclusive, to != at || op
	case "l", "right", " ":
		for to = at; n > 0 && !t.atEnd(to); n-- {
			to = t.next(to)
		}
		return to, exclusive, to != at || op
	case "0", "home":
		return t.start(at), exclusive, true
	case "^":
		return t.first(at), exclusive, true
	case "$", "end":
		if to = t.down(at, n-1); e.mode != Normal {
			return t.end(to), inclusive, true
		}
		return t.last(to), inclusive, n == 1 || to != t.start(at)
	case "g_":
		to = t.down(at, n-1)
		end := to + len(strings.TrimRight(string(t[to:t.end(to)]), " \t"))
		return max(to, t.prev(end)), inclusive, true
	case lines, "_":
		if to = t.down(at, n-1); n > 1 && to == t.start(at) {
			return at, linewise, false
		}
		if c.op == "y" {
			return max(at, to), linewise, true
		}
		return t.first(to), linewise, true
	case "j", "down":
		to = t.down(at, n)
		return e.column(to), linewise, to != t.start(at)
	case "k", "up":
		to = t.down(at, -n)
		return e.column(to), linewise, to != t.start(at)
	case "+":
		to = t.down(at, n)
		return t.first(to), linewise, to != t.start(at)
	case "-":
		to = t.down(at, -n)
		return t.first(to), linewise, to != t.start(at)
	case "gg":
		return t.first(t.down(0, n-1)), linewise, true
	case "G":
		if c.count == 0 {
			n = math.MaxInt
		}
		return t.first(t.down(0, n-1)), linewise, true
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
		if c.arg != "" {
			e.search.pattern = regexp.MustCompile(regexp.QuoteMeta(c.arg))
		}
		e.search.back = c.name == "?"
		to, ok = e.search.next(t, at, n, e.search.back)
	case "n":
		to, ok = e.search.next(t, at, n, e.search.back)
	case "N":
		to, ok = e.search.next(t, at, n, !e.search.back)
	case "*", "#":
		word := t.under(at)
		if word == "" {
			return at, exclusive, false
		}
		e.search = search{regexp.MustCompile(word), c.name == "#"}
		for e.search.back && at > t.start(at) && !e.search.pattern.MatchString(string(t[at:t.end(at)])) {
			at = t.prev(at)
		}
		to, ok = e.search.next(t, at, n, e.search.back)
	}
	return to, exclusive, ok
}

// words moves by words. cw does not change the space behind the word.
func (e *Editor) words(c command) (to int, how kind, ok bool) {
	t, to, big := e.text, e.at, c.name == "W"
	if c.op == "c" && t.class(to, big) != 0 {
		for n := c.n(); n > 0; n-- {
			to = t.wordEnd(to, big, n == c.n())
		}
		return to, inclusive, true
	}
	for n := c.n(); n > 0; n-- {
		next := t.word(to, big, c.op != "" && n == 1)
		ok = ok || next != to
		to = next
	}
	return to, exclusive, ok || c.op != ""
}

// find moves to a character in the line. A repeated t does not stay before the same character.
func (e *Editor) find(c command, again bool) (to int, how kind, ok bool) {
	t, back, till := e.text, c.name == "F" || c.name == "T", c.name == "t" || c.name == "T"
	if c.arg == "" {
		return e.at, exclusive, false
	}
	to, ok = t.find(e.at, c.n(), c.arg, back)
	step := t.prev
	if back {
		step = t.next
	}
	if again && till && ok && c.n() == 1 && step(to) == e.at {
		to, ok = t.find(e.at, 2, c.arg, back)
	}
	if ok && till {
		to = step(to)
	}
	if back {
		return to, exclusive, ok
	}
	return to, inclusive, ok
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
		next := t.next(at)
		if used += e.Width(string(t[at:next])); used > e.goal {
			break
		}
		at = next
	}
	return at
}
