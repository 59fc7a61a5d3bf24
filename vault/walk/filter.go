package walk

import (
	"regexp"
	"slices"
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

// Excludes reports whether a file is excluded, or a folder if name ends with a slash.
func (r *Rules) Excludes(name string) bool {
	return r.excludesAll(name) || slices.ContainsFunc(r.Patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) })
}

// excludesAll reports whether everything below a folder is excluded; paths below one that an expression matches need
// not match.
func (r *Rules) excludesAll(folder string) bool {
	return len(r.Prefixes) > 0 && slices.ContainsFunc(r.Prefixes, func(prefix string) bool { return strings.HasPrefix(pathname.Fold(folder), prefix) })
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
		if f.rules.Excludes(folder + "/") {
			return nil
		}
	}
	return f
}

// omits reports whether a walk omits a file, or a folder with all of its content, and counts it.
func (f *Filter) omits(name string, folder bool) bool {
	omits := folder && f.rules.excludesAll(name+"/") || !folder && f.rules.Excludes(name)
	if omits {
		f.omitted.Add(1)
	}
	return omits
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
	return rules.Excludes
}
