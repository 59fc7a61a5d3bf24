package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// TestThemeSettingsModelRemembered chooses a theme, with a preview, a setting, a key and a model. The next start has
// them, and config.toml is unchanged.
func TestThemeSettingsModelRemembered(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-0123456789abcdef"
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"small", "large-model", "text-embedding-3"}, APIKey: key}, llmtest.Reply("The large one speaks."))
	home := t.TempDir()
	vault, config := filepath.Join(home, "Notes"), filepath.Join(home, "c", "chatvault", "config.toml")
	file := "# mine\nmouse = true # wheel\n\n[providers.attic]\nbase_url = \"" + srv.URL() + "\" # upstairs\n"
	for path, text := range map[string]string{
		config: file, filepath.Join(vault, "Home.md"): "# Home\n",
		filepath.Join(vault, "Garden fence.md"): "# Garden fence\nThe fence along the northern edge is a metre high and green.\n- [ ] paint it\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func() chat {
		t.Helper()
		env := ptytest.Env("HOME="+home, "XDG_CONFIG_HOME="+home+"/c", "XDG_STATE_HOME="+home+"/s", "XDG_DATA_HOME="+home+"/d", "CHATVAULT_KEYRING=off", "COLORTERM=truecolor")
		c := chat{ptytest.Start(t, ptytest.Options{Path: chatvault(t), Args: []string{"--vault", vault}, Dir: home, Env: env}), vault}
		c.WaitFor("Ask about your notes", patience)
		return c
	}
	c := open()
	c.WaitFor("/model chooses another", patience)
	c.WaitFor("What do I know about Garden fence?", patience)

	const lightAccent, warmAccent = "38;2;107;63;212", "38;2;232;161;91"
	c.send("/theme")
	c.WaitFor("quiet colours on a light background", patience)
	c.Type("warm")
	c.WaitUntil("warm is seen", patience, func(string) bool { return strings.Contains(string(c.Raw()), warmAccent) })
	c.Press("esc")
	c.WaitUntil("the list is gone", patience, func(s string) bool { return !strings.Contains(s, "amber and earth") })
	if text := read(t, config); text != file {
		t.Fatalf("looking wrote to the file: %q", text)
	}
	c.send("/theme light")
	c.WaitFor("Theme: light, kept in ~/c/chatvault/settings.toml", patience)

	c.send("/settings")
	c.WaitFor("changes are for all vaults", patience)
	c.Type("journal_days")
	c.WaitUntil("it is marked", patience, func(s string) bool { return strings.Contains(s, "› journal_days ") && strings.Contains(s, "30") })
	c.Press("enter")
	c.WaitFor("A number.", patience)
	c.Type("9999999\r")
	c.WaitFor("Must be a whole number from 1 to 36500", patience)
	c.Press("ctrl+u")
	c.Type("14\r")
	c.WaitFor("journal_days: 14, kept in", patience)
	c.Press("ctrl+u")
	c.Type("mouse")
	c.WaitFor("config.toml:2 overrides it", patience)
	c.Press("enter")
	c.WaitFor("kept in ~/c/chatvault/settings.toml, but", patience)
	c.Press("esc")
	c.WaitUntil("the settings are gone", patience, func(s string) bool { return !strings.Contains(s, "changes are for all vaults") })

	c.send("/model")
	c.WaitUntil("the endpoint refused", patience, func(s string) bool {
		return strings.Contains(s, "Enter a key for attic") && !strings.Contains(s, "asking")
	})
	c.Type("key attic\r")
	c.WaitFor("Key for attic", patience)
	c.Type(key)
	c.WaitFor("••••", patience)
	c.Press("enter")
	c.WaitFor("attic/large-model", patience)
	if screen := c.Screen(); strings.Contains(screen, "embedding") {
		t.Errorf("a model that does not chat is offered:\n%s", screen)
	}
	c.Type("large\r")
	c.WaitFor("Model: attic/large-model · kept for this vault", patience)
	c.WaitFor("To keep it", patience)
	c.quit(t)
	if strings.Contains(string(c.Raw()), key) {
		t.Error("the key was on the screen")
	}
	if text := read(t, config); text != file {
		t.Errorf("the person's file was written: %q", text)
	}
	if text := read(t, filepath.Join(filepath.Dir(config), "settings.toml")); !strings.HasSuffix(text, "\njournal_days = 14\nmouse = false\nschema = 1\ntheme = \"light\"\n") {
		t.Errorf("the settings are %q", text)
	}

	c = open()
	c.WaitFor("attic/large-model", patience)
	c.WaitUntil("the light theme", patience, func(string) bool { return strings.Contains(string(c.Raw()), lightAccent) })
	c.send("who is there?")
	c.WaitFor("A key is needed: ATTIC_API_KEY", patience) // without a keyring
	time.Sleep(settled)
	c.Type(key + "\r")
	c.WaitFor("The large one speaks.", patience)
	c.quit(t)
	if got := srv.Requests(); len(got) != 2 || got[1].Chat.Model != "large-model" { // the first was refused
		t.Errorf("%d calls", len(got))
	}
	for _, dir := range []string{vault, filepath.Join(home, "s")} {
		if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text := read(t, path)
			if strings.Contains(text, key) {
				t.Errorf("the key is in %s", path)
			}
			if strings.HasPrefix(path, vault) && strings.HasSuffix(path, ".toml") && strings.Contains(text, "attic") {
				t.Errorf("the choice is in the vault: %s", path)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A configuration with the removed setting alt_screen still opens the whole screen, with a warning.
func TestRemovedScreenSetting(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "chatvault"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "chatvault", "config.toml"), []byte("alt_screen = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openChat(t, chatOptions{env: []string{"XDG_CONFIG_HOME=" + config}})
	c.WaitFor("alt_screen is gone and is ignored", patience)
	if !c.IsAltScreen() {
		t.Error("the chat does not have the whole screen")
	}
	c.quit(t)
}
