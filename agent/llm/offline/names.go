package offline

import (
	"path"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// known is a note by the names it goes by.
type known struct {
	path     string
	names    []string // file name without extension, aliases
	title    string
	modified time.Time
	size     int64
}

// names is what there is in the vault at a point of the conversation: notes by name, and folders.
type names struct {
	notes   map[string]known // by path
	folders map[string]bool  // that hold notes, at any depth, and those made in this task

	resolved map[string][]candidate // what names meant since the last change: a request asks often
}

// namesOf collects the names of the indexed notes.
func namesOf(entries []retrieval.Entry) *names {
	v := &names{notes: make(map[string]known, len(entries)), folders: map[string]bool{}}
	for _, e := range entries {
		v.note(e)
	}
	return v
}

func (v *names) note(e retrieval.Entry) {
	k := known{path: e.Path, names: []string{retrieval.Name(e.Path)}, modified: e.Modified, size: e.Size}
	if e.Title != k.names[0] {
		k.title = e.Title
	}
	k.names = append(k.names, e.Aliases...)
	v.notes[e.Path] = k
	v.addFolders(e.Path)
}

func (v *names) addFolders(p string) {
	v.resolved = nil
	for d := path.Dir(p); d != "." && d != "/"; d = path.Dir(d) {
		v.folders[d] = true
	}
}

func (v *names) add(p string) {
	if _, ok := v.notes[p]; !ok && isNote(p) {
		v.notes[p] = known{path: p, names: []string{retrieval.Name(p)}}
		v.addFolders(p)
	}
}

// restore adds a note or folder that is gone now, with the notes that are remembered of it. When
// one that is not was changed last nobody knows any more: it goes before others, so that it is
// among the notes that are offered.
func (v *names) restore(p string, former []retrieval.Entry) {
	for _, e := range former {
		if _, ok := v.notes[e.Path]; !ok {
			v.note(e)
		}
	}
	if !isNote(p) {
		v.folders[p] = true
		return
	}
	v.add(p)
}

func (v *names) remove(p string) {
	v.resolved = nil
	delete(v.notes, p)
	for q := range v.notes {
		if strings.HasPrefix(q, p+"/") {
			delete(v.notes, q)
		}
	}
	delete(v.folders, p)
}

func (v *names) move(from, to string) {
	v.resolved = nil
	var moved []string
	for q := range v.notes {
		if q == from || strings.HasPrefix(q, from+"/") {
			moved = append(moved, q)
		}
	}
	for _, q := range moved {
		k := v.notes[q]
		delete(v.notes, q)
		k.path = to + strings.TrimPrefix(q, from)
		k.names = append([]string{retrieval.Name(k.path)}, k.names[1:]...)
		v.notes[k.path] = k
		v.addFolders(k.path)
	}
	delete(v.folders, from)
}

// has says whether there is a note or a folder at a path, ignoring case.
func (v *names) has(p string) bool {
	if _, ok := v.notes[p]; ok || v.folders[p] {
		return true
	}
	for q := range v.notes {
		if strings.EqualFold(p, q) {
			return true
		}
	}
	return false
}

// candidate is a note or folder that may be meant by a name.
type candidate struct {
	path  string
	score float64 // 1 for the name itself, down to 0
}

// How well a name must fit to be taken, to be worth a question, and how close a second one
// makes it ambiguous.
const (
	fitsSurely   = 0.66
	fitsPerhaps  = 0.48
	ambiguousGap = 0.06
	fitsExactly  = 0.985
)

// resolve finds the notes a name may mean, best first. Equal scores are ordered by path, so that a question
// offers the same options whatever was changed since.
func (v *names) resolve(name string) []candidate {
	out, ok := v.resolved[name]
	if !ok {
		if v.resolved == nil {
			v.resolved = map[string][]candidate{}
		}
		out = v.find(name)
		v.resolved[name] = out
	}
	return slices.Clip(out)
}

// find does what resolve promises.
func (v *names) find(name string) []candidate {
	q := newName(name)
	if q.text == "" {
		return nil
	}
	var out []candidate
	for p, k := range v.notes {
		best := q.pathScore(p)
		for i, n := range k.names {
			s := q.score(n)
			if i > 0 {
				s -= 0.01 // the file's own name goes first
			}
			best = max(best, s)
		}
		if k.title != "" { // which may be any heading: no name to go by alone
			best = max(best, min(q.score(k.title), fitsExactly)-0.02)
		}
		if best >= fitsPerhaps {
			out = append(out, candidate{p, best})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.score != b.score {
			return a.score > b.score
		}
		return a.path < b.path
	})
	return out
}

// resolveFolder finds the folder a name means; score 0 where none does.
func (v *names) resolveFolder(name string) candidate {
	q := newName(strings.Trim(name, "/"))
	var best candidate
	for d := range v.folders {
		s := max(q.pathScore(d), q.score(path.Base(d)))
		if s > best.score || s == best.score && (len(d) < len(best.path) || len(d) == len(best.path) && d < best.path) {
			best = candidate{d, s}
		}
	}
	if best.score < 0.75 {
		return candidate{}
	}
	return best
}

// within are the notes below a folder, sorted.
func (v *names) within(folder string) []string {
	var out []string
	for p := range v.notes {
		if folder == "" || strings.HasPrefix(p, folder+"/") {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// distinct are the candidates that fit about as well as the best one.
func distinct(c []candidate) []candidate {
	n := 1
	for n < len(c) {
		gap := ambiguousGap
		if c[0].score >= fitsExactly {
			gap = 1 - fitsExactly
		}
		if c[0].score-c[n].score > gap {
			break
		}
		n++
	}
	return c[:min(n, len(c))]
}

// name is a name a user gave, prepared for comparing.
type name struct {
	raw    string   // as it was given, folded
	text   string   // words separated by one space
	path   string   // folded, where it has a slash
	tokens []string // words that distinguish
}

func newName(s string) name {
	s = strings.TrimSpace(s)
	for _, ext := range []string{".md", ".markdown"} {
		if len(s) > len(ext) && strings.EqualFold(s[len(s)-len(ext):], ext) {
			s = s[:len(s)-len(ext)]
		}
	}
	n := name{raw: retrieval.Fold(s), text: normal(s), tokens: tokensOf(s)}
	if strings.Contains(s, "/") {
		n.path = retrieval.Fold(strings.Trim(s, "/"))
	}
	return n
}

// normal folds a name and keeps letters and digits, words one space apart.
func normal(s string) string {
	return strings.Join(strings.FieldsFunc(retrieval.Fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r)
	}), " ")
}

var fillerWords = map[string]bool{"the": true, "a": true, "an": true, "of": true, "my": true, "on": true, "in": true, "for": true, "and": true, "to": true, "with": true, "note": true, "notes": true, "file": true, "page": true, "s": true}

func tokensOf(s string) []string {
	all := strings.Fields(normal(s))
	var out []string
	for _, w := range all {
		if !fillerWords[w] {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// pathScore compares with a path: 1 where it is the path, nearly where it is the end of it.
func (n name) pathScore(p string) float64 {
	if n.path == "" {
		return 0
	}
	q := retrieval.Fold(p)
	q = strings.TrimSuffix(strings.TrimSuffix(q, ".md"), ".markdown")
	switch {
	case q == n.path:
		return 1
	case strings.HasSuffix(q, "/"+n.path):
		return 0.99
	}
	if normal(path.Dir(q)) == normal(path.Dir(n.path)) || strings.HasSuffix(path.Dir(q), "/"+path.Dir(n.path)) {
		return newName(path.Base(n.path)).score(path.Base(q)) * 0.99
	}
	return 0
}

// score compares with a name a note goes by.
func (n name) score(other string) float64 {
	wanted := normal(other)
	switch {
	case retrieval.Fold(other) == n.raw:
		return 1
	case wanted == n.text:
		return 0.98
	}
	if strings.ReplaceAll(wanted, " ", "") == strings.ReplaceAll(n.text, " ", "") {
		return 0.97
	}
	return overlap(n.tokens, tokensOf(other))
}

// overlap rates the words two names share, typing errors forgiven: all words of one in the
// other counts, the more of the other they make up the better.
func overlap(asked, have []string) float64 {
	if len(asked) == 0 || len(have) == 0 {
		return 0
	}
	used := make([]bool, len(have))
	quality, matched, matchedLen := 0.0, 0, 0
	for _, a := range asked {
		bestAt, bestQ := -1, 0.0
		for i, h := range have {
			if q := similarity(a, h); !used[i] && q > bestQ {
				bestAt, bestQ = i, q
			}
		}
		if bestAt >= 0 {
			used[bestAt] = true
			quality += bestQ
			matched++
			matchedLen += len(have[bestAt])
		}
	}
	if matched == 0 {
		return 0
	}
	quality /= float64(matched)
	askedLen, haveLen, hitLen := total(asked), total(have), matchedLen
	switch {
	case matched == len(asked) && matched == len(have):
		return 0.95 * quality
	case matched == len(asked): // "Launch" for "Launch plan"
		return quality * (0.72 + 0.2*float64(hitLen)/float64(haveLen))
	case matched == len(have) && len(have) > 1: // "Launch plan Heron" for "Launch plan"
		return quality * (0.60 + 0.3*float64(hitLen)/float64(askedLen))
	}
	return 0
}

func total(words []string) int {
	n := 0
	for _, w := range words {
		n += len(w)
	}
	return n
}

// similarity of two words: 1 the same, less for another form or a typing error, 0 else.
func similarity(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case a == "" || b == "":
		return 0
	case len(a) > 1 && len(b) > 1 && a[:2] == b[:2] && retrieval.Stem(a) == retrieval.Stem(b): // stemming keeps beginnings
		return 0.97
	case allDigits(a) || allDigits(b):
		return 0
	}
	if limit := retrieval.TypoLimit(max(len(a), len(b))); limit > 0 && alike(a, b) {
		if d := text.Distance(a, b, limit); d <= limit {
			return 1 - 0.6*float64(d)/float64(max(len(a), len(b)))
		}
	}
	if len(a) >= 4 && strings.HasPrefix(b, a) {
		return 0.85
	}
	return 0
}

// alike spares most pairs of words the distance: a typing error rarely hits both the first
// letter and the last.
func alike(a, b string) bool {
	return a[0] == b[0] || a[len(a)-1] == b[len(b)-1] || len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
}

func allDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// portable makes a title fit for a file name on every system.
func portable(title string) string {
	title = unportable().ReplaceAllString(title, " - ")
	title = oneLine(title)
	title = strings.Trim(title, " .-")
	if len(title) > 120 {
		title = strings.TrimSpace(strings.ToValidUTF8(title[:120], ""))
	}
	return title
}

var unportable = lazyregexp.New(`\s*[<>:"|?*/\\\x00-\x1f#^\[\]]+\s*`)
