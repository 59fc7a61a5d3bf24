package tui

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/tui/keys"
)

// No two actions share a default key unless allowed, and the exceptions name existing actions.
func TestDefaultKeysDoNotClash(t *testing.T) {
	if faults := CheckKeys(map[string][]string{"help": {"f1"}}); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	maps := defaultKeyMaps()
	all := map[string]string{} // action → layer
	for _, l := range maps.layers() {
		if l.Name == "" {
			t.Errorf("a layer has no name")
		}
		for _, a := range l.Actions {
			if all[a.Name] != "" {
				t.Errorf("%s and %s both have an action %s: give one a prefix", all[a.Name], l.Name, a.Name)
			}
			all[a.Name] = l.Name
			if h := a.Binding.Help(); h.Key == "" || h.Desc == "" {
				t.Errorf("%s says nothing for the help", a.Name)
			}
			for _, k := range a.Binding.Keys() {
				if spelt, err := keys.Spell(k); err != nil || spelt != k {
					t.Errorf("%s has the key %q, which is spelt %q, %v", a.Name, k, spelt, err)
				}
			}
		}
	}
	for _, p := range keyRules.Together {
		if all[p[0]] == "" || all[p[1]] == "" {
			t.Errorf("%v are not both actions", p)
		}
	}
}

// Every field of a key map is a binding; a nested struct of bindings could not be rebound.
func TestEveryKeyMapCanBeRebound(t *testing.T) {
	registered := map[string]bool{}
	v := reflect.TypeOf(keyMaps{})
	for i := range v.NumField() {
		registered[v.Field(i).Type.Name()] = true
	}
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "keys/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok && hasBinding(s) {
				found++
				if !registered[spec.Name.Name] {
					t.Errorf("%s: %s has bindings and is no field of keyMaps", path, spec.Name.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || found < 2 {
		t.Errorf("%d key maps found, %v", found, err)
	}
}

func hasBinding(s *ast.StructType) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		sel, ok := f.Type.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Binding" && len(f.Names) > 0
	})
}

// The help shows every key in effect.
func TestHelpShowsEveryKey(t *testing.T) {
	o := everything()
	o.Now = time.Now
	m := New(context.Background(), o)
	m.distinctKeys = true
	var shown []string
	for _, section := range m.help() {
		for _, e := range section.Entries {
			shown = append(shown, e.Name)
		}
	}
	all := strings.Join(shown, "\n")
	for _, l := range m.keys.layers() {
		for _, a := range l.Actions {
			if a.Binding.Enabled() && !strings.Contains(all, a.Binding.Help().Key) {
				t.Errorf("the help does not show %s of %s", a.Binding.Help().Key, a.Name)
			}
		}
	}
}

// The help explains the special characters in messages and where to put custom commands.
func TestHelpListsSpecialCharacters(t *testing.T) {
	o := everything()
	o.Now, o.Mouse = time.Now, true
	said := map[string]string{}
	for _, section := range New(context.Background(), o).help() {
		for _, e := range section.Entries {
			said[e.Name] += e.Does
		}
	}
	for name, word := range map[string]string{
		"[[": "note", "@": "file", "#": "tag", "/": "command", "Dropped file": "vault", "Click": "select", ".smarthole/commands/": "your own commands",
	} {
		if !strings.Contains(said[name], word) {
			t.Errorf("the help says of %s: %q, nothing of %s", name, said[name], word)
		}
	}
	// Unavailable features are not mentioned.
	bare := newScreen(t)
	for _, section := range bare.m.help() {
		for _, e := range section.Entries {
			if slices.Contains([]string{"[[", "@", "#", "Dropped file", ".smarthole/commands/"}, e.Name) {
				t.Errorf("the help tells of %s", e.Name)
			}
		}
	}
}

// A rebound key works, its old key does not, and the help, the status line and the palette show it.
func TestReboundKeys(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Keys = map[string][]string{"send": {"ctrl+s"}, "newline": {"enter"}, "help": {"f4"}, "help_when_empty": {}, "palette": {"f5"}}
	})
	s.wants("Ctrl+S sends · F4 help")
	s.typeText("one")
	s.key("enter")
	s.typeText("two")
	if len(s.f.sent) != 0 {
		t.Fatal("Enter sends all the same")
	}
	s.send(keys.Press("ctrl+s"))
	if len(s.f.sent) != 1 || s.f.sent[0].Text != "one\ntwo" {
		t.Fatalf("sent %v", s.f.sent)
	}
	s.typeText("?")
	if s.m.composer.Value() != "?" {
		t.Error("? opens the help all the same")
	}
	s.m.composer.Clear()
	s.send(keys.Press("f4"))
	s.wants("Ctrl+S", "send; while a turn runs")
	s.key("esc")
	s.send(keys.Press("f5"))
	s.wants("Commands", "/help")
}

// docs/keys.md, the help and the bindings agree.
func TestTheTableOfKeys(t *testing.T) {
	data, err := os.ReadFile("../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut("\n"+string(data), "\n# Keys\n")
	table, _, _ = strings.Cut(table, "\n## ")
	if !ok {
		t.Fatal("docs/keys.md has no table")
	}
	rows := map[string]string{} // action → keys in its row
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.Trim(cells[1], "- ") == "" || strings.TrimSpace(cells[1]) == "action" {
			continue
		}
		for action := range strings.SplitSeq(cells[1], ",") {
			rows[strings.Trim(action, " `")] = cells[2]
		}
	}
	for _, l := range defaultKeyMaps().layers() {
		for _, a := range l.Actions {
			row, ok := rows[a.Name]
			if !ok {
				t.Errorf("docs/keys.md lacks %s (%s)", a.Name, a.Binding.Help().Key)
				continue
			}
			delete(rows, a.Name)
			if first := keys.Show(a.Binding.Keys()[0]); !slices.ContainsFunc(strings.Split(row, ","), func(k string) bool { return strings.Trim(k, " `") == first }) {
				t.Errorf("docs/keys.md says of %s: %s; its key is %s", a.Name, row, first)
			}
		}
	}
	for action := range rows {
		t.Errorf("docs/keys.md lists %s, which is no action", action)
	}
}

// everything returns Options with every feature enabled.
func everything() Options {
	o := Options{
		Session: Session{
			Models: newFakeModels(), Changes: &undoing{}, Settings: newFakeSettings(), Conversation: &fakeConversation{},
			Conversations: &fakeConversations{}, Inbox: &fakeInbox{}, Goal: &fakeGoal{}, Routing: &fakeRouting{}, Usage: &fakeUsage{},
		},
		Writing: Writing{Completing: &fakeVault{}, Drafts: &fakeDrafts{}}, Copying: &fakeCopying{},
	}
	provide(reflect.ValueOf(&o).Elem())
	return o
}

// provide sets a struct's functions, pointers and channels to non-nil values, which are never used.
func provide(v reflect.Value) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.Func:
			f.Set(reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value { panic("a means that is only looked at") }))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			if f.Elem().Kind() == reflect.Struct && strings.HasPrefix(f.Elem().Type().PkgPath(), v.Type().PkgPath()) {
				provide(f.Elem())
			}
		case reflect.Struct:
			if strings.HasPrefix(f.Type().PkgPath(), v.Type().PkgPath()) {
				provide(f)
			}
		}
	}
}
