package openai

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func split(content string, n int) (reasoning, text string) {
	var t thinking
	take := func(r, s string) {
		if t.late { // text taken for the answer was reasoning
			reasoning, text, t.late = reasoning+text, "", false
		}
		reasoning, text = reasoning+r, text+s
	}
	for rest := content; rest != ""; rest = rest[min(n, len(rest)):] {
		take(t.feed(rest[:min(n, len(rest))]))
	}
	take(t.end())
	return reasoning, text
}

func TestThoughtsInContent(t *testing.T) {
	for _, c := range []struct{ content, reasoning, text string }{
		{"plain", "", "plain"},
		{"<think>a < b</think>\n\nyes", "a < b", "yes"},
		{"\n <think>\na\n</think>yes", "\na\n", "yes"},
		{"<THINK>a</Think> yes", "a", "yes"},
		{"<thinking>a</thinking>yes", "a", "yes"},
		{"<thought>a</thought>yes", "a", "yes"},
		{"[THINK]a[/THINK]yes", "a", "yes"},
		{"◁think▷ä◁/think▷yes", "ä", "yes"},
		{"<think>a</think><think>b</think>yes", "ab", "yes"},
		{"<think>never closed", "never closed", ""},
		{"<think>nearly closed</thin", "nearly closed</thin", ""},
		{"<think>a</think>", "a", ""},
		{"<think></think>", "", ""},
		{"<think>a</thinking>b</think>c", "a</thinking>b", "c"},
		// Later in the text the tag is only mentioned.
		{"Models write <think>so</think>, and then answer.", "", "Models write <think>so</think>, and then answer."},
		{"`<think>` is a tag", "", "`<think>` is a tag"},
		{"<think>a</think>The tag <think> opens.", "a", "The tag <think> opens."},
		{"<thin", "", "<thin"},
		{"<thinker>a", "", "<thinker>a"},
		{"  <b>x", "", "  <b>x"},
		{"[[Note]] says", "", "[[Note]] says"},
		{" \n", "", " \n"},
		{"", "", ""},
		// The chat template wrote the opening tag.
		{"I look.\n</think>\n\nyes", "I look.\n", "yes"},
		{"a</think>b", "a", "b"},
		{"</think>\n\nyes", "", "yes"},
		{"a</think>b</think>c", "a", "b</think>c"},
		{"The tag </think> closes.", "", "The tag </think> closes."},
		{"`</think>` closes.", "", "`</think>` closes."},
		{"So:\n```\na\n</think>\n```\nyes", "", "So:\n```\na\n</think>\n```\nyes"},
		{"almost </thin", "", "almost </thin"},
		// gpt-oss
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>", "a", "yes"},
		{"<|channel|>final<|message|>yes", "", "yes"},
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>\n<|start|>assistant<|channel|>final<|message|>yes", "ab", "yes"},
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>", "a", "<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>"},
		{strings.Repeat("\n", 5000) + "<think>a", "", strings.Repeat("\n", 5000) + "<think>a"},
	} {
		for _, n := range []int{1, 2, 3, 5, 7, len(c.content) + 1} {
			if len(c.content) > 1000 && n > 7 {
				continue // in one piece, the tag is recognized
			}
			if reasoning, text := split(c.content, n); reasoning != c.reasoning || text != c.text {
				t.Errorf("%.60q by %d: %q, %q", c.content, n, reasoning, text)
			}
		}
	}
}

// TestThoughtsOverAnyChunking: however the text is split, nothing is lost and the result is the same.
func TestThoughtsOverAnyChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"<think>", "</think>", "<", "/", "think", ">", " ", "\n", "a", "ä", "<thought>", "</thought>"}), 0, 12).Draw(t, "parts"), "")
		n := rapid.IntRange(1, 9).Draw(t, "n")
		r1, t1 := split(content, n)
		r2, t2 := split(content, len(content)+1)
		lost := func(letter string) bool { return strings.Count(r1+t1, letter) != strings.Count(content, letter) }
		if r1 != r2 || t1 != t2 || lost("a") || lost("ä") || !strings.HasSuffix(content, t1) {
			t.Fatalf("%q by %d: %q %q; whole: %q %q", content, n, r1, t1, r2, t2)
		}
	})
}
