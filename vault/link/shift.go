package link

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff/lcs"

	"chatvault/vault/block"
)

// Shift is a change of a note that renames headings or moves a part of it to another note. It maps the anchors of links
// to the note.
type Shift struct {
	Note, To string // the note, and the other one; To is "" if nothing moves

	before   *Sections            // of the note
	after    map[string]*Sections // by note
	now      map[int]spot         // the remaining headings, by index before
	renamed  map[int]bool         // by index before
	from, to int                  // the range of the moved text, in bytes
	whole    bool                 // the note's whole text moves
}

// spot is a heading after a change.
type spot struct {
	note  string
	index int
}

// Renamed returns the change from one text of a note to another, or nil if no heading was renamed. A heading is renamed
// if it vanished and another one is in its place: with the same text below it, or of the same level as one of equally
// many there.
func Renamed(name string, before, after []byte) *Shift {
	s := &Shift{Note: name, before: NewSections(before), now: map[int]spot{}, renamed: map[int]bool{}}
	old, now := s.before, NewSections(after)
	s.after = map[string]*Sections{name: now}
	diffs := lcs.DiffLines(old.keys, now.keys)
	gone, came := map[string]bool{}, map[string]bool{}
	i, shift := 0, 0
	keep := func(to int) {
		for ; i < to; i++ {
			s.now[i] = spot{name, i + shift}
		}
	}
	for _, d := range diffs {
		keep(d.Start)
		i, shift = d.End, d.ReplEnd-d.End
		for _, k := range old.keys[d.Start:d.End] {
			gone[k] = true
		}
		for _, k := range now.keys[d.ReplStart:d.ReplEnd] {
			came[k] = true
		}
	}
	keep(len(old.keys))
	for _, d := range diffs {
		vanished, arrived := span(d.Start, d.End), span(d.ReplStart, d.ReplEnd)
		vanished = slices.DeleteFunc(vanished, func(i int) bool { return came[old.keys[i]] }) // it moved within the note
		arrived = slices.DeleteFunc(arrived, func(i int) bool { return gone[now.keys[i]] || now.keys[i] == "" })
		s.pair(vanished, arrived, now)
	}
	if len(s.renamed) == 0 {
		return nil
	}
	return s
}

// span returns the numbers from start to before end.
func span(start, end int) (numbers []int) {
	for i := start; i < end; i++ {
		numbers = append(numbers, i)
	}
	return numbers
}

// pair finds the new names of headings that vanished from a place among those that arrived there.
func (s *Shift) pair(vanished, arrived []int, now *Sections) {
	type kind struct {
		level int
		below string
	}
	for _, byText := range []bool{true, false} {
		at := func(in *Sections, i int) kind {
			if byText {
				return kind{below: in.below(i)}
			}
			return kind{level: in.headings[i].Level}
		}
		olds, news := map[kind][]int{}, map[kind][]int{}
		for _, i := range vanished {
			olds[at(s.before, i)] = append(olds[at(s.before, i)], i)
		}
		for _, j := range arrived {
			news[at(now, j)] = append(news[at(now, j)], j)
		}
		for k, olds := range olds {
			if len(olds) != len(news[k]) || byText && k.below == "" {
				continue
			}
			for n, i := range olds {
				s.now[i], s.renamed[i] = spot{s.Note, news[k][n]}, true
				arrived = slices.DeleteFunc(arrived, func(j int) bool { return j == news[k][n] })
			}
		}
		vanished = slices.DeleteFunc(vanished, func(i int) bool { return s.renamed[i] })
	}
}

// below returns the text between a heading and the next one.
func (s *Sections) below(i int) string {
	end := len(s.text)
	if i+1 < len(s.headings) {
		end = s.headings[i+1].Start
	}
	return strings.Join(strings.Fields(string(s.text[s.headings[i].End:end])), " ")
}

// Moved returns the change that moves the bytes from start to end of a note to the note to. rest and joined are the
// texts of the two notes afterwards; at is the offset of the moved text in joined. If whole is set, links to the note
// itself follow too.
func Moved(name string, before []byte, start, end int, rest []byte, to string, joined []byte, at int, whole bool) *Shift {
	s := &Shift{Note: name, To: to, before: NewSections(before), now: map[int]spot{}, from: start, to: end, whole: whole}
	s.after = map[string]*Sections{name: NewSections(rest), to: NewSections(joined)}
	stay, move := 0, 0
	for _, h := range s.after[to].headings {
		if h.Start < at {
			move++
		}
	}
	for i, h := range s.before.headings {
		if h.Start >= start && h.Start < end {
			s.now[i] = spot{to, move}
			move++
		} else {
			s.now[i] = spot{name, stay}
			stay++
		}
	}
	return s
}

// follow returns where a link to the note leads after the change, and its new anchor. ok is false if no anchor leads
// to the same heading or block.
func (s *Shift) follow(l Link) (to, anchor string, ok bool) {
	chain, at, found := s.before.find(l)
	switch {
	case !found && s.whole:
		return s.To, l.Anchor, true
	case !found || len(chain) == 0 && (at < s.from || at >= s.to):
		return s.Note, l.Anchor, true
	case len(chain) == 0:
		_, line, ok := s.after[s.To].find(l)
		return s.To, l.Anchor, ok && bytes.HasPrefix(s.after[s.To].text[line:], bytes.TrimRight(s.before.text[at:block.LineStop(s.before.text, at)], "\r\n"))
	}
	want, stays := s.now[chain[len(chain)-1]]
	if !stays || want.note == s.Note && !slices.ContainsFunc(chain, func(i int) bool { return s.renamed[i] || s.now[i].note != s.Note }) {
		return s.Note, l.Anchor, true
	}
	now, raw := s.after[want.note], l.rawAnchorParts()
	var own, full []string
	for k, i := range chain {
		switch j, ok := s.now[i]; {
		case !ok || j.note != want.note:
		case !s.renamed[i]:
			own = append(own, raw[k])
		default:
			own = append(own, l.anchorOf(now.headings[j.index].Text, s.before.headings[i].Text))
		}
	}
	for j, level := want.index, 7; j >= 0; j-- {
		if h := now.headings[j]; h.Level < level {
			level, full = h.Level, append(full, l.anchorOf(h.Text, ""))
		}
	}
	slices.Reverse(full)
	query, _, _ := strings.Cut(l.Anchor, "#")
	for _, parts := range [][]string{own, full} {
		l.Anchor = query + "#" + strings.Join(parts, "#")
		if chain, _, ok := now.find(l); ok && chain[len(chain)-1] == want.index {
			return want.note, l.Anchor, true
		}
	}
	return want.note, l.Anchor, false
}

// anchorOf returns the name of a heading in an anchor, in the style of the link. old is the heading's text before, if
// the link names it.
func (l Link) anchorOf(heading, old string) string {
	raw := strings.Join(l.rawAnchorParts(), "#")
	if parts := l.Names(); slices.Contains(parts, slug(old)) && (l.slugs || l.Kind.markdown() && slug(old) != old) {
		heading = slug(heading)
	} else {
		for _, mark := range []string{"#", "^", "|", "[[", "]]", `\`, "%%", ":"} {
			heading = strings.ReplaceAll(heading, mark, " ")
		}
		heading = strings.Join(strings.FieldsFunc(heading, unicode.IsSpace), " ")
	}
	if !l.Kind.markdown() {
		return heading
	}
	before := byte(' ')
	if strings.Contains(raw, " ") {
		before = '<'
	}
	return encoded(heading, raw, before, l.Kind == HTML)
}
