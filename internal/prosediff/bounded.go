package prosediff

import (
	"slices"

	"chatvault/internal/text"
)

// Bounded is the diff with no more than limit bytes of what differs, the last passage cut where it
// must be; the diff itself where that is all. What it leaves out cannot be shown, and so its hunks
// cannot be chosen among.
func (d *Diff) Bounded(limit int) *Diff {
	left := limit
	for i, p := range d.Passages {
		if p.Op == Same {
			continue
		}
		size := p.size()
		if size <= left {
			left -= size
			continue
		}
		cut := *d
		cut.Passages = slices.Concat(d.Passages[:i], []Passage{p.cut(left)})
		for _, q := range d.Passages[i+1:] {
			if q.Op != Same {
				cut.Left++
			}
		}
		return &cut
	}
	return d
}

// aside is what is counted of what stays the same in a passage that changes: more of it need not
// be shown.
const aside = 400

// size is how much of a passage there is to be shown.
func (p *Passage) size() int {
	if p.Op != Changed {
		return len(p.Old) + len(p.New)
	}
	n := 0
	for _, s := range p.Words {
		n += s.size()
	}
	return n
}

func (s Span) size() int {
	if s.Op == Same {
		return min(len(s.Text), aside)
	}
	return len(s.Text)
}

// cut is the beginning of a passage, with what Cut says left out at its end.
func (p Passage) cut(left int) Passage {
	whole := p.size()
	switch p.Op {
	case Changed:
		for i, s := range p.Words {
			if n := s.size(); n > left {
				p.Words = append(p.Words[:i:i], Span{s.Op, text.Head(s.Text, left)})
				break
			}
			left -= s.size()
		}
	default:
		p.Old = text.Head(p.Old, left)
		p.New = text.Head(p.New, left-len(p.Old))
	}
	p.Cut = max(whole-p.size(), 1)
	return p
}
