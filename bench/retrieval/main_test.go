package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestQuestionSets(t *testing.T) {
	sets, err := readSets("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, set := range sets {
		split, commands := map[string]int{}, 0
		for _, q := range set.Questions {
			if seen[q.ID] || seen[q.Text] {
				t.Errorf("%s: twice", q.ID)
			}
			seen[q.ID], seen[q.Text] = true, true
			split[q.Split]++
			if len(q.Expect) == 0 && !q.Command {
				t.Errorf("%s expects nothing", q.ID)
			}
			if q.Command {
				commands++
			}
			for _, path := range q.Expect {
				if set.Outside != "" {
					continue
				}
				if _, err := os.Stat(filepath.Join("../..", set.Vault, path)); err != nil {
					t.Errorf("%s: %v", q.ID, err)
				}
			}
		}
		n := len(set.Questions)
		if n < 30 || split["dev"]+split["heldout"] != n || split["heldout"] < n/2 {
			t.Errorf("%s: %d questions, split %v", set.name(), n, split)
		}
		if set.Outside != "" && commands < n/3 {
			t.Errorf("%s: %d of %d are commands", set.Outside, commands, n)
		}
	}
}

// TestVaultsAreWhole checks that the links in the vaults resolve: broken ones would make a poor first
// impression.
func TestVaultsAreWhole(t *testing.T) {
	link := regexp.MustCompile(`\[\[([^\]|#\n]+)`)
	sets, err := readSets("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if set.Outside != "" {
			continue
		}
		vault := filepath.Join("../..", filepath.FromSlash(set.Vault))
		notes, err := readNotes(vault)
		if err != nil {
			t.Fatal(err)
		}
		if len(notes) < 30 {
			t.Errorf("%s holds %d notes", vault, len(notes))
		}
		for _, n := range notes {
			for _, m := range link.FindAllStringSubmatch(n.text, -1) {
				if !slices.ContainsFunc(notes, func(o note) bool { return o.title == m[1] }) {
					t.Errorf("%s: [[%s]] leads nowhere", n.path, m[1])
				}
			}
		}
	}
}

func TestFTS(t *testing.T) {
	f, err := newFTS([]note{
		{"a.md", "Nectarine tart", "flour and fruit, baking"},
		{"b.md", "Baked potatoes", "salt"},
		{"c.md", "River", "water; tarts are mentioned once in a long text about rivers and rain"},
	}, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}()
	for question, want := range map[string]string{
		"what was the tart?":           "a.md c.md",
		"who bakes potatoes?":          "b.md a.md",
		`"quotes" AND (near OR) - * ?`: "",
		"":                             "",
	} {
		got, err := f.search(question)
		if err != nil {
			t.Errorf("%q: %v", question, err)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestMatchExpression(t *testing.T) {
	for question, want := range map[string]string{
		"what was that dessert with stone fruit?": `"dessert" OR "stone" OR "fruit"`,
		"Gran's cookies": `"gran" OR "cookies"`,
		"who am I?":      `"who" OR "am" OR "i"`,
		"日本語 の 試験":       `"日本語" OR "の" OR "試験"`,
		"?!":             "",
	} {
		if got := matchExpression(question); got != want {
			t.Errorf("%q: %s, want %s", question, got, want)
		}
	}
}

func TestCitedPaths(t *testing.T) {
	answer := "From [[Nectarine tart]] (Recipes/Nectarine tart.md:12):\n\n> fruit [[not one]]\n\n" +
		"also [[Lisbon, October 2026|Lisbon]] (Travel/Lisbon, October 2026.md:9-11) and again " +
		"[[Nectarine tart]] (Recipes/Nectarine tart.md:20), [[x]] (a (b).md:1)"
	want := []string{"Recipes/Nectarine tart.md", "Travel/Lisbon, October 2026.md", "a (b).md"}
	if got := citedPaths(answer); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheckShares(t *testing.T) {
	for _, tt := range []struct {
		ours, theirs score
		ok           bool
	}{
		{score{100, 80, 95}, score{100, 60, 80}, true},
		{score{100, 69, 95}, score{100, 10, 10}, false},
		{score{100, 80, 89}, score{100, 10, 10}, false},
		{score{100, 80, 95}, score{100, 80, 95}, false},
		{score{}, score{}, false},
	} {
		if err := checkShares(tt.ours, tt.theirs); (err == nil) != tt.ok {
			t.Errorf("%v against %v: %v", tt.ours, tt.theirs, err)
		}
	}
}
