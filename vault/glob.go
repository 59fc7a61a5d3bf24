package vault

import (
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"fmt"
	"strings"
	"unicode/utf8"

	globlib "github.com/gobwas/glob"
)

// Bounds on what a glob may ask for. With them, and because each segment is compiled on
// its own without separators and braces, matching is linear in the path.
const (
	maxGlobBytes        = 512
	maxGlobAlternatives = 64
)

// globScope says what a pattern is relative to.
type globScope int

const (
	// globFolder: to one folder, so that "*.md" is that folder only.
	globFolder globScope = iota
	// globAnywhere: a pattern without "/" is a name at any depth, as ripgrep's -g has it;
	// "Projects/" is everything under it.
	globAnywhere
	// globPrivate: as globAnywhere, and "Diary/" is a folder at any depth, as .gitignore has it;
	// "/Diary/" is the one at the top.
	globPrivate
)

// glob is a compiled pattern: * and ? within a name, ** across
// folders, {a,b}, [a-z], [!a], \ before a character to take it as it is. Case and
// Unicode normal form are ignored. It is immutable.
type glob struct {
	alternatives []globPath
	anyFolder    bool // only the name decides: every alternative is **/name
}

// globPath is one way to spell the paths a glob matches, braces written out.
type globPath struct {
	segments   []globSegment
	folderOnly bool // the pattern ends with "/"
}

// globSegment matches one component of a path or, when deep, any number of them: at
// least one at the end of a pattern, where "Projects/**" is what is under Projects.
type globSegment struct {
	deep   bool
	any    bool   // *
	exact  string // no wildcard
	suffix string // * and then no wildcard
	lib    *globlib.Pattern
}

// compileGlob compiles a pattern. Errors are *Error and name the pattern.
func compileGlob(pattern string, scope globScope) (*glob, error) {
	bad := func(format string, args ...any) error {
		shown := pattern
		if len(shown) > 80 {
			shown = strings.ToValidUTF8(shown[:80], "") + "…"
		}
		return failure.New(failure.KindOther, pattern, "The glob %q is not valid: %s.", shown, fmt.Sprintf(format, args...))
	}
	switch {
	case pattern == "":
		return nil, bad("it is empty; use * for everything in a folder, **/*.md for notes at any depth")
	case len(pattern) > maxGlobBytes:
		return nil, bad("it has %d bytes and at most %d are allowed", len(pattern), maxGlobBytes)
	case !utf8.ValidString(pattern) || strings.ContainsRune(pattern, 0):
		return nil, bad("it is not UTF-8 text")
	}
	spelled, err := expandBraces(pattern)
	if err != nil {
		return nil, bad("%v", err)
	}
	g := &glob{}
	for _, alternative := range spelled {
		p, err := compileGlobPath(alternative, scope)
		if err != nil {
			return nil, bad("%v", err)
		}
		if len(p.segments) > 0 {
			g.alternatives = append(g.alternatives, p)
		}
	}
	if len(g.alternatives) == 0 {
		return nil, bad("it names nothing; use * for everything in a folder")
	}
	g.anyFolder = true
	for _, p := range g.alternatives {
		if len(p.segments) != 2 || !p.segments[0].deep || p.segments[1].deep {
			g.anyFolder = false
		}
	}
	return g, nil
}

