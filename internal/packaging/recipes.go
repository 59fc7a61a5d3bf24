package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// recipes are for package managers that are not tried here; each file says so.
//
//go:embed recipes
var recipes embed.FS

// facts are what a recipe is filled in with.
type facts struct {
	release
	sums map[target]string // of the archives
}

func (f facts) Version() string    { return f.version }
func (f facts) URL() string        { return f.url }
func (f facts) Maintainer() string { return f.maintainer }

// PacmanVersion has no hyphen, which parts a version from a package's release there.
func (f facts) PacmanVersion() string { return strings.ReplaceAll(f.version, "-", "_") }

func (f facts) Folder(os, arch string) string { return f.base(target{os, arch}) }

func (f facts) Archive(os, arch string) string { return f.archiveName(target{os, arch}) }

func (f facts) Sum(os, arch string) (string, error) {
	sum, ok := f.sums[target{os, arch}]
	if !ok {
		return "", fmt.Errorf("no archive is made for %s/%s", os, arch)
	}
	return sum, nil
}

// recipes fills in the recipes with the archives' checksums.
func (r release) recipes(sums map[target]string) (made []file, err error) {
	in, err := fs.Sub(recipes, "recipes")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(in, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, err := template.ParseFS(in, path)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, facts{r, sums}); err != nil {
			return err
		}
		made = append(made, file{path, 0o644, out.Bytes()})
		return nil
	})
	return made, err
}
