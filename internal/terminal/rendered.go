package terminal

import (
	"strings"
)

// Rendered makes the output of a renderer safe. Colours and attributes remain,
// but not concealment and blinking; links that Link made remain; every other
// sequence, whole or cut short, shows as text. Text between the sequences comes
// out as Text would have it, but that only a line feed ends a line: the others
// become spaces. Each line is complete in itself: what it switches on ends with
// it, and is switched on again where the next line needs it, so that lines can
// be shown apart. Rendered is idempotent.
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

// filter is where Rendered stands.
type filter struct {
	out  []byte
	text cleaner

	want, have     style  // what the renderer asked for, what was written
	link, haveLink string // a link's target, the same
}

// write appends text in the style and the link that are wanted.
func (f *filter) write(s string) {
	before, have, link := len(f.out), f.have, f.haveLink
	f.sync()
	synced := len(f.out)
	var rest string
	f.out, rest = f.text.feed(f.out, s, false)
	if rest != "" { // a rune cut by a sequence or a line end is none
		f.out, _ = f.text.feed(f.out, rest, true)
	}
	if len(f.out) == synced { // nothing to see, nothing to switch on
		f.out, f.have, f.haveLink = f.out[:before], have, link
	}
}

// sync writes what brings the terminal to what is wanted.
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

// rest brings the terminal to where nothing is switched on, and forgets nothing.
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
	f.text.cr = false // a line may end in CR LF
	f.rest()
	f.out = append(f.out, '\n')
	f.text.settle('\n')
}

// sequence reads the sequence at the start of s and returns its length; of one
// that may not pass only its ESC, which shows.
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

// sgrLength is the length of the SGR sequence at the start of s, 0 for none.
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
