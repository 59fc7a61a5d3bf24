package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatvault/vault/vaulterr"
)

func link(t testing.TB, v *Vault, target, name string) {
	t.Helper()
	mustTest(t, os.Symlink(target, filepath.Join(v.dir, filepath.FromSlash(name))))
}

func TestLookupIgnoringCase(t *testing.T) {
	v := newTest(t, map[string]string{
		"Projects/Alpha.md": "alpha", "projects/beta.md": "beta", "twin.md": "1", "TWIN.md": "2",
		"caf\u00e9/Menu.md": "menu", "STRASSE.md": "x",
	})
	for given, want := range map[string]string{
		"Projects/Alpha.md":     "Projects/Alpha.md",
		"projects/alpha.md":     "Projects/Alpha.md", // the folder with the exact name does not contain it
		"PROJECTS/BETA.MD":      "projects/beta.md",
		"twin.md":               "twin.md", // an exact match takes precedence
		"TWIN.md":               "TWIN.md",
		"CAFE\u0301/menu.md":    "caf\u00e9/Menu.md",
		"projects/../TWIN.md\n": "TWIN.md",
	} {
		f, err := v.Read(t.Context(), given)
		if err != nil || f.Path != want {
			t.Errorf("%q: %v, %v; want %q", given, f, err, want)
		}
	}
	_, err := v.Read(t.Context(), "Twin.MD")
	var e *vaulterr.Error
	if !errors.As(err, &e) || e.Kind != vaulterr.KindAmbiguous || !strings.Contains(e.Text, `"TWIN.md", "twin.md"`) {
		t.Errorf("two match: %v", err)
	}
	if _, err := v.Read(t.Context(), "straße.md"); !errors.Is(err, vaulterr.KindNotFound) {
		t.Errorf("straße: %v", err)
	}
	if name, err := v.finder.Folder(t.Context(), "CAFÉ"); err != nil || name != "caf\u00e9" {
		t.Errorf("folder: %q, %v", name, err)
	}
	for folder, kind := range map[string]error{"none": vaulterr.KindNotFound, "twin.md": vaulterr.KindNotFolder, ".git": vaulterr.KindDenied} {
		if _, err := v.finder.Folder(t.Context(), folder); !errors.Is(err, kind) {
			t.Errorf("folder %q: %v", folder, err)
		}
	}
}

func TestExistingOddNames(t *testing.T) {
	odd := []string{"a: b?.md", "con.md", "trailing .md ", "line\nbreak.md", "bidi\u202e.md", "AC⧸DC.md", "dot./x.md", "\u200bzero.md", "esc\x1b[2J.md"}
	files := map[string]string{}
	for _, name := range odd {
		files[name] = name
	}
	v := newTest(t, files)
	for i, name := range odd {
		f, err := v.Read(t.Context(), name)
		if err != nil || string(f.Data) != name {
			t.Errorf("read %q: %v", name, err)
			continue
		}
		if _, err := v.Write(t.Context(), name, []byte("new"), f.Hash); err != nil {
			t.Errorf("write %q: %v", name, err)
		}
		if _, err := v.Move(t.Context(), name, fmt.Sprintf("good %d.md", i)); err != nil {
			t.Errorf("move %q: %v", name, err)
		}
	}
	for _, name := range odd {
		if name == "dot./x.md" {
			continue // its folder exists and is writable
		}
		if _, err := v.Write(t.Context(), name, nil, ""); !errors.Is(err, vaulterr.KindDenied) {
			t.Errorf("create %q: %v", name, err)
		}
	}
}

func TestLinks(t *testing.T) {
	v := newTest(t, map[string]string{"notes/a.md": "a", "notes/sub/b.md": "b", ".obsidian/app.json": "secret", "other/": ""})
	link(t, v, "notes/a.md", "ok.md")
	link(t, v, "../notes", "other/shelf")
	link(t, v, "ok.md", "chain.md")
	link(t, v, ".obsidian", "innocent")
	link(t, v, "other/../.obsidian/app.json", "sneaky.md")
	link(t, v, "..", "notes/up")
	link(t, v, ".", "self")
	link(t, v, "loop2", "loop1")
	link(t, v, "loop1", "loop2")
	link(t, v, "../../../etc/passwd", "out.md")
	link(t, v, v.dir+"/notes/a.md", "absolute.md")
	link(t, v, "nowhere.md", "dangling.md")

	for _, given := range []string{"ok.md", "OK.md", "chain.md", "other/shelf/a.md", "Other/Shelf/SUB/b.md", "innocent/app.json", "sneaky.md", "notes/up/notes/a.md", "self/self/notes/a.md", "loop1", "out.md", "absolute.md", "Innocent/app.json"} {
		if f, err := v.Read(t.Context(), given); !errors.Is(err, vaulterr.KindDenied) && !errors.Is(err, vaulterr.KindNotFound) {
			t.Errorf("read %q: %v, %v", given, f, err)
		}
	}
	if _, err := v.Read(t.Context(), "dangling.md"); !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("dangling: %v", err)
	}
	for _, given := range []string{"ok.md", "chain.md", "other/shelf/a.md", "other/shelf/new.md", "other/shelf", "dangling.md", "innocent/new.md", "innocent"} {
		if c, err := v.Write(t.Context(), given, []byte("x"), ""); !errors.Is(err, vaulterr.KindDenied) {
			t.Errorf("write %q: %v, %v", given, c, err)
		}
		if c, err := v.Delete(t.Context(), given, true); !errors.Is(err, vaulterr.KindDenied) && !errors.Is(err, vaulterr.KindNotFound) {
			t.Errorf("delete %q: %v, %v", given, c, err)
		}
		if c, err := v.Move(t.Context(), given, "moved.md"); !errors.Is(err, vaulterr.KindDenied) && !errors.Is(err, vaulterr.KindNotFound) {
			t.Errorf("move %q: %v, %v", given, c, err)
		}
	}
	if readFromDisk(t, v, "notes/a.md") != "a" || readFromDisk(t, v, ".obsidian/app.json") != "secret" {
		t.Error("the write followed a symbolic link")
	}
}

