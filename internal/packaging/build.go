package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is a system that binaries are made for.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) binary() string {
	if t.os == "windows" {
		return "chatvault.exe"
	}
	return "chatvault"
}

// goFor is the go command for a target. Of the person's environment nothing counts that would change what
// is built.
func (r release) goFor(t target, args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = r.root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	return c
}

// build makes the binary for a target in the folder work.
func (r release) build(t target, work string) ([]byte, error) {
	module, err := r.goFor(t, "list", "-m").Output()
	if err != nil {
		return nil, fmt.Errorf("the module: %w", explained(err))
	}
	path := filepath.Join(work, t.binary())
	c := r.goFor(t, "build", "-trimpath", "-buildvcs=false", "-o", path,
		"-ldflags", fmt.Sprintf("-s -w -buildid= -X %s/internal/cli.version=%s", strings.TrimSpace(string(module)), r.version), ".")
	if said, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s: %w\n%s", t, err, said)
	}
	return os.ReadFile(path)
}

// documents are the texts that go along: README and LICENSE, the guide that README links to, what changed, and the
// licences of what is inside.
func (r release) documents(parts []component) (docs []file, err error) {
	names := []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*.svg"} {
		found, err := fs.Glob(os.DirFS(r.root), pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		docs = append(docs, file{name, 0o644, data})
	}
	return append(docs, file{"NOTICES.txt", 0o644, notices(parts)}), nil
}

// told are the pages and completions that the program prints of itself.
type told struct {
	man         []file
	completions map[string][]byte // by shell
}

// told has the binary at path, which runs here, write them.
func (r release) told(path, work string) (t told, err error) {
	ask := func(args ...string) ([]byte, error) {
		c := exec.Command(path, args...)
		// A manual page bears a date, and the program reads no configuration of who makes the release.
		c.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()), "HOME="+work, "XDG_CONFIG_HOME="+work, "XDG_STATE_HOME="+work)
		said, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("chatvault %s: %w", strings.Join(args, " "), explained(err))
		}
		return said, nil
	}
	dir := filepath.Join(work, "man")
	if _, err := ask("man", "--dir", dir); err != nil {
		return t, err
	}
	pages, err := os.ReadDir(dir)
	if err != nil {
		return t, err
	}
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			return t, err
		}
		t.man = append(t.man, file{p.Name(), 0o644, data})
	}
	t.completions = map[string][]byte{}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if t.completions[shell], err = ask("completion", shell); err != nil {
			return t, err
		}
	}
	return t, nil
}

// archived are the pages and completions under their names in an archive.
func (t told) archived() (files []file) {
	for _, p := range t.man {
		files = append(files, file{"man/man1/" + p.name, p.mode, p.data})
	}
	for shell, name := range map[string]string{"bash": "chatvault.bash", "zsh": "_chatvault", "fish": "chatvault.fish", "powershell": "chatvault.ps1"} {
		files = append(files, file{"completions/" + name, 0o644, t.completions[shell]})
	}
	return files
}
