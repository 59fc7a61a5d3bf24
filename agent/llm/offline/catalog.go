package offline

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/vault/pathname"
)

// catalog holds the names, folders, tags, kinds and properties of the notes. It does not change.
type catalog struct {
	entries []retrieval.Entry
	notes   map[string][]string // paths by folded path, name or alias
	plain   map[string][]string // paths by the words of the name or alias
	odd     []string            // names with the marks of a sentence: [x] "y", Wait: what?
	folders map[string][]string // by folded path or name
	keys    map[string]string   // properties by their stems
	kinds   map[string]bool     // stems of the words of folders, tags and properties such as type
}

func folded(s string) string { return strings.ToLower(pathname.Fold(strings.TrimSpace(s))) }

func newCatalog(entries []retrieval.Entry) *catalog {
	n := len(entries)
	c := &catalog{
		entries: entries, notes: make(map[string][]string, 4*n), plain: make(map[string][]string, n),
		folders: map[string][]string{}, keys: map[string]string{}, kinds: map[string]bool{},
	}
	stems := map[string]string{}
	stem := func(w string) string {
		if _, ok := stems[w]; !ok {
			stems[w] = retrieval.Stem(w)
		}
		return stems[w]
	}
	for _, e := range entries {
		c.addNames(e)
		for _, p := range e.Properties {
			c.keys[stem(p.Key)] = p.Key
		}
		for _, w := range retrieval.Words(strings.Join(kindsOf(e), " ")) {
			c.kinds[stem(w)] = true
		}
	}
	return c
}

func (c *catalog) addNames(e retrieval.Entry) {
	add := func(to map[string][]string, key, p string) {
		if list := to[key]; key != "" && !slices.Contains(list, p) {
			to[key] = append(list, p)
		}
	}
	file := folded(e.Path)
	for _, name := range []string{file, strings.TrimSuffix(file, path.Ext(file)), path.Base(file)} {
		add(c.notes, name, e.Path)
	}
	for _, name := range append([]string{retrieval.Name(e.Path)}, e.Aliases...) {
		words := retrieval.Words(name)
		add(c.notes, folded(name), e.Path)
		if oddRE().MatchString(name) {
			c.odd = append(c.odd, name+path.Ext(e.Path), name)
		}
		add(c.plain, strings.Join(words, " "), e.Path)
		if date := nameDateRE().FindString(name); date != "" && strings.HasPrefix(name, date) {
			add(c.plain, strings.Join(retrieval.Words(name[len(date):]), " "), e.Path)
		}
	}
	for d := path.Dir(e.Path); d != "." && !slices.Contains(c.folders[folded(d)], d); d = path.Dir(d) {
		add(c.folders, folded(d), d)
		add(c.folders, folded(path.Base(d)), d)
	}
}

var oddRE = lazyregexp.New("[\\[\\]\"“”„«»`:]|[.!?,;]$")

var nameDateRE = lazyregexp.New(`\d{4}-\d{2}-\d{2}`)

// kindsOf returns the names of the kinds of a note: its folder, its tags, and properties such as type.
func kindsOf(e retrieval.Entry) []string {
	if e.Template {
		return nil
	}
	out := append([]string{path.Base(path.Dir(e.Path))}, e.Tags...)
	for _, p := range e.Properties {
		if strings.HasPrefix(p.Key, "categor") || p.Key == "type" || p.Key == "kind" {
			out = append(out, p.Value)
		}
	}
	return out
}

// isKind reports whether a note is of a kind: "recipes".
func isKind(e retrieval.Entry, kind string) bool {
	return slices.Contains(text.Of(retrieval.Words(strings.Join(kindsOf(e), " ")), retrieval.Stem), retrieval.Stem(folded(kind)))
}

// note returns the paths of the notes with a name, which may stand with an article and the word "note".
func (c *catalog) note(name string) []string {
	for _, as := range []string{name, strings.Trim(name, "[]")} {
		if list := c.notes[folded(as)]; len(list) > 0 {
			return list
		}
	}
	return c.notes[folded(bareName(name, noteNameRE))]
}

// folder returns the paths of the folders with a name, which may stand with an article and the word "folder".
func (c *catalog) folder(name string) []string {
	if list := c.folders[folded(strings.Trim(name, "/"))]; len(list) > 0 {
		return list
	}
	return c.folders[folded(strings.Trim(bareName(name, folderNameRE), "/"))]
}

// Patterns of names with an article and a noun before or after them.
var (
	noteNameRE   = namePattern("note|page|file")
	folderNameRE = namePattern("folder|directory")
	headingRE    = namePattern("heading|section|header")
)

func namePattern(nouns string) func() *regexp.Regexp {
	return lazyregexp.New(`(?i)^(?:(?:the|my|an?) )?(?:(?:` + nouns + `) (?:(?:called|named) )?)?(.+?)(?: (?:` + nouns + `))?$`)
}

// bareName returns a name without an article and nouns.
func bareName(name string, pattern func() *regexp.Regexp) string {
	return strings.Trim(pattern().ReplaceAllString(text.OneLine(name), "$1"), "“”\"[]")
}

// named returns the notes whose names occur in a text as words of their own, and those names, the longest first.
func (c *catalog) named(s string) (paths, names []string) {
	words := retrieval.Words(s)
	for size := min(len(words), longestSlot); size > 0; size-- {
		for i := 0; i+size <= len(words); i++ {
			name := strings.Join(words[i:i+size], " ")
			if has := c.plain[name]; len(has) == 1 && len(name) > 2 && !retrieval.IsStopWord(name) && !slices.Contains(paths, has[0]) {
				paths, names = append(paths, has[0]), append(names, name)
			}
		}
	}
	return paths, names
}
