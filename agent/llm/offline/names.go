package offline

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/text"
)

// names finds notes and folders by what a person calls them: their path, their name, an alias, in any case.
type names struct {
	notes   map[string][]string // paths by folded name
	plain   map[string][]string // by the words of the name
	word    map[string][]string // by each word of the file's name
	folders map[string][]string
}

func folded(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

func namesOf(entries []retrieval.Entry) *names {
	n := &names{make(map[string][]string, 4*len(entries)), make(map[string][]string, len(entries)), make(map[string][]string, len(entries)), map[string][]string{}}
	add := func(to map[string][]string, key, p string) {
		if list := to[key]; key != "" && !slices.Contains(list, p) {
			to[key] = append(list, p)
		}
	}
	for _, e := range entries {
		file := folded(e.Path)
		for _, name := range []string{file, strings.TrimSuffix(file, path.Ext(file)), path.Base(file)} {
			add(n.notes, name, e.Path)
		}
		for i, name := range append([]string{retrieval.Name(e.Path)}, e.Aliases...) {
			words := tokensOf(name)
			add(n.notes, folded(name), e.Path)
			add(n.plain, strings.Join(words, " "), e.Path)
			if date := nameDateRE().FindString(name); date != "" && strings.HasPrefix(name, date) {
				add(n.plain, strings.Join(tokensOf(name[len(date):]), " "), e.Path)
			}
			for _, w := range words {
				if i == 0 && len(n.word[w]) < 2 { // two are enough to know that it is not unique
					add(n.word, w, e.Path)
				}
			}
		}
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			if slices.Contains(n.folders[folded(d)], d) {
				break
			}
			add(n.folders, folded(d), d)
			add(n.folders, folded(path.Base(d)), d)
		}
	}
	return n
}

// note returns the paths of the notes with a name, which may stand with an article and the word "note".
func (n *names) note(name string) []string {
	if list := n.notes[folded(strings.Trim(name, "[]"))]; len(list) > 0 {
		return list
	}
	return n.notes[folded(bareName(name, "note", "page", "file"))]
}

// folder returns the paths of the folders with a name, which may stand with an article and the word "folder".
func (n *names) folder(name string) []string {
	name = strings.Trim(name, "/")
	if list := n.folders[folded(name)]; len(list) > 0 {
		return list
	}
	name = folded(strings.Trim(bareName(name, "folder", "directory"), "/"))
	if list := n.folders[name]; len(list) > 0 {
		return list
	}
	return n.folders[strings.ReplaceAll(name, " ", "/")]
}

// bareName is a name without an article and one of some nouns before or after it.
func bareName(name string, nouns ...string) string {
	words := strings.Fields(name)
	is := func(i int, list ...string) bool {
		return len(words) > 1 && slices.Contains(list, strings.ToLower(words[i]))
	}
	if is(0, "the", "my", "a", "an") {
		words = words[1:]
	}
	if is(0, nouns...) {
		words = words[1:]
		if is(0, "called", "named") {
			words = words[1:]
		}
	} else if is(len(words)-1, nouns...) {
		words = words[:len(words)-1]
	}
	return strings.Trim(strings.Join(words, " "), "“”\"[]")
}

// named returns the notes whose names stand in a text as words of their own, the longest names first.
func (n *names) named(s string) []string {
	words := tokensOf(s)
	var out []string
	for size := min(len(words), longestSlot); size > 0; size-- {
		for i := 0; i+size <= len(words); i++ {
			name := strings.Join(words[i:i+size], " ")
			if paths := n.plain[name]; len(paths) == 1 && len(name) > 2 && !retrieval.IsStopWord(name) && !slices.Contains(out, paths[0]) {
				out = append(out, paths[0])
			}
		}
	}
	return out
}

// near returns the name of a note that a misspelt name is near to, or "".
func (n *names) near(name string) string {
	known := make([]string, 0, len(n.notes))
	for _, paths := range n.notes {
		known = append(known, retrieval.Name(paths[0]))
	}
	slices.Sort(known)
	return text.Near(bareName(name, "note", "page", "file"), slices.Compact(known))
}

// tokensOf returns the words of a text, folded, without punctuation.
func tokensOf(s string) []string {
	return strings.FieldsFunc(folded(s), func(r rune) bool { return !isLetterOrDigit(r) })
}
