package vault

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"chatvault/vault/search"
	"chatvault/vault/walk"
)

func TestIgnoreFilters(t *testing.T) {
	tests := []struct {
		filter        string
		ignored, kept []string // folders end with "/"
	}{
		{"Templates/", []string{"Templates/a.md", "templates/x/b.md", "Templates/"}, []string{"Templates.md", "x/Templates/a.md"}},
		{"Temp", []string{"Templates/a.md", "temp.md"}, []string{"a/temp.md"}},
		{"Über/", []string{norm.NFD.String("über/a.md"), "ÜBER/a.md"}, []string{"Uber/a.md"}},
		{`/\.draft\.md$/`, []string{"a.draft.md", "x/b.draft.md"}, []string{"a.DRAFT.md", "a.draft.mdx", "x.draft/"}},
		{`/Archive/`, []string{"Archive/a.md", "x/Archive.md", "Archive/"}, []string{"archive/a.md"}},
		{`/^Log\//`, []string{"Log/", "Log/a.md"}, []string{"x/Log/a.md", "Log.md"}},
		{"/", nil, []string{"a.md", "x/"}},
		{"  ", nil, []string{"a.md"}},
		{"//", nil, []string{"a.md", "x/"}},
	}
	for _, tt := range tests {
		rules := walk.NewRules([]string{tt.filter})
		for _, name := range tt.ignored {
			if !rules.Excludes(name) {
				t.Errorf("%s: %q is not excluded", tt.filter, name)
			}
		}
		for _, name := range tt.kept {
			if rules.Excludes(name) {
				t.Errorf("%s: %q is excluded", tt.filter, name)
			}
		}
	}
	rules := walk.NewRules([]string{`/(?!x)y/`, strings.Repeat("x", 3000), "ok"})
	if len(rules.Faulty) != 2 || len(rules.Prefixes) != 1 {
		t.Errorf("%+v", rules)
	}
	if rules := walk.NewRules(slices.Repeat([]string{"a"}, 5000)); len(rules.Prefixes) != walk.MaxIgnoreFilters {
		t.Errorf("%d filters", len(rules.Prefixes))
	}
}

func ignoreVault(t *testing.T) *Vault {
	return newTest(t, map[string]string{
		".obsidian/app.json":   `{"userIgnoreFilters": ["Templates/", "/\\.draft\\.md$/", "Zap"]}`,
		"a.md":                 "plum",
		"b.draft.md":           "plum",
		"Templates/t.md":       "plum",
		"Templates/deep/u.md":  "plum",
		"Notes/n.md":           "plum",
		"Notes/n.draft.md":     "plum",
		"Notes/Templates/v.md": "plum",
		"Zap.md":               "plum",
		"Diary/Templates.md":   "plum",
	})
}

func TestIgnored(t *testing.T) {
	v := ignoreVault(t)
	mustTest(t, v.SetPrivate([]string{"Diary/"}))
	const all = "a.md b.draft.md Templates/t.md Templates/deep/u.md Notes/n.md Notes/n.draft.md Notes/Templates/v.md Zap.md"
	find := func(q search.Query) string {
		q.Pattern = "plum"
		q.MaxFiles = 100
		r, err := v.Search(t.Context(), q)
		mustTest(t, err)
		var names []string
		for _, f := range r.Files {
			names = append(names, f.Path)
		}
		slices.Sort(names)
		return fmt.Sprint(strings.Join(names, " "), " ", r.LeftOut)
	}
	sorted := func(names string) string {
		list := strings.Fields(names)
		slices.Sort(list)
		return strings.Join(list, " ")
	}
	for want, q := range map[string]search.Query{
		sorted("a.md Notes/n.md Notes/Templates/v.md") + " 4": {},
		sorted(all) + " 0":                  {IncludeIgnored: true},
		" 1":                                {FilePattern: "templates/**"},
		"Templates/t.md 0":                  {FilePattern: "Templates/*.md", IncludeIgnored: true},
		"Notes/Templates/v.md Notes/n.md 1": {FilePattern: "Notes/**"},
		" 3":                                {FilePattern: "*.draft.md"},
	} {
		if got := find(q); got != want {
			t.Errorf("%+v: %s, want %s", q, got, want)
		}
	}
	list := func(q search.ListQuery) string {
		r, err := v.List(t.Context(), q)
		mustTest(t, err)
		var names []string
		for _, e := range r.Entries {
			names = append(names, e.Path)
		}
		slices.Sort(names)
		return fmt.Sprint(strings.Join(names, " "), " ", r.LeftOut)
	}
	for want, q := range map[string]search.ListQuery{
		"Notes a.md 3": {},
		sorted("Notes Notes/Templates a.md Notes/n.md Notes/Templates/v.md") + " 4": {Pattern: "**"},
		sorted(all+" Notes Notes/Templates Templates Templates/deep") + " 0":        {Pattern: "**", IncludeIgnored: true},
		"Templates/deep Templates/t.md 0":                                           {Folder: "templates"},
		"Templates/deep/u.md 0":                                                     {Folder: "Templates/deep"},
		" 1":                                                                        {Pattern: "Templates/*.md"},
		"a.md 2":                                                                    {Pattern: "*.md"},
		"Notes/Templates Notes/n.md 1":                                              {Folder: "Notes"},
	} {
		if got := list(q); got != want {
			t.Errorf("%+v: %s, want %s", q, got, want)
		}
	}
	if f, err := v.Read(t.Context(), "templates/T.md"); err != nil || string(f.Data) != "plum" {
		t.Errorf("reading by its path: %v", err)
	}
	ignored := v.Source().IgnoredFiles()
	if !ignored("Templates/t.md") || ignored("a.md") || !ignored("x/y.draft.md") {
		t.Error("Ignored")
	}
}

// TestIgnoredPrivate: private files are never counted, even if they are excluded too.
func TestIgnoredPrivate(t *testing.T) {
	v := newTest(t, map[string]string{
		".obsidian/app.json": `{"userIgnoreFilters": ["Diary/", "a"]}`, "Diary/x.md": "plum", "a.md": "plum", "b.md": "plum",
	})
	mustTest(t, v.SetPrivate([]string{"Diary/", "a.md"}))
	r, err := v.List(t.Context(), search.ListQuery{Pattern: "**"})
	if err != nil || len(r.Entries) != 1 || r.LeftOut > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	s, err := v.Search(t.Context(), search.Query{Pattern: "plum"})
	if err != nil || len(s.Files) != 1 || s.LeftOut > 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
