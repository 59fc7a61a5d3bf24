package find

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// pattern is a search pattern: texts of which any may match. They are compared with a text as it appears to a reader:
// Markdown marks are ignored unless the pattern contains them, as are line breaks and the amount of space. Case is
// ignored unless the pattern contains a capital letter.
type pattern struct {
	typed   string
	needles [][]byte // folded
	exact   bool     // case-sensitive
	drop    [utf8.RuneSelf]bool
}

// marks are Markdown's marks and the characters drawn in their place.
const marks = "*_`~=[]|>\\"

// newPattern returns the pattern that finds the given parts of a typed text.
func newPattern(typed string, texts ...string) pattern {
	p := pattern{typed: typed}
	for _, r := range typed {
		p.exact = p.exact || unicode.IsUpper(r) || unicode.IsTitle(r)
	}
	for _, r := range marks {
		p.drop[r] = !strings.ContainsRune(typed, r)
	}
	for _, text := range texts {
		if needle := p.fold(nil, []byte(text)); len(bytes.TrimSpace(needle)) > 0 {
			p.needles = append(p.needles, needle)
		}
	}
	return p
}

// empty reports whether there is nothing to search for.
func (p *pattern) empty() bool { return len(p.needles) == 0 }

// fold appends the comparable form of a text.
func (p *pattern) fold(b, text []byte) []byte {
	if !isASCII(text) && !norm.NFC.IsNormal(text) {
		text = norm.NFC.Bytes(text)
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			b = p.foldRune(b, r)
			i += n
			continue
		}
		i++
		switch {
		case c <= ' ':
			b = addSpace(b)
		case p.drop[c]:
		case c >= 'A' && c <= 'Z' && !p.exact:
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return b
}

// foldRune appends a non-ASCII character. Box drawing and zero-width characters are omitted.
func (p *pattern) foldRune(b []byte, r rune) []byte {
	switch {
	case unicode.IsSpace(r):
		return addSpace(b)
	case r >= 0x2500 && r < 0x25a0, r == 0x200b, r == 0xfeff, r == utf8.RuneError:
		return b
	case !p.exact:
		r = unicode.ToLower(r)
	}
	return utf8.AppendRune(b, r)
}

func addSpace(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == ' ' {
		return b
	}
	return append(b, ' ')
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// count returns the number of matches in a text and of the needles that match.
func (p *pattern) count(text []byte) (matches, needles int) {
	folded := p.fold(make([]byte, 0, len(text)), text)
	for _, needle := range p.needles {
		n := bytes.Count(folded, needle)
		matches += n
		needles += min(n, 1)
	}
	return matches, needles
}

// stretch is the cells [from, to) of a drawn line.
type stretch struct{ row, from, to int }

// match is the drawn position of a match, which may be broken across lines.
type match []stretch

// at returns where a match begins.
func (m match) at() stretch { return m[0] }

// drawnText is the comparable text of drawn lines, with the position of each byte.
type drawnText struct {
	text []byte
	at   []stretch // the cell of each byte
}

// foldDrawn folds drawn lines to one text. A line break is a space, unless it is within a word: after a hyphen, a slash
// or a character of a script without spaces.
func (p *pattern) foldDrawn(lines []string) drawnText {
	var d drawnText
	for row, line := range lines {
		if last, _ := utf8.DecodeLastRune(d.text); row > 0 && last != '-' && last != '/' && last < 0x2e80 {
			d.add(addSpace(d.text), stretch{row: row})
		}
		d.line(p, row, line)
	}
	return d
}

func (d *drawnText) line(p *pattern, row int, line string) {
	cell, state := 0, byte(0)
	begun := false
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if n == 0 {
			return
		}
		line, state = line[n:], next
		if width == 0 {
			continue // an escape sequence
		}
		cluster := []byte(seq)
		if !isASCII(cluster) {
			cluster = norm.NFC.Bytes(cluster)
		}
		if begun || strings.TrimSpace(seq) != "" { // within a word, a margin is not a space
			was := len(d.text)
			d.add(p.fold(d.text, cluster), stretch{row, cell, cell + width})
			begun = begun || len(d.text) > was
		}
		cell += width
	}
}

// add sets the text, whose added bytes are all drawn at one cell.
func (d *drawnText) add(text []byte, at stretch) {
	for range len(text) - len(d.text) {
		d.at = append(d.at, at)
	}
	d.text = text
}

// drawnIn returns the matches in drawn lines, in order.
func (p *pattern) drawnIn(lines []string) (all []match) {
	if p.empty() {
		return nil
	}
	d := p.foldDrawn(lines)
	for _, needle := range p.needles {
		for from := 0; ; from += len(needle) {
			i := bytes.Index(d.text[from:], needle)
			if i < 0 {
				break
			}
			from += i
			if m := d.match(from, from+len(needle)); len(m) > 0 {
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Or(a.at().row-b.at().row, a.at().from-b.at().from) })
	return all
}

// match returns the drawn position of the bytes [from, to).
func (d *drawnText) match(from, to int) match {
	var m match
	for _, at := range d.at[from:to] {
		if at.from == at.to {
			continue // a line break
		}
		if n := len(m) - 1; n >= 0 && m[n].row == at.row {
			m[n].to = max(m[n].to, at.to)
			continue
		}
		m = append(m, at)
	}
	return m
}

// repaint applies styles to ranges of a line. Of overlapping ranges, the first wins.
func repaint(line string, ranges []lipgloss.Range) string {
	slices.SortFunc(ranges, func(a, b lipgloss.Range) int { return a.Start - b.Start })
	ranges = slices.CompactFunc(ranges, func(later, before lipgloss.Range) bool { return later.Start < before.End })
	return lipgloss.StyleRanges(line, ranges...)
}
