package session

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/agent"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/statefile/statetest"
	"chatvault/vault"
)

// shelves returns a vault with private, protected and excluded files.
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

// Completion offers what tools can read, without what Obsidian excludes.
func TestCompletionFiles(t *testing.T) {
	v, _ := shelves(t)
	files, err := attaching{vault: v}.Files(context.Background())
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
	said, err := (&Mentions{attaching: attaching{vault: v}}).Said(context.Background())
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
		if h, _ := (attaching{vault: v}).Headings(context.Background(), named); len(h) != want {
			t.Errorf("%q has headings %q", named, h)
		}
	}
}

// A mention resolves to the actual spelling of a visible file. A private path is reported as private whether or not
// it exists.
func TestMentioned(t *testing.T) {
	v, _ := shelves(t)
	found := Mentioned(context.Background(), v, []string{
		"home.md", "Recipes/", "recipes/plum jam.md", "Archive/Old.md", "Diary/Monday.md", "Diary/gone.md", "Diary", ".obsidian/app.json", "../x", "/etc/passwd", "nobody", "", ".", "/",
	})
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, []string{"Archive/Old.md", "Diary", "Diary/Monday.md", "Diary/gone.md", "Recipes/", "home.md", "recipes/plum jam.md"}) {
		t.Errorf("found %q", got)
	}
	if f := found["Diary/Monday.md"]; f.Why != "it is private" || f.Size != 0 {
		t.Errorf("%+v", f)
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
	for dropped, want := range map[string]string{ // the path, or else a part of the reason
		filepath.Join(dir, "Home.md"):                 "Home.md",
		filepath.Join(link, "Recipes", "Plum jam.md"): "Recipes/Plum jam.md",
		filepath.Join(dir, "Recipes"):                 "Recipes",
		dir:                                           "?may not read",
		link:                                          "?may not read",
		outside:                                       "?outside this vault",
		"/nowhere/at/all":                             "?",
		filepath.Join(dir, "Diary", "Monday.md"):      "?may not read",
		filepath.Join(dir, ".obsidian", "app.json"):                       "?may not read",
		filepath.Join(dir, "..", "x"):                                     "?",
		"obsidian://open?vault=" + name + "&file=Recipes%2FPlum%20jam":    "Recipes/Plum jam.md",
		"obsidian://open?vault=" + name + "&file=Plum%20jam%23Plum%20jam": "Recipes/Plum jam.md",
		"obsidian://open?vault=Another&file=Home":                         "?",
		"obsidian://open?vault=" + name + "&file=Diary%2FMonday":          "?",
		"obsidian://open?vault=" + name + "&file=..%2F..%2Fetc%2Fpasswd":  "?",
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

// Attachments are what the tools show: numbered lines and lists, bounded, nothing private.
func TestAttacher(t *testing.T) {
	v, dir := shelves(t)
	var long strings.Builder
	for range 5000 {
		long.WriteString("a line of words\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "Long.md"), []byte(long.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	attach := attaching{vault: v}.attach
	for _, path := range []string{"Diary/Monday.md", "Diary/gone.md", "Diary", "Diary/"} {
		if list, err := attach(context.Background(), path, 4000); len(list) > 0 || err == nil || err.Error() != "it is private, so the agent does not see it" {
			t.Errorf("%s: %v, %v", path, list, err)
		}
	}
	for path, want := range map[string][]string{
		"home.md":             {"Home.md", "1: # Home"},
		"Recipes/":            {"Recipes", "[file] Recipes/Plum jam.md", "Found 3 item(s)"},
		"Recipes/pic.png":     {"Recipes/pic.png", "is a binary file"},
		"Long.md":             {"Long.md", "1: a line of words\n", "truncated, showing lines 1-", "continue with start_line="},
		".obsidian/app.json":  {""},
		"../../../etc/passwd": {""},
		"/etc/passwd":         {""},
		"gone.md":             {""},
		"Home.md/x":           {""},
	} {
		list, err := attach(context.Background(), path, 4000)
		var a agent.Attached
		if len(list) > 0 {
			a = list[0]
		}
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

// A picture is attached with its size, a note with its visible pictures, and a file from outside the vault under its
// name.
func TestAttachPictures(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	pic := b.String()
	c, dir := cited(t, map[string]string{
		"Scans/a b.png": pic, "Diary/secret.png": pic, "other.png": pic, "bomb.png": pic[:16] + "\x7f\x00\x00\x00\x00\x00\x7f\x00" + pic[24:], "report.pdf": "%PDF-1.4\n/Type /Page\n",
		"Trip.md": "# Trip\n![[a b.png]] and ![](other.png \"x\") ![[secret.png]] ![[gone.png]] ![[report.pdf]] ![[a b.png|100]]\n```\n![[bomb.png]]\n```\n",
		"Bad.md":  "![[bomb.png]]\n",
	})
	if err := c.vault.SetPrivate([]string{"Diary"}); err != nil {
		t.Fatal(err)
	}
	m := &Mentions{attaching{vault: c.vault, things: artifact.NewStore(statetest.Root(t))}, func(mediaType string) (string, bool, bool) {
		return "some/model", mediaType == picture.PNG, true
	}}
	names := func(list []VaultFile) (out []string) {
		for _, f := range list {
			out = append(out, f.Path)
		}
		return out
	}
	found, err := m.Find(t.Context(), []string{"scans/A b.png", "Trip.md", "Diary/secret.png", "report.pdf", "bomb.png"})
	if err != nil || len(found) != 5 || found["Diary/secret.png"].Why != "it is private" {
		t.Fatal(found, err)
	}
	if f := found["scans/A b.png"]; f.Path != "Scans/a b.png" || f.Media == nil || f.Media.String() != "PNG, 40 × 30" || f.Why != "" {
		t.Errorf("%+v", f)
	}
	if f := found["Trip.md"]; !slices.Equal(names(f.With), []string{"Scans/a b.png", "other.png"}) || f.With[0].Media.Tokens != 2 {
		t.Errorf("%+v", f)
	}
	if f := found["report.pdf"]; f.Media.Pages != 1 || f.Why != "some/model cannot see PDFs" {
		t.Errorf("%+v", f)
	}
	if f := found["bomb.png"]; !strings.Contains(f.Why, "pixels") && !strings.Contains(f.Why, "damaged") {
		t.Errorf("%+v", f)
	}
	attach := func(path string) (out []string) {
		list, err := m.attach(t.Context(), path, 4000)
		for _, a := range list {
			s := a.Path
			if a.Media != nil {
				s += " " + a.Media.String()
				if len(a.Data) == 0 && a.Err == nil {
					t.Errorf("%s has no bytes", a.Path)
				}
			}
			if a.Err != nil {
				s += " not"
			}
			out = append(out, s)
		}
		if err != nil && len(out) == 0 {
			return []string{"error"}
		}
		return out
	}
	for path, want := range map[string][]string{
		"scans/A b.png": {"Scans/a b.png PNG, 40 × 30"}, "Trip.md": {"Trip.md", "Scans/a b.png PNG, 40 × 30", "other.png PNG, 40 × 30"},
		"Diary/secret.png": {"error"}, "report.pdf": {"report.pdf PDF, 1 page"}, "clip.png": nil,
	} {
		if got := attach(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := attach("Bad.md"); len(got) != 2 || !strings.HasSuffix(got[1], " not") {
		t.Errorf("%q", got)
	}
	outside := filepath.Join(t.TempDir(), "other.png")
	if err := os.WriteFile(outside, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time gives the same
		if f, why := m.Locate(t.Context(), outside); f.Path != "other-2.png" || why != "" || f.Media == nil {
			t.Errorf("%+v, %s", f, why)
		}
	}
	if f, why := m.Locate(t.Context(), filepath.Join(dir, "Diary", "secret.png")); f.Path != "" || why == "" {
		t.Errorf("%+v, %s", f, why)
	}
	if got := attach("other-2.png"); !slices.Equal(got, []string{"other-2.png PNG, 40 × 30"}) {
		t.Errorf("%q", got)
	}
	if found, _ := m.Find(t.Context(), []string{"other-2.png"}); found["other-2.png"].Media == nil {
		t.Errorf("%+v", found)
	}
}
