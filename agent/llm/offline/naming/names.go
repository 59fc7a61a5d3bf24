// Package naming tells which notes and folders of a vault a person means by a name, typing errors forgiven.
package naming

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// Of are the names that a note goes by: of its file, without extension, and its aliases.
func Of(e retrieval.Entry) []string { return append([]string{retrieval.Name(e.Path)}, e.Aliases...) }

// IsNote says whether a path is a Markdown file.
func IsNote(p string) bool {
	low := strings.ToLower(p)
	return strings.HasSuffix(low, ".md") || strings.HasSuffix(low, ".markdown")
}

// Names is what there is in the vault at a point of the conversation: notes by name, and folders.
type Names struct {
	Notes   map[string]retrieval.Entry // by path
	Folders map[string]bool            // that hold notes, at any depth, and those made in this task

	resolved map[string][]Candidate // what names meant since the last change: a request asks often
}

// NamesOf collects the names of the indexed notes.
func NamesOf(entries []retrieval.Entry) *Names {
	v := &Names{Notes: make(map[string]retrieval.Entry, len(entries)), Folders: map[string]bool{}, resolved: map[string][]Candidate{}}
	for _, e := range entries {
		v.note(e)
	}
	return v
}

func (v *Names) note(e retrieval.Entry) {
	clear(v.resolved)
	v.Notes[e.Path] = e
	for d := path.Dir(e.Path); d != "." && d != "/"; d = path.Dir(d) {
		v.Folders[d] = true
	}
}

// Add enters a note that was made, and its folders.
func (v *Names) Add(p string) {
	if _, ok := v.Notes[p]; !ok && IsNote(p) {
		v.note(retrieval.Entry{Note: retrieval.Note{Path: p}})
	}
}

// Restore adds a note or folder that is gone now, with the notes that are remembered of it. When
// one that is not was changed last nobody knows any more: it goes before others, so that it is
// among the notes that are offered.
func (v *Names) Restore(p string, former []retrieval.Entry) {
	for _, e := range former {
		if _, ok := v.Notes[e.Path]; !ok {
			v.note(e)
		}
	}
	if !IsNote(p) {
		v.Folders[p] = true
	}
	v.Add(p)
}

// Remove takes out a note, or a folder with what is in it.
func (v *Names) Remove(p string) {
	clear(v.resolved)
	maps.DeleteFunc(v.Notes, func(q string, _ retrieval.Entry) bool { return q == p || strings.HasPrefix(q, p+"/") })
	delete(v.Folders, p)
}

// Move gives a note, or a folder with what is in it, another path.
func (v *Names) Move(from, to string) {
	clear(v.resolved)
	for _, q := range slices.Collect(maps.Keys(v.Notes)) {
		if q != from && !strings.HasPrefix(q, from+"/") {
			continue
		}
		e := v.Notes[q]
		delete(v.Notes, q)
		if e.Title == retrieval.Name(q) { // no name beside that of the file
			e.Title = ""
		}
		e.Path = to + strings.TrimPrefix(q, from)
		v.note(e)
	}
	delete(v.Folders, from)
}

// Has says whether there is a note or a folder at a path, ignoring case.
func (v *Names) Has(p string) bool {
	if _, ok := v.Notes[p]; ok || v.Folders[p] {
		return true
	}
	for q := range v.Notes {
		if strings.EqualFold(p, q) {
			return true
		}
	}
	return false
}

// Candidate is a note or folder that may be meant by a name.
type Candidate struct {
	Path  string
	Score float64 // 1 for the name itself, down to 0
}

// How well a name must fit to be taken, to be worth a question, and how close a second one
// makes it ambiguous.
const (
	FitsSurely   = 0.66
	fitsPerhaps  = 0.48
	ambiguousGap = 0.06
	FitsExactly  = 0.985
)

// Resolve finds the notes a name may mean, best first. Equal scores are ordered by path, so that a question
// offers the same options whatever was changed since.
func (v *Names) Resolve(name string) []Candidate {
	out, ok := v.resolved[name]
	if !ok {
		out = v.find(name)
		v.resolved[name] = out
	}
	return slices.Clip(out)
}

