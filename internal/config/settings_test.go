package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"
)

// What each row says of its setting is so.
func TestRows(t *testing.T) {
	rows := rowsOf(Defaults())
	for i, r := range rows {
		if len(r.about) > 76 || r.about == "" || strings.HasSuffix(r.about, ".") {
			t.Errorf("%s: %q is nothing, too long for a line, or ends with a full stop", r.key, r.about)
		}
		if r.more != "" && !strings.HasSuffix(r.more, ".") {
			t.Errorf("%s: %q are no sentences", r.key, r.more)
		}
		if !slices.Contains(settingsOrder, r.group) {
			t.Errorf("%s has the group %q", r.key, r.group)
		}
		if slices.ContainsFunc(rows[:i], func(o row) bool { return o.key == r.key }) {
			t.Errorf("%s is there twice", r.key)
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
				t.Fatalf("%s takes anything", r.key)
			}
			for _, c := range h.choices {
				if !strings.Contains(err.Error(), c) {
					t.Errorf("%s: the error does not name %q: %v", r.key, c, err)
				}
			}
		}
	}
}

// What Settings says of a value can be written as it is said.
func TestSettingsCanBeWritten(t *testing.T) {
	for _, s := range Defaults().Settings() {
		if s.Kind == KindFixed || s.Value == "" {
			continue
		}
		text, err := literal(s.Key, s.Value, "\n")
		if err != nil {
			t.Errorf("%s = %q: %v", s.Key, s.Value, err)
			continue
		}
		if _, err := setLiteral("", s.Key, text); err != nil {
			t.Errorf("%s = %s: %v", s.Key, text, err)
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
		t.Errorf("a key is shown: %s", all)
	}
	if !strings.Contains(all, "(hidden)") {
		t.Errorf("nothing says that there is a key: %s", all)
	}
}

func TestSetLiteral(t *testing.T) {
	tests := []struct{ name, file, key, literal, want string }{
		{"an empty file", "", "theme", `"warm"`, "theme = \"warm\"\n"},
		{"in its place", "# a\ntheme = \"dark\" # b\nmouse = true\n", "theme", `"warm"`, "# a\ntheme = \"warm\" # b\nmouse = true\n"},
		{"below the comment that shows it", "# The colours.\n# theme = \"auto\"\n\n# Wheel.\n# mouse = true\n", "theme", `"warm"`, "# The colours.\n# theme = \"auto\"\ntheme = \"warm\"\n\n# Wheel.\n# mouse = true\n"},
		{"below a comment of many lines", "# information_architecture = \"\"\"\n# one\n# \"\"\"\n\nmouse = true\n", "information_architecture", `"x"`, "# information_architecture = \"\"\"\n# one\n# \"\"\"\ninformation_architecture = \"x\"\n\nmouse = true\n"},
		{"a comment of another key", "# my_theme = \"auto\"\nmouse = true\n", "theme", `"warm"`, "# my_theme = \"auto\"\nmouse = true\n\ntheme = \"warm\"\n"},
		{"before a table", "mouse = true\n\n[prices.x]\ninput = 1\noutput = 2\n", "theme", `"warm"`, "mouse = true\n\ntheme = \"warm\"\n\n[prices.x]\ninput = 1\noutput = 2\n"},
		{"in a table", "[smarthole] # ours\nenabled = true\n# url = \"x\"\n\n[prices.x]\ninput = 1\noutput = 2\n", "smarthole.name", `"n"`, "[smarthole] # ours\nenabled = true\nname = \"n\"\n# url = \"x\"\n\n[prices.x]\ninput = 1\noutput = 2\n"},
		{"below its comment in a table", "[smarthole]\n# url = \"x\"\nenabled = true\n", "smarthole.url", `"y"`, "[smarthole]\n# url = \"x\"\nurl = \"y\"\nenabled = true\n"},
		{"its place in a table", "[smarthole]\nenabled = true # c\n", "smarthole.enabled", "false", "[smarthole]\nenabled = false # c\n"},
		{"a table that is not there", "theme = \"dark\"\n", "smarthole.enabled", "true", "theme = \"dark\"\n\n[smarthole]\nenabled = true\n"},
		{"with dots", "smarthole.enabled = true # c\ntheme = \"dark\"\n", "smarthole.enabled", "false", "smarthole.enabled = false # c\ntheme = \"dark\"\n"},
		{"another with dots", "smarthole.enabled = true\ntheme = \"dark\"\n", "smarthole.name", `"n"`, "smarthole.enabled = true\nsmarthole.name = \"n\"\ntheme = \"dark\"\n"},
		{"CR LF", "mouse = true\r\n# theme = \"x\"\r\n", "theme", `"warm"`, "mouse = true\r\n# theme = \"x\"\r\ntheme = \"warm\"\r\n"},
		{"no end of the last line", "[smarthole]\nenabled = true", "smarthole.name", `"n"`, "[smarthole]\nenabled = true\nname = \"n\"\n"},
		{"a key in quotes with =", "\"a=b\" = 1\n'theme' = \"dark\"\n", "theme", `"warm"`, "\"a=b\" = 1\n'theme' = \"warm\"\n"},
		{"a table in quotes", "[\"smarthole\"]\nenabled = true\n", "smarthole.enabled", "false", "[\"smarthole\"]\nenabled = false\n"},
		{"a list of tables", "[[x]]\ntheme = \"no\"\n", "theme", `"warm"`, "theme = \"warm\"\n\n[[x]]\ntheme = \"no\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := setLiteral(tt.file, tt.key, tt.literal)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
	if _, err := setLiteral("smarthole = { enabled = true }\n", "smarthole.name", `"n"`); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("an inline table: %v", err)
	}
}

func TestUnsetKey(t *testing.T) {
	tests := []struct{ name, file, key, want string }{
		{"not there", "mouse = true\n", "theme", "mouse = true\n"},
		{"with its comment", "theme = \"dark\" # at night\nmouse = true\n", "theme", "# theme = \"dark\" # at night\nmouse = true\n"},
		{"of many lines", "private = [\n  \"a\", # why\n]\nmouse = true\n", "private", "# private = [\n#   \"a\", # why\n# ]\nmouse = true\n"},
		{"in a table", "[smarthole]\nurl = \"x\"\nenabled = true\n", "smarthole.url", "[smarthole]\n# url = \"x\"\nenabled = true\n"},
	}
	for _, tt := range tests {
		got, err := unsetKey(tt.file, tt.key)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v\nwant %q", tt.name, got, err, tt.want)
		}
	}
}

// Whatever stands in a file, giving a key a value changes that value alone, byte for byte, and a
// key that is taken away and given again is where it was.
func TestEditsChangeNothingElse(t *testing.T) {
	lines := []string{
		"# a comment", "", "mouse = true   # wheel", "journal_days = 30", "private = [\n\t\"Diary/\", # mine\n\t'{a,b}.md',\n]",
		"user_name = \"I = \\\"me\\\" # no comment\"", "retrospection_prompt = \"\"\"\ntheme = 'x'\n[smarthole]\n\"\"\"", "# theme = \"auto\"", "  'notify'  =  'bell'", "\taccessible=false",
	}
	tables := []string{"[smarthole]\nenabled = true # yes\n# name = \"x\"\nurl = 'ws://127.0.0.1:1'", "[prices.\"a.b\"]\ninput = 1\noutput = 2.5 # dear", "[providers.x]\nbase_url = \"https://x.example/v1\"\n\n# the end"}
	values := map[string][]string{"theme": {"warm", "none"}, "mouse": {"false", "true"}, "journal_days": {"7"}, "private": {"A/, *.x.md", "{a,b}"}, "user_name": {"Inés \"the\" \\ first"}, "smarthole.name": {"here"}, "smarthole.enabled": {"false"}, "budget_usd": {"0.25"}, "information_architecture": {"One.\nTwo \"\"\" three."}}
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		some := rapid.Permutation(lines).Draw(t, "lines")[:rapid.IntRange(0, len(lines)).Draw(t, "n")]
		after := rapid.Permutation(tables).Draw(t, "tables")[:rapid.IntRange(0, len(tables)).Draw(t, "m")]
		file := strings.Join(append(slices.Clone(some), after...), "\n")
		if rapid.Bool().Draw(t, "ended") {
			file += "\n"
		}
		file = strings.ReplaceAll(file, "\n", eol)
		eol = lineEnd(file) // a file of one line has none of its own
		key := rapid.SampledFrom(keys).Draw(t, "key")
		text, err := literal(key, rapid.SampledFrom(values[key]).Draw(t, "value"), eol)
		if err != nil {
			t.Fatal(err)
		}
		old, was := findKey(outlineOf(file), strings.Split(key, "."))
		got, err := setLiteral(file, key, text)
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		if was {
			value := text
			if strings.Contains(file[old.from:old.to], eol) && strings.HasPrefix(text, "[") { // TestSetList looks into it
				value, _ = reList(file[old.from:old.to], text)
				if !strings.Contains(value, "# mine") {
					t.Fatalf("%q lost its comment", value)
				}
			}
			if want := file[:old.from] + value + file[old.to:]; got != want {
				t.Fatalf("%q\nbecame %q\nnot    %q", file, got, want)
			}
		} else {
			k, ok := findKey(outlineOf(got), strings.Split(key, "."))
			if !ok || got[k.from:k.to] != text {
				t.Fatalf("%q is not in %q", text, got)
			}
			// What was there is all there, in its order; lines are all that came.
			rest := got[:k.line.from] + got[k.line.to:]
			if strings.ReplaceAll(strings.ReplaceAll(rest, "[smarthole]"+eol, ""), eol, "") != strings.ReplaceAll(strings.ReplaceAll(file, "[smarthole]"+eol, ""), eol, "") {
				t.Fatalf("%q\nbecame %q", file, got)
			}
		}
		var tree map[string]any
		if _, err := toml.Decode(got, &tree); err != nil {
			t.Fatal(err)
		}
		gone, err := unsetKey(got, key)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(file, eol) { // no comment is lost
			if strings.HasPrefix(line, "#") && !strings.Contains(gone, line) {
				t.Fatalf("%q is lost in %q", line, gone)
			}
		}
	})
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

