package window

import (
	"context"
	"iter"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

// TestWindowFrom covers the context-length errors of each provider, and similar errors without a window.
func TestWindowFrom(t *testing.T) {
	for words, want := range map[string]int{
		// OpenAI
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.":                                         8192,
		"This model's maximum context length is 4097 tokens, however you requested 4231 tokens (3975 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.": 4097,
		"maximum context length is 8192 tokens": 8192,
		"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.": 272000,
		// llama.cpp
		"request (9000 tokens) exceeds the available context size (8192)":                                                      8192,
		"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it":                            8192,
		"the request exceeds the available context size. try increasing the context size or enable context shift (n_ctx 8192)": 8192,
		"Requested tokens (2285) exceed context window of 2048":                                                                2048,
		"Prompt exceeds n_ctx: 4096": 4096,
		// vLLM
		"This model's maximum context length is 16384 tokens. However, you requested 19591 tokens (9591 in the messages, 10000 in the completion).":                                      16384,
		"The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.":                 8192,
		"You passed 15000 input tokens and requested 2000 output tokens. However, the model's context length is only 16384 tokens, resulting in a maximum input length of 14384 tokens.": 16384,
		// Ollama
		"input length exceeds maximum context length":                          0,
		"the input length exceeds the context length":                          0,
		"prompt too long: 9000 tokens exceeds the maximum context length 4096": 4096,
		// Anthropic
		"prompt is too long: 213462 tokens > 200000 maximum": 200000,

		"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again": 200000,
		// Gemini
		"The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).": 1048576,
		"The input token count exceeds the maximum number of tokens allowed 131072.":              131072,
		// Groq
		"Please reduce the length of the messages or completion.":                                                                                0,
		"Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.": 0,
		// Mistral
		"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length": 32768,
		// OpenRouter
		"This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.": 131072,
		// LM Studio
		"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.": 4096,
		"Reached context length of 32000 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow.":                           32000,
		// xAI, Together, DeepSeek
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.":   131072,
		"`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8500 `inputs` tokens":        8193,
		"This model's maximum context length is 131,072 tokens. However, you requested 131,134.": 131072,
		// Errors without a window.
		"": 0, "context_length_exceeded": 0, "maximum context length is 12 tokens": 0, "prompt is too long": 0,
		"context length is 99999999999999999999999": 0, "the year 2026": 0, "HTTP 400 Bad Request": 0,
	} {
		got, ok := From(words)
		if got != want || ok != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", words, got, ok, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // any text
		if n, ok := From(rapid.String().Draw(t, "words")); ok && (n < Smallest || n > largestWindow) {
			t.Fatalf("%d is no window", n)
		}
	})
}

// windowed is a provider with a known window.
type windowed struct {
	name   string
	window int
}

func (w windowed) Name() string { return w.name }
func (w windowed) Window() int  { return w.window }
func (w windowed) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(func(llm.Chunk, error) bool) {}
}

// running is a provider whose server reports the window of the running model.
type running struct {
	windowed
	runs int
}

func (r running) Runs() int { return r.runs }

// nameless is a provider that reports no window.
type nameless struct{ llm.Provider }

func TestWindowsRoom(t *testing.T) {
	w := &Known{}
	a, b := windowed{"a", 100_000}, nameless{windowed{"b", 0}}
	check := func(p llm.Provider, configured, want int) {
		t.Helper()
		if got := w.Room(p, configured).Window; got != want {
			t.Errorf("%s with %d: %d, want %d", p.Name(), configured, got, want)
		}
	}
	check(a, 0, 100_000)
	check(a, 50_000, 50_000)
	check(a, 200_000, 200_000) // the user's setting takes precedence
	check(b, 0, Assumed)
	r := running{windowed{"r", 100_000}, 8192}
	check(r, 0, 8192)
	check(r, 200_000, 8192) // but the server's takes precedence over it
	check(r, 4096, 4096)
	check(running{windowed{"s", 0}, 4096}, 0, 4096)
	check(running{windowed{"t", 0}, 0}, 0, Assumed)
	if w.Room(b, 0).Known || !w.Room(b, 1000).Known || !w.Room(r, 0).Known {
		t.Error("an assumed window is reported as known, or a known one is not")
	}
	w.Refused("a", 30_000, "maximum context length is 8192 tokens")
	check(a, 0, 8192)
	check(a, 200_000, 8192) // and so does the refusal's
	check(a, 4096, 4096)
	check(b, 0, Assumed)
	w.Refused("b", 10_000, "too long")
	check(b, 0, 9000) // less than what was sent
	w.Refused("b", 20_000, "too long")
	check(b, 0, 9000)
	if w.Room(b, 0).Known || !w.Room(a, 0).Known {
		t.Error("a guess after a refusal is reported as known, or a named window is not")
	}
	w.Refused("b", 100, "too long")
	check(b, 0, Smallest)
	w.Taken("b", 9000, llm.Usage{PromptTokens: 18_000, CompletionTokens: 500})
	check(b, 0, 18_500/2) // it accepted more than assumed, and counts two tokens for each of ours
	w.Taken("b", 500, llm.Usage{PromptTokens: 5000})
	w.Taken("b", 9000, llm.Usage{PromptTokens: 9000, Estimated: true})
	w.Taken("b", 9000, llm.Usage{})
	check(b, 0, 18_500/2) // short requests, estimates and missing counts are ignored
	w.Taken("b", 2000, llm.Usage{PromptTokens: 900})
	check(b, 0, 18_500) // an overestimate does not enlarge the window
	w.Taken("b", 2000, llm.Usage{PromptTokens: 1_000_000})
	check(b, 0, 1_000_000/maxRatio)
}

func TestRoomIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := RoomIn(rapid.IntRange(0, 10_000_000).Draw(t, "window"))
		if r.Shortened > r.Shorten || r.Shorten > r.Compact || r.Compact > r.Window || r.Recent > r.Shortened || r.Worth > r.Recent {
			t.Fatalf("%+v", r)
		}
	})
}