// compileGlobPath compiles a pattern that has no braces.
func compileGlobPath(pattern string, scope globScope) (globPath, error) {
	var p globPath
	anchored := strings.Contains(pattern, "/")
	if scope == globPrivate {
		anchored = strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	}
	if rest, ok := strings.CutSuffix(pattern, "/"); ok && !strings.HasSuffix(rest, `\`) {
		pattern = rest
		if scope != globFolder {
			pattern += "/**"
		} else {
			p.folderOnly = true
		}
	}
	if scope != globFolder && !anchored {
		pattern = "**/" + pattern
	}
	for _, part := range strings.Split(pattern, "/") {
		switch part {
		case "", ".": // "./a", "/a" and "a//b" are "a" and "a/b"
			continue
		case "..":
			return p, fmt.Errorf(`".." cannot be used; patterns stay below the folder they are for`)
		case "**":
			if n := len(p.segments); n == 0 || !p.segments[n-1].deep {
				p.segments = append(p.segments, globSegment{deep: true})
			}
			continue
		}
		s, err := compileGlobSegment(part)
		if err != nil {
			return p, err
		}
		p.segments = append(p.segments, s)
	}
	return p, nil
}

// markdownGlob is what a search looks at when no pattern is given.
var markdownGlob = &glob{anyFolder: true, alternatives: []globPath{
	{segments: []globSegment{{deep: true}, {suffix: ".md"}}},
	{segments: []globSegment{{deep: true}, {suffix: ".markdown"}}},
}}

// IsNote reports whether a file name or path is that of a Markdown note.
func IsNote(name string) bool {
	return hasSuffixFold(name, ".md") || hasSuffixFold(name, ".markdown")
}

// hasSuffixFold is strings.HasSuffix ignoring the case of ASCII letters; suffix is in
// lower case and not all of name.
func hasSuffixFold(name, suffix string) bool {
	if len(name) <= len(suffix) {
		return false
	}
	tail := name[len(name)-len(suffix):]
	for i := range len(suffix) {
		c := tail[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != suffix[i] {
			return false
		}
	}
	return true
}

// match reports whether the glob matches the entry called name in the folder whose
// components, relative to where the pattern starts and folded by fold.Name, are dirs.
func (g *glob) match(dirs []string, name string, folder bool) bool {
	folded := ""
	for i := range g.alternatives {
		p := &g.alternatives[i]
		if p.folderOnly && !folder {
			continue
		}
		// By far the most used form, **/*.md, on a plain name needs no folding.
		if len(p.segments) == 2 && p.segments[0].deep && p.segments[1].suffix != "" && fold.IsASCII(name) {
			if s := p.segments[1].suffix; len(name) == len(s) && strings.EqualFold(name, s) || hasSuffixFold(name, s) {
				return true
			}
			continue
		}
		if folded == "" {
			folded = fold.Name(name)
		}
		if matchGlob(p.segments, dirs, folded) {
			return true
		}
	}
	return false
}

// matchGlob matches segments against dirs and then name. On a mismatch only the last deep
// segment is tried with one component more: what earlier ones took cannot matter.
func matchGlob(segments []globSegment, dirs []string, name string) bool {
	component := func(i int) string {
		if i < len(dirs) {
			return dirs[i]
		}
		return name
	}
	total := len(dirs) + 1
	s, c := 0, 0
	deep, from := -1, 0
	for c < total || s < len(segments) {
		if s < len(segments) {
			if segments[s].deep {
				if s == len(segments)-1 {
					return c < total
				}
				deep, from = s, c
				s++
				continue
			}
			if c < total && segments[s].match(component(c)) {
				s++
				c++
				continue
			}
		}
		if deep < 0 || from >= total {
			return false
		}
		from++
		s, c = deep+1, from
	}
	return true
}

// below reports whether the glob may match something under the folder with these
// components: where not, a walk need not go.
func (g *glob) below(dirs []string) bool {
	for i := range g.alternatives {
		if mayMatchBelow(g.alternatives[i].segments, dirs) {
			return true
		}
	}
	return false
}

func mayMatchBelow(segments []globSegment, dirs []string) bool {
	for i := range segments {
		if segments[i].deep || i == len(dirs) {
			return true
		}
		if !segments[i].match(dirs[i]) {
			return false
		}
	}
	return false
}

// match matches a folded component.
func (s *globSegment) match(name string) bool {
	switch {
	case s.any:
		return true
	case s.exact != "":
		return name == s.exact
	case s.suffix != "":
		return strings.HasSuffix(name, s.suffix)
	}
	return s.lib.Match(name)
}