func edit(t *testing.T, in Sources, kind Kind, key, typed string) error {
	t.Helper()
	e, err := EditSetting(in, kind, key, &typed)
	if err != nil {
		return err
	}
	return e.Apply()
}

func TestEditSetting(t *testing.T) {
	in := sourcesWith(t, "# mine\nmouse = true\n", "# ours\napproval = \"destructive\"\n")
	for _, tt := range []struct {
		in         Kind
		key, typed string
		want       string // of the error; empty: none
	}{
		{UserFile, "theme", "Warm", ""},
		{UserFile, "theme", "pink", `must be auto, dark, light, warm, paper, contrast, contrast-light or none, not "pink"`},
		{UserFile, "journal_days", "many", `must be a whole number from 1 to 36500, not "many"`},
		{UserFile, "journal_days", "007", ""},
		{UserFile, "budget_usd", "1", ""},
		{UserFile, "base_url", "http://far.example/v1", "unencrypted"},
		{UserFile, "api_key", "sk-1234567890", "is edited in the file"},
		{UserFile, "fallback", "x", `must be "provider/model"`},
		{UserFile, "fallback", "a/b, c/d", ""},
		{UserFile, "approval", "writes", "may only strengthen approval"}, // the vault's says less
		{VaultFile, "approval", "off", ""},
		{VaultFile, "base_url", "https://x.example/v1", "may not be set by the file of a vault"},
		{VaultFile, "model", "a/b", "no provider/model"},
		{VaultFile, "model", "b", ""},
		{Environment, "theme", "dark", "is not a file"},
		{UserFile, "nonsense", "1", "unknown key"},
	} {
		err := edit(t, in, tt.in, tt.key, tt.typed)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s = %s: %v, want %q", tt.key, tt.typed, err, tt.want)
		}
	}
	user, _ := os.ReadFile(in.UserFile)
	if want := "# mine\nmouse = true\n\ntheme = \"warm\"\njournal_days = 7\nbudget_usd = 1.0\nfallback = [\"a/b\", \"c/d\"]\n"; strings.ReplaceAll(string(user), "\n\n", "\n") != strings.ReplaceAll(want, "\n\n", "\n") {
		t.Errorf("the user's file is %q", user)
	}
	if info, err := os.Stat(in.UserFile); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode: %v, %v", info.Mode(), err)
	}
	vault, _ := os.ReadFile(VaultPath(in.VaultDir))
	if want := "# ours\napproval = \"off\"\n\nmodel = \"b\"\n"; string(vault) != want {
		t.Errorf("the vault's file is %q", vault)
	}
}

