package find

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

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
