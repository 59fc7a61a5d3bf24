package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFindVault(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, f := range []string{
		"obsidian/.obsidian/app.json", "obsidian/Projects/deep/a.md",
		"obsidian/inner/.obsidian/app.json", "obsidian/inner/x/n.md",
		"plain/note.MD", "nested/sub/note.md", "nested/.hidden/note.md",
		"hidden/.git/readme.md", "code/main.go", "toodeep/a/b/note.md",
		"smart/.smarthole/config.toml", "smart/Health/Knee.md", "smart/inner/.obsidian/app.json", "smart/inner/x/n.md",
		"obsidian/used/.smarthole/state.json", "obsidian/used/deep/n.md",
		"owner/.smarthole/state.json", "owner/notes/n.md", "settled/.smarthole/config.toml", "settled/notes/n.md",
		"home/docs/note.md", "marker/file.txt", "last/a.md", "older/a.md",
	} {
		write(t, at(f), "x")
	}
	write(t, at("marker", ".obsidian"), "a file, not a folder")
	if err := os.MkdirAll(at("fake", "x.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(at("smart", "Health"), at("link")); err != nil {
		t.Fatal(err)
	}
	registry := at("obsidian.json")
	write(t, registry, fmt.Sprintf(`{"vaults":{"a":{"path":%q,"ts":3},"b":{"path":%q,"ts":5},"c":{"path":%q,"ts":9}}}`,
		at("older"), at("last"), at("gone")))

	tests := []struct {
		name     string
		in       Search
		dir, how string
		fails    string
	}{
		{"given", Search{Given: at("plain"), GivenBy: Origin{Kind: Flag, Name: "vault"}, Cwd: at("obsidian")}, at("plain"), "flag --vault", ""},
		{"given, relative", Search{Given: "../plain/", Cwd: at("code")}, at("plain"), "named", ""},
		{"given, home", Search{Given: "~/docs", Cwd: at("code"), Home: at("home")}, at("home", "docs"), "named", ""},
		{"given, missing", Search{Given: "gone", GivenBy: Origin{Kind: Environment, Name: "CHATVAULT_VAULT"}, Cwd: dir}, "", "", "environment CHATVAULT_VAULT) cannot be opened: "},
		{"given, a file", Search{Given: "code/main.go", Cwd: dir}, "", "", "is a file"},
		{"vault itself", Search{Cwd: at("obsidian")}, at("obsidian"), ".obsidian", ""},
		{"below a vault", Search{Cwd: at("obsidian", "Projects", "deep")}, at("obsidian"), ".obsidian", ""},
		{"nearest of two", Search{Cwd: at("obsidian", "inner", "x")}, at("obsidian", "inner"), ".obsidian", ""},
		{"used without Obsidian", Search{Cwd: at("smart", "Health")}, at("smart"), ".smarthole", ""},
		{"through a link", Search{Cwd: at("link")}, at("smart"), ".smarthole", ""},
		{"Obsidian's in one without", Search{Cwd: at("smart", "inner", "x")}, at("smart", "inner"), ".obsidian", ""},
		{"one without in Obsidian's", Search{Cwd: at("obsidian", "used", "deep")}, at("obsidian", "used"), ".smarthole", ""},
		{"state left in the home folder", Search{Cwd: at("owner", "notes"), Home: at("owner")}, at("owner", "notes"), "holds Markdown", ""},
		{"settings in the home folder", Search{Cwd: at("settled", "notes"), Home: at("settled")}, at("settled"), ".smarthole", ""},
		{"given, a folder in a vault", Search{Given: at("smart", "Health"), Cwd: dir}, "", "", "belongs to the vault"},
		{"given, a folder in a vault, through a link", Search{Given: at("link"), Cwd: dir}, "", "", "belongs to the vault"},
		{"given, a vault in a vault", Search{Given: at("smart", "inner"), Cwd: dir}, at("smart", "inner"), "named", ""},
		{"holds Markdown", Search{Cwd: at("plain")}, at("plain"), "holds Markdown", ""},
		{"holds Markdown in a folder", Search{Cwd: at("nested")}, at("nested"), "holds Markdown", ""},
		{"home is no vault because of its folders", Search{Cwd: at("home"), Home: at("home"), Registry: []string{registry}}, at("last"), "Obsidian", ""},
		{"hidden Markdown does not count", Search{Cwd: at("hidden"), Registry: []string{registry}}, at("last"), "Obsidian", ""},
		{"deep Markdown does not count", Search{Cwd: at("toodeep"), Registry: []string{registry}}, at("last"), "Obsidian", ""},
		{"a folder named x.md does not count", Search{Cwd: at("fake"), Registry: []string{registry}}, at("last"), "Obsidian", ""},
		{"a file .obsidian does not count", Search{Cwd: at("marker"), Registry: []string{at("none.json"), registry}}, at("last"), "Obsidian", ""},
		{"nothing", Search{Cwd: at("code"), Registry: []string{}}, "", "", "--vault DIR"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in.Home == "" {
				tt.in.Home = "/nowhere"
			}
			found, err := FindVault(tt.in)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v does not say %q", err, tt.fails)
				}
				if errors.Is(err, ErrNoVault) != (tt.in.Given == "") {
					t.Errorf("ErrNoVault is wrong for %v", err)
				}
				return
			}
			if err != nil || found.Dir != tt.dir || !strings.Contains(found.How, tt.how) {
				t.Errorf("found %+v, error %v; want %s, %s", found, err, tt.dir, tt.how)
			}
		})
	}
}

