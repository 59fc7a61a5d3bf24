package find

import (
	"bytes"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// stretch is a part of a drawn line: cells from From up to, without, To.
type stretch struct{ row, from, to int }

// match is where what is looked for is drawn: on one line, or on several where it is broken.
type match []stretch

// at is where a match begins.
func (m match) at() stretch { return m[0] }

// drawnText is drawn lines as they are compared, and where each byte of that is.
type drawnText struct {
	text []byte
	at   []stretch // of the cell that each byte is of
}

// foldDrawn makes drawnText of drawn lines. A line may end within a word, or between two: between is what
// stands there.
func (p *pattern) foldDrawn(lines []string, between string) drawnText {
	var d drawnText
	for row, line := range lines {
		if row > 0 && between != "" {
			d.add(addSpace(d.text), stretch{row: row})
		}
		d.line(p, row, line)
		if between == "" { // what fills a line up is no space within a word
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
			continue // a sequence
		}
		cluster := []byte(seq)
		if !isASCII(cluster) {
			cluster = norm.NFC.Bytes(cluster)
		}
		if begun || strings.TrimSpace(seq) != "" { // a margin is no space within a word
			was := len(d.text)
			d.add(p.fold(d.text, cluster), stretch{row, cell, cell + width})
			begun = begun || len(d.text) > was
		}
		cell += width
	}
}

// add takes text that was added, of one cell.
func (d *drawnText) add(text []byte, at stretch) {
	for range len(text) - len(d.text) {
		d.at = append(d.at, at)
	}
	d.text = text
}

// drawnIn is where what is looked for is drawn in lines, in order.
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

// match is where the bytes from from up to to are drawn.
func (d *drawnText) match(from, to int) match {
	var m match
	for _, at := range d.at[from:to] {
		if at.from == at.to {
			continue // a line's end
		}
		if n := len(m) - 1; n >= 0 && m[n].row == at.row {
			m[n].to = max(m[n].to, at.to)
			continue
		}
		m = append(m, at)
	}
	return m
}

// repaint draws ranges of a line in styles of their own; of those that overlap the first one.
func repaint(line string, ranges []lipgloss.Range) string {
	slices.SortFunc(ranges, func(a, b lipgloss.Range) int { return a.Start - b.Start })
	ranges = slices.CompactFunc(ranges, func(later, before lipgloss.Range) bool { return later.Start < before.End })
	return lipgloss.StyleRanges(line, ranges...)
}
