package session

import (
	"testing"
)

func TestNamesPath(t *testing.T) {
	for _, tt := range []struct {
		text, path string
		want       bool
	}{
		{"## Diary/a.md\nLine 1: x", "Diary/a.md", true},
		{"Mira: 2 notes (Home.md, Diary/a.md)", "Diary/a.md", true},
		{"Old/Diary/a.md and Diary/a.mdx", "Diary/a.md", false},
		{"Old/Diary/a.md and \"Diary/a.md\"", "Diary/a.md", true},
		{"xa.md ya.md", "a.md", false},
		{"a.md", "a.md", true},
		{"éa.md", "a.md", false},
		{"", "a.md", false},
	} {
		if got := namesPath(tt.text, tt.path); got != tt.want {
			t.Errorf("%q in %q: %v", tt.path, tt.text, got)
		}
	}
}
