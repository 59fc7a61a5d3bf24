package terminal

import (
	"strings"
)

// Rendered makes a renderer's output safe. Colours and attributes other than concealment and blinking remain, as do
// links made by Link; any other sequence, complete or not, shows as text. Text between sequences is sanitized as by
// Text, except that only a line feed ends a line; other line ends become spaces. Each line is self-contained: styles
// are closed at its end and reopened on the next line, so that lines can be shown separately. Rendered is idempotent.
func Rendered(s string) string {
	if plainPrefix(s, 0) == len(s) {
		return s
	}
	f := filter{out: make([]byte, 0, len(s)+len(s)/8+64)}
	f.text.base, f.text.form = startOfLine, inLine
	for len(s) > 0 {
		n := strings.IndexAny(s, "\x1b\n")
		if n < 0 {
			n = len(s)
		}
		if n > 0 {
			f.write(s[:n])
			s = s[n:]
			continue
		}
		if s[0] == '\n' {
			f.endLine()
			s = s[1:]
			continue
		}
		s = s[f.sequence(s):]
	}
	f.rest()
	return string(f.out)
}

// filter is the state of Rendered.
type filter struct {
	out  []byte
	text cleaner

	want, have     style  // as requested by the renderer, and as written
	link, haveLink string // the same for the link's target
}

// write appends text in the wanted style and link.
func (f *filter) write(s string) {
	before, have, link := len(f.out), f.have, f.haveLink
	f.sync()
	synced := len(f.out)
	var rest string
	f.out, rest = f.text.feed(f.out, s, false)
	if rest != "" { // a rune interrupted by a sequence or a line end is invalid
		f.out, _ = f.text.feed(f.out, rest, true)
	}
	if len(f.out) == synced { // no visible output, so no style either
		f.out, f.have, f.haveLink = f.out[:before], have, link
	}
}

// sync writes the difference between the current and the wanted state.
func (f *filter) sync() {
	if f.want != f.have {
		if f.have != (style{}) {
			f.out = append(f.out, reset...)
		}
		f.out = append(f.out, f.want.sequence()...)
		f.have = f.want
	}
	if f.link != f.haveLink {
		if f.haveLink != "" {
			f.out = append(f.out, linkEnd...)
		}
		if f.link != "" {
			f.out = append(f.out, openLink(f.link)...)
		}
		f.haveLink = f.link
	}
}

// rest closes the open style and link without forgetting the wanted state.
func (f *filter) rest() {
	f.out = f.text.release(f.out, 0)
	if f.haveLink != "" {
		f.out = append(f.out, linkEnd...)
		f.haveLink = ""
	}
	if f.have != (style{}) {
		f.out = append(f.out, reset...)
		f.have = style{}
	}
}

func (f *filter) endLine() {
	f.text.cr = false // for lines that end in CR LF
	f.rest()
	f.out = append(f.out, '\n')
	f.text.settle('\n')
}

// sequence processes the sequence at the start of s and returns its length. Of a forbidden sequence only the ESC is
// consumed, and shown.
func (f *filter) sequence(s string) int {
	if n := sgrLength(s); n > 0 {
		if after, ok := f.want.apply(s[2 : n-1]); ok {
			f.want = after
			return n
		}
	}
	if target, n := readLink(s); n > 0 && (target != "" || f.link != "") {
		f.link = target
		return n
	}
	f.sync()
	f.out = f.text.step(f.out, 0x1b)
	return 1
}

// sgrLength returns the length of the SGR sequence at the start of s, or 0.
func sgrLength(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch b := s[i]; {
		case b == 'm':
			return i + 1
		case b < '0' || b > ';':
			return 0
		}
	}
	return 0
}

// attribute is a set of SGR attributes (ECMA-48, 8.3.117), without blinking (5, 6) and concealment (8).
type attribute uint8

const (
	bold attribute = 1 << iota
	faint
	italic
	reverse
	struck
	overlined
)

// on maps SGR parameters to the attributes that they set, off to those that they clear.
var (
	on  = map[string]attribute{"1": bold, "2": faint, "3": italic, "7": reverse, "9": struck, "53": overlined}
	off = map[string]attribute{"22": bold | faint, "23": italic, "27": reverse, "29": struck, "55": overlined}
)

