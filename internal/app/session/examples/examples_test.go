package examples

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chatvault/vault"
)

// questionsOf returns the examples for a vault of these notes, each changed an hour before the previous one.
func questionsOf(t *testing.T, dir string, notes ...[2]string) []string {
	t.Helper()
	now := time.Now()
	for i, n := range notes {
		file := filepath.Join(dir, filepath.FromSlash(n[0]))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(n[1]), 0o644); err != nil {
			t.Fatal(err)
		}
		when := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	return Questions(context.Background(), v, now)
}

const sentence40 = "The fence along the northern edge is a metre high and green.\n"

func TestQuestions(t *testing.T) {
	tests := []struct {
		name  string
		notes [][2]string
		want  []string
	}{
		{"an empty vault", nil, emptyVaultIdeas},
		{"one note", [][2]string{{"Garden fence.md", "# Garden fence\n" + sentence40}}, []string{"What do I know about Garden fence?", "What did I change this week?", "List all notes"}},
		{"a note that says nothing", [][2]string{{"Garden fence.md", "# Garden fence\n\n## Height\n"}}, []string{"What did I change this week?", "List all notes", "Which notes did I change last?"}},
		{"a long name in another script", [][2]string{{"庭の北側の柵について書いた覚え書き.md", sentence40}}, []string{"What do I know about 庭の北側の柵について書いた覚え書き?", "What did I change this week?", "List all notes"}},
		{
			"odd names and tasks",
			[][2]string{{"2026-11-20 1.md", sentence40 + "- [ ] a #x\n"}, {"2026-11-20 2.md", sentence40 + "#y\n"}},
			[]string{"Which tasks are still open?", "What did I change this week?", "List all notes"},
		},
		{"no subject", [][2]string{{"Index.md", sentence40}, {"2026-11-20.md", sentence40}, {"Templates/Trip.md", sentence40}}, []string{"What did I change this week?", "List all notes", "Which notes did I change last?"}},
		{"open tasks and folders", [][2]string{
			{"Recipes/Soup.md", "---\ntags: [recipe]\n---\n" + sentence40}, {"Recipes/Tart.md", "#recipe\n- [x] done\n"}, {"Log.md", "- [ ] paint it\n"},
		}, []string{"What do I know about Soup?", "Which tasks are still open?", "What did I change this week?"}},
		{"nothing is open", [][2]string{
			{"Recipes/Soup.md", "---\ntags: [recipe]\n---\n" + sentence40}, {"Recipes/Tart.md", "#recipe\n- [x] done\n"},
		}, []string{"What do I know about Soup?", "What did I change this week?", "List all notes"}},
	}
	for _, tt := range tests {
		if got := questionsOf(t, t.TempDir(), tt.notes...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
