package llm

import (
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// widening is how servers that run on one's own computer are given a larger window, by provider.
var widening = map[string]string{
	"ollama":    "start Ollama with OLLAMA_CONTEXT_LENGTH=16384 in its environment, or set num_ctx in the model's Modelfile",
	"lmstudio":  "load the model in LM Studio with a larger Context Length",
	"llama.cpp": "start llama-server with a larger -c (--ctx-size)",
	"vllm":      "start vLLM with a larger --max-model-len",
}

// Widen says how the window of a model is made larger at a provider: part of a sentence, after which
// another way may follow.
func Widen(provider string) string {
	provider, _, _ = strings.Cut(provider, "/")
	if how, ok := widening[strings.ToLower(provider)]; ok {
		return how
	}
	return "raise the context length in the server's settings (of Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx)"
}

// CutText tells the user of a server that counted so few of the tokens that it was sent, at the least,
// and what to do about it.
func CutText(name string, sent, counted int) string {
	return fmt.Sprintf("%s counted only %s tokens of at least %s that it was sent, twice in a row: it seems to leave out what its window has no room for, without a word, so it may not know parts of your conversation and notes. What helps: %s; or set context_window in config.toml to the window that it has, so that no more is sent.",
		name, text.Thousands(counted), text.Thousands(sent), Widen(name))
}
