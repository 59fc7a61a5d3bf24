package models

import (
	"path"
	"strings"
	"testing"
)

func TestEfforts(t *testing.T) {
	for name, want := range map[string]string{
		"openai/gpt-5.1": "none low medium high", "openai/gpt-5.1-2025-11-13": "none low medium high",
		"openai/gpt-5.2": "none low medium high xhigh", "openai/gpt-5.4-mini": "none low medium high xhigh",
		"openai/gpt-5.2-pro": "medium high xhigh", "openai/gpt-5-pro": "high", "openai/gpt-5": "minimal low medium high",
		"openai/gpt-5.6-sol": "none low medium high xhigh max",
		"openai/o4-mini":     "low medium high", "azure/o4-mini": "low medium high", "openai/o1-mini": "",
		"openai/gpt-4o": "", "openai/gpt-5-chat-latest": "",
		"anthropic/claude-3-5-haiku-20241022": "", "anthropic/claude-3-opus-20240229": "", "openrouter/anthropic/claude-3.5-haiku": "",
		"anthropic/claude-3-7-sonnet-latest": "low medium high", "anthropic/claude-opus-4-8": "low medium high xhigh max",
		"anthropic/claude-sonnet-4-5": "low medium high",
	} {
		provider, model, _ := strings.Cut(name, "/")
		if got, known := Efforts(provider, "", model); !known || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v, not %s", name, got, known, want)
		}
	}
	if got, known := Efforts("mine", "http://127.0.0.1:1/v1", "a-model"); known || len(got) > 0 {
		t.Errorf("an unknown model: %v", got)
	}
	for _, e := range efforts {
		if _, err := path.Match(e.names, ""); err != nil {
			t.Errorf("%s: %v", e.names, err)
		}
	}
}
