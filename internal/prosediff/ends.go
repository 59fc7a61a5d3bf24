package prosediff

import (
	"cmp"
	"strings"
)

// side is a text prepared for comparison: without its byte order mark, and with LF if all its lines end alike.
type side struct {
	text string
	bom  bool
	end  string // common line end; empty if none, or several
}

const mark = "\ufeff"

func newSide(text string) side {
	var s side
	s.text, s.bom = strings.CutPrefix(text, mark)
	switch all, crlf := strings.Count(s.text, "\n"), strings.Count(s.text, "\r\n"); {
	case all == 0:
	case crlf == all:
		s.end = "\r\n"
	case crlf == 0:
		s.end = "\n"
	}
	return s
}

// normalizeEnds normalizes the line ends of two texts if each has a single kind, so that they only differ in their words.
func normalizeEnds(a, b *side) {
	mixed := func(s *side) bool { return s.end == "" && strings.Contains(s.text, "\n") }
	if mixed(a) || mixed(b) {
		a.end, b.end = "", ""
		return
	}
	a.end, b.end = cmp.Or(a.end, b.end, "\n"), cmp.Or(b.end, a.end, "\n")
	for _, s := range []*side{a, b} {
		if s.end == "\r\n" {
			s.text = strings.ReplaceAll(s.text, "\r\n", "\n")
		}
	}
}

// notes describes the changes of the whole text.
func (d *Diff) notes() {
	if d.old.end != d.new.end {
		name := map[string]string{"\n": "LF", "\r\n": "CR LF"}
		d.Notes = append(d.Notes, "Line ends: "+name[d.old.end]+" become "+name[d.new.end])
	}
	switch {
	case d.old.bom && !d.new.bom:
		d.Notes = append(d.Notes, "The byte order mark at its beginning goes")
	case d.new.bom && !d.old.bom:
		d.Notes = append(d.Notes, "It gets a byte order mark at its beginning")
	}
}
