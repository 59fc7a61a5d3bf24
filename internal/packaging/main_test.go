package main

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

var aRelease = release{version: "1.2.3-rc.1", commit: "abc", time: time.Unix(1e9, 0).UTC(), root: "/", url: "https://example.com/v1", maintainer: "A <a@example.com>"}

func TestVersions(t *testing.T) {
	for given, is := range map[string]string{
		"0.1.0": "0.1.0", "v1.20.3": "1.20.3", "1.0.0-rc.1": "1.0.0-rc.1", "": "", "dev": "", "1.2": "", "01.2.3": "", "1.2.3+build": "",
		"1.2.3-": "", "357376a8-dirty": "", "1.2.3\n": "",
	} {
		parts := semantic.FindStringSubmatch(given)
		if is == "" && parts != nil || is != "" && (parts == nil || parts[1] != is) {
			t.Errorf("%q is %q", given, parts)
		}
	}
}

// A release is of a commit: what is not committed is refused, by its name.
func TestUncommittedIsRefused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "One", "--date=@1000000000"}} {
		c := exec.Command("git", args...)
		c.Env = append(os.Environ(), "GIT_COMMITTER_DATE=@1000000000 +0000")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	r, err := newRelease("v0.1.0", "", "")
	if err != nil || r.version != "0.1.0" || r.time.Unix() != 1e9 || len(r.commit) != 40 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := os.WriteFile("new.go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newRelease("v0.1.0", "", ""); err == nil || !strings.Contains(err.Error(), "new.go") {
		t.Errorf("%v", err)
	}
}

// Archives hold what they are given, in order, of nobody, at the commit's time: their bytes follow from that.
func TestArchives(t *testing.T) {
	files := []file{{"b", 0o644, []byte("two")}, {"a", 0o755, []byte("one")}}
	for _, target := range []target{{"linux", "arm64"}, {"windows", "amd64"}} {
		one, err := aRelease.archive(target, files)
		if err != nil {
			t.Fatal(err)
		}
		two, err := aRelease.archive(target, []file{files[1], files[0]})
		if err != nil || !bytes.Equal(one.data, two.data) {
			t.Errorf("%s: other bytes of the same files: %v", target, err)
		}
		listed := listTarGz
		if target.os == "windows" {
			listed = listZip
		}
		base := "chatvault_1.2.3-rc.1_" + target.os + "_" + target.arch
		want := base + "/a -rwxr-xr-x 2001-09-09T01:46:40Z one\n" + base + "/b -rw-r--r-- 2001-09-09T01:46:40Z two\n"
		if got, err := listed(one.data); got != want || err != nil {
			t.Errorf("%s holds, %v:\n%s\nnot\n%s", one.name, err, got, want)
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

// Recipes name each archive with its checksum, say that they are not tried, and are well-formed, as far as
// there is who can tell.
func TestRecipes(t *testing.T) {
	sums := map[target]string{}
	for i, target := range targets {
		sums[target] = strings.Repeat(fmt.Sprint(i), 64)
	}
	made, err := aRelease.recipes(sums)
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	dir := t.TempDir()
	checkers := map[string][]string{"PKGBUILD": {"bash", "-n"}, ".rb": {"ruby", "-c"}, ".nix": {"nix-instantiate", "--parse"}}
	for _, f := range made {
		all += string(f.data)
		if !bytes.Contains(f.data, []byte("not tried")) || bytes.Contains(f.data, []byte("<no value>")) {
			t.Errorf("%s:\n%s", f.name, f.data)
		}
		var data map[string]any
		if strings.HasSuffix(f.name, ".yaml") {
			if err := yaml.Unmarshal(f.data, &data); err != nil || data["PackageVersion"] != "1.2.3-rc.1" {
				t.Errorf("%s: %v, %v", f.name, data, err)
			}
		}
		for ends, check := range checkers {
			if path, err := exec.LookPath(check[0]); err == nil && strings.HasSuffix(f.name, ends) {
				at := filepath.Join(dir, filepath.Base(f.name))
				if err := os.WriteFile(at, f.data, 0o600); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(path, append(check[1:], at)...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", f.name, err, out)
				}
			}
		}
	}
	for _, target := range targets {
		if !strings.Contains(all, "/"+aRelease.archiveName(target)) || !strings.Contains(all, sums[target]) {
			t.Errorf("no recipe has the archive for %s", target)
		}
	}
	if _, err := aRelease.recipes(map[target]string{}); err == nil {
		t.Error("a recipe was made without its archive")
	}
}
