// Package models holds the windows, prices and reasoning efforts of known models. Its data is the JSON of
// charm.land/catwalk (MIT), updated by make catalog. It is parsed on first use, for the requested providers only.
package models

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"

	"chatvault/internal/base/lazyregexp"
)

// data is a comment and one line of JSON for each provider.
//
//go:embed models.json.gz
var data []byte

// Model holds the known facts of a model at one provider.
type Model struct {
	ID     string `json:"id"`
	Window int    `json:"context_window"` // tokens of prompt and answer, or of the prompt if its limit is lower
	// Prices in dollars per million tokens; all zero if unknown.
	Input      float64  `json:"cost_per_1m_in"`
	Output     float64  `json:"cost_per_1m_out"`
	CacheWrite float64  `json:"cost_per_1m_in_cached"`
	CacheRead  float64  `json:"cost_per_1m_out_cached"`
	LongAbove  int      `json:"-"` // prompt tokens above which all of a request costs more; 0 if none
	Reasons    bool     `json:"can_reason"`
	Efforts    []string `json:"reasoning_levels"`     // accepted values; nil if unknown
	Sees       bool     `json:"supports_attachments"` // it accepts pictures
	Blind      bool     `json:"-"`                    // it accepts none; if neither is set, that is unknown
	MaxTokens  int      `json:"default_max_tokens"`
}

// Priced reports whether its prices are known.
func (m Model) Priced() bool { return m.Input > 0 || m.Output > 0 }

// Find returns the model of the provider at an address or, if the address is unknown, of the provider with that name.
// It returns false if it is unknown.
func Find(provider, baseURL, model string) (Model, bool) {
	of := modelsOf(hostOf(baseURL), strings.ToLower(provider))
	name := strings.TrimPrefix(strings.ToLower(model), "models/")
	if m, ok := of[name]; ok {
		return m, true
	}
	m, ok := of[undated(name)]
	return m, ok
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

var dates = lazyregexp.New(`-(20\d{6}|20\d\d-\d\d-\d\d|latest)$`)

// undated returns a model's name without its date.
func undated(name string) string { return dates().ReplaceAllString(name, "") }

// known caches models by the host and name of their provider.
var known sync.Map

// modelsOf returns the models of a provider by name in lower case, with and without date.
func modelsOf(host, provider string) map[string]Model {
	key := [2]string{host, provider}
	if found, ok := known.Load(key); ok {
		return found.(map[string]Model)
	}
	found := read(func(_, at string) bool { return host != "" && at == host })
	if len(found) == 0 {
		found = read(func(id, _ string) bool { return id == provider })
	}
	known.Store(key, found)
	return found
}

// hosts are the hosts that the data leaves to environment variables.
var hosts = map[string]string{"openai": "api.openai.com", "anthropic": "api.anthropic.com", "gemini": "generativelanguage.googleapis.com"}

// read returns the models of the wanted providers. If several have a model, the first counts.
func read(wanted func(id, host string) bool) map[string]Model {
	out := map[string]Model{}
	add := func(models ...Model) {
		sighted := slices.ContainsFunc(models, func(m Model) bool { return m.Sees }) // of some providers that is unknown
		for _, m := range models {
			m.Blind = m.Blind || sighted && !m.Sees
			m.LongAbove = longAbove(strings.ToLower(m.ID))
			for _, name := range []string{strings.ToLower(m.ID), undated(strings.ToLower(m.ID))} {
				if _, exists := out[name]; !exists {
					out[name] = m
				}
			}
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return out // not reached: a test reads all
	}
	for lines := bufio.NewReader(z); err == nil; {
		var line []byte
		line, err = lines.ReadBytes('\n')
		var p struct {
			ID       string  `json:"id"`
			Endpoint string  `json:"api_endpoint"`
			Models   []Model `json:"models"`
		}
		head, _, _ := bytes.Cut(line, []byte(`,"models":`))
		if json.Unmarshal(append(slices.Clone(head), '}'), &p) != nil || !wanted(p.ID, cmp.Or(hosts[p.ID], hostOf(p.Endpoint))) || json.Unmarshal(line, &p) != nil {
			continue
		}
		for i := range p.Models {
			p.Models[i].correct(p.ID)
		}
		add(p.Models...)
	}
	for _, a := range added {
		if wanted(a.provider, a.host) {
			add(a.Model)
		}
	}
	return out
}

// correct corrects the window of OpenAI's models, whose prompts must leave room for the answer, and the prices of cached
// tokens: some providers' prices of reading are under writing. Reading is at most as dear as the prompt itself, and
// writing at least.
func (m *Model) correct(provider string) {
	if (provider == "openai" || provider == "azure") && (strings.HasPrefix(m.ID, "gpt-5") || strings.HasPrefix(m.ID, "gpt-6")) {
		m.Window -= m.MaxTokens
	}
	read := m.Input
	for _, price := range []float64{m.CacheWrite, m.CacheRead} {
		if price > 0 {
			read = min(read, price)
		}
	}
	m.CacheRead, m.CacheWrite = read, max(m.Input, m.CacheWrite)
}
