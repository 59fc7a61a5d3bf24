package smallmodel

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/window"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
)

// Passage is a part of a note that was found for a message.
type Passage struct {
	Path    string
	Line    int    // of its first line, from 1
	Heading string // the nearest one above; may be empty
	Text    string
	Full    string // whole text of a note that the message names
	Front   string // front matter of a note that the message does not name
}

// about returns the passage with the name and front matter of its note.
func (p Passage) about() string { return p.Path + " " + p.Heading + " " + p.Text + " " + p.Front }

// Found is the result of a search in the notes for a message.
type Found struct {
	Passages []Passage
	Folders  []string // named by the message
}

// Bounds of the text added to a message.
const (
	maxPassages      = 4
	maxPassageTokens = 450 // all passages together: a small computer reads about 50 a second
	maxAnswerTokens  = 200 // of them, what the index answered
)

// Along returns the text added to a message, "" if there is none: the answer of the index, then at most maxPassages
// passages of about maxPassageTokens. Quotations in the answer that the passages contain are left out.
func Along(answer string, passages []Passage) string {
	all := entries(passages, maxPassageTokens)
	var kept []string
	known := false // the part belongs to a quotation that the passages contain
	for _, part := range strings.Split(strings.TrimSpace(answer), "\n\n") {
		quote, quotes := strings.CutPrefix(part, "> ")
		if quotes {
			quote, _, _ = strings.Cut(strings.Trim(quote, "… "), "\n")
			known = strings.Contains(all, quote)
		}
		if known = known && (quotes || strings.HasPrefix(part, "— ")); !known { // "— ": where it stands
			kept = append(kept, part)
		}
		known = known && quotes
	}
	if answer = clip(strings.Join(kept, "\n\n"), maxAnswerTokens); answer != "" {
		all = answer + "\n\n" + entries(passages, maxPassageTokens-window.Tokens(answer))
	}
	return strings.TrimSpace(all)
}

// entries returns the texts of the first passages, each below its note's name, of at most about that many tokens.
func entries(passages []Passage, left int) string {
	var out []string
	for _, p := range passages {
		if len(out) == maxPassages || left < 40 {
			break
		}
		if p.Text == "" { // a note of which only the name is known
			continue
		}
		entry := clip(p.head()+strings.TrimSpace(p.Text), left)
		left -= window.Tokens(entry)
		out = append(out, entry)
	}
	return strings.Join(out, "\n\n")
}

// head is the line above a passage: where it stands.
func (p Passage) head() string {
	where := ""
	if p.Heading != "" {
		where = ", under “" + p.Heading + "”"
	}
	return fmt.Sprintf("Note [[%s]] (%s)%s:\n", Name(p.Path), p.Path, where)
}

// Name returns the name of a note by which a link names it.
func Name(notePath string) string { return strings.TrimSuffix(path.Base(notePath), ".md") }

// clip cuts a text to about that many tokens, at the end of a line where one is near.
func clip(s string, tokens int) string {
	if window.Tokens(s) <= tokens {
		return s
	}
	for window.Tokens(s) > tokens {
		s = text.Head(s, len(s)*9/10)
	}
	if i := strings.LastIndexByte(s, '\n'); i > len(s)/2 {
		s = s[:i]
	}
	return s + "\n…"
}

// Excerpt returns the lines of a note that matter for a message that names it: its front matter, its headings,
// and the lines that share a word with the message or stand under a heading that does, at most max bytes. Where
// none do it is the beginning of the note.
func Excerpt(note, name, message string, max int) string {
	shares := sharing(name, message)
	front, body := FrontMatter(note), note
	var b strings.Builder
	if front != "" {
		b.WriteString("---\n" + front + "\n---\n")
		_, body, _ = strings.Cut(note[len("---\n"):], "\n---")
		_, body, _ = strings.Cut(body, "\n")
	}
	found, under, skipped := 0, false, false
	for line := range strings.Lines(body) {
		heading := strings.HasPrefix(line, "#")
		if heading {
			under = strings.HasPrefix(line, "##") && shares(line)
		}
		switch {
		case strings.TrimSpace(line) == "":
		case heading || under || shares(line):
			if skipped {
				b.WriteString("…\n")
			}
			skipped = false
			b.WriteString(line)
			if !heading {
				found++
			}
		default:
			skipped = true
		}
	}
	if found == 0 {
		return text.Head(note, max)
	}
	return text.Head(strings.TrimSuffix(b.String(), "\n"), max)
}

// Widen returns a passage together with an excerpt of its note, without saying anything twice.
func Widen(passage, excerpt string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(passage), "\n")
	if strings.Contains(excerpt, first) {
		return excerpt
	}
	return passage + "\n…\n" + excerpt
}

// commonWords are long enough to be looked for, and mean nothing.
var commonWords = strings.Fields(`the and for off out tick untick check done new set put take are was has not but its our you all any can how who why und den dem des der das die les des une que las los note with that this have which under from into line list task tasks open make change replace everything
	add please move rename remove delete heading section property what when where much many does notiz aufgabe zeile dans avec tâche`)

