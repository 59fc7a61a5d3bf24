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
	return Questions(context.Background(), v)
}

const sentence40 = "The fence along the northern edge is a metre high and green.\n"

func TestQuestions(t *testing.T) {
	general := []string{"Which tasks are still open?", "What did I change this week?", "List all notes"}
	about := func(topic string) []string {
		return []string{"What do I know about " + topic + "?", general[0], general[1]}
	}
	tests := []struct {
		name  string
		notes [][2]string
		want  []string
	}{
		{"an empty vault", nil, emptyVaultIdeas},
		{"one note", [][2]string{{"Garden fence.md", "# Garden fence\n" + sentence40}}, about("Garden fence")},
		{"a note that says nothing", [][2]string{{"Garden fence.md", "# Garden fence\n\n## Height\n"}}, general},
		{"a long name in another script", [][2]string{{"庭の北側の柵について書いた覚え書き.md", sentence40}}, about("庭の北側の柵について書いた覚え書き")},
		{"no subject", [][2]string{{"Index.md", sentence40}, {"2026-11-20.md", sentence40}, {"Templates/Trip.md", sentence40}}, general},
		{"the note changed last", [][2]string{{"Log.md", "- [ ] paint it\n"}, {"Recipes/Soup.md", sentence40}, {"Recipes/Tart.md", sentence40}}, about("Soup")},
	}
	for _, tt := range tests {
		if got := questionsOf(t, t.TempDir(), tt.notes...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
