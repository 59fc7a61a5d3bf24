package link

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/vault/note"
)

// oddNames are common and unusual file names.
var oddNames = []string{
	"a", "b", "A", "B", "note", "Note", "NOTE", "x y", "C#", "ä", "a\u0308", "Ä", "it's", "(f)", "g)", "b [c]", "[d", "e]", "50%", "5%41", "i.j", "👩‍🚀",
	"R&D", "q&amp;r", "日本語", "ß", "z^1", "Re: k", "\"l\"", "m|n", strings.Repeat("long ", 8) + "name", "a.png", "..x", "-",
}

var plainNames = []string{"a", "b", "c", "d d", "Ee", "f(g)", "h-1", "ü"}

// drawVault draws the paths of a vault.
func drawVault(t *rapid.T, names []string, unique bool) []string {
	folders := []string{""}
	for range rapid.IntRange(1, 5).Draw(t, "folders") {
		f := path.Join(rapid.SampledFrom(folders).Draw(t, "in"), rapid.SampledFrom(names).Draw(t, "folder"))
		folders = append(folders, f)
	}
	var paths []string
	bases := map[string]bool{}
	for range rapid.IntRange(2, 9).Draw(t, "files") {
		name := rapid.SampledFrom(names).Draw(t, "file") + rapid.SampledFrom([]string{".md", ".md", ".md", ".MD", ".png", ".canvas", ""}).Draw(t, "extension")
		if unique {
			name = strings.ToLower(strings.TrimSuffix(name, path.Ext(name))) + ".md"
		}
		p := path.Join(rapid.SampledFrom(folders).Draw(t, "place"), name)
		if slices.Contains(paths, p) || slices.Contains(folders, p) || unique && bases[key(name)] {
			continue
		}
		bases[key(name)] = true
		paths = append(paths, p)
	}
	return paths
}

// drawText draws a text with links to existing and missing files of the vault, also in forms and spellings that a
// link keeps only if it need not change.
func drawText(t *rapid.T, from string, paths []string, odd bool) string {
	var b strings.Builder
	canvas := note.IsDrawing(from)
	if canvas {
		b.WriteString(`{"nodes":[`)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "links") {
		target := rapid.SampledFrom(append(paths, "none.md", "no/thing.md")).Draw(t, "target")
		p := target
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0, 1:
			p = path.Base(p)
		case 2:
			if p = relative(path.Dir(from), p); !odd && !isDotPath(p) {
				p = "./" + p
			}
		case 3:
			if p = relative(path.Dir(from), p); odd || !isDotPath(p) {
				p = "./" + p
			}
		case 4:
			p = "/" + p
		}
		if rapid.Bool().Draw(t, "stem") {
			p = strings.TrimSuffix(p, ".md")
		}
		if odd && rapid.IntRange(0, 9).Draw(t, "case") == 0 {
			p = strings.ToUpper(p)
		}
		anchor := rapid.SampledFrom([]string{"", "", "#h", "#h#i", "#^b1", "#h i"}).Draw(t, "anchor")
		if canvas {
			if i > 0 {
				b.WriteString(",\n")
			}
			if rapid.Bool().Draw(t, "node") {
				b.WriteString(`{"type":"file","file":"` + quoted(target, inJSON) + `"}`)
			} else {
				b.WriteString(`{"type":"text","text":"x [[` + quoted(p+anchor, inJSON) + `|\"y\"]]\n"}`)
			}
			continue
		}
		manner := ""
		if odd {
			manner = rapid.SampledFrom([]string{"", "%C3%A4", "%28"}).Draw(t, "manner")
		}
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 7:
			b.WriteString(`<a class=x href="` + encoded(p, manner, '"', true) + anchor + `">t</a>` + "\n")
		case 8:
			if !odd {
				continue
			}
			b.WriteString("[t](" + encoded(rapid.SampledFrom([]string{path.Dir(p), path.Dir(p) + "/", "..", "../", "./", "../../out/x.md", "../.github/x"}).Draw(t, "folder"), "", ' ', false) + ") ")
		case 0:
			b.WriteString("x [[" + p + anchor + "]] ")
		case 1:
			b.WriteString("![[" + p + anchor + "|100x145]]\n")
		case 2:
			b.WriteString("| [[" + p + anchor + `\|y]] |` + "\n")
		case 3:
			b.WriteString("[t](" + encoded(p, manner, ' ', false) + strings.ReplaceAll(anchor, " ", "%20") + ` "title")`)
		case 4:
			b.WriteString("![t](<" + encoded(p, "", '<', false) + anchor + ">) ")
		case 5:
			b.WriteString("\n\n[d" + string(rune('a'+i)) + "]: " + encoded(p, "", ' ', false) + "\n\n")
		case 6:
			if b.Len() == 0 {
				b.WriteString("---\nk: \"[[" + quoted(p+anchor, doubleQuoted) + "|y]]\"\nl: '[[" + quoted(p, singleQuoted) + "]]'\n---\n")
			}
		}
	}
	if canvas {
		b.WriteString("]}")
	}
	return b.String()
}