// TestDoubtfulVault checks that a doubtful vault has a reason, and that a vault inside another one names the outer one.
func TestDoubtfulVault(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, f := range []string{"notes/a.md", "heap/below/a.md", "home/stray.md", "out/.smarthole/config.toml", "out/in/.obsidian/app.json", "used/.smarthole/state.json", "used/below/a.md"} {
		write(t, at(f), "x")
	}
	for _, tt := range []struct {
		in             Search
		unsure, within string
	}{
		{Search{Cwd: at("notes")}, "", ""},
		{Search{Cwd: at("heap")}, "only folders that do", ""},
		{Search{Cwd: at("home"), Home: at("home")}, "everything else", ""},
		{Search{Cwd: at("used")}, "", ""}, // used as a vault before
		{Search{Given: at("heap"), Cwd: dir}, "", ""},
		{Search{Cwd: at("out", "in")}, "", at("out")},
		{Search{Given: at("out", "in"), Cwd: dir}, "", at("out")},
	} {
		if tt.in.Home == "" {
			tt.in.Home = "/nowhere"
		}
		found, err := FindVault(tt.in)
		if err != nil || found.Within != tt.within || !strings.Contains(found.Unsure, tt.unsure) || (found.Unsure == "") != (tt.unsure == "") {
			t.Errorf("%+v: %+v, %v; want unsure %q, within %q", tt.in, found, err, tt.unsure, tt.within)
		}
	}
}

func TestLastOpen(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	entry := func(path string, ts int, open bool) string {
		return fmt.Sprintf(`{"path":%q,"ts":%d,"open":%t}`, path, ts, open)
	}
	tests := []struct{ name, text, want string }{
		{"newest", `{"vaults":{"1":` + entry(a, 1, false) + `,"2":` + entry(b, 2, false) + `}}`, b},
		{"open before newest", `{"vaults":{"1":` + entry(a, 1, true) + `,"2":` + entry(b, 2, false) + `}}`, a},
		{"relative paths match no vault", `{"vaults":{"1":` + entry(".", 1, true) + `}}`, ""},
		{"empty", `{}`, ""},
		{"garbage", `{"vaults":[1,2`, ""},
		{"other shape", `{"vaults":"x"}`, ""},
	}
	for _, tt := range tests {
		file := filepath.Join(dir, "obsidian.json")
		write(t, file, tt.text)
		got, ok := lastOpen([]string{filepath.Join(dir, "missing"), file})
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestObsidianFiles(t *testing.T) {
	t.Setenv("HOME", "/h")
	t.Setenv("XDG_CONFIG_HOME", "/cfg")
	t.Setenv("AppData", "/app")
	want := map[string]string{
		"linux":   "/cfg/obsidian/obsidian.json /h/.var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json /h/snap/obsidian/current/.config/obsidian/obsidian.json",
		"darwin":  "/h/Library/Application Support/obsidian/obsidian.json",
		"windows": "/app/obsidian/obsidian.json",
	}[runtime.GOOS]
	if got := filepath.ToSlash(strings.Join(obsidianFiles(), " ")); !strings.HasPrefix(got, want) {
		t.Errorf("%s", got)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	vault := filepath.Join(dir, "v")
	write(t, VaultPath(vault), `theme = "light"`)
	user := filepath.Join(dir, "user.toml")
	write(t, user, fmt.Sprintf("vault = %q", vault))
	c, found, err := Open(Sources{UserFile: user, LookupEnv: noEnv}, Search{Cwd: dir})
	if err != nil || found.Dir != vault || c.Theme.V != "light" || len(c.Files) != 2 {
		t.Errorf("%+v, %v, theme %q, files %q", found, err, c.Theme.V, c.Files)
	}
	if !strings.Contains(found.How, "user.toml:1") {
		t.Errorf("how: %s", found.How)
	}
	c, _, err = Open(Sources{UserFile: user, LookupEnv: noEnv, Flags: map[string]string{"vault": "gone"}}, Search{Cwd: dir})
	if err == nil || c == nil {
		t.Errorf("a missing vault: %v, %v", c, err)
	}
}
