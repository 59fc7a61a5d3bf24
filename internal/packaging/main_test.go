// Package packaging tests the scripts that make a release (docs/internals/releasing.md). It is a module of its own, so that what
// the tests require stays out of the product.
package packaging

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// scripted runs one of the scripts here.
func scripted(t *testing.T, dir, script string, args ...string) (said string, err error) {
	t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", append([]string{path}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "VERSION=1.2.3-rc.1", "URL=https://example.com/v1?a&b", "MAINTAINER=A <a@example.com>", "SOURCE_DATE_EPOCH=1000000000")
	out, err := c.CombinedOutput()
	return string(out), err
}

// A release is of a commit: what is not committed is refused, by its name.
func TestWhatIsNoReleaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, exec.Command("git", "init", "-q", dir))
	if err := os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := scripted(t, dir, "release.sh", "", ""); err == nil || !strings.Contains(said, "new.go") {
		t.Errorf("%v, %s", err, said)
	}
}

// Archives hold what they are given, in order, of nobody, at the commit's time: their bytes follow from that.
func TestArchives(t *testing.T) {
	for _, name := range []string{"chatvault_1.2.3_linux_arm64.tar.gz", "chatvault_1.2.3_windows_amd64.zip"} {
		if _, err := exec.LookPath("zip"); err != nil && strings.HasSuffix(name, ".zip") {
			t.Log("no zip: ", err)
			continue
		}
		base := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
		var made [2][]byte
		for i, order := range [][]string{{"b", "a"}, {"a", "b"}} {
			dir := t.TempDir()
			for _, file := range order {
				mode := map[string]os.FileMode{"a": 0o755, "b": 0o644}[file]
				at := filepath.Join(dir, base, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(file), mode), os.Chmod(at, mode)); err != nil {
					t.Fatal(err)
				}
			}
			if said, err := scripted(t, ".", "pack.sh", filepath.Join(dir, base), dir); err != nil {
				t.Fatal(err, said)
			}
			var err error
			if made[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(made[0], made[1]) {
			t.Errorf("%s: other bytes of the same files", name)
		}
		listed := listTarGz
		if strings.HasSuffix(name, ".zip") {
			listed = listZip
		}
		want := base + "/a -rwxr-xr-x 2001-09-09T01:46:40Z a\n" + base + "/b -rw-r--r-- 2001-09-09T01:46:40Z b\n"
		if got, err := listed(made[0]); got != want || err != nil {
			t.Errorf("%s holds, %v:\n%s\nnot\n%s", name, err, got, want)
		}
	}
}

func listTarGz(data []byte) (list string, err error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(in)
		if err != nil || h.Uid != 0 || h.Gid != 0 || h.Uname != "root" {
			return "", fmt.Errorf("%s is of %s: %w", h.Name, h.Uname, err)
		}
		list += fmt.Sprintln(h.Name, h.FileInfo().Mode(), h.ModTime.UTC().Format(time.RFC3339), string(text))
	}
}

func listZip(data []byte) (list string, err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", err
	}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(in)
		if err != nil {
			return "", err
		}
		list += fmt.Sprintln(f.Name, f.Mode(), f.Modified.UTC().Format(time.RFC3339), string(text))
	}
	return list, nil
}

// The notices quote the licences of what is in the binaries, of Go itself and of the table of models, and of nothing else.
// A module whose licence does not allow it is refused by its name.
func TestNotices(t *testing.T) {
	said, err := scripted(t, filepath.Join("..", ".."), "notices.sh")
	if err != nil {
		t.Fatal(err, said)
	}
	for _, name := range []string{"Go go1", "charm.land/catwalk@v", "charm.land/bubbletea/v2 v", "github.com/spf13/cobra v", "github.com/danieljoos/wincred v"} {
		if !strings.Contains(said, "-\n"+name) {
			t.Errorf("there is nothing of %s", name)
		}
	}
	for _, name := range []string{"github.com/rogpeppe/go-internal", "pgregory.net/rapid"} { // of tests
		if strings.Contains(said, name) {
			t.Errorf("%s is not in the binary", name)
		}
	}
	for text, why := range map[string]string{
		"": "has no licence", "You may look at it.": "has no licence", "Permission is hereby granted,\nfree of charge. GNU Affero General\nPublic License": "does not allow it",
	} {
		dir := withModule(t, text)
		if said, err := scripted(t, dir, "notices.sh"); err == nil || !strings.Contains(said, why) || !strings.Contains(said, "example.com/other") {
			t.Errorf("%q: %v, %s", text, err, said)
		}
	}
}

// withModule returns a folder with the table of models and a program that uses a module with the given licence.
func withModule(t *testing.T, licence string) string {
	t.Helper()
	dir := t.TempDir()
	table, err := os.ReadFile(filepath.Join("..", "..", "agent", "llm", "models", "models.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module x\nrequire example.com/other v1.0.0\nreplace example.com/other => ./other\n", "x.go": "package main\nimport _ \"example.com/other\"\nfunc main() {}\n",
		"other/go.mod": "module example.com/other\n", "other/other.go": "package other\n", "other/LICENSE": licence, "agent/llm/models/models.json.gz": string(table),
	} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Recipes name each archive with its checksum, say that they are not tried, and are well-formed, as far as
// there is a program that can tell.
func TestRecipes(t *testing.T) {
	dir := t.TempDir()
	sums := map[string]string{}
	for _, system := range []string{"linux_amd64.tar.gz", "linux_arm64.tar.gz", "darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		name := "chatvault_1.2.3-rc.1_" + system
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		sums[name], _, _ = strings.Cut(must(t, exec.Command("sha256sum", filepath.Join(dir, name))), " ")
	}
	if said, err := scripted(t, ".", "recipes.sh", dir); err != nil {
		t.Fatal(err, said)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(made) != 7 {
		t.Fatal(made, err)
	}
	all := ""
	checkers := map[string][]string{"PKGBUILD": {"bash", "-n"}, ".rb": {"ruby", "-c"}, ".nix": {"nix-instantiate", "--parse"}}
	for _, file := range made {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
		if !bytes.Contains(text, []byte("not tried")) || bytes.Contains(text, []byte("{{")) {
			t.Errorf("%s:\n%s", file, text)
		}
		var data map[string]any
		if field := map[string]string{".yaml": "PackageVersion", ".json": "version"}[filepath.Ext(file)]; field != "" {
			if err := yaml.Unmarshal(text, &data); err != nil || data[field] != "1.2.3-rc.1" { // JSON is YAML
				t.Errorf("%s: %v, %v", file, data, err)
			}
		}
		for ends, check := range checkers {
			if path, err := exec.LookPath(check[0]); err == nil && strings.HasSuffix(file, ends) {
				if out, err := exec.Command(path, append(check[1:], file)...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", file, err, out)
				}
			}
		}
	}
	for name, sum := range sums {
		if !strings.Contains(all, "https://example.com/v1?a&b/"+name) && !strings.Contains(all, "$url/"+name) || !strings.Contains(all, sum) {
			t.Errorf("no recipe has the archive %s", name)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := scripted(t, ".", "recipes.sh", dir); err == nil {
		t.Error("a recipe was made without its archive")
	}
}
