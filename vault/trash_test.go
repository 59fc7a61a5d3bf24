package vault

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/vault/vaulterr"
)

func option(name string) string { return `{"alwaysUpdateLinks":true,"trashOption":"` + name + `"}` }

func TestDeleteLocal(t *testing.T) {
	v := newTest(t, map[string]string{
		"a.md": "1", "sub/a.md": "2", "folder/x.md": "3", "folder/.git/config": "4", "empty/": "", ".obsidian/app.json": option("local"),
	})
	for _, c := range []struct {
		path      string
		recursive bool
		where     string
	}{
		{"A.md", false, ".trash/a.md"},
		{"sub/a.md", false, ".trash/a 1.md"}, // without parent folders, as in Obsidian
		{"folder", true, ".trash/folder"},
		{"empty", false, ".trash/empty"},
	} {
		got, err := v.Delete(t.Context(), c.path, c.recursive)
		if err != nil || got.NewPath != c.where || got.Note != "" || !existsOnDisk(v, c.where) || existsOnDisk(v, got.Path) {
			t.Errorf("%s: %+v, %v", c.path, got, err)
		}
	}
	if readFromDisk(t, v, ".trash/a 1.md") != "2" || readFromDisk(t, v, ".trash/folder/.git/config") != "4" {
		t.Error("the wrong thing is in the trash")
	}
}

