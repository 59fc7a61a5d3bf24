package walk

import (
	"regexp"
	"strings"
	"sync/atomic"

	"chatvault/vault/pathname"
)

// Rules are the compiled filters of Obsidian's "Excluded files" setting (userIgnoreFilters). Searches and listings
// omit matching files by default; otherwise they are notes like any other. The zero value excludes nothing.
type Rules struct {
	Prefixes []string // folded path prefixes
	Patterns []*regexp.Regexp
	Faulty   []string // filters that are not valid regular expressions in Go, as written
}

// Limits on the compiled settings, which may come from an untrusted vault.
const (
	MaxIgnoreFilters = 1000
	maxIgnoreBytes   = 2000 // per filter
)

// NewRules compiles Obsidian's filters: a path prefix, or a regular expression between slashes that may match
// anywhere in the path.
func NewRules(filters []string) Rules {
	var r Rules
	for _, filter := range filters[:min(len(filters), MaxIgnoreFilters)] {
		switch {
		case strings.TrimSpace(filter) == "" || filter == "/":
		case len(filter) > maxIgnoreBytes:
			r.Faulty = append(r.Faulty, filter)
		case len(filter) > 2 && filter[0] == '/' && strings.HasSuffix(filter, "/"):
			// No vault path begins with a slash, so this is an expression.
			p, err := regexp.Compile(filter[1 : len(filter)-1])
			if err != nil { // JavaScript has more than RE2, such as lookahead
				r.Faulty = append(r.Faulty, filter)
				continue
			}
			r.Patterns = append(r.Patterns, p)
		default:
			r.Prefixes = append(r.Prefixes, pathname.Fold(filter))
		}
	}
	return r
}

// Empty reports whether the rules exclude nothing.
func (r *Rules) Empty() bool { return len(r.Prefixes) == 0 && len(r.Patterns) == 0 }

// Excludes reports whether an entry is excluded. For a folder, whole reports whether its entire content is, so that a
// walk can skip it.
func (r *Rules) Excludes(name string, folder bool) (excluded, whole bool) {
	if folder {
		name += "/"
	}
	if len(r.Prefixes) > 0 {
		folded := pathname.Fold(name)
		for _, prefix := range r.Prefixes {
			if strings.HasPrefix(folded, prefix) {
				return true, true
			}
		}
	}
	for _, p := range r.Patterns {
		if p.MatchString(name) {
			return true, false // paths below it need not match
		}
	}
	return false, false
}

// Filter omits excluded entries from a walk and counts them. A nil Filter omits nothing.
type Filter struct {
	rules   Rules
	omitted atomic.Int64
}

// Filter returns the filter for a walk from base. It is nil if nothing is excluded, if include is set, or if base is
// itself excluded: that folder was asked for by name.
func (s Source) Filter(base string, include bool) *Filter {
	if include {
		return nil
	}
	f := &Filter{rules: NewRules(s.Ignored())}
	if f.rules.Empty() {
		return nil
	}
	for folder := base; folder != "." && folder != ""; folder = folder[:max(strings.LastIndexByte(folder, '/'), 0)] {
		if excluded, _ := f.rules.Excludes(folder, true); excluded {
			return nil
		}
	}
	return f
}

// file reports whether a walk visits a file, and counts the file if not.
func (f *Filter) file(name string) bool {
	excluded, _ := f.rules.Excludes(name, false)
	if excluded {
		f.omitted.Add(1)
	}
	return !excluded
}

// folder decides whether a walk enters a folder and whether it visits the folder itself.
func (f *Filter) folder(name string, enter, listed bool) (enters, lists bool) {
	excluded, whole := f.rules.Excludes(name, true)
	if !excluded {
		return enter, listed
	}
	if whole || listed {
		f.omitted.Add(1)
	}
	return enter && !whole, false
}

// LeftOut returns the number of omitted files and folders so far. The content of omitted folders does not count.
func (f *Filter) LeftOut() int {
	if f == nil {
		return 0
	}
	return int(f.omitted.Load())
}

// IgnoredFiles reads the settings and returns a function that reports whether Obsidian excludes a file from searches.
func (s Source) IgnoredFiles() func(path string) bool {
	rules := NewRules(s.Ignored())
	if rules.Empty() {
		return func(string) bool { return false }
	}
	return func(path string) bool {
		excluded, _ := rules.Excludes(path, false)
		return excluded
	}
}
