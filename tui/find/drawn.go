package find

import (
	"bytes"
	"slices"
	"strings"

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

// foldDrawn converts drawn lines. between is inserted at line breaks: a line may end between words or within one.
func (p *pattern) foldDrawn(lines []string, between string) drawnText {
	var d drawnText
	for row, line := range lines {
		if row > 0 && between != "" {
			d.add(addSpace(d.text), stretch{row: row})
		}
		d.line(p, row, line)
		if between == "" { // within a word, padding at the end of a line is not a space
			for n := len(d.text); n > 0 && d.text[n-1] == ' '; n-- {
				d.text, d.at = d.text[:n-1], d.at[:n-1]
			}
		}
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

// drawnIn returns the matches drawn in lines, from the top.
func (p *pattern) drawnIn(lines []string) []match {
	if p.empty() {
		return nil
	}
	var all []match
	known := map[stretch]bool{}
	for _, between := range []string{" ", ""} {
		d := p.foldDrawn(lines, between)
		for from := 0; ; {
			i := bytes.Index(d.text[from:], p.needle)
			if i < 0 {
				break
			}
			from += i
			if m := d.match(from, from+len(p.needle)); len(m) > 0 && !known[m.at()] {
				known[m.at()] = true
				all = append(all, m)
			}
			from += len(p.needle)
		}
		if len(lines) < 2 {
			break
		}
	}
	slices.SortFunc(all, func(a, b match) int {
		if a.at().row != b.at().row {
			return a.at().row - b.at().row
		}
		return a.at().from - b.at().from
	})
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