func TestDeleteRefuses(t *testing.T) {
	v := newTest(t, map[string]string{"full/a.md": "", "full/b.md": "", "hidden/.x": "", "a.md": "", ".obsidian/app.json": option("local")})
	for _, c := range []struct {
		path    string
		kind    error
		message string
	}{
		{"full", nil, "2 items. Pass recursive"},
		{"hidden", nil, "it has 1 item. Pass recursive"},
		{".", vaulterr.KindDenied, "vault itself"},
		{"full/..", vaulterr.KindDenied, "vault itself"},
		{"./", vaulterr.KindDenied, "vault itself"},
		{"/", vaulterr.KindDenied, "absolute"},
		{".obsidian", vaulterr.KindDenied, "protected"},
		{"b.md", vaulterr.KindNotFound, "File not found"},
	} {
		_, err := v.Delete(t.Context(), c.path, false)
		if err == nil || c.kind != nil && !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	if !existsOnDisk(v, "full/b.md") || !existsOnDisk(v, "hidden/.x") || existsOnDisk(v, ".trash") {
		t.Error("something was deleted")
	}
}

// TestDeleteWithoutTrash: if a vault has no trash, deleted files are stored outside of it, under names of their own.
func TestDeleteWithoutTrash(t *testing.T) {
	state := t.TempDir()
	v := newTest(t, map[string]string{"sub/deep/a.md": "1", "a.md": "2", "full/b.md": "3", "full/in/c.md": "4", ".obsidian/app.json": option("none")})
	v.KeepTrash(func(bool) (*os.Root, error) { return os.OpenRoot(state) })
	for _, name := range []string{"sub/deep/a.md", "a.md", "full"} {
		var want string
		if name != "full" {
			want = readFromDisk(t, v, name)
		}
		got, err := v.Delete(t.Context(), name, true)
		if err != nil || filepath.Dir(got.NewPath) != filepath.Join(state, "trash") || existsOnDisk(v, name) {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if data, err := os.ReadFile(got.NewPath); name != "full" && (err != nil || string(data) != want) {
			t.Errorf("%s: the wrong thing is kept: %q, %v", name, data, err)
		}
	}
	if existsOnDisk(v, ".smarthole") || existsOnDisk(v, ".trash") {
		t.Error("a part of it is still in the vault")
	}
}

// TestDeleteWithoutTrashAcrossDevices: if the state folder is on another file system, where rename is impossible,
// deleted files go to the vault's own trash.
func TestDeleteWithoutTrashAcrossDevices(t *testing.T) {
	state, err := os.MkdirTemp("/dev/shm", "chatvault")
	if err != nil {
		t.Skip("there is no other file system: ", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(state) })
	v := journaledTest(t, map[string]string{"full/b.md": "3", "full/in/c.md": "4", "a.md": "2", ".obsidian/app.json": option("none")})
	v.KeepTrash(func(bool) (*os.Root, error) { return os.OpenRoot(state) })
	mustTest(t, os.Chmod(filepath.Join(v.dir, "full", "b.md"), 0o640))
	before := snapshot(v.dir)
	for _, name := range []string{"full", "a.md"} {
		got, err := v.Delete(WithOrigin(t.Context(), Origin{Turn: name, Source: "chat"}), name, true)
		if err != nil || !strings.HasPrefix(got.NewPath, state) && (!existsOnDisk(v, got.NewPath) || got.Note == "") || existsOnDisk(v, name) {
			t.Fatalf("%+v, %v", got, err)
		}
		mustTest(t, v.History.EndTurn(name))
	}
	for _, name := range []string{"a.md", "full"} {
		if u, err := v.History.Undo(t.Context(), name); err != nil || len(u.Refused) > 0 {
			t.Fatalf("%+v, %v", u, err)
		}
	}
	if after := snapshot(v.dir); !maps.Equal(before, after) {
		t.Errorf("came back as %q, was %q", after, before)
	}
}

// TestDeleteSystem covers the default, which follows the FreeDesktop.org specification.
func TestDeleteSystem(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	for i, settings := range []string{"", "{}", option("system"), "not JSON", `{"trashOption":7}`} {
		v := newTest(t, map[string]string{"Über uns/a b.md": "text"})
		if settings != "" {
			mustTest(t, os.Mkdir(filepath.Join(v.dir, ".obsidian"), 0o755))
			mustTest(t, os.WriteFile(filepath.Join(v.dir, ".obsidian", "app.json"), []byte(settings), 0o644))
		}
		began := time.Now().Truncate(time.Second)
		got, err := v.Delete(t.Context(), "Über uns/a b.md", false)
		name := "a b.md"
		if i > 0 {
			name = fmt.Sprintf("a b %d.md", i)
		}
		if err != nil || got.NewPath != filepath.Join(data, "Trash", "files", name) || got.Note != "" {
			t.Fatalf("%q: %+v, %v", settings, got, err)
		}
		text, err := os.ReadFile(got.NewPath)
		if err != nil || string(text) != "text" {
			t.Errorf("%q, %v", text, err)
		}
		info, err := os.ReadFile(filepath.Join(data, "Trash", "info", name+".trashinfo"))
		mustTest(t, err)
		lines := strings.Split(string(info), "\n")
		if len(lines) != 4 || lines[0] != "[Trash Info]" || strings.Contains(lines[1], " ") || strings.Contains(lines[1], "Ü") {
			t.Fatalf("%q", info)
		}
		where, err := url.PathUnescape(strings.TrimPrefix(lines[1], "Path="))
		if err != nil || where != filepath.Join(v.dir, "Über uns", "a b.md") {
			t.Errorf("path %q, %v", where, err)
		}
		when, err := time.ParseInLocation("2006-01-02T15:04:05", strings.TrimPrefix(lines[2], "DeletionDate="), time.Local)
		if err != nil || when.Before(began) || when.After(time.Now()) {
			t.Errorf("date %v, %v", when, err)
		}
	}
}

// TestDeleteFallsBack: without a usable system trash, the note goes to the vault's own, with a note to the user.
func TestDeleteFallsBack(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	mustTest(t, os.WriteFile(blocked, nil, 0o600))
	t.Setenv("XDG_DATA_HOME", blocked) // a file, so nothing can be created in it
	v := newTest(t, map[string]string{"a.md": "1"})
	got, err := v.Delete(t.Context(), "a.md", false)
	if err != nil || got.NewPath != ".trash/a.md" || !strings.Contains(got.Note, ".trash") || !existsOnDisk(v, ".trash/a.md") {
		t.Errorf("%+v, %v", got, err)
	}
	// If the vault's trash is a symbolic link out of the vault, nothing is moved there.
	other := newTest(t, map[string]string{"a.md": "1"})
	outside := t.TempDir()
	link(t, other, outside, ".trash")
	if got, err := other.Delete(t.Context(), "a.md", false); err == nil || !existsOnDisk(other, "a.md") {
		t.Errorf("%+v, %v", got, err)
	} else {
		checkSentence(t, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
