package openai

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func split(content string, n int) (reasoning, text, raw string) {
	var t thinking
	for rest := content; rest != ""; rest = rest[min(n, len(rest)):] {
		r, s := t.feed(rest[:min(n, len(rest))])
		reasoning, text = reasoning+r, text+s
	}
	r, s := t.end()
	return reasoning + r, text + s, t.raw()
}

func TestThoughtsInContent(t *testing.T) {
	for _, c := range []struct{ content, reasoning, text, raw string }{
		{"plain", "", "plain", ""},
		{"<think>a < b</think>\n\nyes", "a < b", "yes", "<think>a < b</think>\n\n"},
		{"\n <think>\na\n</think>yes", "\na\n", "yes", "\n <think>\na\n</think>"},
		{"<THINK>a</Think> yes", "a", "yes", "<THINK>a</Think> "},
		{"<thinking>a</thinking>yes", "a", "yes", "<thinking>a</thinking>"},
		{"<thought>a</thought>yes", "a", "yes", "<thought>a</thought>"},
		{"[THINK]a[/THINK]yes", "a", "yes", "[THINK]a[/THINK]"},
		{"◁think▷ä◁/think▷yes", "ä", "yes", "◁think▷ä◁/think▷"},
		{"<think>a</think><think>b</think>yes", "ab", "yes", "<think>a</think><think>b</think>"},
		{"<think>never closed", "never closed", "", "<think>never closed"},
		{"<think>nearly closed</thin", "nearly closed</thin", "", "<think>nearly closed</thin"},
		{"<think>a</think>", "a", "", "<think>a</think>"},
		{"<think></think>", "", "", "<think></think>"},
		{"<think>a</thinking>b</think>c", "a</thinking>b", "c", "<think>a</thinking>b</think>"},
		// Further down it is only spoken of.
		{"Models write <think>so</think>, and then answer.", "", "Models write <think>so</think>, and then answer.", ""},
		{"`<think>` is a tag", "", "`<think>` is a tag", ""},
		{"<think>a</think>The tag <think> opens.", "a", "The tag <think> opens.", "<think>a</think>"},
		{"<thin", "", "<thin", ""},
		{"<thinker>a", "", "<thinker>a", ""},
		{"  <b>x", "", "  <b>x", ""},
		{"[[Note]] says", "", "[[Note]] says", ""},
		{" \n", "", " \n", ""},
		{"", "", "", ""},
		{strings.Repeat("\n", 5000) + "<think>a", "", strings.Repeat("\n", 5000) + "<think>a", ""},
	} {
		for _, n := range []int{1, 2, 3, 5, 7, len(c.content) + 1} {
			if len(c.content) > 1000 && n > 7 {
				continue // in one piece the tag is seen
			}
			if reasoning, text, raw := split(c.content, n); reasoning != c.reasoning || text != c.text || raw != c.raw {
				t.Errorf("%.60q by %d: %q, %q, %q", c.content, n, reasoning, text, raw)
			}
		}
	}
}

// However it is cut, nothing is lost, and all cuts say the same.
func TestThoughtsOverAnyChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"<think>", "</think>", "<", "/", "think", ">", " ", "\n", "a", "ä", "<thought>", "</thought>"}), 0, 12).Draw(t, "parts"), "")
		n := rapid.IntRange(1, 9).Draw(t, "n")
		r1, t1, raw1 := split(content, n)
		r2, t2, raw2 := split(content, len(content)+1)
		if r1 != r2 || t1 != t2 || raw1 != raw2 || raw1+t1 != content {
			t.Fatalf("%q by %d: %q %q %q; whole: %q %q %q", content, n, r1, t1, raw1, r2, t2, raw2)
		}
	})
}