// A file that is wrong already, elsewhere, can still be edited; one that is no TOML cannot; a new
// one is its owner's alone; a link stays one; what somebody else wrote meanwhile stays.
func TestEditSettingFiles(t *testing.T) {
	in := sourcesWith(t, "journal_days = 0\n", "")
	if err := edit(t, in, UserFile, "theme", "dark"); err != nil {
		t.Error(err)
	}
	in = sourcesWith(t, "theme = dark\n", "")
	if err := edit(t, in, UserFile, "theme", "dark"); err == nil || !strings.Contains(err.Error(), "fix it first") {
		t.Error(err)
	}
	in = sourcesWith(t, "", "")
	if err := edit(t, in, UserFile, "theme", "dark"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(in.UserFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	real := in.UserFile + ".real"
	if err := errors.Join(os.Rename(in.UserFile, real), os.Symlink(real, in.UserFile)); err != nil {
		t.Fatal(err)
	}
	if err := edit(t, in, UserFile, "theme", "warm"); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(in.UserFile); err != nil || to != real {
		t.Errorf("the link is gone: %v", err)
	}
	if data, _ := os.ReadFile(real); string(data) != "theme = \"warm\"\n" {
		t.Errorf("%q", data)
	}
	light := "light"
	e, err := EditSetting(in, UserFile, "theme", &light)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("mouse = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Apply(); !errors.Is(err, ErrChanged) {
		t.Errorf("written over: %v", err)
	}
	e, err = EditSetting(in, UserFile, "mouse", nil)
	if err == nil {
		err = e.Apply()
	}
	if data, _ := os.ReadFile(real); err != nil || string(data) != "# mouse = false\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// Every key can be found, also what is edited in the file and not there yet; choices that are explained
// are so one by one.
func TestSettingsAreComplete(t *testing.T) {
	c := Defaults()
	keys := map[string]bool{}
	for _, s := range c.Settings() {
		keys[s.Key] = true
		if s.Means != nil && len(s.Means) != len(s.Choices) {
			t.Errorf("%s: %q mean %q", s.Key, s.Choices, s.Means)
		}
		if s.Key == "approval" && len(s.Means) != 4 || s.Key == "private" && s.Until == "" {
			t.Errorf("%+v", s)
		}
	}
	for _, key := range []string{"providers", "keys", "prices", "vaults"} {
		if !keys[key] {
			t.Errorf("%s is not listed", key)
		}
	}
	c.Prices = map[string]Price{"m": {Input: 1, Output: 2}}
	for _, s := range c.Settings() {
		if s.Key == "prices" {
			t.Error("prices is listed beside prices.m")
		}
	}
}