// find does what resolve promises.
func (v *Names) find(name string) []Candidate {
	q := NewName(name)
	if q.Text == "" {
		return nil
	}
	var out []Candidate
	for p, e := range v.Notes {
		best := q.PathScore(p)
		for i, n := range Of(e) {
			s := q.Score(n)
			if i > 0 {
				s -= 0.01 // the file's own name goes first
			}
			best = max(best, s)
		}
		if e.Title != "" && e.Title != retrieval.Name(p) { // which may be any heading: no name to go by alone
			best = max(best, min(q.Score(e.Title), FitsExactly)-0.02)
		}
		if best >= fitsPerhaps {
			out = append(out, Candidate{p, best})
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return out
}

// ResolveFolder finds the folder a name means; score 0 where none does.
func (v *Names) ResolveFolder(name string) Candidate {
	q := NewName(strings.Trim(name, "/"))
	var best Candidate
	for d := range v.Folders {
		s := max(q.PathScore(d), q.Score(path.Base(d)))
		if s > best.Score || s == best.Score && (len(d) < len(best.Path) || len(d) == len(best.Path) && d < best.Path) {
			best = Candidate{d, s}
		}
	}
	if best.Score < 0.75 {
		return Candidate{}
	}
	return best
}

// Within are the notes below a folder, sorted.
func (v *Names) Within(folder string) []string {
	var out []string
	for p := range v.Notes {
		if folder == "" || strings.HasPrefix(p, folder+"/") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// Distinct are the candidates that fit about as well as the best one.
func Distinct(c []Candidate) []Candidate {
	gap := ambiguousGap
	if len(c) > 0 && c[0].Score >= FitsExactly {
		gap = 1 - FitsExactly
	}
	if n := slices.IndexFunc(c, func(k Candidate) bool { return c[0].Score-k.Score > gap }); n >= 0 {
		return c[:n]
	}
	return c
}

// Name is a name a user gave, prepared for comparing.
type Name struct {
	raw    string   // as it was given, folded
	Text   string   // words separated by one space
	path   string   // folded, where it has a slash
	Tokens []string // words that distinguish
}

// NewName prepares a name for comparing.
func NewName(s string) Name {
	s = strings.TrimSpace(s)
	for _, ext := range []string{".md", ".markdown"} {
		if len(s) > len(ext) && strings.EqualFold(s[len(s)-len(ext):], ext) {
			s = s[:len(s)-len(ext)]
		}
	}
	n := Name{raw: retrieval.Fold(s), Text: Normal(s), Tokens: TokensOf(s)}
	if strings.Contains(s, "/") {
		n.path = retrieval.Fold(strings.Trim(s, "/"))
	}
	return n
}

// Normal folds a name and keeps letters and digits, words one space apart.
func Normal(s string) string {
	return strings.Join(strings.FieldsFunc(retrieval.Fold(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r)
	}), " ")
}

var fillerWords = retrieval.WordSet(`the a an of my on in for and to with note notes file page s`)

// TokensOf are the words of a name that distinguish it; all where none does.
func TokensOf(s string) []string {
	all := strings.Fields(Normal(s))
	if out := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return fillerWords()[w] }); len(out) > 0 {
		return out
	}
	return all
}

// PathScore compares with a path: 1 where it is the path, nearly where it is the end of it.
func (n Name) PathScore(p string) float64 {
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
	if Normal(path.Dir(q)) == Normal(path.Dir(n.path)) || strings.HasSuffix(path.Dir(q), "/"+path.Dir(n.path)) {
		return NewName(path.Base(n.path)).Score(path.Base(q)) * 0.99
	}
	return 0
}

// Score compares with a name a note goes by.
func (n Name) Score(other string) float64 {
	wanted := Normal(other)
	switch {
	case retrieval.Fold(other) == n.raw:
		return 1
	case wanted == n.Text:
		return 0.98
	}
	if strings.ReplaceAll(wanted, " ", "") == strings.ReplaceAll(n.Text, " ", "") {
		return 0.97
	}
	return overlap(n.Tokens, TokensOf(other))
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
			if q := Similarity(a, h); !used[i] && q > bestQ {
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
	switch {
	case matched == len(asked) && matched == len(have):
		return 0.95 * quality
	case matched == len(asked): // "Launch" for "Launch plan"
		return quality * (0.72 + 0.2*float64(matchedLen)/float64(total(have)))
	case matched == len(have) && len(have) > 1: // "Launch plan Heron" for "Launch plan"
		return quality * (0.60 + 0.3*float64(matchedLen)/float64(total(asked)))
	}
	return 0
}

func total(words []string) int { return len(strings.Join(words, "")) }

// Similarity of two words: 1 the same, less for another form or a typing error, 0 else.
func Similarity(a, b string) float64 {
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

// Portable makes a title fit for a file name on every system.
func Portable(title string) string {
	title = unportable().ReplaceAllString(title, " - ")
	title = text.OneLine(title)
	return strings.TrimSpace(text.Head(strings.Trim(title, " .-"), 120))
}

var unportable = lazyregexp.New(`\s*[<>:"|?*/\\\x00-\x1f#^\[\]]+\s*`)

var dailyRE = lazyregexp.New(`^(?:the )?(?:daily note|daily|journal|diary)(?: entry| note)?(?: (?:of|for|from) (.+))?$|^(.+?)(?: s)? (?:daily note|daily|note|journal|journal entry|diary|diary entry|page|entry)$`)

// Daily is the path of the daily note that a name means at a time.
func (v *Names) Daily(name string, now time.Time) string {
	text := Normal(name)
	day := text
	if m := dailyRE().FindStringSubmatch(text); m != nil {
		day = cmp.Or(m[1]+m[2], "today")
	}
	switch day {
	case "today", "todays", "today s":
		day = "today"
	case "yesterday", "yesterdays", "yesterday s":
		day = "yesterday"
	default:
		day = strings.TrimSuffix(day, " s")
		if text == day { // a bare date is the name of a note like any other
			return ""
		}
	}
	when, rest := grammar.FindTime(spacedDate().ReplaceAllString(day, "$1-$2-$3"), now, false)
	if when.IsZero() || rest != "" || when.To.Sub(when.From) > 26*time.Hour {
		return ""
	}
	return path.Join(v.dailyFolder(), when.From.Format(time.DateOnly)+".md")
}

// spacedDate is an ISO date as Normal leaves it.
var spacedDate = lazyregexp.New(`\b(\d{4}) (\d{2}) (\d{2})\b`)

// DayName matches a day as the name of a note.
var DayName = lazyregexp.New(`^\d{4}-\d{2}-\d{2}$`)

// dailyFolder is the folder that holds most notes named by a date.
func (v *Names) dailyFolder() string {
	count := map[string]int{}
	best := ""
	for p := range v.Notes {
		if DayName().MatchString(retrieval.Name(p)) {
			d := path.Dir(p)
			count[d]++
			if count[d] > count[best] || count[d] == count[best] && d < best {
				best = d
			}
		}
	}
	if best == "." {
		return ""
	}
	return best
}
