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
	folders map[string][]string
}

func folded(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

func namesOf(entries []retrieval.Entry) *names {
	n := &names{notes: make(map[string][]string, 2*len(entries)), folders: map[string][]string{}}
	add := func(to map[string][]string, name, p string) {
		if key := folded(name); key != "" && !slices.Contains(to[key], p) {
			to[key] = append(to[key], p)
		}
	}
	for _, e := range entries {
		add(n.notes, e.Path, e.Path)
		add(n.notes, strings.TrimSuffix(e.Path, path.Ext(e.Path)), e.Path)
		add(n.notes, path.Base(e.Path), e.Path)
		add(n.notes, retrieval.Name(e.Path), e.Path)
		for _, alias := range e.Aliases {
			add(n.notes, alias, e.Path)
		}
		for d := path.Dir(e.Path); d != "."; d = path.Dir(d) {
			if slices.Contains(n.folders[folded(d)], d) {
				break
			}
			add(n.folders, d, d)
			add(n.folders, path.Base(d), d)
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
	return n.folders[folded(strings.Trim(bareName(name, "folder", "directory"), "/"))]
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
	plain := " " + strings.Join(tokensOf(s), " ") + " "
	type found struct {
		path string
		at   int
	}
	var out []found
	for name, paths := range n.notes {
		words := strings.Join(tokensOf(name), " ")
		if len(words) > 2 && len(paths) == 1 && strings.Contains(plain, " "+words+" ") && !retrieval.IsStopWord(words) {
			out = append(out, found{paths[0], len(words)})
		}
	}
	slices.SortFunc(out, func(a, b found) int {
		if a.at != b.at {
			return b.at - a.at
		}
		return strings.Compare(a.path, b.path)
	})
	var paths []string
	for _, f := range out {
		if !slices.Contains(paths, f.path) {
			paths = append(paths, f.path)
		}
	}
	return paths
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
