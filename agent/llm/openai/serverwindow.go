package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ServerWindow is what a server on one's own computer says of the window of a model, in tokens; 0 where
// it does not say.
type ServerWindow struct {
	Runs int // that it has as it runs, or will
	Most int // that the model was made for
}

// localServers ask the servers that tell more of a model than the list of models does, by the name of
// their preset. What vLLM tells stands in that list.
var localServers = []struct {
	name string
	ask  func(p *Provider, ctx context.Context, model string) ServerWindow
}{
	{"llama.cpp", (*Provider).askLlamaCpp},
	{"lmstudio", (*Provider).askLMStudio},
	{"ollama", (*Provider).askOllama},
}

// ServerWindow asks the server for the window of a model, where it is one that can be asked: by its
// name, or any on this computer, which may be each of them. It waits for at most a second.
func (p *Provider) ServerWindow(ctx context.Context, model string) ServerWindow {
	const longest = time.Second
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for _, s := range localServers {
		if p.opts.Name == s.name {
			return s.ask(p, ctx, model)
		}
	}
	if !here(p.host) {
		return ServerWindow{}
	}
	for _, s := range localServers {
		if w := s.ask(p, ctx, model); w != (ServerWindow{}) {
			return w
		}
	}
	return ServerWindow{}
}

func (p *Provider) askLlamaCpp(ctx context.Context, _ string) ServerWindow {
	var doc struct {
		Settings struct {
			Context number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	p.ask(ctx, http.MethodGet, "/props", nil, &doc)
	return ServerWindow{Runs: doc.Settings.Context.count()}
}

func (p *Provider) askLMStudio(ctx context.Context, model string) ServerWindow {
	var doc struct {
		Data []struct {
			ID     text   `json:"id"`
			Loaded number `json:"loaded_context_length"`
			Most   number `json:"max_context_length"`
		} `json:"data"`
	}
	p.ask(ctx, http.MethodGet, "/api/v0/models", nil, &doc)
	for _, m := range doc.Data {
		if string(m.ID) == model {
			return ServerWindow{Runs: m.Loaded.count(), Most: m.Most.count()}
		}
	}
	return ServerWindow{}
}

// askOllama: as the model runs now, else as it is set up to; what OLLAMA_CONTEXT_LENGTH says of others
// Ollama does not tell.
func (p *Provider) askOllama(ctx context.Context, model string) ServerWindow {
	var doc struct {
		Parameters text            `json:"parameters"` // lines: "num_ctx    8192"
		Info       map[string]text `json:"model_info"` // "llama.context_length": 131072
	}
	p.ask(ctx, http.MethodPost, "/api/show", map[string]string{"model": model}, &doc)
	var w ServerWindow
	for key, value := range doc.Info {
		if strings.HasSuffix(key, ".context_length") {
			w.Most = number(value).count()
		}
	}
	for line := range strings.Lines(string(doc.Parameters)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			w.Runs = number(f[1]).count()
		}
	}
	w.Runs = cmp.Or(p.runsWith(ctx, model), w.Runs)
	return w
}

// runsWith is the window of a model as Ollama runs it now; 0 where it does not say.
func (p *Provider) runsWith(ctx context.Context, model string) int {
	var doc struct {
		Models []struct {
			Name          text   `json:"name"`
			Model         text   `json:"model"`
			ContextLength number `json:"context_length"`
		} `json:"models"`
	}
	p.ask(ctx, http.MethodGet, "/api/ps", nil, &doc)
	for _, m := range doc.Models {
		for _, name := range []string{string(m.Name), string(m.Model)} {
			if name == model || name == model+":latest" {
				return m.ContextLength.count()
			}
		}
	}
	return 0
}

// ask reads a JSON document beside the protocol, from a path of the server, not of base_url; what does
// not come, or is none, leaves doc as it is or in part.
func (p *Provider) ask(ctx context.Context, method, path string, body, doc any) {
	u, err := url.Parse(p.opts.BaseURL)
	if err != nil {
		return
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") + path
	var sent io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return
		}
		sent = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), sent)
	if err != nil {
		return
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if p.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.opts.APIKey)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	const largest = 4 << 20 // /api/show lists every tensor of some models
	b, err := io.ReadAll(io.LimitReader(resp.Body, largest))
	if err == nil && resp.StatusCode == http.StatusOK {
		_ = json.Unmarshal(b, doc)
	}
}
