package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// uncommented returns the template with every setting enabled.
func uncommented() string {
	setting := regexp.MustCompile(`^# (\[[a-z].*\]|[a-z_]+ = .*)$`)
	var out []string
	within := false // within a multi-line string
	for line := range strings.Lines(Template()) {
		line = strings.TrimSuffix(line, "\n")
		bare := strings.TrimPrefix(line, "# ")
		switch {
		case within:
			out = append(out, bare)
			within = !strings.HasSuffix(bare, `"""`)
		case setting.MatchString(line):
			out = append(out, bare)
			within = strings.HasSuffix(bare, `"""`)
		}
	}
	return strings.Join(out, "\n")
}

func TestTemplateDocumentsAllSettings(t *testing.T) {
	c, err := layers{user: Template()}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if s.Set {
			t.Errorf("%s is set", s.Key)
		}
	}
	text := uncommented()
	for _, r := range rowsOf(Defaults()) {
		key := r.key
		pattern := `(?m)^(\[` + key + `[.\]]|` + key + ` = )`
		if table, inner, ok := strings.Cut(key, "."); ok {
			pattern = `(?ms)^\[` + table + `\].*^` + inner + ` = `
		}
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s is not explained", key)
		}
	}
}

func TestTemplateExamplesAreValid(t *testing.T) {
	// The three sources of a key are mutually exclusive: try them one by one.
	ways := []string{"api_key_command", "api_key_env", "api_key"}
	for _, way := range ways {
		text := uncommented()
		top, tables, _ := strings.Cut(text, "\n[")
		for _, other := range ways {
			if other != way {
				top = regexp.MustCompile(`(?m)^`+other+` = .*$`).ReplaceAllString(top, "")
			}
		}
		top = strings.Replace(top, "sk-…", "sk-example", 1)
		c, err := layers{user: top + "\n[" + tables}.load(t)
		if err != nil {
			t.Fatalf("%s:\n%v", way, err)
		}
		// The template shows the actual defaults.
		is, want := rowsOf(c), rowsOf(Defaults())
		for i, r := range is {
			if r.example != "" || r.holds.show == nil {
				continue
			}
			value, _ := r.holds.show()
			if def, _ := want[i].holds.show(); value != def {
				t.Errorf("the template shows %s = %q; the default is %q", r.key, value, def)
			}
		}
	}
}

func TestInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config.toml")
	if err := Init(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	write(t, path, "theme = \"dark\"")
	if err := Init(path); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "theme = \"dark\"" {
		t.Errorf("the file was changed: %q, %v", data, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}