// style is the accumulated SGR state. Colours and the underline hold the parameters that set them, empty for the
// default.
type style struct {
	attributes                    attribute
	underline                     string
	foreground, background, under string
}

const reset = "\x1b[0m"

// sequence returns the shortest SGR that sets the style on a reset terminal; empty if there is nothing to set.
func (s style) sequence() string {
	if s == (style{}) {
		return ""
	}
	params := make([]string, 0, 10)
	for _, a := range [...]struct {
		attribute
		param string
	}{{bold, "1"}, {faint, "2"}, {italic, "3"}, {reverse, "7"}, {struck, "9"}, {overlined, "53"}} {
		if s.attributes&a.attribute != 0 {
			params = append(params, a.param)
		}
	}
	for _, p := range [...]string{s.underline, s.foreground, s.background, s.under} {
		if p != "" {
			params = append(params, p)
		}
	}
	return "\x1b[" + strings.Join(params, ";") + "m"
}

const (
	maxParameters = 48 // per sequence; renderers write at most twenty
	maxParameter  = 16 // bytes, sub-parameters included
)

// apply returns the style after an SGR with these parameters. Unknown or forbidden parameters have no effect; ok is
// false if no renderer writes such a sequence.
func (s style) apply(params string) (after style, ok bool) {
	if strings.Count(params, ";") >= maxParameters {
		return s, false
	}
	fields := strings.Split(params, ";")
	for i := 0; i < len(fields); i++ {
		p := fields[i]
		if len(p) > maxParameter {
			return s, false
		}
		switch {
		case p == "" || strings.Trim(p, "0") == "":
			s = style{}
		case on[p] != 0:
			s.attributes |= on[p]
		case off[p] != 0:
			s.attributes &^= off[p]
		case p == "4" || p == "21" || strings.HasPrefix(p, "4:"):
			s.underline = p
			if p == "4:0" {
				s.underline = ""
			}
		case p == "24":
			s.underline = ""
		case p == "39":
			s.foreground = ""
		case p == "49":
			s.background = ""
		case p == "59":
			s.under = ""
		default:
			n := colourLength(fields[i:])
			colour := strings.Join(fields[i:i+n], ";")
			switch {
			case isSimpleColour(p, '3', "9"), strings.HasPrefix(p, "38"):
				s.foreground = keepColour(s.foreground, colour, p)
			case isSimpleColour(p, '4', "10"), strings.HasPrefix(p, "48"):
				s.background = keepColour(s.background, colour, p)
			case strings.HasPrefix(p, "58"):
				s.under = keepColour(s.under, colour, p)
			}
			i += n - 1
		}
	}
	return s, true
}

// isSimpleColour reports whether p is tens and a digit from 0 to 7 (30 to 37), or one of the bright colours (90 to
// 97).
func isSimpleColour(p string, tens byte, bright string) bool {
	last := p[len(p)-1]
	if last < '0' || last > '7' {
		return false
	}
	return len(p) == 2 && p[0] == tens || p[:len(p)-1] == bright
}

// colourLength returns how many parameters at the start of fields make up one colour: "38;5;n" and "38;2;r;g;b", or
// one with sub-parameters, "38:2::r:g:b".
func colourLength(fields []string) int {
	switch fields[0] {
	case "38", "48", "58":
	default:
		return 1
	}
	n := 1
	if len(fields) > 1 {
		switch fields[1] {
		case "5":
			n = 3
		case "2":
			n = 5
		}
	}
	return min(n, len(fields))
}

// keepColour returns the new colour if it is complete, otherwise the old one.
func keepColour(old, colour, first string) string {
	for _, n := range strings.FieldsFunc(colour, func(r rune) bool { return r == ';' || r == ':' }) {
		if len(n) > 3 {
			return old
		}
	}
	switch first {
	case "38", "48", "58":
		switch n := strings.Count(colour, ";"); {
		case strings.HasPrefix(colour[2:], ";5;") && n == 2, strings.HasPrefix(colour[2:], ";2;") && n == 4:
			return colour
		}
		return old
	}
	if len(first) > 3 && (first[2] != ':' || (first[3] != '2' && first[3] != '5')) {
		return old
	}
	return colour
}
