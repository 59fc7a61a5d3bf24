package vault

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
)

func TestPrivateGlobs(t *testing.T) {
	tests := []struct {
		glob, private, open string // paths separated by spaces
	}{
		{"Diary", "Diary diary DIARY/a.md x/Diary/y/z.md x/dIaRy", "Diary.md Diaries/a.md x"},
		{"Diary/", "Diary Diary/a.md diary/x/y.md x/Diary x/y/DIARY/a.md", "Diary.md x/Diaries/a.md"},
		{"/Diary/", "Diary Diary/a.md", "x/Diary/a.md Diary.md"},
		{"./Diary/", "Diary/a.md", "x/Diary/a.md"},
		{"*Diary/", "OldDiary/a.md x/MyDiary/a.md", "Diary.md"},
		{"{Diary/,Work/Pay/}", "Diary/a.md x/Diary/a.md Work/Pay/a.md", "x/Work/Pay/a.md Pay/a.md"},
		{"Diary/**", "Diary Diary/a.md", "x/Diary/a.md"},
		{"/Diary", "Diary/a.md Diary", "x/Diary"},
		{"**/Diary/**", "Diary Diary/a.md x/Diary/a.md x/y/diary", "Diary.md"},
		{"*.secret.md", "a.secret.md x/B.SECRET.MD", "secret.md a.secret.txt"},
		{"Work/*/pay.md", "Work/2026/pay.md work/x/PAY.md", "Work/pay.md Work/a/b/pay.md pay.md"},
		{"Work/{Pay,Law}/", "Work/Pay/a.md Work/law", "Work/a.md Pay/a.md"},
		{"Café", "Café/a.md " + norm.NFD.String("Café/a.md") + " CAFÉ", "Cafe/a.md"},
		{norm.NFD.String("Müll.md"), "Müll.md x/MÜLL.md", "Mull.md"},
		{"Straße", "Straße STRAẞE/x.md", "Strasse/x.md"}, // AliasSafe does the full case folding
		{"Pay.md", "Pay.md Pay.md. x/Pay.md/ Pa\u200dy.md Pay.m\u00add", "Pay.mdx"},
		{"*", "a a/b.md", "."},
		{"**", "a a/b.md", "."},
		{"[ab].md", "a.md x/B.md", "c.md"},
		{`\[x\].md`, "[x].md", "x.md"},
	}
	for _, tt := range tests {
		v := &Vault{}
		if err := v.SetPrivate([]string{"no such thing", tt.glob}); err != nil {
			t.Errorf("%s: %v", tt.glob, err)
			continue
		}
		for name := range strings.FieldsSeq(tt.private) {
			if !v.finder.Private.Has(strings.TrimSuffix(name, "/")) {
				t.Errorf("%s: %q is not private", tt.glob, name)
			}
		}
		for name := range strings.FieldsSeq(tt.open) {
			if v.finder.Private.Has(name) {
				t.Errorf("%s: %q is private", tt.glob, name)
			}
		}
	}
}

func TestBadPrivateGlobs(t *testing.T) {
	for _, tt := range [][2]string{
		{"", "empty"},
		{"[a", "is not closed"},
		{"../x", `".." cannot be used`},
		{"!Diary", "has no exceptions"},
		{"Diary ", "a space"},
		{"{a,b", "is not closed"},
		{"a\x00b", "not UTF-8"},
		{"Diary\\", "at the end escapes nothing"},
		{"\xff.md", "not UTF-8"},
		{"a/[z-a].x", "is reversed"},
	} {
		glob, want := tt[0], tt[1]
		v := &Vault{}
		err := v.SetPrivate([]string{glob})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", glob, err, want)
		}
		if CheckPrivate(glob) == nil {
			t.Errorf("%q was not refused", glob)
		}
	}
}

// TestPrivateDenial: errors do not reveal whether a private name exists.
func TestPrivateDenial(t *testing.T) {
	v := newTest(t, map[string]string{"Diary/there.md": "secret", "a.md": "a"})
	mustTest(t, v.SetPrivate([]string{"Diary/"}))
	link(t, v, "Diary", "link")
	link(t, v, "Diary/there.md", "link.md")
	attempts := map[string]func(string) error{
		"read":   func(p string) error { return second(v.Read(t.Context(), p)) },
		"stat":   func(p string) error { return second(v.Stat(t.Context(), p)) },
		"write":  func(p string) error { return second(v.Write(t.Context(), p, []byte("x"), "")) },
		"move":   func(p string) error { return second(v.Move(t.Context(), p, "b.md")) },
		"onto":   func(p string) error { return second(v.Move(t.Context(), "a.md", p)) },
		"delete": func(p string) error { return second(v.Delete(t.Context(), p, true)) },
		"mkdir":  func(p string) error { _, _, err := v.Mkdir(t.Context(), p); return err },
		"list":   func(p string) error { return second(v.List(t.Context(), search.ListQuery{Folder: p})) },
		"count":  func(p string) error { return second(v.contents(t.Context(), p)) },
	}
	for op, do := range attempts {
		for _, pair := range [][2]string{
			{"Diary/there.md", "Diary/gone_.md"},
			{"diary/THERE.md", "diary/GONE_.md"},
			{"DIARY", "DIARY"},
			{"Diary/there.md/", "Diary/gone_.md/"},
			{"x/../Diary/there.md", "x/../Diary/gone_.md"},
		} {
			there, gone := do(pair[0]), do(pair[1])
			if !errors.Is(there, vaulterr.KindDenied) || !errors.Is(gone, vaulterr.KindDenied) {
				t.Errorf("%s %v: %v, %v", op, pair, there, gone)
				continue
			}
			if strings.ReplaceAll(there.Error(), pair[0], pair[1]) != gone.Error() {
				t.Errorf("%s: %v is distinguishable from %v", op, there, gone)
			}
		}
		for _, p := range []string{"link/there.md", "link.md", "LINK"} {
			if err := do(p); !errors.Is(err, vaulterr.KindDenied) {
				t.Errorf("%s %s: %v", op, p, err)
			}
		}
	}
}

