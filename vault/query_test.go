package vault

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/vault/query"
)

// queryVault returns a small vault with links, tags and tasks, and with files that every query must omit.
func queryVault(t *testing.T) *Vault {
	t.Helper()
	v := newTest(t, map[string]string{
		"Home.md":             "# Home\n\n[[Alpha]] and [b](Projects/Beta.md#One)\n- ![[pic.png]]\n[[Missing]] [[Home#Home]]\n[[Diary/Secret]] [s](../Diary/Secret.md) [s](Diary/Other.md)\n",
		"Projects/Alpha.md":   "---\ntags: [Work, project/alpha]\n---\n# Alpha\n\nSee [[Home|the start]] and again [[home]].\n[[missing.md]]\n\n## Next\n- [ ] call Ana #call 📅 2026-11-22\n- [x] done 📅 2026-11-01\n- [ ] no day\n",
		"Projects/Beta.md":    "# Beta\n#work `#no`\n\n- [ ] write 📅 2026-11-21\n- [-] dropped\n",
		"Projects/[x]/Odd.md": "Nobody links here. #project\n- [ ] odd\n",
		"pic.png":             "\x89PNG",
		"Board.canvas":        `{"nodes":[{"type":"file","file":"Projects/Beta.md"}]}`,
		"Lonely.md":           "#Project/alpha/x [[Nowhere]] [[Missing]]\n",
		"Diary/Secret.md":     "CANARY #canary [[Home]] [[Canary]]\n- [ ] canary\n",
		".obsidian/x.md":      "CANARY #canary [[Home]] [[Canary]]\n- [ ] canary\n",
	})
	if err := v.SetPrivate([]string{"Diary"}); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNoteLinks(t *testing.T) {
	v := queryVault(t)
	linksOf := func(path string) string {
		l, err := v.Query.Links(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n", l.Path)
		for _, o := range l.Out {
			fmt.Fprintf(&b, "%d %s -> %s %s\n", o.Line, o.Written, o.Target, o.Anchor)
		}
		for _, back := range l.Back {
			fmt.Fprintf(&b, "<- %s:%d %s\n", back.Path, back.Line, back.Text)
		}
		return b.String()
	}
	for path, want := range map[string]string{
		"home.md": "Home.md\n3 [[Alpha]] -> Projects/Alpha.md \n3 [b](Projects/Beta.md#One) -> Projects/Beta.md #One\n4 ![[pic.png]] -> pic.png \n" +
			"5 [[Missing]] ->  \n5 [[Home#Home]] -> Home.md #Home\n<- Projects/Alpha.md:6 See [[Home|the start]] and again [[home]].\n",
		"Projects/Beta.md": "Projects/Beta.md\n<- Board.canvas:1 " + `{"nodes":[{"type":"file","file":"Projects/Beta.md"}]}` + "\n<- Home.md:3 [[Alpha]] and [b](Projects/Beta.md#One)\n",
		"pic.png":          "pic.png\n<- Home.md:4 - ![[pic.png]]\n",
	} {
		if got := linksOf(path); got != want {
			t.Errorf("%s: got\n%swant\n%s", path, got, want)
		}
	}
	for _, path := range []string{"Diary/Secret.md", ".obsidian/x.md", "No.md", "Projects", ".."} {
		if _, err := v.Query.Links(t.Context(), path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

func TestUnresolvedAndOrphans(t *testing.T) {
	v := queryVault(t)
	list, missed, err := v.Query.UnresolvedLinks(t.Context(), query.Scope{})
	if want := "[{Missing 3 [Home.md Lonely.md Projects/Alpha.md]} {Beta#One 1 [Home.md]} {Nowhere 1 [Lonely.md]}]"; fmt.Sprint(list) != want || err != nil || missed.Skipped != nil || missed.Excluded > 0 {
		t.Errorf("unresolved: %v, want %s (%v, %v)", list, want, missed, err)
	}
	list, _, err = v.Query.UnresolvedLinks(t.Context(), query.Scope{Path: "projects"})
	if want := "[{missing.md 1 [Projects/Alpha.md]}]"; fmt.Sprint(list) != want || err != nil {
		t.Errorf("unresolved in a folder: %v, want %s (%v)", list, want, err)
	}
	for _, c := range []struct {
		scope query.Scope
		want  string
	}{
		{query.Scope{}, "[{Lonely.md 0} {Projects/[x]/Odd.md 0}]"},
		{query.Scope{Path: "Projects/[x]"}, "[{Projects/[x]/Odd.md 0}]"},
		{query.Scope{Path: "Lonely.md"}, "[{Lonely.md 0}]"},
		{query.Scope{Path: "Projects", Pattern: "Lone*"}, "[]"},
		{query.Scope{Pattern: "Lone*"}, "[{Lonely.md 0}]"},
	} {
		orphans, _, err := v.Query.Orphans(t.Context(), c.scope)
		if fmt.Sprint(orphans) != c.want || err != nil {
			t.Errorf("%+v: orphans %v, want %s (%v)", c.scope, orphans, c.want, err)
		}
	}
}

// TestQueriesOmitExcluded: files excluded by Obsidian's settings count only if they are named.
func TestQueriesOmitExcluded(t *testing.T) {
	v := newTest(t, map[string]string{
		".obsidian/app.json": `{"userIgnoreFilters":["Templates/"]}`,
		"a.md":               "#a [[b]]\n- [ ] a\n", "Templates/t.md": "#t [[a]] [[gone]]\n- [ ] t\n",
	})
	for _, c := range []struct {
		scope query.Scope
		want  string
	}{
		{query.Scope{}, "a.md 1"}, {query.Scope{Ignored: true}, "a.md Templates/t.md 0"}, {query.Scope{Path: "Templates"}, "Templates/t.md 0"}, {query.Scope{Path: "templates/T.md"}, "Templates/t.md 0"},
	} {
		tasks, missed, err := v.Query.Tasks(t.Context(), query.TaskQuery{Scope: c.scope})
		mustTest(t, err)
		var got []string
		for _, n := range tasks {
			got = append(got, n.Path)
		}
		slices.SortFunc(got, strings.Compare)
		slices.Reverse(got)
		if got := fmt.Sprint(strings.Join(got, " "), " ", missed.Excluded); got != c.want {
			t.Errorf("%+v: %s, want %s", c.scope, got, c.want)
		}
	}
	counts, err := v.Query.Tags(t.Context(), query.Scope{})
	mustTest(t, err)
	unresolved, _, err := v.Query.UnresolvedLinks(t.Context(), query.Scope{})
	mustTest(t, err)
	orphans, _, err := v.Query.Orphans(t.Context(), query.Scope{})
	mustTest(t, err)
	if got := fmt.Sprint(counts.Tags, unresolved, orphans); got != "[{a 1 1}] [{b 1 [a.md]}] []" {
		t.Error(got)
	}
}

func TestTags(t *testing.T) {
	v := queryVault(t)
	counts, err := v.Query.Tags(t.Context(), query.Scope{})
	want := "[{project 3 1} {project/alpha 2 1} {Work 2 2} {call 1 1} {Project/alpha/x 1 1}] 4 5"
	if got := fmt.Sprint(counts.Tags, " ", counts.Notes, " ", counts.All); got != want || err != nil {
		t.Errorf("got  %s\nwant %s (%v)", got, want, err)
	}
	for tag, want := range map[string]string{
		"#PROJECT":      "[{Lonely.md [{Project/alpha/x 1}]} {Projects/Alpha.md [{project/alpha 2}]} {Projects/[x]/Odd.md [{project 1}]}]",
		"project/alpha": "[{Lonely.md [{Project/alpha/x 1}]} {Projects/Alpha.md [{project/alpha 2}]}]",
		"proj":          "[]",
		"canary":        "[]",
	} {
		list, _, err := v.Query.Tagged(t.Context(), tag, query.Scope{})
		if fmt.Sprint(list) != want || err != nil {
			t.Errorf("%s: %v, want %s (%v)", tag, list, want, err)
		}
	}
}

func TestTasks(t *testing.T) {
	v := queryVault(t)
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		name string
		q    query.TaskQuery
		want string
	}{
		{"all", query.TaskQuery{}, "Projects/Beta.md 4 5; Projects/Alpha.md 10 11 12; Projects/[x]/Odd.md 2"},
		{"open", query.TaskQuery{State: query.TasksOpen}, "Projects/Beta.md 4; Projects/Alpha.md 10 12; Projects/[x]/Odd.md 2"},
		{"done", query.TaskQuery{State: query.TasksDone}, "Projects/Alpha.md 11; Projects/Beta.md 5"},
		{"a note", query.TaskQuery{Scope: query.Scope{Path: "projects/alpha.md"}}, "Projects/Alpha.md 10 11 12"},
		{"a folder", query.TaskQuery{Scope: query.Scope{Path: "Projects/[x]"}}, "Projects/[x]/Odd.md 2"},
		{"a pattern", query.TaskQuery{Scope: query.Scope{Pattern: "B*.md"}}, "Projects/Beta.md 4 5"},
		{"a tag", query.TaskQuery{Tag: "#Call"}, "Projects/Alpha.md 10"},
		{"a tag of the note", query.TaskQuery{Tag: "project", State: query.TasksOpen}, "Projects/Alpha.md 10 12"},
		{"a heading", query.TaskQuery{Heading: "## next"}, "Projects/Alpha.md 10 11 12"},
		{"until", query.TaskQuery{Until: day("2026-11-21")}, "Projects/Beta.md 4; Projects/Alpha.md 11"},
		{"from", query.TaskQuery{From: day("2026-11-22")}, "Projects/Alpha.md 10"},
		{"nothing", query.TaskQuery{Tag: "canary"}, ""},
	} {
		list, _, err := v.Query.Tasks(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		var summaries []string
		for _, n := range list {
			s := n.Path
			for _, task := range n.Tasks {
				s += fmt.Sprintf(" %d", task.Line)
			}
			summaries = append(summaries, s)
		}
		if got := strings.Join(summaries, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, path := range []string{"Diary", "Diary/Secret.md", ".obsidian", "Nowhere"} {
		if _, _, err := v.Query.Tasks(t.Context(), query.TaskQuery{Scope: query.Scope{Path: path}}); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}