// drawMove draws a valid move and returns the new path of each moved file.
func drawMove(t *rapid.T, paths, names, places []string) (from, to string, moved map[string]string) {
	from = rapid.SampledFrom(paths).Draw(t, "moves")
	if dir := path.Dir(from); dir != "." && rapid.Bool().Draw(t, "the folder") {
		from = dir
	}
	folders := []string{""}
	for _, p := range paths {
		if d := path.Dir(p); d != "." && d != from && !strings.HasPrefix(d+"/", from+"/") {
			folders = append(folders, d)
		}
	}
	name := path.Base(from)
	if rapid.Bool().Draw(t, "renames") {
		name = rapid.SampledFrom(names).Draw(t, "new name") + path.Ext(from)
	}
	to = path.Join(rapid.SampledFrom(folders).Draw(t, "new place"), rapid.SampledFrom(places).Draw(t, "new folder"), name)
	for _, p := range paths {
		if key(p) == key(to) && p != from || strings.HasPrefix(key(p), key(to)+"/") || strings.HasPrefix(key(to), key(p)+"/") {
			t.Skip("the destination exists")
		}
	}
	return from, to, moves(paths, from, to)
}

// moveAll moves the files of a vault and rewrites their links.
func moveAll(r *Renaming, texts map[string]string) (after map[string]string, lost []Link) {
	after = map[string]string{}
	for p, text := range texts {
		out := r.Rewrite(p, []byte(text))
		lost = append(lost, out.Lost...)
		after[r.NewPath(p)] = string(out.Text)
	}
	return after, lost
}

// checkMove checks the result of a move for one file.
func checkMove(t *rapid.T, r *Renaming, name, before, after string) {
	old, now := Parse(name, []byte(before)), Parse(r.NewPath(name), []byte(after))
	if len(old) != len(now) {
		t.Fatalf("%s had %d links and now has %d:\n%s\n---\n%s", name, len(old), len(now), before, after)
	}
	changed := 0
	for i := range old {
		o, n := old[i], now[i]
		wrote, writes := before[o.Dest.Start:o.Dest.End], after[n.Dest.Start:n.Dest.End]
		if wrote != writes || o.Kind != n.Kind {
			changed++
		}
		target, ok := r.before.Resolve(name, o)
		if place := Place(name, o.Path); !ok && o.Kind.markdown() && isUnseen(place) {
			if now := Place(r.NewPath(name), n.Path); now != place {
				t.Fatalf("%s had the target %s, and %s has %s", before[o.Whole.Start:o.Whole.End], place, after[n.Whole.Start:n.Whole.End], now)
			}
			continue
		}
		if !ok {
			if wrote != writes || o.Kind != n.Kind {
				t.Fatalf("%s had no target and became %s", before[o.Whole.Start:o.Whole.End], after[n.Whole.Start:n.Whole.End])
			}
			continue
		}
		want := r.NewPath(target)
		if got, ok := r.after.Resolve(r.NewPath(name), n); !ok || got != want {
			t.Fatalf("%s in %q had the target %q, now %q; %s in %q has the target %q", before[o.Whole.Start:o.Whole.End], name, target, want, after[n.Whole.Start:n.Whole.End], r.NewPath(name), got)
		}
		if was, _ := r.before.relative(name, o.Path, o.Kind); r.before.Plain && o.Kind.markdown() && was == target {
			if is, _ := r.after.relative(r.NewPath(name), n.Path, n.Kind); is != want {
				t.Fatalf("%s had the old path as its target; there, %s in %q has the target %q", before[o.Whole.Start:o.Whole.End], after[n.Whole.Start:n.Whole.End], r.NewPath(name), is)
			}
		}
		if o.Kind == n.Kind && (percentDecoded(o.Anchor) != percentDecoded(n.Anchor) || o.Alias != n.Alias && !strings.Contains(o.Alias, "[")) {
			t.Fatalf("%s became %s", before[o.Whole.Start:o.Whole.End], after[n.Whole.Start:n.Whole.End])
		}
	}
	if before != after && !NewPrefilter(Home{}, r.moved).Keeps(name, []byte(before)) {
		t.Fatalf("%q is not kept by the prefilter", name)
	}
	if withoutLinks(name, before) != withoutLinks(r.NewPath(name), after) && !slices.ContainsFunc(now, func(l Link) bool { return strings.Contains(after, "](") && l.Kind.markdown() }) {
		t.Fatalf("more than link destinations changed:\n%s\n---\n%s", before, after)
	}
	if (changed > 0) != (before != after) {
		t.Fatalf("%d links changed:\n%s\n---\n%s", changed, before, after)
	}
}

