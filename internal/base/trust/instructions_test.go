package trust

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstructions(t *testing.T) {
	private := func(name string) bool { return name == "AGENTS.md" }
	for name, c := range map[string]struct {
		files   map[string]string
		private func(string) bool
		want    string // the file's content; empty if there is none
		why     string
	}{
		"nothing":              {},
		"both":                 {files: map[string]string{"AGENTS.md": "a", "CLAUDE.md": "c"}, want: "AGENTS.md"},
		"the other":            {files: map[string]string{"CLAUDE.md": "c"}, want: "CLAUDE.md"},
		"private":              {files: map[string]string{"AGENTS.md": "a"}, private: private},
		"private, the other":   {files: map[string]string{"AGENTS.md": "a", "CLAUDE.md": "c"}, private: private, want: "CLAUDE.md"},
		"blank":                {files: map[string]string{"AGENTS.md": " \n", "CLAUDE.md": "c"}},
		"no text":              {files: map[string]string{"AGENTS.md": "a\xff"}, want: "AGENTS.md", why: "UTF-8"},
		"large":                {files: map[string]string{"AGENTS.md": strings.Repeat("a", maxInstructions+1)}, want: "AGENTS.md", why: "64 KB"},
		"as large as they may": {files: map[string]string{"AGENTS.md": strings.Repeat("a", maxInstructions)}, want: "AGENTS.md"},
		"a folder":             {files: map[string]string{"AGENTS.md/x.md": "a"}, want: "AGENTS.md", why: "regular"},
		"below":                {files: map[string]string{"sub/AGENTS.md": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range c.files {
				at := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = root.Close() }()
			f, there := Instructions(root, c.private)
			if there != (c.want != "") || there && (f.Name != c.want || !strings.Contains(f.Why, c.why) || (c.why == "") != (f.Why == "")) {
				t.Errorf("%v, %+v", there, f)
			}
		})
	}
}
