package window

import (
	"encoding/json"
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// TestTruncatingServer: a server that twice in succession counts less than 70 % of the tokens it was sent truncates
// prompts; that is reported once.
func TestTruncatingServer(t *testing.T) {
	const sent = 10_000
	for _, c := range []struct {
		about       string
		counts      []int // tokens counted by the server for each call; 0 means no count
		reportAfter int   // the call after which truncation is reported, from 1; 0 means never
	}{
		{"all of it", []int{10_000, 10_500, 9000}, 0},
		{"another tokenizer", []int{7000, 7000, 7000}, 0},
		{"cut", []int{4096, 4096}, 2},
		{"just below", []int{6999, 6999}, 2},
		{"once", []int{4096, 9000, 4096, 9000}, 0},
		{"once, then for good", []int{4096, 9000, 4096, 4096, 4096}, 4},
		{"said once", []int{4096, 4096, 4096, 9000, 4096, 4096}, 2},
		{"fewer than any window has", []int{1023, 1023, 150}, 0},
		{"the smallest window", []int{1024, 1024}, 2},
		{"no count in between", []int{4096, 0, 4096}, 3},
		{"never counted", []int{0, 0, 0}, 0},
	} {
		var w Known
		reported := 0
		for i, n := range c.counts {
			if w.Cut("a/x", sent, llm.Usage{PromptTokens: n}) {
				if reported > 0 {
					t.Errorf("%s: reported again after call %d", c.about, i+1)
				}
				reported = i + 1
			}
		}
		if reported != c.reportAfter {
			t.Errorf("%s: reported after call %d, want %d", c.about, reported, c.reportAfter)
		}
	}
	var w Known
	for range 3 {
		if w.Cut("short", 999, llm.Usage{PromptTokens: 10}) {
			t.Error("a short request was taken into account")
		}
		if w.Cut("guessed", sent, llm.Usage{PromptTokens: 10, Estimated: true}) {
			t.Error("an estimate was taken for the server's count")
		}
	}
	for range 3 {
		if w.Cut("cached", sent, llm.Usage{PromptTokens: 9000, CachedTokens: 8900}) {
			t.Error("cached tokens were taken for omitted ones")
		}
		if w.Cut("apart", sent, llm.Usage{PromptTokens: 2000, CachedTokens: 2000}) {
			t.Error("tokens counted separately were taken for omitted ones")
		}
	}
	w.Cut("a/x", sent, llm.Usage{PromptTokens: 4096})
	if w.Cut("b/y", sent, llm.Usage{PromptTokens: 4096}) {
		t.Error("one call each to two servers counted as two in succession")
	}
}

// TestMinimumTokens: text that real tokenizers encode compactly is not mistaken for truncated text.
func TestMinimumTokens(t *testing.T) {
	user := func(text string) llm.Request {
		return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}
	}
	for about, c := range map[string]struct {
		req  llm.Request
		most int // tokens of a large vocabulary (o200k_base)
	}{
		"English":    {user(strings.Repeat("The garden needs water in the morning. ", 100)), 801},
		"Russian":    {user(strings.Repeat("Саду нужна вода каждое утро. ", 100)), 801},
		"a table":    {user(strings.Repeat("| a"+strings.Repeat(" ", 60)+"| b"+strings.Repeat(" ", 60)+"|\n", 100)), 801},
		"rules":      {user(strings.Repeat(strings.Repeat("-", 80)+"\n", 100)), 301},
		"reasoning":  {llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Content: "ok", ToolCalls: []llm.ToolCall{{Name: "a", Arguments: "{}"}}, Echo: &llm.Echo{Fields: map[string]json.RawMessage{"reasoning": json.RawMessage(`"` + strings.Repeat("thought ", 500) + `"`)}}}}}, 10},
		"a tool":     {llm.Request{Tools: []llm.ToolSpec{{Name: "a", Description: strings.Repeat("word ", 40), Parameters: json.RawMessage(`{}`)}}}, 60},
		"no request": {llm.Request{}, 0},
	} {
		if got := LeastTokens(c.req); got*cutShare > c.most*100 {
			t.Errorf("%s: %d, although it may be %d", about, got, c.most)
		}
	}
	if got := LeastTokens(user(strings.Repeat("The garden needs water. ", 1000))); got < 5000 {
		t.Errorf("24,000 characters are %d tokens", got)
	}
}