func TestPrivateInFolder(t *testing.T) {
	v := newTest(t, map[string]string{
		"Work/a.md": "a", "Work/deep/er/pay.md": "secret", "Free/a.md": "a", "Work/pay/x.md": "secret", "Free/link-target.md": "",
	})
	mustTest(t, v.SetPrivate([]string{"pay*"}))
	for _, folder := range []string{"Work", "Work/deep", "work/deep/er"} {
		for done, err := range map[string]error{
			"moved":   second(v.Move(t.Context(), folder, "Elsewhere")),
			"deleted": second(v.Delete(t.Context(), folder, true)),
			"respelt": second(v.Move(t.Context(), folder, strings.ToUpper(folder))),
		} {
			if !errors.Is(err, vaulterr.KindDenied) || strings.Contains(err.Error(), "pay") || !strings.Contains(err.Error(), "something private") {
				t.Errorf("%s %s: %v", folder, done, err)
			}
		}
	}
	if readFromDisk(t, v, "Work/deep/er/pay.md") != "secret" {
		t.Error("the file was changed")
	}
	if c, err := v.contents(t.Context(), "Work"); err != nil || c.Files != 1 || c.Folders != 2 || c.Names[0] != "a.md" || len(c.Names) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := v.Move(t.Context(), "Free", "Freed"); err != nil {
		t.Error(err)
	}
	if _, err := v.Move(t.Context(), "Freed", "Pays"); !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("moved into a private folder: %v", err)
	}
	if _, err := v.Delete(t.Context(), "Freed", true); err != nil {
		t.Error(err)
	}
	files, each := v.PrivateCount(t.Context(), []string{"pay*", "deep/", "/deep/"})
	if files != 2 || each[0] != 2 || each[1] != 1 || each[2] != 0 {
		t.Errorf("%d, %v", files, each)
	}
}

// TestAliases: a name that the file system accepts as another name of a file is rejected.
func TestAliases(t *testing.T) {
	list, err := glob.NewList(nil)
	mustTest(t, err)
	for _, name := range []string{"a.md", "Some Note.md", "x-y_z (1).md"} {
		if !list.AliasSafe(name) {
			t.Errorf("%q is looked up in its folder", name)
		}
	}
	for _, name := range []string{"DIARY~1.MD", "Straße.md", "a.md.", "a ", "a\u200d.md"} {
		if list.AliasSafe(name) {
			t.Errorf("%q is not looked up", name)
		}
	}
	v := newTest(t, map[string]string{"Note~1.md": "", "12~1": "", "Käse.md": "", "日本": ""})
	for name, want := range map[string]bool{"Note~1.md": true, "Käse.md": true, "12~1": true, "12~2": false, "日本": true, "日": false} {
		if got := fsys.ListsName(v.finder.Root, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	// A hard link simulates a file system that ignores case.
	mustTest(t, os.Link(filepath.Join(v.dir, "Note~1.md"), filepath.Join(v.dir, "nOTE~1.MD")))
	if !fsys.ListsName(v.finder.Root, "Note~1.md") {
		t.Error("the listed name is rejected")
	}
	mustTest(t, v.SetPrivate([]string{"Geheim"}))
	if _, err := v.Read(t.Context(), "Käse.md"); err != nil {
		t.Error(err)
	}
}

// TestPrivateInIndex: the index contains nothing private, and watchers are not called for private files.
func TestPrivateInIndex(t *testing.T) {
	v := newTest(t, map[string]string{"Diary/a.md": "secret umbrella [[b]]", "b.md": "umbrella", "Mixed/pay.md": "secret umbrella", "Mixed/c.md": "umbrella"})
	mustTest(t, v.SetPrivate([]string{"Diary/", "pay*"}))
	notified := make(chan []string, 100)
	v.Index.Watch(func(paths []string) { notified <- paths })
	mustTest(t, v.Index.Start(IndexOptions{TextBytes: 1 << 20}))
	mustTest(t, v.Index.Settle(t.Context()))
	for _, name := range []string{"Diary/new.md", "Mixed/payslip.md", "Diary/deep/er.md", "last.md"} {
		writeTestFile(t, v.dir, name, "secret umbrella")
	}
	mustTest(t, v.Index.Settle(t.Context()))
	r, err := v.Search(t.Context(), search.Query{Pattern: "secret|umbrella", FilePattern: "**/*"})
	found := strings.Fields(foundPaths(r))
	slices.Sort(found)
	if err != nil || !slices.Equal(found, []string{"Mixed/c.md", "b.md", "last.md"}) {
		t.Errorf("found %q, %v", found, err)
	}
	if s, err := v.Query.Shape(t.Context(), 1000, 10); err != nil || s.Notes != 3 || s.Folders != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for heard := []string(nil); !slices.Contains(heard, "last.md"); {
		select {
		case heard = <-notified:
			if slices.ContainsFunc(heard, v.finder.Private.Has) {
				t.Errorf("reported %q", heard)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("no change was reported")
		}
	}
	// A folder with private files is recognized although the index omits them.
	if _, err := v.Delete(t.Context(), "Mixed", true); !errors.Is(err, vaulterr.KindDenied) {
		t.Errorf("deleted: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
