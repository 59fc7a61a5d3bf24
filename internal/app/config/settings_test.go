package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRows: each row describes its setting correctly.
func TestRows(t *testing.T) {
	rows := rowsOf(Defaults())
	for i, r := range rows {
		if len(r.about) > 76 || r.about == "" || strings.HasSuffix(r.about, ".") {
			t.Errorf("%s: %q is empty, too long for a line, or ends with a period", r.key, r.about)
		}
		if slices.ContainsFunc(rows[:i], func(o row) bool { return o.key == r.key }) {
			t.Errorf("%s is duplicated", r.key)
		}
		h := r.holds
		if (h.kind == KindChoice) != (len(h.choices) > 1) {
			t.Errorf("%s is a %s with the choices %v", r.key, h.kind, h.choices)
		}
		for _, c := range h.choices {
			if err := h.set(c, Origin{}); err != nil {
				t.Errorf("%s = %q: %v", r.key, c, err)
			}
		}
		if h.kind == KindChoice {
			err := h.set("no such choice", Origin{})
			if err == nil {
				t.Fatalf("%s accepts any value", r.key)
			}
			for _, c := range h.choices {
				if !strings.Contains(err.Error(), c) {
					t.Errorf("%s: the error does not name %q: %v", r.key, c, err)
				}
			}
		}
	}
}

// TestSettingsCanBeSet: the values returned by Settings can be set again.
func TestSettingsCanBeSet(t *testing.T) {
	for _, s := range Defaults().Settings() {
		if s.Kind == KindFixed || s.Value == "" {
			continue
		}
		if _, err := SetSetting(sourcesWith(t, "", ""), false, s.Key, &s.Value); err != nil {
			t.Errorf("%s = %q: %v", s.Key, s.Value, err)
		}
	}
}

func TestSettingsHideSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	const key = "sk-secret-0123456789abcdef"
	text := "api_key = \"" + key + "\"\n[providers.x]\nbase_url = \"https://x.example/v1\"\napi_key_command = \"echo " + key + "\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(Sources{UserFile: path, LookupEnv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%+v", cfg.Settings())
	if strings.Contains(all, key) {
		t.Errorf("a key is visible: %s", all)
	}
	if !strings.Contains(all, "(hidden)") {
		t.Errorf("a set key is not indicated: %s", all)
	}
}

func sourcesWith(t *testing.T, user, vault string) Sources {
	t.Helper()
	dir := t.TempDir()
	in := Sources{UserFile: filepath.Join(dir, "c", "config.toml"), VaultDir: filepath.Join(dir, "v"), LookupEnv: func(string) (string, bool) { return "", false }}
	for path, text := range map[string]string{in.UserFile: user, VaultPath(in.VaultDir): vault} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// TestSettingsAreComplete: Settings lists every key, including unset ones of the file. Either all choices have a
// description or none.
func TestSettingsAreComplete(t *testing.T) {
	c := Defaults()
	keys := map[string]bool{}
	for _, s := range c.Settings() {
		keys[s.Key] = true
		if s.Means != nil && len(s.Means) != len(s.Choices) {
			t.Errorf("%s: %q mean %q", s.Key, s.Choices, s.Means)
		}
		if s.Key == "approval" && len(s.Means) != 4 {
			t.Errorf("%+v", s)
		}
	}
	for _, key := range []string{"providers", "keys", "prices"} {
		if !keys[key] {
			t.Errorf("%s is not listed", key)
		}
	}
	c, err := layers{user: "[prices.m]\ninput = 1\noutput = 2\n"}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Settings() {
		if s.Key == "prices" {
			t.Error("prices is listed in addition to prices.m")
		}
	}
}
