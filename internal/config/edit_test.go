package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"
)

// setText gives a key a text of many lines.
func setText(file, key, text string) (string, error) {
	return setLiteral(file, key, quoteText(text, lineEnd(file)))
}

func TestSetText(t *testing.T) {
	const key = "information_architecture"
	tests := []struct{ name, file, text, want string }{
		{"an empty file", "", "One.\nTwo.", "information_architecture = \"\"\"\nOne.\nTwo.\n\"\"\"\n"},
		{
			"its value alone is replaced", "# ours\ntheme = \"dark\" # at night\n\ninformation_architecture = \"old\"   # why\nmouse = false\n", "New.",
			"# ours\ntheme = \"dark\" # at night\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"   # why\nmouse = false\n",
		},
		{
			"several lines", "a = 1\ninformation_architecture = \"\"\"\nOld = 1\n[not.a.table]\n# no comment\n\"\"\\\" still\n\"\"\"\nb = 2\n", "New.",
			"a = 1\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\nb = 2\n",
		},
		{"several lines taken literally", "information_architecture = '''\na = \\\n''''\nb = 2\n", "New.", "information_architecture = \"\"\"\nNew.\n\"\"\"\nb = 2\n"},
		{"a literal text", "information_architecture = 'C:\\'\nb = \"#\"\n", "New.", "information_architecture = \"\"\"\nNew.\n\"\"\"\nb = \"#\"\n"},
		{"a key in quotes", "\"information\\u005farchitecture\"=\"x\"\n", "New.", "\"information\\u005farchitecture\"=\"\"\"\nNew.\n\"\"\"\n"},
		{"the last line is not ended", "theme = \"dark\"", "New.", "theme = \"dark\"\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{"the value ends the file", "information_architecture = \"x\"", "New.", "information_architecture = \"\"\"\nNew.\n\"\"\""},
		{
			"a key of that name in a table", "theme = \"dark\"\n\n# endpoints\n[providers.x]\ninformation_architecture = \"not this\"\n", "New.",
			"theme = \"dark\"\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n\n# endpoints\n[providers.x]\ninformation_architecture = \"not this\"\n",
		},
		{
			"tables alone", "# head\n\n# endpoints\n[providers.x]\na = 1\n", "New.",
			"# head\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n\n# endpoints\n[providers.x]\na = 1\n",
		},
		{"below the comment that shows it", "# information_architecture = \"x\"\n", "New.", "# information_architecture = \"x\"\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{
			"in a text, a list and an inline table", "a = \"\"\"\ninformation_architecture = 'x'\n\"\"\"\nb = [ # ]\n 'information_architecture = 1', [\"]\"],\n]\nc = { information_architecture = '}' }\n", "New.",
			"a = \"\"\"\ninformation_architecture = 'x'\n\"\"\"\nb = [ # ]\n 'information_architecture = 1', [\"]\"],\n]\nc = { information_architecture = '}' }\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n",
		},
		{"a dotted key", "x.information_architecture = 1\nx.b = 2\n", "New.", "x.information_architecture = 1\nx.b = 2\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{"a date with a space", "d = 1979-05-27 07:32:00Z # day\ninformation_architecture = 'x'\n", "New.", "d = 1979-05-27 07:32:00Z # day\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{
			"lines that end in CR LF", "theme = \"dark\"\r\ninformation_architecture = \"x\" # c\r\n\r\nmouse = true\r\n", "One.\r\nTwo.",
			"theme = \"dark\"\r\ninformation_architecture = \"\"\"\r\nOne.\r\nTwo.\r\n\"\"\" # c\r\n\r\nmouse = true\r\n",
		},
		{
			"CR LF, and a table", "theme = \"dark\"\r\n[prices.x]\r\ninput = 1\r\noutput = 2\r\n", "New.",
			"theme = \"dark\"\r\n\r\ninformation_architecture = \"\"\"\r\nNew.\r\n\"\"\"\r\n\r\n[prices.x]\r\ninput = 1\r\noutput = 2\r\n",
		},
		{"a byte order mark", bom + "theme = \"dark\"\n", "New.", bom + "theme = \"dark\"\n\ninformation_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{"a byte order mark alone", bom, "New.", bom + "information_architecture = \"\"\"\nNew.\n\"\"\"\n"},
		{"what means something in TOML", "", "a \\ b\n\"\"\"\"\" [x]\n# c\x00\x7f\ttab\n\\", "information_architecture = \"\"\"\na \\\\ b\n\"\"\\\"\"\" [x]\n# c\\u0000\\u007F\ttab\n\\\\\n\"\"\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := setText(tt.file, key, tt.text)
			if err != nil || got != tt.want {
				t.Fatalf("error %v\n got %q\nwant %q", err, got, tt.want)
			}
			var c struct {
				Text string `toml:"information_architecture"`
			}
			if _, err := toml.Decode(got, &c); err != nil || strings.ReplaceAll(c.Text, "\r\n", "\n") != wholeText(tt.text) {
				t.Errorf("it reads %q, error %v", c.Text, err)
			}
			again, err := setText(got, key, tt.text)
			if err != nil || again != got {
				t.Errorf("setting it again gives %q, error %v", again, err)
			}
		})
	}
}

