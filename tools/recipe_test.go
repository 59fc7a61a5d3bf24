package tools

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// namedIn are the places that call a tool by its name or use its name as data.
var namedIn = map[string][]string{
	"agent/window/shorten.go":        {"read_file"},               // tells how to read omitted lines
	"agent/prompts/":                 {"delegate"},                // name of a prompt
	"agent/llm/llm.go":               {"delegate"},                // purpose of a request
	"agent/delegate.go":              {"delegate"},                // name of a prompt
	"agent/llm/offline/":             nil,                         // the embedded engine plans calls
	"tui/turn.go":                    {"delegate"},                // a step without a visible call
	"tui/requests.go":                {"create_folder"},           // a kind of change
	"tools/host.go":                  {"create_folder"},           // the same
	"vault/journal/text.go":          {"write_file"},              // reads its recorded arguments
	"internal/app/session/attach.go": {"read_file", "list_files"}, // reads as the agent does
	"internal/app/ask/":              {"task_list"},
}

// TestAToolIsOneFile enforces that a tool is its file, its description and its line in definitions. Everything else
// is in its traits.
func TestAToolIsOneFile(t *testing.T) {
	var names []string
	for _, d := range definitions() {
		names = append(names, d.name)
		for _, ext := range []string{".go", ".md"} {
			if _, err := os.Stat(d.name + ext); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
		if d.traits.Verb == "" && !d.traits.Speaks && !d.traits.Ends {
			t.Errorf("%s has no verb for the screen", d.name)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not in order: %q", names)
	}
	quoted := regexp.MustCompile(`"(` + strings.Join(names, "|") + `)"`)
	root := ".."
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if e.IsDir() {
			if kit := slices.Contains([]string{"bench", "stress", "testdata", "internal/llmtest", "internal/pathcorpus", "internal/e2e", "internal/llmtest/historytest"}, name); kit || strings.HasPrefix(e.Name(), ".") && name != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range quoted.FindAllSubmatch(data, -1) {
			if tool := string(m[1]); name != "tools/"+tool+".go" && !mayName(name, tool) {
				t.Errorf("%s names the tool %s: say in its Traits what is to be known of it", name, tool)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func mayName(file, tool string) bool {
	for place, tools := range namedIn {
		if (file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place)) && (tools == nil || slices.Contains(tools, tool)) {
			return true
		}
	}
	return false
}
