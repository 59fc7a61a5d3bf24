package vault

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/vault/vaulterr"
)

func TestMove(t *testing.T) {
	files := map[string]string{
		"a.md": "a", "b.md": "b", "Folder/x.md": "x", "Folder/Deep/y.md": "y", "Folder/.hidden": "h", "Other/": "", "caf\u00e9.md": "c",
	}
	for _, c := range []struct {
		from, to string
		path     string // true name afterwards
		old      string // true name before
	}{
		{"a.md", "c.md", "c.md", "a.md"},
		{"a.md", "new/deep/c.md", "new/deep/c.md", "a.md"},
		{"a.md", "folder/a.md", "Folder/a.md", "a.md"},
		{"a.md", "A.md", "A.md", "a.md"},
		{"A.MD", "A.Md", "A.Md", "a.md"},
		{"folder", "FOLDER", "FOLDER", "Folder"},
		{"Folder", "Other/Folder", "Other/Folder", "Folder"},
		{"caf\u00e9.md", "cafe\u0301.md", "cafe\u0301.md", "caf\u00e9.md"},
		{"folder/deep/Y.md", "y.md", "y.md", "Folder/Deep/y.md"},
		{"a.md/", "c.md", "c.md", "a.md"},
	} {
		v := newTest(t, files)
		got, err := v.Move(t.Context(), c.from, c.to)
		if err != nil || got.Op != "move" || got.NewPath != c.path || got.Path != c.old {
			t.Errorf("%q to %q: %+v, %v", c.from, c.to, got, err)
			continue
		}
		if existsOnDisk(v, c.old) || !existsOnDisk(v, c.path) {
			t.Errorf("%q to %q: no file at the destination", c.from, c.to)
		}
	}
	v := newTest(t, files)
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "twin.md"), nil, 0o644))
	mustTest(t, os.WriteFile(filepath.Join(v.dir, "TWIN.md"), nil, 0o644))
	for _, c := range []struct {
		from, to string
		kind     error
		message  string
	}{
		{"a.md", "b.md", vaulterr.KindExists, "already exists"},
		{"a.md", "B.md", vaulterr.KindExists, `"b.md" already exists`},
		{"a.md", "Folder", vaulterr.KindExists, `"Folder/a.md"`},
		{"a.md", "a.md", vaulterr.KindExists, "the same"},
		{"Folder/x.md", "folder/x.md", vaulterr.KindExists, "the same"},
		{"Folder", "Folder/In", vaulterr.KindDenied, "into itself"},
		{"Folder", "folder/deep/In", vaulterr.KindDenied, "into itself"},
		{"Folder", "Folder/Deep", vaulterr.KindExists, "already exists"},
		{"Folder", "Folder/x.md/In", vaulterr.KindNotFolder, "not a folder"},
		{"none.md", "c.md", vaulterr.KindNotFound, "File not found"},
		{"a.md", "b.md/c.md", vaulterr.KindNotFolder, "not a folder"},
		{"a.md", ".obsidian/a.md", vaulterr.KindDenied, "protected"},
		{"a.md", "../a.md", vaulterr.KindDenied, "out of the vault"},
		{"a.md", "con.md", vaulterr.KindDenied, "device"},
		{".", "x", vaulterr.KindDenied, "vault itself"},
		{"a.md", ".", vaulterr.KindDenied, "vault itself"},
		{"a.md", "Twin.md", vaulterr.KindAmbiguous, "Several names"},
	} {
		got, err := v.Move(t.Context(), c.from, c.to)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q to %q: %+v, %v", c.from, c.to, got, err)
		}
	}
	for name, content := range files {
		if !strings.HasSuffix(name, "/") && readFromDisk(t, v, name) != content {
			t.Errorf("%s was changed", name)
		}
	}
	c, err := v.Move(t.Context(), "a.md", "n1/n2/a.md")
	if err != nil || !slices.Equal(c.Folders, []string{"n1", "n1/n2"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestMoveReplacesNothing creates a file with the destination's name after the look-up, right before the change.
func TestMoveReplacesNothing(t *testing.T) {
	v := newTest(t, map[string]string{"a.md": "ours"})
	_, err := v.Do(t.Context(), Request{Op: OpMove, Path: "a.md", NewPath: "b.md"}, func(Change, []byte) error {
		return os.WriteFile(filepath.Join(v.dir, "b.md"), []byte("theirs"), 0o644)
	})
	if !errors.Is(err, vaulterr.KindExists) || readFromDisk(t, v, "b.md") != "theirs" || readFromDisk(t, v, "a.md") != "ours" {
		t.Errorf("%v", err)
	}
}
