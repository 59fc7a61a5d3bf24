package naming

import (
	"slices"
	"testing"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

func someNames() *Names {
	note := func(path, title string, aliases ...string) retrieval.Entry {
		return retrieval.Entry{Note: retrieval.Note{Path: path}, Meta: retrieval.Meta{Title: title, Aliases: aliases}}
	}
	return NamesOf([]retrieval.Entry{
		note("Projects/Launch plan.md", "Launch plan", "Heron"),
		note("Projects/Budget.md", "Money for Heron's launch"),
		note("People/Zoë Müller.md", "Zoë Müller"),
		note("Journal/2026-11-20.md", "2026-11-20"),
		note("Journal/2026-11-21.md", "2026-11-21"),
		note("Ideas.md", "Ideas"),
	})
}

func TestResolve(t *testing.T) {
	for name, want := range map[string]string{
		"Launch plan":              "Projects/Launch plan.md",
		"the launch plan":          "Projects/Launch plan.md",
		"launchplan":               "Projects/Launch plan.md",
		"lanuch plan":              "Projects/Launch plan.md",
		"Launch plan.md":           "Projects/Launch plan.md",
		"projects/budget":          "Projects/Budget.md",
		"heron":                    "Projects/Launch plan.md",
		"Money for Heron's launch": "Projects/Budget.md",
		"zoë müller":               "People/Zoë Müller.md",
		"quarterly taxes":          "",
		"":                         "",
	} {
		found := someNames().Resolve(name)
		got := ""
		if len(found) > 0 {
			got = found[0].Path
		}
		if got != want {
			t.Errorf("%q means %q, want %q: %v", name, got, want, found)
		}
	}
}

func TestResolveFolder(t *testing.T) {
	for name, want := range map[string]string{"projects": "Projects", "Projects/": "Projects", "jurnal": "Journal", "Trips": ""} {
		if got := someNames().ResolveFolder(name).Path; got != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
}

// TestNamesFollowChanges: what is made, moved and deleted is known by its new names, and by no other.
func TestNamesFollowChanges(t *testing.T) {
	v := someNames()
	v.Add("Trips/Iceland/Packing.md")
	if !v.Folders["Trips"] || !v.Has("trips/iceland/packing.md") {
		t.Error("a note that was made is not known, or its folders are not")
	}
	v.Move("Projects", "Work/Projects")
	if got := v.Within("Work"); !slices.Equal(got, []string{"Work/Projects/Budget.md", "Work/Projects/Launch plan.md"}) {
		t.Errorf("after a move: %q", got)
	}
	if found := v.Resolve("heron"); len(found) == 0 || found[0].Path != "Work/Projects/Launch plan.md" {
		t.Errorf("an alias does not move with its note: %v", found)
	}
	v.Remove("Work")
	if len(v.Within("Work")) > 0 || v.Has("Projects") {
		t.Error("what was deleted is known")
	}
}

func TestDistinct(t *testing.T) {
	same := Distinct([]Candidate{{"a.md", 0.8}, {"b.md", 0.78}, {"c.md", 0.6}})
	if len(same) != 2 {
		t.Errorf("about as good: %v", same)
	}
	if exact := Distinct([]Candidate{{"a.md", 1}, {"b.md", 0.95}}); len(exact) != 1 {
		t.Errorf("a name itself is ambiguous: %v", exact)
	}
}

func TestDaily(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"today's note":          "Journal/2026-11-21.md",
		"the daily note":        "Journal/2026-11-21.md",
		"yesterday's journal":   "Journal/2026-11-20.md",
		"journal of 2026-11-19": "Journal/2026-11-19.md",
		"2026-11-19":            "", // the name of a note like any other
		"Ideas":                 "",
	} {
		if got := someNames().Daily(name, now); got != want {
			t.Errorf("%q means %q, want %q", name, got, want)
		}
	}
}

func TestPortable(t *testing.T) {
	for title, want := range map[string]string{"a/b: c?": "a - b - c", " .x. ": "x", "Zoë": "Zoë", "[[Link]]": "Link"} {
		if got := Portable(title); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}