// NamedIn returns the notes that a message names, at most n: those whose whole names stand in it, the longest
// first, else the one that shares most words of its name with it. In a comparison it is one for each side. A question
// is about a note of which it says more words than the whole name of another.
func NamedIn(message string, paths []string, n int, question bool) []string {
	for _, end := range []string{": ", " folder called ", " folder named "} { // what follows may mention other notes
		if head, _, ok := strings.Cut(message, end); ok && !question {
			if named := NamedIn(head, paths, n, false); len(named) > 0 {
				return named
			}
		}
	}
	folded := pathname.Fold(message)
	var whole []string
	for _, p := range paths {
		if standsIn(pathname.Fold(Name(p)), folded) {
			whole = append(whole, p)
		}
	}
	slices.SortStableFunc(whole, func(a, b string) int {
		said := func(p string) int { return strings.Index(folded, pathname.Fold(Name(p))) }
		return cmp.Or(cmp.Compare(len(Name(b)), len(Name(a))), cmp.Compare(said(a), said(b)), cmp.Compare(len(a), len(b)))
	})
	var out []string
	for _, p := range whole {
		within := func(q string) bool {
			return Name(q) != Name(p) && standsIn(pathname.Fold(Name(p)), pathname.Fold(Name(q)))
		}
		if !slices.ContainsFunc(out, within) && len(out) < n {
			out = append(out, p)
		}
	}
	if choice().MatchString(folded) {
		var compared []string
		for _, part := range side().Split(folded, -1) {
			notes, _ := likest(part, paths)
			for _, p := range notes {
				if !slices.Contains(compared, p) {
					compared = append(compared, p)
				}
			}
		}
		if len(compared) == 2 {
			return compared
		}
	}
	if notes, shared := likest(folded, paths); len(out) == 0 || question && len(notes) == 1 && shared > len(Words(Name(out[0]))) {
		out = slices.Concat(notes, slices.DeleteFunc(out, func(p string) bool { return slices.Contains(notes, p) }))
	}
	return out[:min(len(out), n)]
}

var (
	side = lazyregexp.New(`,|\b(?:or|and|than|oder|und|als|ou|et)\b`)
	pair = lazyregexp.New(`\b(?:two|both|beiden|zwei|deux)\b`)
)

// likest returns the note whose name shares most words with a text, or two if the text asks for two, or none if several
// are equal; best is the number of shared words.
func likest(text string, paths []string) (out []string, best int) {
	said := Words(text)
	for _, p := range paths {
		shared := 0
		for _, w := range Words(pathname.Fold(Name(p))) {
			if (len(w) > 2 || isNumber(w) && len(w) > 1) && !slices.Contains(commonWords, w) && (slices.Contains(said, w) || len(w) > 3 && slices.Contains(said, w+"s")) {
				shared++
			}
		}
		switch {
		case shared > best:
			best, out = shared, []string{p}
		case shared == best && best > 0:
			out = append(out, p)
		}
	}
	if len(out) > 1 && (len(out) > 2 || !pair().MatchString(text)) {
		out = slices.DeleteFunc(out, func(p string) bool { return !standsIn(pathname.Fold(Name(p)), text) })
	}
	if len(out) > 2 {
		return nil, 0
	}
	return out, best
}

// FoldersIn returns the folders of notes that a message names, by their paths or names.
func FoldersIn(message string, paths []string) []string {
	folded := pathname.Fold(message)
	var out []string
	for _, p := range paths {
		for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if standsIn(pathname.Fold(path.Base(dir)), folded) && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// standsIn reports whether a name stands in a text as words of their own. Where words are not set apart by spaces,
// as in Japanese, it only has to stand there.
func standsIn(name, text string) bool {
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = i + len(name)
	}
	return false
}

func inWord(r rune) bool {
	return unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// sharing returns a function that reports whether a line shares a word that matters with a message, but for those of
// a note's name.
func sharing(name, message string) func(line string) bool {
	ignored := Words(strings.ToLower(name))
	var words []string
	for _, w := range Words(strings.ToLower(message)) {
		if (len(w) > 2 || isNumber(w)) && !slices.Contains(ignored, w) && !slices.Contains(commonWords, w) {
			words = append(words, w)
		}
	}
	return func(line string) bool {
		return slices.ContainsFunc(Words(strings.ToLower(line)), func(w string) bool {
			return slices.ContainsFunc(words, func(x string) bool {
				return w == x || len(w) > 4 && len(x) > 4 && w[:5] == x[:5] && utf8.ValidString(w[:5])
			})
		})
	}
}

// Merge returns two lists of passages as one, taking from each in turn.
func Merge(a, b []Passage) []Passage {
	var out []Passage
	for i := range max(len(a), len(b)) {
		for _, list := range [][]Passage{a, b} {
			if i < len(list) && !slices.ContainsFunc(out, func(p Passage) bool { return p.Path == list[i].Path && p.Text == list[i].Text }) {
				out = append(out, list[i])
			}
		}
	}
	return out
}
