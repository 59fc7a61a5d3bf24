package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func set(in Sources, inVault bool, key, typed string) error {
	_, err := SetSetting(in, inVault, key, &typed)
	return err
}

func TestSetSetting(t *testing.T) {
	const user, vault = "# mine\nmouse = true\n\n[providers.x]\nbase_url = \"https://x.example/v1\"\n", "# ours\nnotify = \"bell\"\nprompt = \"full\"\n"
	in := sourcesWith(t, user, vault)
	for _, tt := range []struct {
		inVault    bool
		key, typed string
		want       string // expected error; empty if none
	}{
		{false, "theme", "Warm", ""},
		{false, "theme", "pink", `must be auto, dark, light, warm, contrast, contrast-light or none, not "pink"`},
		{false, "journal_days", "many", `must be a whole number from 1 to 36500`},
		{false, "journal_days", "007", ""},
		{false, "budget_usd", "1", ""},
		{false, "base_url", "http://far.example/v1", "unencrypted"},
		{false, "api_key", "sk-1234567890", "is edited in the file"},
		{false, "fallback", "x", `must be "provider/model"`},
		{false, "fallback", "a/b, c/d", ""},
		{false, "private", "Diary/, {a,b}.md", ""},
		{false, "smarthole.name", "here", ""},
		{false, "smarthole.enabled", "yes", ""},
		{true, "mouse", "false", ""},
		{false, "notify", "off", ""},
		{true, "approval", "writes", ""},
		{true, "base_url", "https://x.example/v1", "may not be set by the file of a vault"},
		{true, "max_tool_iterations", "11", "a vault may only lower it"},
		{true, "max_tool_iterations", "9", ""},
		{true, "model", "a/b", "no provider/model"},
		{true, "model", "b", ""},
		{true, "information_architecture", "One.\r\nTwo \"\"\" three.", ""},
		{false, "nonsense", "1", "unknown key"},
		{false, "retrospection_prompt", "\xff", "must be text in quotes"},
	} {
		err := set(in, tt.inVault, tt.key, tt.typed)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s = %s: %v, want %q", tt.key, tt.typed, err, tt.want)
		}
	}
	for path, want := range map[string]string{in.UserFile: user, VaultPath(in.VaultDir): vault} {
		if data, _ := os.ReadFile(path); string(data) != want {
			t.Errorf("%s was written: %q", path, data)
		}
	}
	in.Agreed = func(_, name string, _ []byte) bool { return name == vaultSettings } // but not to its config.toml
	c, err := Load(in)
	if err != nil || len(c.Warnings) > 0 {
		t.Fatal(err, c.Warnings)
	}
	path := SettingsPath(in.UserFile)
	got := map[string]string{}
	for _, s := range c.Settings() {
		got[s.Key] += s.Shown + " " + strings.TrimPrefix(s.From.String(), path) + "|"
	}
	for key, want := range map[string]string{
		"theme": "warm :", "journal_days": "7 :", "fallback": "a/b, c/d :", "private": "Diary/, {a,b}.md :", "smarthole.enabled": "true :",
		"mouse": "false " + SettingsPath(VaultPath(in.VaultDir)) + ":", "approval": "writes ", "model": "b ", "max_tool_iterations": "9 ",
		"notify": "off :", "prompt": "auto default", // the vault's config.toml overrides it
	} {
		if !strings.HasPrefix(got[key], want) {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if c.Architecture.V != "One.\nTwo \"\"\" three.\n" || c.OwnModel.V != "" {
		t.Errorf("%q, %q", c.Architecture.V, c.OwnModel.V)
	}

	// Another vault is unaffected.
	other := in
	other.VaultDir = t.TempDir()
	if c, err := Load(other); err != nil || c.Approval.Set() || c.Model.Set() || !c.Mouse.V || c.Theme.V != "warm" {
		t.Errorf("%+v, %v", c.Screen, err)
	}

	// An untrusted settings.toml in a vault can do no more than its config.toml.
	in.Agreed = nil
	if c, err := Load(in); err != nil || c.Model.Set() || c.Architecture.Set() || c.Approval.V != ApprovalWrites || len(c.Unagreed) != 4 {
		t.Errorf("%+v, %v", c.Unagreed, err)
	}
	if files, err := VaultFiles(in.VaultDir); err != nil || len(files) != 2 {
		t.Errorf("%q, %v", files, err)
	}

	// Removing a setting unsets it; removing an unset one reports that.
	for _, was := range []bool{true, false} {
		if c, err := SetSetting(in, false, "theme", nil); (string(c.Before) != string(c.After)) != was || err != nil {
			t.Errorf("%q, %v", c.After, err)
		}
	}
	if c, _ := Load(in); c.Theme.Set() || c.JournalDays.V != 7 {
		t.Errorf("%+v", c.Theme)
	}
}

// TestConfigFileTakesPrecedence: a config.toml overrides what was set in the program, in both scopes.
func TestConfigFileTakesPrecedence(t *testing.T) {
	in := sourcesWith(t, "", "")
	for _, inVault := range []bool{false, true} {
		for key, typed := range map[string]string{"theme": "warm", "user_name": "Ines"} {
			if err := set(in, inVault, key, typed); err != nil {
				t.Fatal(err)
			}
		}
	}
	in.Agreed = func(string, string, []byte) bool { return true }
	write(t, in.UserFile, "theme = \"dark\"\nuser_name = \"Person\"\n")
	if c, _ := Load(in); c.Theme.V != "warm" || c.Theme.Origin.Kind != VaultSettings || c.Theme.Origin.Line == 0 {
		t.Errorf("%+v", c.Theme) // for this vault
	}
	write(t, VaultPath(in.VaultDir), "theme = \"light\"\n")
	if c, _ := Load(in); c.Theme.V != "light" || c.Theme.Origin.Kind != VaultFile {
		t.Errorf("%+v", c.Theme)
	}
	in.VaultDir = ""
	if c, _ := Load(in); c.Theme.V != "dark" || c.UserName.V != "Person" || c.Theme.Origin.Kind != UserFile {
		t.Errorf("%+v, %+v", c.Theme, c.UserName)
	}
}

// TestDamagedSettings: a faulty settings file does not prevent the start, and a warning lists what is ignored. A file
// that cannot be parsed is not overwritten.
func TestDamagedSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		file, want string
		kept       bool // the rest of the file is used
	}{
		"a bad value":         {"schema = 1\njournal_days = 0\ntheme = \"warm\"\n", "settings.toml:2: journal_days: must be a whole number from 1 to 36500; this setting is not used", true},
		"an unknown key":      {"schema = 1\nfuture = 0\ntheme = \"warm\"\n", "settings.toml:2: future: unknown key", true},
		"unknown in a table":  {"schema = 1\ntheme = \"warm\"\n[smarthole]\nfuture = 1\n", "smarthole.future: unknown key", true},
		"a value for a table": {"schema = 1\ntheme = \"warm\"\nsmarthole = 3\n", "smarthole: must be a table", true},
		"no TOML":             {"schema = 1\ntheme = \n", "settings.toml:2: is not valid TOML", false},
		"of another program":  {"theme = \"warm\"\n", "settings.toml: schema: must be 1, the version of the file", false},
		"of a later version":  {"schema = 2\ntheme = \"warm\"\n", "settings.toml:1: schema: must be 1, the version of the file; if it is later, update chatvault, so no setting in it is used", false},
		"empty":               {"", "settings.toml: schema: must be 1, the version of the file", false},
	} {
		t.Run(name, func(t *testing.T) {
			in := sourcesWith(t, "mouse = false\n", "")
			path := SettingsPath(in.UserFile)
			file := tt.file
			write(t, path, file)
			c, err := Load(in)
			if err != nil || c.Mouse.V || !strings.Contains(strings.Join(c.Warnings, "\n"), tt.want) {
				t.Fatalf("%v, %q", err, c.Warnings)
			}
			if c.JournalDays.V != 30 || c.BaseURL.V != "" || len(c.Private) > 0 || len(c.MCP) > 0 || (c.Theme.V == "warm") != tt.kept {
				t.Errorf("%+v", c.Theme)
			}
			understood := strings.HasPrefix(file, "schema = 1\n") && name != "no TOML"
			if err := set(in, false, "notify", "bell"); (err == nil) != understood {
				t.Errorf("set: %v", err)
			}
			if data, _ := os.ReadFile(path); string(data) != file && !understood {
				t.Errorf("the file was overwritten: %q", data)
			}
		})
	}
}

