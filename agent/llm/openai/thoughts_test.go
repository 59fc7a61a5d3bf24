package openai

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func split(content string, n int) (reasoning, text, raw string) {
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
	take(t.end(false))
	return reasoning, text, t.raw()
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
		// Later in the text the tag is only mentioned.
		{"Models write <think>so</think>, and then answer.", "", "Models write <think>so</think>, and then answer.", ""},
		{"`<think>` is a tag", "", "`<think>` is a tag", ""},
		{"<think>a</think>The tag <think> opens.", "a", "The tag <think> opens.", "<think>a</think>"},
		{"<thin", "", "<thin", ""},
		{"<thinker>a", "", "<thinker>a", ""},
		{"  <b>x", "", "  <b>x", ""},
		{"[[Note]] says", "", "[[Note]] says", ""},
		{" \n", "", " \n", ""},
		{"", "", "", ""},
		// The chat template wrote the opening tag.
		{"I look.\n</think>\n\nyes", "I look.\n", "yes", "I look.\n</think>\n\n"},
		{"a</think>b", "a", "b", "a</think>"},
		{"</think>\n\nyes", "", "yes", "</think>\n\n"},
		{"a</think>b</think>c", "a", "b</think>c", "a</think>"},
		{"The tag </think> closes.", "", "The tag </think> closes.", ""},
		{"`</think>` closes.", "", "`</think>` closes.", ""},
		{"So:\n```\na\n</think>\n```\nyes", "", "So:\n```\na\n</think>\n```\nyes", ""},
		{"almost </thin", "", "almost </thin", ""},
		// gpt-oss
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>", "a", "yes", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>"},
		{"<|channel|>final<|message|>yes", "", "yes", "<|channel|>final<|message|>"},
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>\n<|start|>assistant<|channel|>final<|message|>yes", "ab", "yes", "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|end|>\n<|start|>assistant<|channel|>final<|message|>"},
		{"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>", "a", "<|start|>assistant<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>", "<|channel|>analysis<|message|>a<|end|>"},
		{strings.Repeat("\n", 5000) + "<think>a", "", strings.Repeat("\n", 5000) + "<think>a", ""},
	} {
		for _, n := range []int{1, 2, 3, 5, 7, len(c.content) + 1} {
			if len(c.content) > 1000 && n > 7 {
				continue // in one piece, the tag is recognized
			}
			if reasoning, text, raw := split(c.content, n); reasoning != c.reasoning || text != c.text || raw != c.raw {
				t.Errorf("%.60q by %d: %q, %q, %q", c.content, n, reasoning, text, raw)
			}
		}
	}
}

// TestThoughtsOverAnyChunking: however the text is split, nothing is lost and the result is the same.
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

// TestPresumedThoughts: if a model's reasoning began without a tag before, it is never taken for the answer.
func TestPresumedThoughts(t *testing.T) {
	for _, c := range []struct {
		content         string
		cut             bool
		reasoning, text string
	}{
		{"a < b\n</think>\n\nyes", false, "a < b\n", "yes"},
		{"cut off within", true, "cut off within", ""},
		{"no thoughts", false, "no thoughts", "no thoughts"}, // shown as both rather than lost
		{"<think>a</think>yes", false, "a", "yes"},
	} {
		for n := 1; n <= len(c.content); n++ {
			x := thinking{presumed: true}
			var reasoning, text string
			for rest := c.content; rest != ""; rest = rest[min(n, len(rest)):] {
				r, s := x.feed(rest[:min(n, len(rest))])
				reasoning, text = reasoning+r, text+s
			}
			r, s := x.end(c.cut)
			if reasoning, text = reasoning+r, text+s; !strings.HasPrefix(c.reasoning, reasoning) || text != c.text || x.late {
				t.Errorf("%q by %d: %q, %q", c.content, n, reasoning, text)
			}
		}
	}
}
