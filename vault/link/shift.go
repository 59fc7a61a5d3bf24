package link

import (
	"bytes"
	"slices"
	"strconv"
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
	index int // -1 if it is no heading anymore
}

// Renamed returns the change from one text of a note to another, or nil if no heading was renamed. A heading is renamed
// if it vanished and another one is in its place: with the same text below it, or of the same level as one of equally
// many there.
func Renamed(name string, before, after []byte) *Shift {
	s := &Shift{Note: name, before: NewSections(before), now: map[int]spot{}, renamed: map[int]bool{}}
	old, now := s.before, NewSections(after)
	s.after = map[string]*Sections{name: now}
	more := map[string]int{} // by key, how many more headings there were before
	for _, k := range old.keys {
		more[k]++
	}
	for _, k := range now.keys {
		more[k]--
	}
	i, j := 0, 0
	keep := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			s.now[i] = spot{name, j}
		}
	}
	for _, d := range lcs.DiffLines(old.keys, now.keys) {
		var vanished, arrived []int
		for keep(d.Start); i < d.End; i++ {
			if more[old.keys[i]] > 0 { // otherwise it moved within the note
				vanished = append(vanished, i)
			}
		}
		for ; j < d.ReplEnd; j++ {
			if more[now.keys[j]] < 0 && now.keys[j] != "" {
				arrived = append(arrived, j)
			}
		}
		s.pair(vanished, arrived, now)
	}
	if keep(len(old.keys)); len(s.renamed) == 0 {
		return nil
	}
	return s
}

// pair finds the new names of headings that vanished from a place among those that arrived there.
func (s *Shift) pair(vanished, arrived []int, now *Sections) {
	taken := map[int]bool{}
	for _, kind := range []func(*Sections, int) string{(*Sections).below, (*Sections).level} {
		olds, news := map[string][]int{}, map[string][]int{}
		for _, i := range vanished {
			if !s.renamed[i] {
				olds[kind(s.before, i)] = append(olds[kind(s.before, i)], i)
			}
		}
		for _, j := range arrived {
			if !taken[j] {
				news[kind(now, j)] = append(news[kind(now, j)], j)
			}
		}
		for k := range olds {
			for n, i := range olds[k] {
				if k != "" && len(olds[k]) == len(news[k]) {
					s.now[i], s.renamed[i], taken[news[k][n]] = spot{s.Note, news[k][n]}, true, true
				}
			}
		}
	}
}

// level returns the level of a heading.
func (s *Sections) level(i int) string { return strconv.Itoa(s.headings[i].Level) }

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
	next := map[string]int{}
	for _, h := range s.after[to].headings {
		if h.Start < at {
			next[to]++
		}
	}
	for i, h := range s.before.headings {
		in := name
		if h.Start >= start && h.Start < end {
			in = to
		}
		s.now[i] = spot{in, next[in]}
		if keys := s.after[in].keys; next[in] >= len(keys) || keys[next[in]] != s.before.keys[i] { // other text took it in
			s.now[i] = spot{in, -1}
		}
		next[in]++
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
	case !found || len(chain) == 0 && s.To == "":
		return s.Note, l.Anchor, true
	case len(chain) == 0:
		to, ok = s.followBlock(l, at)
		return to, l.Anchor, ok
	}
	want, stays := s.now[chain[len(chain)-1]]
	if want.index < 0 {
		return want.note, l.Anchor, false
	}
	now, raw := s.after[want.note], l.rawAnchorParts()
	leads := func() bool {
		chain, _, ok := now.find(l)
		return ok && len(chain) > 0 && chain[len(chain)-1] == want.index
	}
	if !stays || want.note == s.Note && !slices.ContainsFunc(chain, func(i int) bool { return s.renamed[i] || s.now[i].note != s.Note }) && leads() {
		return s.Note, l.Anchor, true
	}
	var own, full []string
	for k, i := range chain {
		switch j, ok := s.now[i]; {
		case !ok || j.note != want.note || j.index < 0:
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
		if leads() {
			return want.note, l.Anchor, true
		}
	}
	return want.note, l.Anchor, false
}

// followBlock returns where a link to a block leads after a move. at is the start of its line before.
func (s *Shift) followBlock(l Link, at int) (to string, ok bool) {
	if to = s.To; at < s.from || at >= s.to {
		to = s.Note
	}
	_, line, ok := s.after[to].find(l)
	return to, ok && bytes.HasPrefix(s.after[to].text[line:], bytes.TrimRight(s.before.text[at:block.LineStop(s.before.text, at)], "\r\n"))
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
