package glob

import (
	"path"
	"strings"
	"unicode"

	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// List is a set of globs. It hides what they match and everything below a matching folder. A nil List hides nothing.
type List struct {
	globs []*Pattern
	ascii bool // the globs contain only ASCII
}

// NewList compiles the globs. Its error quotes the invalid one.
func NewList(patterns []string) (*List, error) {
	l := &List{ascii: true}
	for _, pattern := range patterns {
		g, err := compilePrivate(pattern)
		if err != nil {
			return nil, err
		}
		l.globs = append(l.globs, g)
		l.ascii = l.ascii && pathname.IsASCII(pattern)
	}
	return l, nil
}

func compilePrivate(pattern string) (*Pattern, error) {
	if strings.HasPrefix(pattern, "!") {
		return nil, vaulterr.New(vaulterr.KindOther, pattern, "The glob %s begins with \"!\", but the private list has no exceptions; write \\! for the character itself.", vaulterr.Quote(pattern))
	}
	if strings.TrimSpace(pattern) != pattern {
		return nil, vaulterr.New(vaulterr.KindOther, pattern, "The glob %s begins or ends with a space, so it probably would not hide what you mean; remove the space.", vaulterr.Quote(pattern))
	}
	g, err := Compile(pattern, Private)
	if err != nil {
		return nil, err
	}
	for i := range g.alternatives {
		// A folder's content is private together with the folder, so that the folder's name is hidden too.
		a := &g.alternatives[i]
		if n := len(a.segments); n > 1 && a.segments[n-1].deep {
			a.segments = a.segments[:n-1]
		}
	}
	return g, nil
}

// Has reports whether a clean path, or a folder that contains it, is private. Since a file system may accept other
// spellings of a name, invisible characters and the trailing dots and blanks that Windows drops are ignored.
func (l *List) Has(clean string) bool {
	if l == nil || clean == "." {
		return false
	}
	if l.matches(clean) {
		return true
	}
	bare := clean
	if !pathname.IsASCII(bare) {
		bare = strings.Map(dropInvisible, bare)
	}
	if strings.Contains(bare+"/", "./") || strings.Contains(bare+"/", " /") {
		parts := strings.Split(bare, "/")
		for i, part := range parts {
			parts[i] = strings.TrimRight(part, ". ")
		}
		bare = strings.Join(parts, "/")
	}
	return bare != clean && l.matches(bare)
}

func dropInvisible(r rune) rune {
	if unicode.IsControl(r) || pathname.Ignorable(r) {
		return -1
	}
	return r
}

// HasEntry is Has for an entry of a folder; dir is "" for the vault's root.
func (l *List) HasEntry(dir, name string) bool { return l != nil && l.Has(path.Join(dir, name)) }

// matches reports whether a glob matches the path or a folder that contains it.
func (l *List) matches(clean string) bool {
	var room [16]string
	dirs := room[:0]
	for name := range strings.SplitSeq(clean, "/") {
		folded := pathname.Fold(name)
		for _, g := range l.globs {
			if g.Match(dirs, folded, true) {
				return true
			}
		}
		dirs = append(dirs, folded)
	}
	return false
}

// AliasSafe reports whether a name accepted by the file system must be the stored name, apart from case and normal
// form. It is false for DOS short names ("DIARY~1.MD") and where the system may fold other characters ("STRASSE" for
// "Straße").
func (l *List) AliasSafe(name string) bool {
	return l == nil || l.ascii && pathname.IsASCII(name) && !strings.Contains(name, "~") && !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, " ")
}
