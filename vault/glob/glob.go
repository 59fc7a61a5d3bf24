// Package glob matches vault paths against patterns, ignoring case and Unicode normal form. It does no I/O.
package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	globlib "github.com/gobwas/glob"

	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Scope defines what a pattern is relative to.
type Scope int

const (
	// InFolder patterns are relative to one folder: "*.md" matches in that folder only.
	InFolder Scope = iota
	// Anywhere patterns without "/" match names at any depth, like ripgrep's -g; "Projects/" matches everything below
	// it.
	Anywhere
	// Private is like Anywhere, but "Diary/" is a folder at any depth and "/Diary/" the one at the top, as in
	// .gitignore.
	Private
)

// Pattern is a compiled glob: * and ? within a name, ** across folders, {a,b}, [a-z], [!a], and \ to escape a
// character. It is immutable.
type Pattern struct {
	alternatives []spelling
	anyFolder    bool // only the name matters: every alternative is **/name
}

// spelling is one alternative of a pattern, with its braces expanded.
type spelling struct {
	segments   []segment
	folderOnly bool // the pattern ends with "/"
}

// segment matches one path component or, if deep, any number of them. A deep segment at the end of a pattern takes at
// least one: "Projects/**" matches what is below Projects.
type segment struct {
	deep   bool
	any    bool   // matches any name: *
	exact  string // a name without wildcards
	suffix string // * followed by text without wildcards
	lib    *globlib.Pattern
}

// Compile compiles a pattern. Its errors are *vaulterr.Error. A pattern that names something protected is refused,
// unless it is Private.
func Compile(pattern string, scope Scope) (*Pattern, error) {
	bad := func(format string, args ...any) error {
		shown := pattern
		if len(shown) > 80 {
			shown = strings.ToValidUTF8(shown[:80], "") + "…"
		}
		return vaulterr.New(vaulterr.KindOther, pattern, "The glob %q is not valid: %s.", shown, fmt.Sprintf(format, args...))
	}
	switch {
	case pattern == "":
		return nil, bad("it is empty; use * for everything in a folder, **/*.md for notes at any depth")
	case len(pattern) > MaxBytes:
		return nil, bad("it has %d bytes and at most %d are allowed", len(pattern), MaxBytes)
	case !utf8.ValidString(pattern) || strings.ContainsRune(pattern, 0):
		return nil, bad("it is not UTF-8 text")
	}
	spelled, err := (&parser{pattern}).alternatives(0)
	if err != nil {
		return nil, bad("%v", err)
	}
	g := &Pattern{}
	for _, alternative := range spelled {
		p, err := compileSpelling(alternative, scope)
		if denied, ok := errors.AsType[*vaulterr.Error](err); ok {
			return nil, denied
		}
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
	g.anyFolder = !slices.ContainsFunc(g.alternatives, func(p spelling) bool {
		return len(p.segments) != 2 || !p.segments[0].deep || p.segments[1].deep
	})
	return g, nil
}

// compileSpelling compiles one alternative of a pattern.
func compileSpelling(tokens []token, scope Scope) (spelling, error) {
	var parts [][]token
	for begin, i := 0, 0; i <= len(tokens); i++ {
		if i == len(tokens) || tokens[i].kind == '/' {
			parts = append(parts, tokens[begin:i])
			begin = i + 1
		}
	}
	last := len(parts) - 1
	folder := last > 0 && len(parts[last]) == 0
	anchored := last > 0 && (scope != Private || !folder || last > 1)

	var p spelling
	add := func(s segment) {
		if n := len(p.segments); !s.deep || n == 0 || !p.segments[n-1].deep {
			p.segments = append(p.segments, s)
		}
	}
	if scope != InFolder && !anchored {
		add(segment{deep: true})
	}
	for i, part := range parts {
		name, n := literal(part)
		if scope != Private && hides(name, n < len(part)) {
			if n < len(part) {
				name += "*"
			}
			return p, pathname.ProtectedError(name, name, i == last)
		}
		switch {
		case n < len(part):
			s, err := compileSegment(part)
			if err != nil {
				return p, err
			}
			add(s)
		case name == "", name == ".": // "./a", "/a" and "a//b" are "a" and "a/b"
		case name == "..":
			return p, fmt.Errorf(`".." cannot be used; patterns stay below the folder they are for`)
		default:
			add(segment{exact: name})
		}
	}
	if folder && scope != InFolder {
		add(segment{deep: true})
	}
	p.folderOnly = folder && scope == InFolder
	return p, nil
}

// hides reports whether every name that begins with a literal, or is equal to it, is protected.
func hides(name string, wildcards bool) bool {
	if wildcards {
		return pathname.Protected(name + "x")
	}
	return name != "." && name != ".." && pathname.Protected(name)
}

// Notes matches Markdown files at any depth.
var Notes = &Pattern{anyFolder: true, alternatives: []spelling{
	{segments: []segment{{deep: true}, {suffix: ".md"}}},
	{segments: []segment{{deep: true}, {suffix: ".markdown"}}},
}}

// Readable matches Notes, canvases and drawings. It is the default of searches.
var Readable = &Pattern{anyFolder: true, alternatives: append(slices.Clone(Notes.alternatives),
	spelling{segments: []segment{{deep: true}, {suffix: ".canvas"}}}, spelling{segments: []segment{{deep: true}, {suffix: ".excalidraw"}}})}

// All matches every name.
var All = &Pattern{anyFolder: true, alternatives: []spelling{{segments: []segment{{deep: true}, {any: true}}}}}

// Match reports whether the glob matches the entry called name in the folder with the components dirs. dirs are
// relative to the pattern's root and folded by pathname.Fold.
func (g *Pattern) Match(dirs []string, name string, folder bool) bool {
	folded := ""
	for i := range g.alternatives {
		p := &g.alternatives[i]
		if p.folderOnly && !folder {
			continue
		}
		// The most common form by far, **/*.md, needs no folding for an ASCII name.
		if len(p.segments) == 2 && p.segments[0].deep && p.segments[1].suffix != "" && pathname.IsASCII(name) {
			if s := p.segments[1].suffix; len(name) == len(s) && strings.EqualFold(name, s) || pathname.HasSuffix(name, s) {
				return true
			}
			continue
		}
		if folded == "" {
			folded = pathname.Fold(name)
		}
		if matchSegments(p.segments, dirs, folded) {
			return true
		}
	}
	return false
}

// matchSegments matches segments against dirs followed by name. After a mismatch it extends only the last deep
// segment: how many components earlier ones took cannot matter.
func matchSegments(segments []segment, dirs []string, name string) bool {
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

// NameOnly reports whether the name alone decides, regardless of the folder.
func (g *Pattern) NameOnly() bool { return g.anyFolder }

// Below reports whether the glob may match something below the folder with these components. If not, a walk can skip
// the folder.
func (g *Pattern) Below(dirs []string) bool {
	return slices.ContainsFunc(g.alternatives, func(p spelling) bool { return mayMatchBelow(p.segments, dirs) })
}

func mayMatchBelow(segments []segment, dirs []string) bool {
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

// match reports whether the segment matches a folded component.
func (s *segment) match(name string) bool {
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

// MatchPath reports whether the glob matches a file's path.
func (g *Pattern) MatchPath(name string) bool {
	parts := strings.Split(name, "/")
	last := len(parts) - 1
	for i := range parts[:last] {
		parts[i] = pathname.Fold(parts[i])
	}
	return g.Match(parts[:last], parts[last], false)
}
