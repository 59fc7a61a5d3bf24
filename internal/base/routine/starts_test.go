package routine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// instruments lists code outside the product: tests, measurements, and this package.
var instruments = []string{
	"bench", "internal/llmtest", "internal/ptytest", "internal/pathcorpus", "internal/base/routine", "stress",
}

// TestEveryGoroutineIsGuarded checks that the product starts goroutines only with this package: no go statement, no
// WaitGroup.Go, and no callback that the runtime runs in a new goroutine unless Guard made it.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files, guarded := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); rel != "." && (strings.HasPrefix(base, ".") || base == "testdata" || slices.Contains(instruments, filepath.ToSlash(rel))) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		files++
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // a file being edited; the build reports it
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a go statement; use routine.Go", set.Position(n.Pos()))
			case *ast.CallExpr:
				switch of, name := selector(n.Fun); {
				case of == "routine" && name != "OnPanic":
					guarded++
				case (of == "time" || of == "context") && name == "AfterFunc":
					if of, name := selector(callee(n.Args[len(n.Args)-1])); of != "routine" || name != "Guard" {
						t.Errorf("%s: %s.AfterFunc without routine.Guard", set.Position(n.Pos()), of)
					}
				case name == "Go" && len(n.Args) == 1: // Group.Go has a name argument
					t.Errorf("%s: %s.Go; use routine.Join or a routine.Group", set.Position(n.Pos()), of)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 200 || guarded < 20 {
		t.Errorf("%d files and %d guarded starts were seen: the test looks in the wrong place", files, guarded)
	}
}

// selector returns the two names of x.Name.
func selector(e ast.Expr) (of, name string) {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	if x, ok := s.X.(*ast.Ident); ok {
		of = x.Name
	}
	return of, s.Sel.Name
}

// callee returns the function of a call.
func callee(e ast.Expr) ast.Expr {
	if c, ok := e.(*ast.CallExpr); ok {
		return c.Fun
	}
	return nil
}
