package models

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		provider, base, model string
		want                  Model // window and prices only; zero if unknown
	}{
		{"anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5", Model{Window: 200_000, Input: 3, CacheRead: 0.3, CacheWrite: 3.75, Output: 15}},
		{"work", "https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", Model{Window: 200_000, Input: 3, CacheRead: 0.3, CacheWrite: 3.75, Output: 15}},
		{"openai", "", "gpt-5.2", Model{Window: 272_000, Input: 1.75, CacheRead: 0.175, CacheWrite: 1.75, Output: 14}},
		{"openai", "https://api.openai.com/v1", "GPT-5.2-2025-12-11", Model{Window: 272_000, Input: 1.75, CacheRead: 0.175, CacheWrite: 1.75, Output: 14}},
		{"deepseek", "https://api.deepseek.com/v1", "deepseek-v4-pro", Model{Window: 1_000_000, Input: 0.435, CacheRead: 0.003625, CacheWrite: 0.435, Output: 0.87}}, // reading at the price of others' writing
		{"gemini", "", "models/gemini-2.5-flash", Model{Window: 1_048_576, Input: 0.3, CacheRead: 0.03, CacheWrite: 0.3, Output: 2.5}},
		{"gemini", "", "gemini-3.1-flash-lite", Model{Window: 1_048_576, Input: 0.25, CacheRead: 0.025, CacheWrite: 0.25, Output: 1.5}}, // reading at the price of writing
		{"openai", "https://api.x.ai/v1", "gpt-5.2", Model{}}, // another provider's address
		{"ollama", "http://127.0.0.1:11434/v1", "gpt-5.2", Model{}},
		{"openai", "", "unheard-of", Model{}},
	} {
		m, ok := Find(c.provider, c.base, c.model)
		got := Model{Window: m.Window, Input: m.Input, CacheRead: m.CacheRead, CacheWrite: m.CacheWrite, Output: m.Output}
		if ok != (c.want.Window > 0) || got.Window != c.want.Window || got.Input != c.want.Input || got.CacheRead != c.want.CacheRead || got.CacheWrite != c.want.CacheWrite || got.Output != c.want.Output {
			t.Errorf("%s %s %s: %+v, %v", c.provider, c.base, c.model, m, ok)
		}
	}
	if m, _ := Find("openai", "", "gpt-5.6-sol"); !m.Reasons || strings.Join(m.Efforts, " ") != "none low medium high xhigh max" {
		t.Errorf("%+v", m)
	}
	if m, _ := Find("anthropic", "", "claude-sonnet-4-5"); !m.Reasons || m.Efforts != nil || !m.Sees {
		t.Errorf("%+v", m)
	}
	for _, c := range []struct {
		provider, model string
		sees, blind     bool
	}{{"openrouter", "z-ai/glm-4.7", false, true}, {"anthropic", "claude-sonnet-4-5", true, false}, {"cortecs", "gpt-4o", false, false}} {
		if m, ok := Find(c.provider, "", c.model); !ok || m.Sees != c.sees || m.Blind != c.blind {
			t.Errorf("%+v: %+v", c, m)
		}
	}
}

// TestData: each line of the data is complete and plausible.
func TestData(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	lines, n := bufio.NewReader(z), 0
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for all := json.NewDecoder(lines); all.More(); {
		var p struct {
			ID     string
			Models []Model
		}
		if err := all.Decode(&p); err != nil || p.ID == "" {
			t.Fatalf("%s: %v", p.ID, err)
		}
		n += len(p.Models)
	}
	seen := 0
	for name, m := range read(func(string, string) bool { return true }) {
		seen++
		if m.Window < 1000 || m.Input < 0 || m.CacheRead > m.Input || m.CacheWrite < m.Input || m.Reasons != (m.Efforts != nil) && m.Efforts != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if n < 1000 || seen < 700 {
		t.Errorf("%d lines, %d models", n, seen)
	}
}

func BenchmarkFirst(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		known.Clear()
		Find("openrouter", "https://openrouter.ai/api/v1", "openrouter/auto")
	}
}

// TestLongPrompts covers models whose price rises with the prompt's length.
func TestLongPrompts(t *testing.T) {
	for name, want := range map[string]int{
		"gemini/gemini-2.5-pro": 200_000, "gemini/gemini-3.1-pro-preview-customtools": 200_000, "gemini/gemini-2.5-flash": 0,
		"anthropic/claude-sonnet-4-5": 200_000, "anthropic/claude-sonnet-4-5-20250929": 200_000, "anthropic/claude-opus-4-6": 0,
		"openrouter/anthropic/claude-sonnet-4.5": 200_000, "openrouter/google/gemini-2.5-pro": 200_000, "anthropic/claude-sonnet-4-6": 0, "openai/gpt-5.2": 0,
	} {
		provider, model, _ := strings.Cut(name, "/")
		if m, ok := Find(provider, "", model); ok && m.LongAbove != want || !ok && want > 0 {
			t.Errorf("%s: %d, known %v, not %d", name, m.LongAbove, ok, want)
		}
	}
}
