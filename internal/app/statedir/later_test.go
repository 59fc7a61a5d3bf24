package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStateOfLaterVersion: state of a newer version is neither used nor changed, whatever its record contains.
func TestStateOfLaterVersion(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"the same form": func(r string) string { return strings.Replace(r, `"schema":1`, `"schema":2`, 1) },
		"another form":  func(string) string { return `{"schema":9,"path":["x"],"folder":7}` },
		"and out of date": func(r string) string {
			return strings.Replace(strings.Replace(r, `"schema":1`, `"schema":2`, 1), `"seen":"2`, `"seen":"1`, 1)
		},
		"and names itself": func(r string) string { return strings.Replace(r, `"schema":1`, `"schema":2,"by":"v2.0.0"`, 1) },
		"and for no place": func(string) string { return `{"schema":2}` },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			v := p.vault("v", "a.md")
			p.say(v, "hello")
			root, err := p.dirs.Look(v)
			if err != nil {
				t.Fatal(err)
			}
			record := filepath.Join(root.Name(), recordFile)
			_ = root.Close()
			data, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			was := change(string(data))
			if was == string(data) {
				t.Fatalf("not changed: %s", data)
			}
			if err := os.WriteFile(record, []byte(was), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := p.dirs.Open(v); !errors.Is(err, ErrLater) {
				t.Errorf("opened: %v", err)
			}
			if _, err := p.dirs.Look(v); !errors.Is(err, ErrLater) || strings.Contains(err.Error(), "chatvault v2.0.0") != strings.Contains(was, "v2.0.0") {
				t.Errorf("looked at: %v", err)
			}
			if is, err := os.ReadFile(record); err != nil || string(is) != was {
				t.Errorf("%q became %q (%v)", was, is, err)
			}
			if left, err := os.ReadDir(p.dirs.Base); err != nil || len(left) > 2 { // the lock and the folder
				t.Errorf("made beside it: %v (%v)", left, err)
			}
		})
	}
}