// withoutLinks returns a text without the destinations of its links.
func withoutLinks(name, text string) string {
	links := Parse(name, []byte(text))
	slices.SortFunc(links, func(a, b Link) int { return a.Dest.Start - b.Dest.Start })
	var b strings.Builder
	at := 0
	for _, l := range links {
		b.WriteString(text[at:l.Dest.Start] + "\x00")
		at = l.Dest.End
	}
	return b.String() + text[at:]
}

// TestRewriteKeepsTargets moves files and folders of unusual vaults: every resolved link keeps its target, other
// links are unchanged, and so is all other text.
func TestRewriteKeepsTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := drawVault(t, oddNames, false)
		texts := map[string]string{}
		for _, p := range paths {
			texts[p] = drawText(t, p, paths, true)
		}
		format := Format(rapid.SampledFrom([]string{"", "shortest", "relative", "absolute"}).Draw(t, "format"))
		_, _, moved := drawMove(t, paths, oddNames, []string{"", "", "new"})
		names := NewNames(paths)
		names.Plain = rapid.Bool().Draw(t, "plain")
		r := NewRenaming(names, moved, format)
		after, lost := moveAll(r, texts)
		for _, l := range lost { // a property cannot contain the path
			if l.Kind != Property && l.quoting != inJSON {
				t.Fatalf("a link was lost: %+v", l)
			}
		}
		if len(lost) > 0 {
			t.Skip("a link was lost")
		}
		for p, text := range texts {
			checkMove(t, r, p, text, after[r.NewPath(p)])
		}
	})
}

// TestRewriteRealMarkdown moves files and folders of this repository, a folder of plain Markdown: every resolved link
// keeps its target, also without a fallback to names.
func TestRewriteRealMarkdown(t *testing.T) {
	const top = "../.."
	var paths []string
	texts := map[string]string{}
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		p := filepath.ToSlash(strings.TrimPrefix(file, filepath.FromSlash(top+"/")))
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return cmp.Or(err, filepath.SkipDir)
		}
		if !d.IsDir() && strings.HasSuffix(p, ".md") {
			text, err := os.ReadFile(file)
			texts[p] = string(text)
			paths = append(paths, p)
			return err
		} else if !d.IsDir() {
			paths = append(paths, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names := NewNames(paths)
	names.Plain = true
	linked := 0
	for p, text := range texts {
		linked += len(Parse(p, []byte(text)))
	}
	if linked < 100 {
		t.Fatalf("only %d links", linked)
	}
	rapid.Check(t, func(t *rapid.T) {
		_, _, moved := drawMove(t, slices.Sorted(maps.Keys(texts)), []string{"new name", "other"}, []string{"", "a/b c"})
		for _, p := range slices.Sorted(maps.Keys(moved)) {
			if strings.HasSuffix(p, "/") {
				moved = moves(paths, strings.TrimSuffix(p, "/"), strings.TrimSuffix(moved[p], "/"))
				break
			}
		}
		r := NewRenaming(names, moved, "")
		after, lost := moveAll(r, texts)
		if len(lost) > 0 {
			t.Fatalf("lost: %v", lost)
		}
		for p, text := range texts {
			checkMove(t, r, p, text, after[r.NewPath(p)])
		}
	})
}

// cleanPaths returns a text with each relative path shortened: "../a/b" may become "./b", which a move leaves
// unchanged.
func cleanPaths(name, text string) string {
	var edits []edit
	for _, l := range Parse(name, []byte(text)) {
		if isDotPath(l.Path) || l.Kind == HTML {
			edits = append(edits, edit{l.Dest, path.Join(path.Dir(name), l.Path)})
		}
	}
	return string(edited([]byte(text), edits))
}

// TestRewriteBack moves files of plain vaults there and back: every byte is restored, except that a link in another
// case than its target's name gets the case of the name. In other vaults this is not always so: a path relative to
// the vault's root, for example, can look like a bare name.
func TestRewriteBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := drawVault(t, plainNames, true)
		texts := map[string]string{}
		for _, p := range paths {
			texts[p] = drawText(t, p, paths, false)
		}
		_, _, moved := drawMove(t, paths, []string{"new name"}, []string{"new"})
		back := map[string]string{}
		for from, to := range moved {
			back[to] = from
		}
		names := NewNames(paths)
		for p, text := range texts {
			for _, l := range Parse(p, []byte(text)) {
				if to, ok := names.Resolve(p, l); ok && strings.Contains(strings.ToLower(to), strings.ToLower(l.Path)) && !strings.Contains(to, l.Path) {
					t.Skip("a link in another case than its target is written as the target once it is rewritten")
				}
				if to := moved[p]; to != "" && l.Path != "" && isUnseen(Place(to, l.Path)) {
					if _, ok := names.Resolve(p, l); !ok && !isUnseen(Place(p, l.Path)) {
						t.Skip("an unresolved link, which is not rewritten, would point out of the vault in between")
					}
				}
			}
		}
		there, _ := moveAll(NewRenaming(names, moved, Shortest), texts)
		again, _ := moveAll(NewRenaming(names.Renamed(moved), back, Shortest), there)
		for p, text := range texts {
			if cleanPaths(p, again[p]) != cleanPaths(p, text) {
				t.Fatalf("%s was\n%s\nbecame\n%s\nand, moved back,\n%s", p, text, there[p], again[p])
			}
		}
	})
}

