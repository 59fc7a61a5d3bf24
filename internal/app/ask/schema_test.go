package ask

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf returns a published schema and its validator.
func schemaOf(t *testing.T, name string) (s *jsonschema.Schema, resolved *jsonschema.Resolved) {
	t.Helper()
	data, err := os.ReadFile("../../../docs/schema/" + name)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		resolved, err = s.Resolve(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, resolved
}

// checkLine reports a line of `ask --json` that is not valid against the published schema.
func checkLine(t *testing.T, resolved *jsonschema.Resolved, line string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}

// TestSchemaNames: the published schema has the members that json.go writes, each, and no other, so that a new member
// is published.
func TestSchemaNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "json.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{"done": true} // tools.TaskItem
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if name, literal := call.Args[0].(*ast.BasicLit); ok && literal && (method.Sel.Name == "with" || method.Sel.Name == "some") {
			s, _ := strconv.Unquote(name.Value)
			written[s] = true
		}
		return true
	})
	published := map[string]bool{}
	var walk func(s *jsonschema.Schema)
	walk = func(s *jsonschema.Schema) {
		for name, p := range s.Properties {
			published[name] = true
			walk(p)
		}
		if s.Items != nil {
			walk(s.Items)
		}
		if len(s.Properties) > 0 && s.AdditionalProperties == nil {
			t.Errorf("%s is open to other members", s.Description)
		}
	}
	root, _ := schemaOf(t, "ask-event.json")
	for _, s := range root.Defs {
		walk(s)
	}
	if w, p := slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(published)); !slices.Equal(w, p) {
		t.Errorf("written:\n%q\npublished:\n%q", w, p)
	}
}

// TestSchemaIsClosed: the published schema refuses other members and types, and a wrong version.
func TestSchemaIsClosed(t *testing.T) {
	_, resolved := schemaOf(t, "ask-event.json")
	for _, line := range []object{
		head("state", time.Time{}).with("state", "thinking").with("more", 1),
		head("state", time.Time{}).with("state", "dreaming"),
		head("new", time.Time{}),
		head("error", time.Time{}).with("code", "usage").with("message", "m").with("schema", 2),
	} {
		var v any
		data, err := json.Marshal(line)
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil || resolved.Validate(v) == nil {
			t.Errorf("%s is valid: %v", data, err)
		}
	}
}

// TestExitStatuses: each exit status is published.
func TestExitStatuses(t *testing.T) {
	_, resolved := schemaOf(t, "exit-status.json")
	for status, want := range map[int]bool{0: true, Failed: true, 2: true, Waiting: true, Refused: true, Short: true, 6: false, Stopped: true, 143: true, -1: false} {
		if err := resolved.Validate(status); (err == nil) != want {
			t.Errorf("%d: %v", status, err)
		}
	}
}