func TestSetTextRefusesWhatItCannotKeep(t *testing.T) {
	for name, file := range map[string]string{
		"no TOML":                "a = ",
		"a table of that name":   "[information_architecture]\na = 1\n",
		"dotted below that name": "information_architecture.a = 1\n",
	} {
		if got, err := setText(file, "information_architecture", "x"); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Whatever a file holds and whatever the text: every line that is not the key's own stays, and the
// text is read as it was given.
func TestSetTextKeepsTheRest(t *testing.T) {
	lines := []string{
		"", "# a comment with \"quotes\" and [brackets]", "theme = \"dark\"", "mouse = false # why", "  notify = 'bell'",
		"retrospection_prompt = \"\"\"\n\ninformation_architecture = 'no'\n[x]\n\"\"\"", "fallback = [\n  \"a/b\", # ]\n  'c/d',\n]", "\"odd key\" = { a = \"}\", b = [1, 2] }",
		"x.y = 1.5e3", "when = 1979-05-27T07:32:00Z",
	}
	tables := []string{"[prices.m]", "input = 1.0", "# in the table", "[[list]]", "[other]", "information_architecture = 'in a table'"}
	own := []string{"information_architecture = 'old'", "information_architecture = \"\"\"\nold\n\"\"\" # c", "'information_architecture'='old'"}
	rapid.Check(t, func(t *rapid.T) {
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
		var before []string
		pick := rapid.Permutation(lines).Draw(t, "lines")
		before = append(before, pick[:rapid.IntRange(0, len(pick)).Draw(t, "n")]...)
		mine := ""
		if rapid.Bool().Draw(t, "there") {
			mine = rapid.SampledFrom(own).Draw(t, "own")
			at := rapid.IntRange(0, len(before)).Draw(t, "at")
			before = append(before[:at:at], append([]string{mine}, before[at:]...)...)
		}
		before = append(before, tables[:rapid.IntRange(0, len(tables)).Draw(t, "tables")]...)
		file := strings.ReplaceAll(strings.Join(before, "\n"), "\n", eol)
		if rapid.Bool().Draw(t, "ended") {
			file += eol
		}
		text := "t" + rapid.String().Draw(t, "text") + rapid.SampledFrom([]string{"", `"""`, `\`, "\n\n", "[x]\n# y"}).Draw(t, "more")
		if strings.ContainsRune(text, '\r') {
			text = strings.ReplaceAll(text, "\r", "")
		}
		got, err := setText(file, "information_architecture", text)
		if err != nil {
			t.Fatalf("%v\n%q", err, file)
		}
		for _, l := range before {
			if l == mine {
				continue
			}
			if l = strings.ReplaceAll(l, "\n", eol); strings.Count(got, l) < strings.Count(file, l) && l != "" {
				t.Fatalf("%q is gone\n%q\n%q", l, file, got)
			}
		}
		var c map[string]any
		if _, err := toml.Decode(got, &c); err != nil {
			t.Fatal(err)
		}
		if read, _ := c["information_architecture"].(string); strings.ReplaceAll(read, "\r\n", "\n") != wholeText(text) {
			t.Fatalf("%q was read as %q", text, read)
		}
	})
}

// editVault is EditSetting in the file of the vault dir, where there is nothing else.
func editVault(dir, key, text string) (*Edit, error) {
	return EditSetting(Sources{VaultDir: dir, UserFile: os.DevNull, LookupEnv: func(string) (string, bool) { return "", false }}, VaultFile, key, &text)
}

func TestEditVault(t *testing.T) {
	dir := t.TempDir()
	edit := func() *Edit {
		t.Helper()
		e, err := editVault(dir, "information_architecture", "Recipes go to Recipes/.\n")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if err := os.Mkdir(filepath.Join(dir, ".smarthole"), 0o700); err != nil {
		t.Fatal(err)
	}
	e := edit()
	if e.Before != "" || !e.Changes() {
		t.Fatalf("%+v", e)
	}
	if _, err := os.Stat(e.Path); err == nil {
		t.Fatal("working it out wrote the file")
	}
	if err := e.Apply(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(e.Path); err != nil || string(data) != e.After {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Stat(e.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	c, err := Load(Sources{LookupEnv: func(string) (string, bool) { return "", false }, UserFile: os.DevNull, VaultDir: dir, Agreed: func(string, []byte) bool { return true }})
	if err != nil || c.Architecture.V != "Recipes go to Recipes/.\n" {
		t.Errorf("it reads %q, error %v", c.Architecture.V, err)
	}
	if edit().Changes() {
		t.Error("the same text changes the file")
	}
}

func TestEditVaultRefusesAFileThatChanged(t *testing.T) {
	for name, meddle := range map[string]func(path string) error{
		"changed": func(p string) error { return os.WriteFile(p, []byte("theme = \"light\"\n"), 0o600) },
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".smarthole", "config.toml")
			write(t, path, "theme = \"dark\"\n")
			e, err := editVault(dir, "information_architecture", "x")
			if err != nil {
				t.Fatal(err)
			}
			if err := meddle(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			if err := e.Apply(); !errors.Is(err, ErrChanged) {
				t.Errorf("error %v", err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("the file became %q", after)
			}
		})
	}
	t.Run("made", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".smarthole"), 0o700); err != nil {
			t.Fatal(err)
		}
		e, err := editVault(dir, "information_architecture", "x")
		if err != nil {
			t.Fatal(err)
		}
		write(t, e.Path, "")
		if err := e.Apply(); !errors.Is(err, ErrChanged) {
			t.Errorf("error %v", err)
		}
	})
}

func TestEditVaultRefuses(t *testing.T) {
	for _, tt := range []struct{ name, file, key, text, want string }{
		{"a key of the user's own", "", "base_url", "http://x", "may not be set by the file of a vault"},
		{"an unknown key", "", "nonsense", "x", "unknown key"},
		{"a text that is too long", "", "information_architecture", strings.Repeat("x", maxText), "at most 65536 bytes"},
		{"bytes that are no text", "", "information_architecture", "\xff", "UTF-8"},
		{"a file that is no TOML", "theme = \"dark\"\nmouse = = 1\n", "information_architecture", "x", "config.toml:2: is not valid TOML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, ".smarthole", "config.toml"), tt.file)
			_, err := editVault(dir, tt.key, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