// filesOf returns the names without folders, which remain when their files move.
func filesOf(names map[string][]name) map[string][]name {
	files := map[string][]name{}
	for by, list := range names {
		for _, e := range list {
			if !strings.HasSuffix(e.path, "/") {
				files[by] = append(files[by], e)
			}
		}
	}
	return files
}

// TestRenamedNamesMatchRebuilt compares renamed names with newly built ones, also when very many files share a base name.
func TestRenamedNamesMatchRebuilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := drawVault(t, oddNames, false)
		for i := range rapid.IntRange(14, 18).Draw(t, "more") {
			for _, p := range []string{fmt.Sprintf("many/%d/a.md", i), fmt.Sprintf("MANY/%d/a.md", i/2)} {
				if !slices.Contains(paths, p) {
					paths = append(paths, p)
				}
			}
		}
		_, _, moved := drawMove(t, paths, oddNames, []string{"", "", "new"})
		names := NewNames(paths)
		got := names.Renamed(moved)
		var after []string
		for _, p := range paths {
			if to, ok := moved[p]; ok {
				p = to
			}
			after = append(after, p)
		}
		for what, same := range map[string][2]*Names{"renamed": {got, NewNames(after)}, "the names before": {names, NewNames(paths)}} {
			if is, want := same[0], same[1]; !maps.EqualFunc(filesOf(is.byBase), filesOf(want.byBase), slices.Equal) || !maps.EqualFunc(filesOf(is.byPath), filesOf(want.byPath), slices.Equal) {
				t.Fatalf("%s %v\nrebuilt %v", what, is, want)
			}
		}
	})
}

// TestManyEqualNames looks up each of ten thousand files with the same base name.
func TestManyEqualNames(t *testing.T) {
	var paths []string
	for i := range 10_000 {
		paths = append(paths, fmt.Sprintf("Folder %d/index.md", i))
	}
	n := NewNames(paths)
	for i, p := range paths {
		for _, l := range []Link{{Path: strings.TrimSuffix(p, ".md")}, {Path: "./index"}, {Path: "index"}, {Kind: Canvas, Path: strings.ToUpper(p)}} {
			if got, ok := n.Resolve(fmt.Sprintf("Folder %d/x.md", i), l); !ok || got != p {
				t.Fatalf("%+v leads to %q", l, got)
			}
		}
	}
	if got, _ := n.Resolve("x.md", Link{Path: "Index"}); got != "Folder 0/index.md" {
		t.Errorf("the shortest is %q", got)
	}
}
