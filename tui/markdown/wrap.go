package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"chatvault/tui/theme"
)

// span is a run of text in one style. open begins the style, "" is plain. A
// newline in text breaks the line.
type span struct {
	text string
	open string
	ref  uint16 // the reference it belongs to, from 1; 0: none
}

// piece is what lines are filled with: text that is never broken, unless it is
// wider than the line.
type piece struct {
	text  string
	open  string
	width int
	ref   uint16
	space bool // may be dropped at a line's end
	brk   bool // a line may end after it
	nl    bool // a line ends here
}

// pieces cuts spans where a line may end: after spaces and hyphens inside words,
// and around wide characters, which Chinese and Japanese break between.
func pieces(spans []span) []piece {
	var out []piece
	for _, s := range spans {
		out = appendPieces(out, s)
	}
	return out
}

func appendPieces(out []piece, s span) []piece {
	text := s.text
	for text != "" {
		switch c := text[0]; {
		case c == '\n':
			out = append(out, piece{nl: true})
			text = text[1:]
		case c == '\t':
			out = append(out, piece{text: "    ", open: s.open, ref: s.ref, width: 4, space: true, brk: true})
			text = text[1:]
		case c == ' ':
			n := 1
			for n < len(text) && text[n] == ' ' {
				n++
			}
			out = append(out, piece{text: text[:n], open: s.open, ref: s.ref, width: n, space: true, brk: true})
			text = text[n:]
		case c > ' ' && c < utf8.RuneSelf-1:
			n := 1
			for n < len(text) && text[n] > ' ' && text[n] < utf8.RuneSelf-1 {
				n++
				if hyphenAt(text, n-1) {
					break
				}
			}
			// A mark after the last letter belongs to it.
			if n < len(text) && text[n] >= utf8.RuneSelf {
				n--
			}
			if n > 0 {
				out = append(out, piece{text: text[:n], open: s.open, ref: s.ref, width: n, brk: hyphenAt(text, n-1)})
				text = text[n:]
				continue
			}
			fallthrough
		default:
			cluster, rest, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
			w := ansi.StringWidth(cluster)
			wide := w > 1 && !noBreakAfter(cluster) && !noBreakBefore(rest)
			if w > 1 && len(out) > 0 && !noBreakBefore(cluster) && !out[len(out)-1].nl && !noBreakAfter(out[len(out)-1].text) {
				out[len(out)-1].brk = true
			}
			out = append(out, piece{text: cluster, open: s.open, ref: s.ref, width: w, brk: wide})
			text = rest
		}
	}
	return out
}

// hyphenAt says that a line may end after text[i]: a hyphen or slash with word
// characters on both sides.
func hyphenAt(text string, i int) bool {
	return (text[i] == '-' || text[i] == '/') && i > 0 && i+1 < len(text) &&
		isWordByte(text[i-1]) && isWordByte(text[i+1])
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

const (
	closers = "、。，．・：；？！゛゜ー’”）〕］｝〉》」』】,.;:!?)]}"
	openers = "‘“（〔［｛〈《「『【([{"
)

func noBreakBefore(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r != utf8.RuneError && (strings.ContainsRune(closers, r) || unicode.Is(unicode.M, r))
}

func noBreakAfter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(openers, r)
}

// wrap fills lines of at most width cells (at least 1). Each line is complete in
// itself. A line break costs its surrounding spaces; leading spaces of the text stay.
func wrap(spans []span, width int) []string { return wrapHanging(spans, width, false) }