// TestProtectiveSettings: a faulty setting that protects notes is not ignored; a stricter approval in the user's
// file stays in force.
func TestProtectiveSettings(t *testing.T) {
	in := sourcesWith(t, "approval = \"writes\"\n", "")
	in.CheckGlob = func(glob string) error {
		if glob == "bad" {
			return errors.New("no glob")
		}
		return nil
	}
	for file, want := range map[string]string{
		"schema = 1\nprivate = [\"Diary/\", \"bad\"]\n":    "settings.toml:2: private: no glob",
		"schema = 1\napproval = \"later\"\n":               "settings.toml:2: approval: must be off,",
		"schema = 1\nprivate = [\"Diary/\", \ntheme = 1\n": "settings.toml: sets what is private or when to ask you, so it is not ignored: fix it, or move it away and set that again (",
		"private = [\"Diary/\"]\n":                         "settings.toml: sets what is private",
	} {
		write(t, SettingsPath(in.UserFile), file)
		if _, err := Load(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
	write(t, SettingsPath(in.UserFile), "schema = 1\n")
	write(t, SettingsPath(VaultPath(in.VaultDir)), "schema = 1\napproval = \"off\"\n")
	if c, err := Load(in); err != nil || c.Approval.V != ApprovalWrites || !strings.Contains(strings.Join(c.Warnings, "\n"), "may only strengthen approval") {
		t.Errorf("%v, %+v, %q", err, c.Approval, c.Warnings)
	}
}

// TestDamagedVaultSettings: a fault in a vault's file is a warning too. A symbolic link is not followed.
func TestDamagedVaultSettings(t *testing.T) {
	in := sourcesWith(t, "mouse = false\n", "theme = \"light\"\n")
	path := SettingsPath(VaultPath(in.VaultDir))
	write(t, path, "schema = 1\nbase_url = \"https://x.example\"\nmax_tool_iterations = 11\napproval = \"writes\"\n")
	c, err := Load(in)
	if warnings := strings.Join(c.Warnings, "\n"); err != nil || c.BaseURL.Set() || c.MaxToolIterations.V != 10 || c.Approval.V != ApprovalWrites || c.Theme.V != "light" ||
		!strings.Contains(warnings, "base_url: may not be set by the file of a vault") || !strings.Contains(warnings, "max_tool_iterations: a vault may only lower it (it is 10), not set it to 11") {
		t.Errorf("%v, %q", err, warnings)
	}
	if err := errors.Join(os.Remove(path), os.Symlink(in.UserFile, path)); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(in); err != nil || !strings.Contains(strings.Join(c.Warnings, "\n"), "is not a regular file; move it away, so no setting in it is used") {
		t.Errorf("%v, %q", err, c.Warnings)
	}
	if err := set(in, true, "mouse", "true"); err == nil {
		t.Error("the write followed a symbolic link")
	}
}

// TestSettingsFiles: in a folder that others can read, the file is still private; a symbolic link is kept; a
// concurrent change by another program is kept.
func TestSettingsFiles(t *testing.T) {
	in := sourcesWith(t, "", "")
	in.UserFile = filepath.Join(t.TempDir(), "new", "config.toml")
	path := SettingsPath(in.UserFile)
	if err := set(in, false, "theme", "dark"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	real := path + ".real"
	if err := errors.Join(os.Rename(path, real), os.Symlink(real, path)); err != nil {
		t.Fatal(err)
	}
	if err := set(in, false, "theme", "warm"); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(path); err != nil || to != real {
		t.Errorf("the link was replaced: %v", err)
	}
	written, err := os.ReadFile(real)
	if err != nil || string(written) != settingsHead+"schema = 1\ntheme = \"warm\"\n" {
		t.Errorf("%q, %v", written, err)
	}
}

// TestSettingsRoundTrip: any text that is set is read back unchanged and changes no other setting.
func TestSettingsRoundTrip(t *testing.T) {
	in := sourcesWith(t, "mouse = false\n", "")
	in.Agreed = func(string, string, []byte) bool { return true }
	if err := set(in, false, "theme", "light"); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "t" + rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\\'\n\t[]{}#=,\x00\x7f")))).Draw(t, "text") + "t"
		inVault := rapid.Bool().Draw(t, "vault")
		if err := set(in, inVault, "information_architecture", text); err != nil {
			t.Fatal(err)
		}
		src := in
		if !inVault {
			src.VaultDir = ""
		}
		c, err := Load(src)
		if want := strings.ReplaceAll(text, "\r\n", "\n") + "\n"; err != nil || c.Architecture.V != want || c.Theme.V != "light" {
			t.Fatalf("%q was read as %q, %v, %q", text, c.Architecture.V, err, c.Warnings)
		}
	})
}
