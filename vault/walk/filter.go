package walk

import (
	"path"
	"regexp"
	"strings"
	"sync/atomic"

	"chatvault/vault/fold"
	"chatvault/vault/glob"
)

// Excluded files, as Obsidian calls them (`userIgnoreFilters`): what its owner does not want to
// meet in searches. They are left out of searches and listings by default and are otherwise
// notes like any other.

// Rules are the compiled filters. Its zero value excludes nothing.
type Rules struct {
	Prefixes []string // of paths, folded
	Patterns []*regexp.Regexp
	Faulty   []string // filters that are no regular expression here, as they were written
}

// maxIgnoreFilters and maxIgnoreBytes bound what is compiled of the settings, which may be a
// stranger's.
const (
	MaxIgnoreFilters = 1000
	maxIgnoreBytes   = 2000 // of one filter
)

// NewRules compiles Obsidian's filters: the beginning of a path, or a regular expression
// between slashes, which finds its match anywhere in the path.
func NewRules(filters []string) Rules {
	var r Rules
	for _, filter := range filters[:min(len(filters), MaxIgnoreFilters)] {
		switch {
		case strings.TrimSpace(filter) == "" || filter == "/":
		case len(filter) > maxIgnoreBytes:
			r.Faulty = append(r.Faulty, filter)
		case len(filter) > 2 && filter[0] == '/' && strings.HasSuffix(filter, "/"):
			// A path that begins with a slash is no path of the vault, so this is an expression.
			p, err := regexp.Compile(filter[1 : len(filter)-1])
			if err != nil { // JavaScript knows more than RE2: looking ahead, for one
				r.Faulty = append(r.Faulty, filter)
				continue
			}
			r.Patterns = append(r.Patterns, p)
		default:
			r.Prefixes = append(r.Prefixes, fold.Name(filter))
		}
	}
	return r
}

// Empty says whether the rules leave nothing out.
func (r *Rules) Empty() bool { return len(r.Prefixes) == 0 && len(r.Patterns) == 0 }

// Excludes reports whether an entry is excluded. Of a folder, whole says that everything in it
// is, so that a walk need not go there.
func (r *Rules) Excludes(name string, folder bool) (excluded, whole bool) {
	if folder {
		name += "/"
	}
	if len(r.Prefixes) > 0 {
		folded := fold.Name(name)
		for _, prefix := range r.Prefixes {
			if strings.HasPrefix(folded, prefix) {
				return true, true
			}
		}
	}
	for _, p := range r.Patterns {
		if p.MatchString(name) {
			return true, false // it may match only where the path ends
		}
	}
	return false, false
}

// LeftOut counts what a listing or search left out because Obsidian excludes it: the files and
// folders it came upon, not what is in those folders.
type LeftOut struct{ Files, Folders int }

// Any reports whether anything was left out.
func (l LeftOut) Any() bool { return l.Files > 0 || l.Folders > 0 }

// Filter leaves excluded entries out of a walk and counts them. The nil one leaves nothing out.
type Filter struct {
	rules          Rules
	files, folders atomic.Int64
}

// Filter is the one for a walk that begins in a folder, for a glob relative to it: nil where
// nothing is excluded, or where the folder itself is, or one that the glob begins with, because
// then somebody asked for it by name.
func (s Source) Filter(base string, g *glob.Pattern, include bool) *Filter {
	if include {
		return nil
	}
	f := &Filter{rules: NewRules(s.Ignored())}
	if f.rules.Empty() {
		return nil
	}
	for folder := path.Join(base, g.Folder()); folder != "." && folder != ""; folder = folder[:max(strings.LastIndexByte(folder, '/'), 0)] {
		if excluded, _ := f.rules.Excludes(folder, true); excluded {
			return nil
		}
	}
	return f
}

// file reports whether a walk visits a file, which is counted where it does not.
func (f *Filter) file(name string) bool {
	excluded, _ := f.rules.Excludes(name, false)
	if excluded {
		f.files.Add(1)
	}
	return !excluded
}

// folder decides whether a walk enters a folder and visits the folder itself.
func (f *Filter) folder(name string, enter, listed bool) (enters, lists bool) {
	excluded, whole := f.rules.Excludes(name, true)
	if !excluded {
		return enter, listed
	}
	if whole || listed {
		f.folders.Add(1)
	}
	return enter && !whole, false
}

// LeftOut counts what was left out so far.
func (f *Filter) LeftOut() LeftOut {
	if f == nil {
		return LeftOut{}
	}
	return LeftOut{Files: int(f.files.Load()), Folders: int(f.folders.Load())}
}

// IgnoredFiles returns a function that reports whether Obsidian excludes a note or other file from
// searches; the settings are read now.
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