func TestDenialsRevealNothing(t *testing.T) {
	v := newTest(t, map[string]string{".obsidian/there.json": "x"})
	link(t, v, "../there.md", "a.md")
	mustTest(t, os.WriteFile(filepath.Join(filepath.Dir(v.dir), "there.md"), nil, 0o600))
	for _, pair := range [][2]string{{".obsidian/there.json", ".obsidian/gone.json"}, {"../there.md", "../gone.md"}} {
		_, first := v.Read(t.Context(), pair[0])
		_, second := v.Read(t.Context(), pair[1])
		if first == nil || second == nil || strings.ReplaceAll(first.Error(), "there", "gone") != second.Error() {
			t.Errorf("%v is distinguishable from %v", first, second)
		}
	}
	_, there := v.Read(t.Context(), "a.md")
	mustTest(t, os.Remove(filepath.Join(filepath.Dir(v.dir), "there.md")))
	_, gone := v.Read(t.Context(), "a.md")
	if there == nil || gone == nil || there.Error() != gone.Error() {
		t.Errorf("%v is distinguishable from %v", there, gone)
	}
}

func TestPrivate(t *testing.T) {
	v := newTest(t, map[string]string{"diary/me.md": "secret", "open/a.md": "a", "diary/sub/x.md": "secret"})
	mustTest(t, v.SetPrivate([]string{"/diary"}))
	link(t, v, "../diary/me.md", "open/link.md")
	for _, p := range []string{"diary/me.md", "Diary/me.md", "open/link.md", "diary/sub/../me.md", "diary"} {
		if f, err := v.Read(t.Context(), p); err == nil {
			t.Errorf("read %q: %q", p, f.Data)
		}
	}
	if _, err := v.Write(t.Context(), "diary/new.md", nil, ""); !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("write: %v", err)
	}
	if _, err := v.Move(t.Context(), "diary", "public"); !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("move: %v", err)
	}
	s, err := v.Query.Shape(t.Context(), 1000, 10)
	if err != nil || s.Notes != 1 || s.Folders != 1 {
		t.Errorf("shape: %+v, %v", s, err)
	}
	if info, err := v.Stat(t.Context(), "."); err != nil || info.Items != 1 {
		t.Errorf("root: %+v, %v", info, err)
	}
	if _, err := v.Read(t.Context(), "ne.md"); err == nil || strings.Contains(err.Error(), "diary") {
		t.Errorf("near names: %v", err)
	}
}

func TestNearNames(t *testing.T) {
	v := newTest(t, map[string]string{
		"Projects/Alpha.md": "", "Projects/Beta.md": "", "Recipes/Nectarine tart.md": "", ".obsidian/Alpha2.md": "", "x/Alphas.md": "",
		"Meeting 2026-11-20.md": "",
	})
	for given, want := range map[string]string{
		"Alpha.md":             "Projects/Alpha.md",
		"Projects/Alhpa.md":    "Projects/Alpha.md",
		"Projects/Alpha":       "Projects/Alpha.md",
		"nectarine tart.md":    "Recipes/Nectarine tart.md",
		"Recipes/Nectarine.md": "Recipes/Nectarine tart.md",
		"Meeting 2026-11-2.md": "Meeting 2026-11-20.md",
	} {
		_, err := v.Read(t.Context(), given)
		var e *vaulterr.Error
		if !errors.As(err, &e) || e.Kind != vaulterr.KindNotFound || !strings.Contains(e.Text, "Did you mean: "+strconv.Quote(want)) {
			t.Errorf("%q: %v", given, err)
		}
		if err != nil && strings.Contains(err.Error(), "obsidian") {
			t.Errorf("%q: a protected name: %v", given, err)
		}
	}
	_, err := v.Read(t.Context(), "something else entirely.md")
	if err == nil || err.Error() != `File not found: "something else entirely.md"` {
		t.Errorf("no near names: %v", err)
	}
	_, err = v.Stat(t.Context(), "Project")
	var e *vaulterr.Error
	if !errors.As(err, &e) || !strings.Contains(e.Text, `Did you mean: "Projects"`) {
		t.Errorf("a folder: %v", err)
	}
}

// TestNearNamesAreFast limits the cost of a wrong name in a vault of 10,000 notes.
func TestNearNamesAreFast(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	dir := t.TempDir()
	for folder := range 100 {
		parent := filepath.Join(dir, fmt.Sprintf("Folder %d", folder))
		mustTest(t, os.Mkdir(parent, 0o755))
		for note := range 100 {
			mustTest(t, os.WriteFile(filepath.Join(parent, fmt.Sprintf("Some note about topic %d.md", note)), nil, 0o644))
		}
	}
	v := openTest(t, dir)
	for try := 1; ; try++ {
		began := time.Now()
		_, err := v.Read(t.Context(), "Folder 7/Some note abuot topic 42.md")
		took := time.Since(began)
		t.Logf("10,000 notes: %v", took)
		var e *vaulterr.Error
		found := errors.As(err, &e) && strings.Contains(e.Text, `Did you mean: "Folder 7/Some note about topic 42.md"`)
		if found && took < 2*time.Second { // far above the normal time, far below an unlimited walk
			return
		}
		if try == 5 { // a busy machine slows it down and cuts the search short
			t.Fatal(took, err)
		}
	}
}
