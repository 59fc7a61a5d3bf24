package glob

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// matches reports whether g matches a whole path.
func matches(g *Pattern, path string, folder bool) bool {
	parts := strings.Split(path, "/")
	var dirs []string
	for _, d := range parts[:len(parts)-1] {
		dirs = append(dirs, pathname.Fold(d))
	}
	matched := g.Match(dirs, parts[len(parts)-1], folder)
	if matched && !g.Below(dirs) {
		panic("a walk would not have come to " + path)
	}
	return matched
}

// TestProtected: a pattern that can only match something protected, in any of its alternatives, is refused; the list of
// private patterns may name anything.
func TestProtected(t *testing.T) {
	for pattern, denied := range map[string]bool{
		".obsidian/**": true, "**/.Obsidian/*": true, "{a,.trash}/*.md": true, ".*": true, ".obs*/x": true, "a/.git": true, ".hidden": true, "\u2024obsidian/**": true, "OBSIDI~1/*": true,
		"*.md": false, "./*.md": false, "**": false, "a.b/*": false, "draft~1.md": false, "draft~1*": false, "?obsidian": false, "[a-z]*": false,
	} {
		for _, scope := range []Scope{InFolder, Anywhere, Private} {
			_, err := Compile(pattern, scope)
			if errors.Is(err, vaulterr.KindDenied) != (denied && scope != Private) {
				t.Errorf("%q in scope %d: %v", pattern, scope, err)
			}
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern string
		scope   Scope
		yes, no []string
	}{
		{"*", InFolder, []string{"a.md", "x", "[y]"}, []string{"a/b.md"}},
		{"*.md", InFolder, []string{"a.md", "A.MD", ".md", "ü.Md"}, []string{"a/b.md", "a.markdown", "md"}},
		{"**/*.md", InFolder, []string{"a.md", "a/b.md", "a/b/c.md"}, []string{"a/b.txt", "a.md/b"}},
		{"Projects/**", InFolder, []string{"Projects/a", "projects/a/b.md"}, []string{"Projects", "x/Projects/a"}},
		{"**", InFolder, []string{"a", "a/b", "a/b/c"}, nil},
		{"a/**/b", InFolder, []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/x/c", "b"}},
		{"**/a/**/b/*.md", InFolder, []string{"a/b/x.md", "q/a/z/b/x.md", "a/b/a/b/x.md"}, []string{"a/x.md", "b/a/x.md"}},
		{"**/*.{md,canvas}", InFolder, []string{"a.md", "x/a.canvas"}, []string{"a.png"}},
		{"{a,b/{c,d}}/*", InFolder, []string{"a/x", "b/c/x", "b/d/x"}, []string{"b/x", "c/x"}},
		{"x{,y}", InFolder, []string{"x", "xy"}, []string{"xz"}},
		{"a?c", InFolder, []string{"abc", "aüc", "au\u0308c"}, []string{"ac", "abbc"}},
		{"[a-c]1", InFolder, []string{"a1", "B1"}, []string{"d1"}},
		{"[!a-c]1", InFolder, []string{"d1"}, []string{"a1", "B1"}},
		{"[^x]1", InFolder, []string{"a1", "^1"}, []string{"x1", "X1"}},
		{"[a-cx-z0-9_]", InFolder, []string{"a", "y", "5", "_"}, []string{"d", "-"}},
		{"[]a]", InFolder, []string{"]", "a"}, []string{"b"}},
		{"[a-]", InFolder, []string{"-", "a"}, []string{"b"}},
		{"[一-龥]*", InFolder, []string{"会议"}, []string{"meeting"}},
		{`\[a\]*`, InFolder, []string{"[a]b", "[A]"}, []string{"a", "ab"}},
		{"./*.md", InFolder, []string{"a.md"}, []string{"b/a.md"}},
		{"caf\u00e9*", InFolder, []string{"cafe\u0301.md", "CAF\u00c9"}, []string{"cafe"}},
		{"a**b", InFolder, []string{"ab", "axxb"}, []string{"a/b"}},
		{"Projects/", InFolder, []string{"folder:Projects"}, []string{"Projects"}},
		{"*.md", Anywhere, []string{"a.md", "x/y/a.md"}, []string{"a.txt"}},
		{"x/*.md", Anywhere, []string{"x/a.md"}, []string{"y/x/a.md", "a.md"}},
		{"/a.md", Anywhere, []string{"a.md"}, []string{"x/a.md"}},
		{"Projects/", Anywhere, []string{"Projects/a.md", "Projects/x/a.md"}, []string{"a.md"}},
		{"{*.md,Old/*.txt}", Anywhere, []string{"x/a.md", "Old/a.txt"}, []string{"x/Old/a.txt"}},
	} {
		g, err := Compile(c.pattern, c.scope)
		if err != nil {
			t.Errorf("Compile(%q): %v", c.pattern, err)
			continue
		}
		check := func(path string, want bool) {
			name, folder := strings.CutPrefix(path, "folder:")
			if got := matches(g, name, folder); got != want {
				t.Errorf("glob %q matches %q: %v, want %v", c.pattern, path, got, want)
			}
		}
		for _, path := range c.yes {
			check(path, true)
		}
		for _, path := range c.no {
			check(path, false)
		}
	}
}

func TestGlobErrors(t *testing.T) {
	for pattern, part := range map[string]string{
		"":                         "empty",
		"./":                       "names nothing",
		"[a":                       `\[`,
		"[z-a]":                    "is reversed",
		"[a/b]":                    `"/"`,
		"{a":                       `\{`,
		"a}":                       `\}`,
		"../*":                     `".."`,
		`a\`:                       `\ at the end escapes nothing`,
		strings.Repeat("a", 600):   "at most 512",
		strings.Repeat("{a,b}", 7): "more than 64",
		strings.Repeat("{", 100):   "too deep",
		"[\u0100-\u3000a]":         "more than 1024",
		"a\xff":                    "UTF-8",
		"{a,[,]}":                  "", // a comma in a class does not separate alternatives
	} {
		_, err := Compile(pattern, InFolder)
		if part == "" {
			if err != nil {
				t.Errorf("Compile(%q): %v", pattern, err)
			}
			continue
		}
		var ve *vaulterr.Error
		if !errors.As(err, &ve) {
			t.Errorf("Compile(%.20q) = %v, want an *Error", pattern, err)
		} else if !strings.Contains(ve.Text, part) {
			t.Errorf("Compile(%.20q): %v, want a message with %s", pattern, err, part)
		}
	}
}

// refNode is a node of the reference matcher: a pattern is generated as a tree, which prints itself and matches by
// backtracking over the characters of a path.
type refNode struct {
	form string // char, any, star, class, braces, slash, deep
	char rune
	not  bool
	subs [][]refNode
}

func (n refNode) String() string {
	switch n.form {
	case "any":
		return "?"
	case "star":
		return "*"
	case "slash":
		return "/"
	case "deep":
		return "**/"
	case "class":
		mark := ""
		if n.not {
			mark = "!"
		}
		return "[" + mark + string(n.char) + "-" + string(n.char+1) + "]"
	case "braces":
		var parts []string
		for _, sub := range n.subs {
			parts = append(parts, refPattern(sub))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	if strings.ContainsRune(`[]{}*?,\`, n.char) {
		return `\` + string(n.char)
	}
	return string(n.char)
}

func refPattern(nodes []refNode) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.String())
	}
	return b.String()
}

func sameRune(a, b rune) bool {
	if a == b {
		return true
	}
	for r := unicode.SimpleFold(a); r != a; r = unicode.SimpleFold(r) {
		if r == b {
			return true
		}
	}
	return false
}

func refMatch(nodes []refNode, path []rune, atStart bool) bool {
	if len(nodes) == 0 {
		return len(path) == 0
	}
	n, rest := nodes[0], nodes[1:]
	one := len(path) > 0 && path[0] != '/'
	switch n.form {
	case "deep":
		if refMatch(rest, path, true) {
			return true
		}
		for i, r := range path {
			if r == '/' && refMatch(rest, path[i+1:], true) {
				return true
			}
		}
		return false
	case "star":
		return refMatch(rest, path, false) || one && refMatch(nodes, path[1:], false)
	case "any":
		return one && refMatch(rest, path[1:], false)
	case "slash":
		return len(path) > 0 && path[0] == '/' && refMatch(rest, path[1:], true)
	case "class":
		return one && (sameRune(path[0], n.char) || sameRune(path[0], n.char+1)) != n.not && refMatch(rest, path[1:], false)
	case "braces":
		for _, sub := range n.subs {
			if refMatch(append(append([]refNode{}, sub...), rest...), path, atStart) {
				return true
			}
		}
		return false
	}
	return one && sameRune(path[0], n.char) && refMatch(rest, path[1:], false)
}

var globLetters = []rune("aAbBkKsSéÉßſ-.[]{}的")

func drawRefName(t *rapid.T, depth int) []refNode {
	var nodes []refNode
	for range rapid.IntRange(1, 3).Draw(t, "tokens") {
		switch form := rapid.SampledFrom([]string{"char", "char", "char", "any", "star", "class", "braces"}).Draw(t, "form"); form {
		case "char":
			nodes = append(nodes, refNode{form: form, char: rapid.SampledFrom(globLetters).Draw(t, "char")})
		case "class":
			nodes = append(nodes, refNode{form: form, not: rapid.Bool().Draw(t, "not"), char: rapid.SampledFrom([]rune("aAbjkrsé")).Draw(t, "first")})
		case "braces":
			if depth == 0 {
				continue
			}
			n := refNode{form: form}
			for range rapid.IntRange(1, 3).Draw(t, "alternatives") {
				n.subs = append(n.subs, drawRefName(t, depth-1))
			}
			nodes = append(nodes, n)
		default:
			nodes = append(nodes, refNode{form: form})
		}
	}
	if len(nodes) == 0 {
		nodes = []refNode{{form: "star"}}
	}
	return nodes
}

// meansMore reports whether the pattern, with its braces expanded, contains a ** or a dot name that the tree does
// not.
func meansMore(pattern string, nodes []refNode) bool {
	deep := 0
	for _, n := range nodes {
		if n.form == "deep" {
			deep++
		}
	}
	all, err := (&parser{pattern}).alternatives(0)
	for _, alternative := range all {
		var spelled strings.Builder
		for _, t := range alternative {
			spelled.WriteString(t.text)
		}
		stars := 0
		for _, part := range strings.Split(spelled.String(), "/") {
			if part == "." || part == ".." || part == "" {
				return true
			}
			if len(part) > 1 && strings.Trim(part, "*") == "" {
				stars++
			}
		}
		if stars != deep {
			return true
		}
	}
	return err == nil && len(all) == 0
}

func TestPropertyGlobAgreesWithReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []refNode
		segments := rapid.IntRange(1, 4).Draw(t, "segments")
		for i := range segments {
			if i < segments-1 && rapid.IntRange(0, 2).Draw(t, "deep") == 0 {
				nodes = append(nodes, refNode{form: "deep"})
				continue
			}
			nodes = append(nodes, drawRefName(t, 2)...)
			if i < segments-1 {
				nodes = append(nodes, refNode{form: "slash"})
			}
		}
		pattern := refPattern(nodes)
		if meansMore(pattern, nodes) {
			t.Skip("the expansion has a ** or a dot name that the reference does not have")
		}
		if _, err := Compile(pattern, InFolder); errors.Is(err, vaulterr.KindDenied) {
			t.Skip("it names something protected")
		}
		g, err := Compile(pattern, InFolder)
		if err != nil {
			if strings.Contains(err.Error(), "more than") {
				t.Skip("too many alternatives")
			}
			t.Fatalf("Compile(%q): %v", pattern, err)
		}
		for range 4 {
			var names []string
			for range rapid.IntRange(1, 4).Draw(t, "depth") {
				name := string(rapid.SliceOfN(rapid.SampledFrom(globLetters), 1, 5).Draw(t, "name"))
				if name == "." || name == ".." {
					name = "a"
				}
				names = append(names, name)
			}
			path := strings.Join(names, "/")
			want := refMatch(nodes, []rune(path), true)
			spelled := path
			if rapid.Bool().Draw(t, "decomposed") {
				spelled = norm.NFD.String(path)
			}
			if got := matches(g, spelled, false); got != want {
				t.Fatalf("glob %q matches %q: %v, want %v", pattern, spelled, got, want)
			}
		}
	})
}

// TestGlobIsLinear uses patterns on which other matchers take exponential time.
func TestGlobIsLinear(t *testing.T) {
	name := strings.Repeat("a", 255)
	for _, pattern := range []string{
		strings.Repeat("*a", 200) + "[b]",
		strings.Repeat("**/a*", 100) + "/b",
		strings.Repeat("?*", 250) + "b",
		strings.Repeat("{a,aa}", 6) + strings.Repeat("*a", 150) + "b",
	} {
		g, err := Compile(pattern, InFolder)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		path := strings.Repeat(name+"/", 15) + name
		if matches(g, path, false) || matches(g, name, false) {
			t.Errorf("%q matched", pattern)
		}
		if d := time.Since(begin); d > time.Second {
			t.Errorf("%.20q took %v", pattern, d)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"**/*.md", "{a,b}/[!c-e]*", `\[x\]`, "[]a-]", "{,{a,{b,c}}}", "a**b/**"} {
		f.Add(seed, "Projects/a.md")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		for _, scope := range []Scope{InFolder, Anywhere, Private} {
			g, err := Compile(pattern, scope)
			if err != nil {
				var ve *vaulterr.Error
				if !errors.As(err, &ve) || ve.Text == "" {
					t.Fatalf("Compile(%q): %v", pattern, err)
				}
				continue
			}
			if len(path) > 4096 {
				return
			}
			begin := time.Now()
			first := matches(g, path, false)
			if first != matches(g, strings.ToUpper(strings.ToLower(path)), false) && pathname.IsASCII(path) {
				t.Fatalf("glob %q depends on the case of %q", pattern, path)
			}
			if d := time.Since(begin); d > 2*time.Second {
				t.Fatalf("glob %q took %v", pattern, d)
			}
		}
	})
}
