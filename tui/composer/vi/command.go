package vi

import (
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/base/cells"
)

// command is a parsed command.
type command struct {
	count    int    // 0 if none
	register string // empty if none
	op       string // operator, or empty
	name     string // motion, text object or another command; lines for an operator on whole lines
	arg      string // the character of f, t and r, the text of a search
}

// lines is the motion of a doubled operator, such as dd.
const lines = "lines"

// copies reports whether the command names the clipboard's register.
func (c command) copies() bool { return c.register == "+" || c.register == "*" }

// n returns the count, at least 1.
func (c command) n() int { return max(c.count, 1) }

// operators take a motion or a text object, and act on a visual selection. The last ones do nothing: they are Vim's
// others.
var operators = []string{"d", "c", "y", ">", "<", "gu", "gU", "g~", "gq", "gw", "g?", "=", "!"}

// short are commands that stand for an operator with a motion.
var short = map[string][2]string{
	"x": {"d", "l"}, "X": {"d", "h"}, "D": {"d", "$"}, "C": {"c", "$"}, "s": {"c", "l"}, "S": {"c", lines}, "Y": {"y", lines},
}

// inVisual are the operators of commands on a visual selection; those in upper case act on whole lines.
var inVisual = map[string]string{
	"x": "d", "X": "d", "D": "d", "s": "c", "S": "c", "R": "c", "C": "c", "Y": "y", "u": "gu", "U": "gU", "~": "g~",
	"J": "J", "r": "r", "p": "p", "P": "P",
}

// aliases are other names of commands.
var aliases = map[string]string{
	"left": "h", "backspace": "h", "right": "l", " ": "l", "up": "k", "down": "j", "home": "0", "end": "$", "delete": "x",
}

// reader reads the keys of a command.
type reader struct {
	keys  []string
	short bool // more keys are needed
}

func (r *reader) next() string {
	if len(r.keys) == 0 {
		r.short = true
		return ""
	}
	k := r.keys[0]
	r.keys = r.keys[1:]
	return k
}

// char reads a character; other keys than Enter are none.
func (r *reader) char() string {
	k := r.next()
	switch {
	case k == "enter":
		return "\n"
	case cells.First(k) < len(k):
		return ""
	}
	return k
}

// number multiplies n by a count, if there is one.
func (r *reader) number(n int) int {
	digits := 0
	for digits < len(r.keys) && len(r.keys[digits]) == 1 && r.keys[digits][0] >= '0' && r.keys[digits][0] <= '9' && (digits > 0 || r.keys[0] != "0") {
		digits++
	}
	if digits == 0 {
		return n
	}
	most, _ := strconv.Atoi(strings.Join(r.keys[:min(digits, 5)], ""))
	r.keys = r.keys[digits:]
	return min(max(n, 1)*most, 1e5)
}

// name reads the name of a command.
func (r *reader) name(object bool) string {
	name := r.next()
	if same := aliases[name]; same != "" {
		return same
	}
	if name == "g" || object && (name == "i" || name == "a") {
		name += r.next()
	}
	return name
}

// parse parses keys; done reports whether they are a whole command, known or not.
func parse(keys []string, mode Mode) (c command, done bool) {
	r := reader{keys: keys}
	c.count = r.number(0)
	for len(r.keys) > 0 && r.keys[0] == `"` {
		r.next()
		c.register = r.next()
		c.count = r.number(c.count)
	}
	c.name = r.name(mode != Normal)
	switch isOp := slices.Contains(operators, c.name); {
	case mode != Normal && !isOp:
		c.op = inVisual[c.name]
	case mode != Normal:
		c.op = c.name
	case isOp:
		c.op, c.count = c.name, r.number(c.count)
		if c.name = r.name(true); c.name == c.op || c.name == c.op[len(c.op)-1:] {
			c.name = lines
		}
	default:
		if s, is := short[c.name]; is {
			c.op, c.name = s[0], s[1]
		}
	}
	switch c.name {
	case "f", "F", "t", "T", "r", "m", "'", "`", "q", "@", "z", "Z", "[", "]": // from m on, of Vim's other commands
		c.arg = r.char()
	case "/", "?", ":":
		for k := r.char(); k != "\n" && !r.short; k = r.char() {
			c.arg += k
		}
	}
	return c, !r.short
}
