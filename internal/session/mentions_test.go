package session

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/tools"
	"chatvault/vault"
)

// shelves is a vault with what is private, protected and excluded.
func shelves(t *testing.T) (*vault.Vault, string) {
	t.Helper()
	c, dir := cited(t, map[string]string{
		"Recipes/Nectarine tart.md": "---\naliases: [Stone fruit pie, Tart]\ntags: [dessert]\n---\n# Nectarine tart\n\n## Baking\n\n#todo now\n",
		"Recipes/Plum jam.md":       "# Plum jam\n#dessert #todo\n",
		"Recipes/pic.png":           "\x89PNG\x00\x01",
		"Home.md":                   "# Home\n",
		"Diary/Monday.md":           "---\naliases: [Secret Monday]\n---\n# Monday\n#secrettag\n",
		"Archive/Old.md":            "---\naliases: [Ancient]\n---\n#old\n",
		".obsidian/app.json":        `{"userIgnoreFilters": ["Archive/"]}`,
		".hidden/x.md":              "x",
	})
	if err := c.vault.SetPrivate([]string{"Diary"}); err != nil {
		t.Fatal(err)
	}
	return c.vault, dir
}

// What is offered is what tools see, without what Obsidian excludes.
func TestWhatIsOffered(t *testing.T) {
	v, _ := shelves(t)
	files, err := completableFiles(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		name := f.Path
		if f.Folder {
			name += "/"
			if f.Size != 3 {
				t.Errorf("%s has %d items", name, f.Size)
			}
		}
		got = append(got, name)
	}
	slices.Sort(got)
	if want := []string{"Home.md", "Recipes/", "Recipes/Nectarine tart.md", "Recipes/Plum jam.md", "Recipes/pic.png"}; !slices.Equal(got, want) {
		t.Errorf("offered: %q, want %q", got, want)
	}
	said, err := (&Mentions{v}).Said(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	tart := "Recipes/Nectarine tart.md"
	if want := []NoteAlias{{Path: tart, Alias: "Stone fruit pie"}, {Path: tart, Alias: "Tart"}}; !slices.Equal(said.Aliases, want) {
		t.Errorf("aliases %+v", said.Aliases)
	}
	if want := []string{"dessert", "todo"}; !slices.Equal(said.Tags, want) {
		t.Errorf("tags %q", said.Tags)
	}
	for named, want := range map[string]int{"Nectarine tart": 2, "Recipes/Plum jam": 1, "Monday": 0, "Diary/Monday": 0, "nowhere": 0, "pic.png": 0} {
		if h, _ := headingsOf(context.Background(), v, named); len(h) != want {
			t.Errorf("%q has headings %q", named, h)
		}
	}
}

// A mention finds what may be seen, in its true spelling, and nothing else.
func TestMentioned(t *testing.T) {
	v, _ := shelves(t)
	found := mentioned(context.Background(), v, []string{
		"home.md", "Recipes/", "recipes/plum jam.md", "Archive/Old.md", "Diary/Monday.md", "Diary", ".obsidian/app.json", "../x", "/etc/passwd", "nobody", "", ".", "/",
	})
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, []string{"Archive/Old.md", "Recipes/", "home.md", "recipes/plum jam.md"}) {
		t.Errorf("found %q", got)
	}
	if f := found["recipes/plum jam.md"]; f.Path != "Recipes/Plum jam.md" || f.Size != 26 || f.Folder {
		t.Errorf("%+v", f)
	}
	if f := found["Recipes/"]; f.Path != "Recipes" || !f.Folder || f.Size != 3 {
		t.Errorf("%+v", f)
	}
}

func TestLocate(t *testing.T) {
	v, dir := shelves(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "other.md")
	if err := os.WriteFile(outside, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(v.Name(), " ", "%20")
	for dropped, want := range map[string]string{ // where it is; else a part of what is said
		filepath.Join(dir, "Home.md"):                 "Home.md",
		filepath.Join(link, "Recipes", "Plum jam.md"): "Recipes/Plum jam.md",
		filepath.Join(dir, "Recipes"):                 "Recipes",
		dir:                                           "?the vault itself",
		link:                                          "?the vault itself",
		outside:                                       "?outside this vault",
		"/nowhere/at/all":                             "?",
		filepath.Join(dir, "Diary", "Monday.md"):      "?may not read",
		filepath.Join(dir, ".obsidian", "app.json"):                       "?may not read",
		filepath.Join(dir, "..", "x"):                                     "?",
		"obsidian://open?vault=" + name + "&file=Recipes%2FPlum%20jam":    "Recipes/Plum jam.md",
		"obsidian://open?vault=" + name + "&file=Plum%20jam%23Plum%20jam": "Recipes/Plum jam.md",
		"obsidian://open?path=" + filepath.Join(dir, "Home"):              "Home.md",
		"obsidian://vault/" + name + "/Home":                              "Home.md",
		"obsidian://open?vault=Another&file=Home":                         "?another vault, “Another”",
		"obsidian://open?vault=" + name + "&file=Diary%2FMonday":          "?no note",
		"obsidian://open?vault=" + name + "&file=..%2F..%2Fetc%2Fpasswd":  "?no note",
		"obsidian://search?query=x":                                       "?",
	} {
		f, why := locate(context.Background(), v, dropped)
		if told, ok := strings.CutPrefix(want, "?"); ok {
			if f.Path != "" || !strings.Contains(why, told) || told == "" && why != "" {
				t.Errorf("%s: %+v, %q", dropped, f, why)
			}
		} else if f.Path != want || why != "" {
			t.Errorf("%s: %+v, %q, want %s", dropped, f, why, want)
		}
	}
}

// What is attached is what the tools show: numbered lines, lists, bounded, and nothing that they
// must not see.
func TestAttacher(t *testing.T) {
	v, dir := shelves(t)
	var long strings.Builder
	for range 5000 {
		long.WriteString("a line of words\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "Long.md"), []byte(long.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	attach := attacher(v, tools.Options{})
	for path, want := range map[string][]string{
		"home.md":             {"Home.md", "1: # Home"},
		"Recipes/":            {"Recipes", "[file] Recipes/Plum jam.md", "Found 3 item(s)"},
		"Recipes/pic.png":     {"Recipes/pic.png", "is a binary file"},
		"Long.md":             {"Long.md", "1: a line of words\n", "truncated, showing lines 1-", "continue with start_line="},
		"Diary/Monday.md":     {""},
		"Diary":               {""},
		".obsidian/app.json":  {""},
		"../../../etc/passwd": {""},
		"/etc/passwd":         {""},
		"gone.md":             {""},
		"Home.md/x":           {""},
	} {
		a, err := attach(context.Background(), path, 4000)
		if err != nil || a.Path != want[0] || len(a.Text) > 5000 {
			t.Errorf("%s: %q, %d bytes, %v", path, a.Path, len(a.Text), err)
		}
		for _, part := range want[1:] {
			if !strings.Contains(a.Text, part) {
				t.Errorf("%s lacks %q:\n%s", path, part, a.Text)
			}
		}
		if want[0] == "" && a.Text != "" {
			t.Errorf("%s: %q", path, a.Text)
		}
	}
}
