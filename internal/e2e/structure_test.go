package e2e

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Limits for readers: Go files of a folder without tests, and fields of a type.
const (
	folderFiles = 40
	typeFields  = 30
)

// Folders and types stay small enough to find things in.
func TestFolderAndTypeSizes(t *testing.T) {
	const root = "." // TestMain goes there
	files := map[string]int{}
	structs := 0
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (name == "testdata" || strings.HasPrefix(name, ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files[filepath.Dir(path)]++
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			structs++
			if n := fields(s); n > typeFields && !alike(s) {
				t.Errorf("%s: %s has %d fields, at most %d are allowed: find the things in it", fset.Position(spec.Pos()), spec.Name.Name, n, typeFields)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, n := range files {
		if n > folderFiles {
			t.Errorf("%s holds %d Go files beside tests, at most %d are allowed: give some of them a room (CONTRIBUTING.md)", folder, n, folderFiles)
		}
	}
	if structs < 100 || files[filepath.Join(root, "tools")] == 0 {
		t.Errorf("%d structs in %d folders were seen", structs, len(files))
	}
}

func fields(s *ast.StructType) int {
	n := 0
	for _, f := range s.Fields.List {
		n += max(len(f.Names), 1)
	}
	return n
}

// alike reports whether all fields but one or two have the same type, as in a list of styles.
func alike(s *ast.StructType) bool {
	most, types := 0, map[string]int{}
	for _, f := range s.Fields.List {
		var b strings.Builder
		_ = printer.Fprint(&b, token.NewFileSet(), f.Type)
		types[b.String()] += max(len(f.Names), 1)
		most = max(most, types[b.String()])
	}
	return most >= fields(s)-2
}

// Each source file that a document names exists.
func TestFilesNamedInDocuments(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	internals, err := filepath.Glob("docs/internals/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, internals...)
	named := regexp.MustCompile("`([a-z_]+(?:/[a-z_]+)+\\.go)`")
	seen := 0
	for _, page := range append(pages, "ARCHITECTURE.md", "CONTRIBUTING.md", "bench/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			seen++
			if _, err := os.Stat(string(m[1])); err != nil {
				t.Errorf("%s names %s: %v", page, m[1], err)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d files are named", seen)
	}
}

// Each product file for one system is in the table of systems, and the table names no others.
func TestSystemsTable(t *testing.T) {
	const page = "docs/internals/systems.md"
	table, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	listed, last := map[string]bool{}, ""
	for _, m := range regexp.MustCompile("`([\\w/]+\\.go)`").FindAllStringSubmatch(string(table), -1) {
		if strings.Contains(m[1], "/") {
			last = filepath.Dir(m[1])
		}
		listed[filepath.Join(last, filepath.Base(m[1]))] = true
	}
	suffix := regexp.MustCompile(`_(unix|linux|darwin|bsd|windows|other)\.go$`)
	constraint := regexp.MustCompile(`(?m)^//go:build .*(unix|linux|darwin|bsd|windows)`)
	found := 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || path == "bench" || path == "internal/ptytest"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if suffix.MatchString(path) || constraint.Match(text) {
			found++
			if !listed[path] {
				t.Errorf("%s does not name %s", page, path)
			}
		}
		return nil
	})
	if err != nil || found < 25 {
		t.Errorf("%v, %d files", err, found)
	}
}