// wrapHanging is wrap; hanging: what a line that begins with blanks is broken into begins with as
// many, so that it does not read as another line.
func wrapHanging(spans []span, width int, hanging bool) []string {
	if width < 1 {
		width = 1
	}
	f := filler{width: width, hanging: hanging && width >= leastHanging}
	ps := pieces(spans)
	for i := 0; i < len(ps); {
		if ps[i].nl {
			f.end()
			i++
			continue
		}
		if ps[i].space {
			f.space(ps[i])
			i++
			continue
		}
		// A word: pieces up to the next place where the line may end.
		j, w := i, 0
		for j < len(ps) && !ps[j].nl && !ps[j].space {
			w += ps[j].width
			j++
			if ps[j-1].brk {
				break
			}
		}
		f.word(ps[i:j], w)
		i = j
	}
	if f.used > f.hung || len(f.lines) == 0 {
		f.end()
	}
	return f.lines
}

// leastHanging is the width from which on broken lines hang, in cells.
const leastHanging = 16

// filler builds lines.
type filler struct {
	width   int
	lines   []string
	b       strings.Builder
	open    string
	ref     uint16
	used    int
	pending []piece // spaces that are drawn only when a word follows
	wrapped bool    // the line began because the one before was full
	hanging bool
	indent  int // hanging: the blanks that the line in the text begins with
	hung    int // those that the drawn line was begun with
}

func (f *filler) put(p piece) {
	if p.open != f.open || p.ref != f.ref {
		f.leave()
		f.b.WriteString(openRef(p.ref))
		f.b.WriteString(p.open)
		f.open, f.ref = p.open, p.ref
	}
	f.b.WriteString(p.text)
	f.used += p.width
}

func (f *filler) space(p piece) {
	if f.used == f.hung && f.wrapped {
		return
	}
	f.pending = append(f.pending, p)
}

func (f *filler) word(ps []piece, w int) {
	spaces := 0
	for _, p := range f.pending {
		spaces += p.width
	}
	if f.hanging && f.used == 0 && !f.wrapped {
		f.indent = spaces
	}
	if f.used+spaces+w > f.width && f.used > f.hung {
		f.breakLine()
		spaces = 0
	}
	if spaces > 0 && spaces+w <= f.width-f.used {
		for _, p := range f.pending {
			f.put(p)
		}
	}
	f.pending = f.pending[:0]
	for _, p := range ps {
		f.long(p)
	}
}

// long draws a piece, breaking it where it is wider than what is left of the line.
func (f *filler) long(p piece) {
	for f.used+p.width > f.width {
		room := f.width - f.used
		if p.width == len(p.text) && room > 0 && room < len(p.text) {
			f.put(piece{text: p.text[:room], open: p.open, ref: p.ref, width: room})
			p.text, p.width = p.text[room:], p.width-room
		} else if f.used <= f.hung {
			break // one cluster wider than the whole line
		}
		f.breakLine()
	}
	if p.width <= f.width {
		f.put(p)
		return
	}
	f.put(piece{text: "…", open: p.open, ref: p.ref, width: 1})
}

func (f *filler) breakLine() {
	f.end()
	f.wrapped = true
	if f.hanging {
		f.hung = min(f.indent, f.width/2)
		f.b.WriteString(strings.Repeat(" ", f.hung))
		f.used = f.hung
	}
}

// leave ends the style, and the reference, that the text so far is in.
func (f *filler) leave() {
	if f.open != "" {
		f.b.WriteString(theme.Reset)
	}
	if f.ref != 0 {
		f.b.WriteString(markEnd)
	}
	f.open, f.ref = "", 0
}

// end ends a line.
func (f *filler) end() {
	f.leave()
	f.lines = append(f.lines, f.b.String())
	f.b.Reset()
	f.used, f.hung, f.wrapped, f.pending = 0, 0, false, f.pending[:0]
}

// Wrap lays plain text out in lines of at most width cells, in the style that
// open begins ("" for none). Newlines are kept.
func Wrap(text, open string, width int) []string {
	return wrap([]span{{text: strings.TrimRight(text, "\n"), open: open}}, width)
}

func spansWidth(spans []span) int {
	widest, n := 0, 0
	for _, p := range pieces(spans) {
		if p.nl {
			n = 0
			continue
		}
		n += p.width
		widest = max(widest, n)
	}
	return widest
}
