package ranked_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"chatvault/internal/app/ranked"
	"chatvault/tools"
	"chatvault/vault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open creates and opens a vault with these files.
func open(t *testing.T, files map[string]string) (v *vault.Vault, write func(name, text string)) {
	t.Helper()
	dir := t.TempDir()
	write = func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		write(name, text)
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	return v, write
}

// ways runs a test with both kinds of finder: of a short-lived process, and with an index.
func ways(t *testing.T, v *vault.Vault, test func(t *testing.T, f *ranked.Finder)) {
	for _, stays := range []bool{false, true} {
		t.Run(map[bool]string{false: "once", true: "by an index"}[stays], func(t *testing.T) {
			f := ranked.NewFinder(v, stays, "Me/Chats")
			defer f.Close()
			if stays {
				if err := f.Index(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			test(t, f)
		})
	}
}

func find(t *testing.T, f *ranked.Finder, query, under string) []tools.FoundNote {
	t.Helper()
	found, err := f.FindNotes(t.Context(), query, under, 8)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	return found
}

func paths(found []tools.FoundNote) (out []string) {
	for _, n := range found {
		out = append(out, n.Path)
	}
	slices.Sort(out)
	return out
}

func TestFindNotes(t *testing.T) {
	v, _ := open(t, map[string]string{
		"Garden/Pond.md": "---\ntags: [water]\n---\n# Pond\n\nDug in May.\n\n## Fish\n\nThe carp are fed at noon.\nTwice on Sundays.\n",
		"Home/Cat.md":    "The cat sleeps.\n",
		"Home/Dog.md":    "The carp scared the dog.\n",
		"carp.txt":       "carp carp carp\n",
	})
	ways(t, v, func(t *testing.T, f *ranked.Finder) {
		found := find(t, f, "when are the carp fed?", "")
		want := tools.FoundNote{Path: "Garden/Pond.md", Line: 10, Heading: "Fish", Passage: "The carp are fed at noon.\nTwice on Sundays."}
		want.Coverage = 1
		if len(found) != 2 || found[0] != want || found[1].Path != "Home/Dog.md" {
			t.Errorf("%+v", found)
		}
		if got := paths(find(t, f, "carp", "Home")); !slices.Equal(got, []string{"Home/Dog.md"}) {
			t.Errorf("in a folder: %q", got)
		}
		if got := find(t, f, "submarines", ""); len(got) != 0 {
			t.Errorf("of nothing: %+v", got)
		}
	})
}

func TestTemplatesRankLower(t *testing.T) {
	note, template := "# Meeting\n\nThe agenda of the meeting.\n", "# Meeting\n\nThe agenda of the meeting, the agenda.\n"
	for settings, want := range map[string]string{
		"":                         "Templates/Meeting.md",
		".obsidian/templates.json": "Work/Meeting.md",
		".obsidian/plugins/templater-obsidian/data.json": "Work/Meeting.md",
	} {
		files := map[string]string{"Templates/Meeting.md": template, "Work/Meeting.md": note}
		if settings != "" {
			files[settings] = `{"folder": "Templates", "templates_folder": "templates"}`
		}
		v, _ := open(t, files)
		ways(t, v, func(t *testing.T, f *ranked.Finder) {
			if found := find(t, f, "meeting agenda", ""); len(found) != 2 || found[0].Path != want {
				t.Errorf("%s: %+v", settings, found)
			}
		})
	}
}

// TestAsideFolderByName: notes in the folder aside are found only by queries for that folder.
func TestAsideFolderByName(t *testing.T) {
	v, _ := open(t, map[string]string{
		"Me/Carp.md":            "The carp are fed at noon.\n",
		"Me/chats/2026 Carp.md": "We spoke of the carp, carp and carp.\n",
		"Me/Chatsworth.md":      "A carp in the pond.\n",
	})
	ways(t, v, func(t *testing.T, f *ranked.Finder) {
		for under, want := range map[string][]string{
			"":                      {"Me/Carp.md", "Me/Chatsworth.md"},
			"Me":                    {"Me/Carp.md", "Me/Chatsworth.md"},
			"Me/chats":              {"Me/chats/2026 Carp.md"},
			"Me/chats/2026 Carp.md": {"Me/chats/2026 Carp.md"},
		} {
			if got := paths(find(t, f, "carp", under)); !slices.Equal(got, want) {
				t.Errorf("in %q: %q", under, got)
			}
		}
	})
}

func TestHiddenNotesAreNotFound(t *testing.T) {
	v, _ := open(t, map[string]string{
		"Open.md":                  "the heron at the lake\n",
		"Diary/Today.md":           "the heron in secret\n",
		"Old/Heron.md":             "the heron of before\n",
		".obsidian/heron.md":       "the heron of the settings\n",
		".obsidian/app.json":       `{"userIgnoreFilters": ["Old/"]}`,
		".smarthole/heron.md":      "the heron of the program\n",
		".trash/Heron.md":          "the heron thrown away\n",
		"Diary/Heron is spelt.md":  "herron\n",
		"Elsewhere/Not a heron.md": "a duck\n",
	})
	if err := v.SetPrivate([]string{"Diary/"}); err != nil {
		t.Fatal(err)
	}
	ways(t, v, func(t *testing.T, f *ranked.Finder) {
		for query, want := range map[string][]string{
			"heron":  {"Elsewhere/Not a heron.md", "Open.md"},
			"secret": nil,
			"herron": {"Elsewhere/Not a heron.md", "Open.md"}, // misspelt, except for a private note
		} {
			if got := paths(find(t, f, query, "")); !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", query, got, want)
			}
		}
		if got := find(t, f, "heron", "Diary"); len(got) != 0 {
			t.Errorf("in what is private: %+v", got)
		}
	})
}

// TestPrivateNotesAreDropped: an index no longer finds a note that has become private.
func TestPrivateNotesAreDropped(t *testing.T) {
	v, _ := open(t, map[string]string{"Diary.md": "the heron in secret\n", "Lake.md": "the heron at the lake\n"})
	ways(t, v, func(t *testing.T, f *ranked.Finder) {
		if err := v.SetPrivate(nil); err != nil {
			t.Fatal(err)
		}
		if got := paths(find(t, f, "heron", "")); len(got) != 2 {
			t.Fatalf("before: %q", got)
		}
		if err := v.SetPrivate([]string{"Diary.md"}); err != nil {
			t.Fatal(err)
		}
		if got := paths(find(t, f, "heron", "")); !slices.Equal(got, []string{"Lake.md"}) {
			t.Errorf("after: %q", got)
		}
	})
}

func TestFindSeesChanges(t *testing.T) {
	for _, kept := range []bool{false, true} {
		v, write := open(t, map[string]string{"Pond.md": "tarsiers\n", "Well.md": "a bucket\n"})
		if kept { // as in the chat, where the vault reports whether anything has changed
			if err := v.Index.Start(vault.IndexOptions{TextBytes: 1 << 20}); err != nil {
				t.Fatal(err)
			}
			if err := v.Index.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ways(t, v, func(t *testing.T, f *ranked.Finder) {
			write("Pond.md", "tarsiers\n")
			write("Fresh.md", "a bucket\n")
			if got := paths(find(t, f, "tarsiers", "")); !slices.Equal(got, []string{"Pond.md"}) {
				t.Fatalf("before: %q", got)
			}
			if _, err := v.Do(t.Context(), vault.Request{Op: vault.OpWrite, Path: "Pond.md", Data: []byte("quoits live here\n"), IfHash: vault.Hash([]byte("tarsiers\n"))}, nil); err != nil {
				t.Fatal(err)
			}
			write("Fresh.md", "an zeugma, written by another program\n")
			for query, want := range map[string][]string{"tarsiers": nil, "quoits": {"Pond.md"}, "zeugma": {"Fresh.md"}} {
				if got := paths(find(t, f, query, "")); !slices.Equal(got, want) {
					t.Errorf("%q: %q, want %q", query, got, want)
				}
			}
		})
	}
}

func TestFindCancelled(t *testing.T) {
	v, _ := open(t, map[string]string{"Pond.md": "newts\n", "Long.md": strings.Repeat("newts and water\n", 1000)})
	ways(t, v, func(t *testing.T, f *ranked.Finder) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if found, err := f.FindNotes(ctx, "newts", "", 8); !errors.Is(err, context.Canceled) || found != nil {
			t.Errorf("%v, %v", found, err)
		}
		if got := find(t, f, "newts", ""); len(got) != 2 { // the next question is answered
			t.Errorf("after: %+v", got)
		}
	})
}

// TestCloseStopsIndexing: closing during the first question stops the build of the index.
func TestCloseStopsIndexing(t *testing.T) {
	v, _ := open(t, map[string]string{"Pond.md": "newts\n"})
	f := ranked.NewFinder(v, true, "")
	find(t, f, "newts", "")
	f.Close()
}

// TestHugeNotes: a short-lived process reads only the beginnings of huge notes, as an index
// does.
func TestHugeNotes(t *testing.T) {
	filler := strings.Repeat("nothing of the kind\n", 20_000) // 400 KB
	v, _ := open(t, map[string]string{"Begin.md": "tarsiers\n" + filler, "End.md": filler + "tarsiers\n", "Short.md": "tarsiers\n"})
	f := ranked.NewFinder(v, false, "")
	defer f.Close()
	if got := paths(find(t, f, "tarsiers", "")); !slices.Equal(got, []string{"Begin.md", "Short.md"}) {
		t.Errorf("%q", got)
	}
}
