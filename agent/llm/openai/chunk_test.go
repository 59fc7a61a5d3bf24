package openai

import (
	"encoding/json"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

func TestChunkForms(t *testing.T) {
	for _, c := range []struct{ in, text, reasoning string }{
		{`{"choices":[{"delta":{"content":"a"}}]}`, "a", ""},
		{`{"choices":[{"message":{"content":"a","reasoning":"r"}}]}`, "a", "r"},
		{`{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":[{"type":"text","text":"r"}]}]}}]}`, "a", "r"},
		{`{"choices":[{"delta":{"reasoning":"r","reasoning_content":"r"}}]}`, "", "r"},
		{`{"choices":[{"delta":{"refusal":"no"}}]}`, "no", ""},
		{`{"choices":[{"delta":null}]}`, "", ""},
		{`{"choices":[{"index":2,"delta":{"content":"other"}}]}`, "", ""},
		{`{"choices":[{"index":"0","delta":{"content":7}}]}`, "7", ""},
	} {
		var got chunk
		if err := json.Unmarshal([]byte(c.in), &got); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		var d delta
		if f := got.first(); f != nil {
			d = f.delta()
		}
		if text := d.Content.text + string(d.Refusal); text != c.text || d.reasoning() != c.reasoning {
			t.Errorf("%s: %q, %q", c.in, text, d.reasoning())
		}
	}
}

func TestUsageForms(t *testing.T) {
	for in, want := range map[string]*llm.Usage{
		`null`: nil,
		`{"prompt_tokens":0,"completion_tokens":0}`:                                                                      nil,
		`{"prompt_tokens":"10","completion_tokens":2.0}`:                                                                 {PromptTokens: 10, CompletionTokens: 2},
		`{"prompt_tokens":-5,"completion_tokens":2,"cost":"0.5"}`:                                                        {CompletionTokens: 2, Cost: 0.5, HasCost: true},
		`{"prompt_tokens":10,"completion_tokens":1e99}`:                                                                  {PromptTokens: 10},
		`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":7},"completion_tokens":1}`:                         {PromptTokens: 10, CachedTokens: 7, CompletionTokens: 1},
		`{"prompt_tokens":10,"prompt_cache_hit_tokens":70,"completion_tokens":1}`:                                        {PromptTokens: 10, CachedTokens: 10, CompletionTokens: 1},
		`{"prompt_tokens":1,"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":4},"cost":0}`:          {PromptTokens: 1, CompletionTokens: 9, ReasoningTokens: 4, HasCost: true},
		`{"prompt_tokens":5,"completion_tokens":2,"total_tokens":11,"completion_tokens_details":{"reasoning_tokens":4}}`: {PromptTokens: 5, CompletionTokens: 6, ReasoningTokens: 4}, // xAI
		`{"prompt_tokens":1,"completion_tokens":9,"cost":-1}`:                                                            {PromptTokens: 1, CompletionTokens: 9},
	} {
		var u *endpoint.Usage
		if err := json.Unmarshal([]byte(in), &u); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		got := u.Tokens()
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
	}
}
