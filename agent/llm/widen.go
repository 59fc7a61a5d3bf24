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
	return fmt.Sprintf("%s counted only %s of at least %s tokens sent, twice in a row: it seems to silently drop what does not fit its window, so it may miss parts of your conversation and notes. To fix it: %s; or set context_window in config.toml to its actual window.",
		name, text.Thousands(counted), text.Thousands(sent), Widen(name))
}
