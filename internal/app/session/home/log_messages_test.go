package home

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLogMessagesAreConstants enforces the form of the log, on which reports rely: a message is a sentence of the program's own, and
// whatever may name or quote something else is an attribute.
func TestLogMessagesAreConstants(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	list, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	messages := 0
	for _, name := range strings.Fields(string(list)) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") || strings.HasPrefix(name, "internal/llmtest/") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the build reports it
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			at := 0
			switch {
			case ok && slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, s.Sel.Name) && isLog(s.X):
			case ok && s.Sel.Name == "warn" && strings.HasPrefix(name, "agent/") && len(call.Args) == 3: // the agent's own, which logs
				at = 1
			default:
				return true
			}
			messages++
			if said, ok := call.Args[at].(*ast.Ident); ok && name == "agent/finish.go" && said.Name == "what" {
				return true // its callers are checked
			}
			if _, ok := call.Args[at].(*ast.BasicLit); !ok {
				t.Errorf("%s: the message is no constant; put what differs into attributes", set.Position(call.Pos()))
			}
			return true
		})
	}
	if messages < 60 {
		t.Errorf("only %d messages were seen: the test looks in the wrong place", messages)
	}
}

func isLog(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.HasPrefix(strings.ToLower(e.Name), "log")
	case *ast.SelectorExpr:
		return strings.HasPrefix(strings.ToLower(e.Sel.Name), "log")
	case *ast.CallExpr:
		return isLog(e.Fun)
	}
	return false
}
