package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prosediff"
	"chatvault/tui/list"
	"chatvault/tui/theme"
)

// scripts lists texts that are hard to lay out.
var scripts = []string{
	"word ", "日本語の文章。", "桃（もも）", "한국어 ", "ไทยภาษาไทย ", "हिन्दी ", // wide letters and combining marks
	"👩‍👩‍👧‍👦", "🏳️‍🌈 ", "🇩🇪🇯🇵", "👍🏽 ", "☑️", "⚠ ", "1️⃣ ", // joined emoji, flags, skin tones, selectors
	"e\u0301 ", "a\u0308\u0304", "Z\u0351\u036b\u0343algo ", "\u0301", // combining marks
	"שלום עולם ", "مرحبا بالعالم ", "abc عربى def ", // right-to-left
	"\t", "a\tb ", "    indented\n", "\u00a0", "\u2003", "\u00ad", "\u200b", "\ufeff", "\u200d",
	"averyveryverylongwordthatnoscreenisasniceastoholdwholeoronlywithluck ", "https://example.com/a/very/long/path?with=a&query=that#goes-on ",
	"[[Recipes/Summer/Nectarine tart|tart]] ", "`code with a very long line that is not broken` ", "**bold** ", "==mark== ", "$x_1$ ", "#tag/日本 ",
	"\n", "\n\n", "- item ", "\n- [ ] task ", "\n> quoted ", "\n> [!tip] 日本 ", "\n```go\nfunc main() {\tfmt.Println(\"日本語👩‍👩‍👧‍👦\") }\n```\n",
	"\n\n| 名前 | 👩‍👩‍👧‍👦 flags 🇩🇪 | a column with many words | e\u0301 |\n|---|:-:|--:|---|\n| averyveryverylongwordthatfitsnowhere | מילה | 한국어 | x |\n| 1 | 2 | 3 | 4 |\n\n",
	"\x1b[31m", "\x07", "\u202e", "&#27;",
}

func someScript(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(scripts), 1, 16).Draw(t, name), "")
}

// everywhere returns a transcript with the text in every item.
func everywhere(env *Env, x string) []list.Item {
	routed := NewUser(env, x, x)
	routed.At(noon.Add(-5 * time.Minute))
	routed.Tag, routed.Added = x, true
	failed := NewUser(env, x, "")
	failed.Failed = x
	answer := NewAssistant(env)
	answer.Append(x)
	answer.Finish()
	asked := NewMessage(env, x, true)
	asked.Offer([]string{x, "b"})
	thought := NewReasoning(env, noon)
	thought.Append(x)
	call := NewTool(env, x)
	call.Start(x, noon)
	raw, _ := json.Marshal(map[string]string{"a": x, x: "b"}) // marshalling strings cannot fail
	call.Called(raw)
	call.Finish(x, true, time.Second)
	call.Gave(x)
	call.Replaced("--- a.md\n+++ a.md\n@@ -1 +1 @@\n-" + strings.ReplaceAll(x, "\n", " ") + "\n+new\n")
	delegated := NewTool(env, "delegate")
	delegated.Start(x, noon)
	delegated.StepStarted("1", x, x, noon)
	delegated.Finish(x, false, 0)
	archived := NewArchived(env, x, []string{x})
	undone := NewUndone(env, "↶", x, []string{x}, []string{x}, x, x)
	before := NewBoundary(env, x)
	before.Before(x, x, x)
	back := review(env, x, x, x)
	items := []list.Item{
		routed, failed, answer, asked, NewMessage(env, x, false), thought, call, delegated, archived, undone, before, back,
		NewCompaction(env, x, 9000, 900), NewNotice(env, x), NewError(env, x+"\n"+x), NewStopped(env, x, []string{x}, x),
		NewGoalStep(env, x), NewGoalEnd(env, true, x, x),
		NewChanged(env, x, x, prosediff.Compare(x, "b\n"+x)), NewNote(env, x, 1, true), NewNote(env, x, 1, false),
		NewWelcome(env, WelcomeData{Version: x, VaultName: x, VaultDir: x, Provider: x, Examples: []string{x}}),
	}
	return append(items, folded(read(env, x), read(env, x+"b"))...)
}

// No row is wider than the screen or contains a cursor movement, in any script.
func TestEveryScriptFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(t, "terminal draws clusters"))
		defer cells.SetClusters(false)
		env := testEnv(rapid.SampledFrom([]string{theme.Dark, theme.None}).Draw(t, "theme"))
		env.Details = rapid.Bool().Draw(t, "details")
		width := rapid.IntRange(10, 220).Draw(t, "width")
		for _, it := range everywhere(env, someScript(t, "text")) {
			for _, l := range it.Lines(width) {
				plain := ansi.Strip(l)
				if w := cells.Width(l); w > width {
					t.Fatalf("%T is %d cells wide at width %d: %q", it, w, width, plain)
				}
				if i := strings.IndexFunc(plain, unicode.IsControl); i >= 0 {
					t.Fatalf("%T shows a control character: %q", it, plain)
				}
			}
		}
	})
}

// Wrapping keeps all words in order, in any script.
func TestWrappingLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(t, "terminal draws clusters"))
		defer cells.SetClusters(false)
		var words []string
		for range rapid.IntRange(1, 20).Draw(t, "words") {
			words = append(words, rapid.SampledFrom([]string{
				"word", "日本語の文章", "👩‍👩‍👧‍👦", "🇩🇪🇯🇵", "e\u0301te\u0301", "שלום", "عربى", "ไทย", "हिन्दी", strings.Repeat("long", 30), "a-b/c",
			}).Draw(t, "word"))
		}
		width := rapid.IntRange(10, 220).Draw(t, "width")
		text := strings.Join(words, " ")
		u := NewUser(testEnv(theme.Dark), text, "")
		var got strings.Builder
		u.Flip()
		for _, l := range u.Lines(width) {
			got.WriteString(strings.TrimPrefix(ansi.Strip(l), "▌ "))
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(got.String()) != squeeze(text) {
			t.Fatalf("at width %d\n%q became\n%q", width, text, got.String())
		}
	})
}
