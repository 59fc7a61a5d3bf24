package vault

import (
	"chatvault/vault/fold"
	"chatvault/vault/glob"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
)

// Excluded files, as Obsidian calls them (`userIgnoreFilters`): what its owner does not want to
// meet in searches. They are left out of searches and listings by default and are otherwise
// notes like any other.

// ignoreRules are the compiled filters. Its zero value excludes nothing.
type ignoreRules struct {
	prefixes []string // of paths, folded
	patterns []*regexp.Regexp
	faulty   []string // filters that are no regular expression here, as they were written
}

// maxIgnoreFilters and maxIgnoreBytes bound what is compiled of the settings, which may be a
// stranger's.
const (
	maxIgnoreFilters = 1000
	maxIgnoreBytes   = 2000 // of one filter
)

// compileIgnore compiles Obsidian's filters: the beginning of a path, or a regular expression
// between slashes, which finds its match anywhere in the path.
func compileIgnore(filters []string) ignoreRules {
	var r ignoreRules
	for _, filter := range filters[:min(len(filters), maxIgnoreFilters)] {
		switch {
		case strings.TrimSpace(filter) == "" || filter == "/":
		case len(filter) > maxIgnoreBytes:
			r.faulty = append(r.faulty, filter)
		case len(filter) > 2 && filter[0] == '/' && strings.HasSuffix(filter, "/"):
			// A path that begins with a slash is no path of the vault, so this is an expression.
			p, err := regexp.Compile(filter[1 : len(filter)-1])
			if err != nil { // JavaScript knows more than RE2: looking ahead, for one
				r.faulty = append(r.faulty, filter)
				continue
			}
			r.patterns = append(r.patterns, p)
		default:
			r.prefixes = append(r.prefixes, fold.Name(filter))
		}
	}
	return r
}

func (r *ignoreRules) empty() bool { return len(r.prefixes) == 0 && len(r.patterns) == 0 }

// excludes reports whether an entry is excluded. Of a folder, whole says that everything in it
// is, so that a walk need not go there.
func (r *ignoreRules) excludes(name string, folder bool) (excluded, whole bool) {
	if folder {
		name += "/"
	}
	if len(r.prefixes) > 0 {
		folded := fold.Name(name)
		for _, prefix := range r.prefixes {
			if strings.HasPrefix(folded, prefix) {
				return true, true
			}
		}
	}
	for _, p := range r.patterns {
		if p.MatchString(name) {
			return true, false // it may match only where the path ends
		}
	}
	return false, false
}

// ignoring are the rules in force.
func (v *Vault) ignoring() ignoreRules { return compileIgnore(v.settings().UserIgnoreFilters) }

// Ignored returns a function that reports whether Obsidian excludes a note or other file from
// searches; the settings are read now.
func (v *Vault) Ignored() func(path string) bool {
	rules := v.ignoring()
	if rules.empty() {
		return func(string) bool { return false }
	}
	return func(path string) bool {
		excluded, _ := rules.excludes(path, false)
		return excluded
	}
}

// IgnoreFilters says how many filters for excluded files Obsidian's settings have, and which of
// them cannot be followed, because they are no regular expression of RE2.
func (v *Vault) IgnoreFilters() (filters int, faulty []string) {
	rules := v.ignoring()
	return len(rules.prefixes) + len(rules.patterns) + len(rules.faulty), rules.faulty
}

// LeftOut counts what a listing or search left out because Obsidian excludes it: the files and
// folders it came upon, not what is in those folders.
type LeftOut struct{ Files, Folders int }

// Any reports whether anything was left out.
func (l LeftOut) Any() bool { return l.Files > 0 || l.Folders > 0 }

// ignoreFilter leaves excluded entries out of a walk and counts them. The nil one leaves nothing out.
type ignoreFilter struct {
	rules          ignoreRules
	files, folders atomic.Int64
}

// ignoreFor is the filter for a walk that begins in a folder, for a glob relative to it: nil where
// nothing is excluded, or where the folder itself is, or one that the glob begins with, because
// then somebody asked for it by name.
func (v *Vault) ignoreFor(base string, g *glob.Pattern, include bool) *ignoreFilter {
	if include {
		return nil
	}
	f := &ignoreFilter{rules: v.ignoring()}
	if f.rules.empty() {
		return nil
	}
	for folder := path.Join(base, g.Folder()); folder != "." && folder != ""; folder = folder[:max(strings.LastIndexByte(folder, '/'), 0)] {
		if excluded, _ := f.rules.excludes(folder, true); excluded {
			return nil
		}
	}
	return f
}

// file reports whether a walk visits a file, which is counted where it does not.
func (f *ignoreFilter) file(name string) bool {
	excluded, _ := f.rules.excludes(name, false)
	if excluded {
		f.files.Add(1)
	}
	return !excluded
}

// folder decides whether a walk enters a folder and visits the folder itself.
func (f *ignoreFilter) folder(name string, enter, listed bool) (enters, lists bool) {
	excluded, whole := f.rules.excludes(name, true)
	if !excluded {
		return enter, listed
	}
	if whole || listed {
		f.folders.Add(1)
	}
	return enter && !whole, false
}

func (f *ignoreFilter) leftOut() LeftOut {
	if f == nil {
		return LeftOut{}
	}
	return LeftOut{Files: int(f.files.Load()), Folders: int(f.folders.Load())}
}
