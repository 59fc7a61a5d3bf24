package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"pgregory.net/rapid"

	"chatvault/tui/theme"
)

// Copying an answer returns the received bytes, even if the sanitized text differs.
func TestRawReturnsTheOriginalText(t *testing.T) {
	env := NewEnv(theme.New("none", colorprofile.ANSI))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab *_\n\té🍑\x1b\u202e\u200f\u0301#`"))).Draw(t, "text")
		a := NewAssistant(env)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			a.Append(rest[:n])
			rest = rest[n:]
			if got := a.Raw(); got != text[:len(text)-len(rest)] {
				t.Fatalf("%q so far, want %q", got, text[:len(text)-len(rest)])
			}
		}
		a.Finish()
		if got := a.Raw(); got != text {
			t.Fatalf("%q, want %q", got, text)
		}
	})
}

func TestSources(t *testing.T) {
	env := NewEnv(theme.New("none", colorprofile.ANSI))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	called := func(name, target, result string) *Tool {
		c := NewTool(env, name)
		c.Start(target, now)
		c.Gave(result)
		c.Finish("done", false, 0)
		return c
	}
	user := NewUser(env, "Which *plums*?", "voice")
	first, second := called("read_file", "Plums.md", "1: # Plums"), called("read_file", "Pears.md", "1: # Pears")
	Together(first, second)
	thought := NewReasoning(env, now)
	thought.Append("Maybe plums.")
	diff := "Replaced 1 occurrence in \"Plums.md\".\n\n--- a/Plums.md\n+++ b/Plums.md\n@@ -1 +1 @@\n-old\n+new\n"
	for _, tt := range []struct {
		item       Sourced
		raw, words string
	}{
		{user, "Which *plums*?", "Which *plums*?"},
		{NewMessage(env, "Now **this**\x1b", false), "Now **this**\x1b", "Now **this**\x1b"},
		{thought, "Maybe plums.", "Maybe plums."},
		{called("list_files", "Fruit", "[file] Plums.md"), "[file] Plums.md", "list_files Fruit done\n[file] Plums.md\n"},
		{called("create_folder", "Fruit", ""), "create_folder Fruit", "create_folder Fruit done\n"},
		{called("edit_file", "Plums.md", diff), strings.TrimSpace(diff), "edit_file Plums.md done\n" + strings.TrimSpace(diff) + "\n"},
		{first, "read_file Plums.md done\n1: # Plums\nread_file Pears.md done\n1: # Pears\n", "read_file Plums.md done\n1: # Plums\nread_file Pears.md done\n1: # Pears\n"},
		{second, "", ""},
		{
			called("read_file", "Long.md", strings.Repeat("a line\n", 40_000)), strings.Repeat("a line\n", 40_000)[:maxExcerpt] + "…",
			"read_file Long.md done\n" + strings.Repeat("a line\n", 40_000)[:maxExcerpt] + "\n",
		},
		{NewError(env, "Failed\nTry again"), "Failed\nTry again", "Failed\nTry again"},
	} {
		if raw := tt.item.Raw(); raw != tt.raw {
			t.Errorf("%T: %q, want %q", tt.item, raw, tt.raw)
		}
		if words := string(Words(nil, tt.item, 80)); words != tt.words {
			t.Errorf("%T is looked through as %q, want %q", tt.item, words, tt.words)
		}
	}
}
