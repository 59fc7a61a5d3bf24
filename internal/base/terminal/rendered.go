package terminal

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Rendered makes a renderer's output safe. Colours and attributes other than concealment and blinking remain, as do
// links made by Link; any other sequence, complete or not, shows as text. Text between sequences is sanitized as by
// Text, except that only a line feed ends a line; other line ends become spaces. Each line is self-contained: styles
// are closed at its end and reopened on the next line, so that lines can be shown separately. Rendered is idempotent.
func Rendered(s string) string {
	if isPlain(s, 0) {
		return s
	}
	f := filter{out: make([]byte, 0, len(s)+len(s)/8+64)}
	f.text.form = inLine
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

const reset = "\x1b[0m"

// filter is the state of Rendered.
type filter struct {
	out  []byte
	text cleaner

	want, have     uv.Style // as requested by the renderer, and as written
	link, haveLink string   // the same for the link's target
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
	if !f.want.Equal(&f.have) {
		if !f.have.IsZero() {
			f.out = append(f.out, reset...)
		}
		if !f.want.IsZero() {
			f.out = append(f.out, f.want.String()...)
		}
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
	if !f.have.IsZero() {
		f.out = append(f.out, reset...)
		f.have = uv.Style{}
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
	if after, n := readStyle(s, f.want); n > 0 {
		f.want = after
		return n
	}
	if target, n := readLink(s); n > 0 && (target != "" || f.link != "") {
		f.link = target
		return n
	}
	f.sync()
	f.out = f.text.step(f.out, 0x1b)
	return 1
}

// Limits of an SGR sequence. Renderers write at most twenty parameters, and the parser takes 32.
const (
	maxSGR    = 200 // bytes
	maxParams = 30
)

// readStyle parses the SGR sequence at the start of s and returns its length, 0 if there is none, and the style after
// it, without blinking and concealment.
func readStyle(s string, before uv.Style) (after uv.Style, n int) {
	params, _, ok := strings.Cut(s[:min(len(s), maxSGR)], "m")
	params, csi := strings.CutPrefix(params, "\x1b[")
	if n := strings.Count(params, ";") + strings.Count(params, ":"); !ok || !csi || n >= maxParams || strings.Trim(params, "0123456789:;") != "" {
		return before, 0
	}
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	_, _, n, _ = ansi.DecodeSequence(s[:len("\x1b[m")+len(params)], ansi.NormalState, p)
	uv.ReadStyle(p.Params(), &before)
	before.Attrs &^= uv.AttrBlink | uv.AttrRapidBlink | uv.AttrConceal
	return before, n
}
