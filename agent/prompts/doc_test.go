package prompts

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestPromptsAreDocumented: docs/prompts.md names every prompt and every variable, and its example works.
func TestPromptsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/prompts.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for _, name := range names() {
		if !strings.Contains(doc, "| `"+name+suffix+"` |") {
			t.Errorf("%s is not documented", name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Vars](), reflect.TypeFor[FolderCount](), reflect.TypeFor[Tool]()} {
		for i := range of.NumField() {
			if name := of.Field(i).Name; !strings.Contains(doc, "`."+name+"`") {
				t.Errorf("the variable .%s is not documented", name)
			}
		}
	}
	_, example, ok := strings.Cut(doc, "`.smarthole/prompts/system.tmpl`:\n\n```\n")
	example, _, closed := strings.Cut(example, "\n```")
	if !ok || !closed {
		t.Fatal("there is no example")
	}
	root := state(t)
	writePrompt(t, root, "system.tmpl", example)
	text, _, _, err := NewFiles(root, agreeAll).Render("system", Vars{VaultName: "Garden", UserName: "Ines", Top: []FolderCount{{"Beds", 4}}})
	if err != nil || !strings.HasPrefix(text, "You look after Ines's garden notes in the vault “Garden”.") || !strings.Contains(text, "- Beds/ (4 notes)") {
		t.Errorf("the example renders as %q, %v", text, err)
	}
}
