package openai

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

type (
	text   = endpoint.Text
	number = endpoint.Number
)

// chunk is a streamed piece, or a whole answer, as endpoints really send it: only fields we
// use, and of them any JSON type that can be given a meaning.
type chunk struct {
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
}

type choice struct {
	Index   number `json:"index"`
	Delta   *delta `json:"delta"`
	Message *delta `json:"message"` // of an answer that is not streamed
	Finish  text   `json:"finish_reason"`
	Usage   *usage `json:"usage"` // Kimi
}

type delta struct {
	Content          content         `json:"content"`
	Refusal          text            `json:"refusal"`
	ReasoningContent text            `json:"reasoning_content"`
	Reasoning        text            `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"` // OpenRouter: signed or encrypted too
	ExtraContent     json.RawMessage `json:"extra_content"`     // Gemini
	ToolCalls        []toolPart      `json:"tool_calls"`
}

type toolPart struct {
	Index    *number `json:"index"`
	ID       text    `json:"id"`
	Function struct {
		Name      text `json:"name"`
		Arguments text `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"` // Gemini
}

// first is the choice that counts: index 0. Nil where there is none.
func (c *chunk) first() *choice {
	for i := range c.Choices {
		if n, ok := c.Choices[i].Index.Int(); !ok || n == 0 {
			return &c.Choices[i]
		}
	}
	return nil
}

func (c *choice) delta() delta { return *cmp.Or(c.Delta, c.Message, &delta{}) }

// reasoning takes one of the fields: endpoints that send several repeat themselves.
func (d delta) reasoning() string {
	if field := cmp.Or(d.ReasoningContent, d.Reasoning); field != "" {
		return string(field)
	}
	return cmp.Or(detailsText(d.ReasoningDetails), d.Content.reasoning)
}

// content is text, or an array of parts: {"type":"text","text":…}, and of reasoning
// {"type":"thinking","thinking":[…]}.
type content struct{ text, reasoning string }

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		var t text
		err := t.UnmarshalJSON(b)
		c.text = string(t)
		return err
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     text    `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "thinking" || p.Type == "reasoning" {
			c.reasoning += p.Thinking.text + string(p.Text)
		} else {
			c.text += string(p.Text)
		}
	}
	return nil
}

// usage has the fields of the known endpoints.
type usage struct {
	Prompt        number  `json:"prompt_tokens"`
	Completion    number  `json:"completion_tokens"`
	Total         number  `json:"total_tokens"`
	CacheHit      number  `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cost          *number `json:"cost"`                    // OpenRouter, US dollars
	PromptDetails struct {
		Cached  number `json:"cached_tokens"`
		Written number `json:"cache_write_tokens"` // OpenAI, OpenRouter
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning number `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage returns nil for a usage without tokens, as some endpoints put into every chunk.
func (u *usage) usage() *llm.Usage {
	if u == nil || u.Prompt.Count()+u.Completion.Count() == 0 {
		return nil
	}
	out := &llm.Usage{PromptTokens: u.Prompt.Count(), CompletionTokens: u.Completion.Count()}
	out.CachedTokens = min(out.PromptTokens, max(u.PromptDetails.Cached.Count(), u.CacheHit.Count()))
	out.CacheWriteTokens = min(out.PromptTokens-out.CachedTokens, u.PromptDetails.Written.Count())
	out.ReasoningTokens = u.CompletionDetails.Reasoning.Count()
	if thought := out.ReasoningTokens; thought > 0 && u.Total.Count() == out.PromptTokens+out.CompletionTokens+thought {
		out.CompletionTokens += thought // xAI counts them apart
	}
	if u.Cost != nil {
		if f, err := strconv.ParseFloat(string(*u.Cost), 64); err == nil && f >= 0 && !math.IsInf(f, 0) {
			out.Cost, out.HasCost = f, true
		}
	}
	return out
}
