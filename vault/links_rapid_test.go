package vault

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	links "chatvault/vault/link"
	"chatvault/vault/note"
	"chatvault/vault/query"
	"chatvault/vault/vaulterr"
)

// oddLinkNames are names of files and folders that a vault may have and a move may give.
var oddLinkNames = []string{"a", "b", "A", "Note", "note", "x y", "C#", "ä", "a\u0308", "it's", "(f)", "g)", "b [c]", "e]", "50%", "5%41", "👩‍🚀", "R&D", "日本語", "i.j", strings.Repeat("long ", 9) + "name"}

// linkedVault is a random vault of notes that link to each other.
type linkedVault struct {
	t     *rapid.T
	v     *Vault
	files []string
}

func (l *linkedVault) name() string { return rapid.SampledFrom(oddLinkNames).Draw(l.t, "name") }

// place returns a folder that may exist.
func (l *linkedVault) place() string {
	folder := "."
	for range rapid.IntRange(0, 2).Draw(l.t, "depth") {
		folder = path.Join(folder, rapid.SampledFrom(oddLinkNames[:12]).Draw(l.t, "folder"))
	}
	return folder
}

func (l *linkedVault) populate() {
	for range rapid.IntRange(2, 8).Draw(l.t, "files") {
		name := path.Join(l.place(), l.name()+rapid.SampledFrom([]string{".md", ".md", ".md", ".png", ".canvas"}).Draw(l.t, "extension"))
		must(os.MkdirAll(filepath.Join(l.v.dir, path.Dir(name)), 0o755))
		must(os.WriteFile(filepath.Join(l.v.dir, name), nil, 0o644))
	}
	l.files = visibleFiles(l.v.dir)
	for _, name := range l.files {
		must(os.WriteFile(filepath.Join(l.v.dir, name), []byte(l.text(name)), 0o644))
	}
	must(os.MkdirAll(filepath.Join(l.v.dir, ".obsidian"), 0o755))
	format := rapid.SampledFrom([]string{"", "shortest", "relative", "absolute"}).Draw(l.t, "format")
	must(os.WriteFile(filepath.Join(l.v.dir, ".obsidian/app.json"), []byte(`{"newLinkFormat":"`+format+`"}`), 0o644))
}

func (l *linkedVault) text(name string) string {
	escape := strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "#", "%23").Replace
	var b strings.Builder
	canvas := note.IsDrawing(name)
	for i := range rapid.IntRange(0, 4).Draw(l.t, "links") {
		target := rapid.SampledFrom(l.files).Draw(l.t, "target")
		written := rapid.SampledFrom([]string{target, path.Base(target), strings.TrimSuffix(path.Base(target), ".md"), "../" + target, "./" + path.Base(target)}).Draw(l.t, "written")
		switch {
		case canvas && i == 0:
			b.WriteString(`{"nodes":[{"file":"` + target + `"}`)
		case canvas:
			b.WriteString(`,{"text":"[[` + written + `]]\n"}`)
		case rapid.Bool().Draw(l.t, "Markdown"):
			b.WriteString("[t](" + escape(written) + "#h) ")
		default:
			b.WriteString("[[" + written + "|x]]\r\n")
		}
	}
	if canvas && b.Len() > 0 {
		b.WriteString("]}")
	}
	return b.String()
}

// visibleFiles returns the files of a vault that are not hidden by a dot.
func visibleFiles(dir string) []string {
	var files []string
	for name, what := range snapshot(dir) {
		if strings.HasPrefix(what, "file ") && !strings.HasPrefix(path.Base(name), ".") {
			files = append(files, name)
		}
	}
	return files
}

// linkTargets returns the target of each resolved link, by file and index, and the texts.
func linkTargets(dir string) (to map[string]map[int]string, text map[string]string) {
	files := visibleFiles(dir)
	names := links.NewNames(files)
	to, text = map[string]map[int]string{}, map[string]string{}
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(err)
		text[name] = string(data)
		if !query.HoldsLinks(name) {
			continue
		}
		to[name] = map[int]string{}
		for i, link := range links.Parse(name, data) {
			if target, ok := names.Resolve(name, link); ok {
				to[name][i] = target
			}
		}
	}
	return to, text
}

// TestMoveKeepsTargets moves files and folders in random vaults: each link keeps its target, and undoing everything
// restores every byte.
func TestMoveKeepsTargets(t *testing.T) {
	lives := 0
	rapid.Check(t, func(rt *rapid.T) {
		if lives++; lives > rounds(40, 1_000_000) {
			return // most of the time is spent waiting for the disk
		}
		dir := t.TempDir()
		v, err := Open(dir)
		must(err)
		defer func() { must(v.Close()) }()
		j := keepJournal(t, v)
		defer func() { must(j.Close()) }()
		l := &linkedVault{t: rt, v: v}
		l.populate()
		first := snapshot(dir)
		moves := 0
		for range rapid.IntRange(1, 3).Draw(rt, "moves") {
			from := rapid.SampledFrom(visibleFiles(dir)).Draw(rt, "from")
			name := path.Base(from)
			if folder := path.Dir(from); folder != "." && rapid.Bool().Draw(rt, "its folder") {
				from, name = folder, path.Base(folder)
			}
			if rapid.Bool().Draw(rt, "another name") {
				name = l.name() + path.Ext(from)
			}
			before, text := linkTargets(dir)
			c, err := v.Move(t.Context(), from, path.Join(l.place(), name))
			if err != nil {
				if !errors.As(err, new(*vaulterr.Error)) {
					rt.Fatalf("%v", err)
				}
				if d := differences(snapshot(dir), first); moves == 0 && len(d) > 0 {
					rt.Fatalf("the move failed (%v), and changed: %s", err, strings.Join(d, "\n"))
				}
				continue
			}
			moves++
			now := func(p string) string {
				if p == c.Path || strings.HasPrefix(p, c.Path+"/") {
					return c.NewPath + strings.TrimPrefix(p, c.Path)
				}
				return p
			}
			if strings.Contains(c.Note, "could not be written") {
				continue // a name that some kind of link cannot contain
			}
			after, texts := linkTargets(dir)
			for file, targets := range before {
				for i, target := range targets {
					if got := after[now(file)][i]; got != now(target) {
						rt.Fatalf("%q to %q: link %d of %q: target was %q, is now %q\nbefore: %s\nafter:  %s", c.Path, c.NewPath, i, file, target, got, text[file], texts[now(file)])
					}
				}
			}
		}
		for range moves {
			if u, err := v.History.Undo(context.Background(), ""); err != nil || len(u.Refused) > 0 {
				rt.Fatalf("%+v, %v", u, err)
			}
		}
		if d := differences(snapshot(dir), first); len(d) > 0 {
			rt.Fatalf("after undoing everything: %s", strings.Join(d, "\n"))
		}
	})
}
