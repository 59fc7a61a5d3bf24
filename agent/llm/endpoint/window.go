package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/models"
	"chatvault/internal/base/picture"
)

// Window returns how many tokens the model takes in one call, as reported by its server or known for the model; 0 if
// unknown (llm.Windowed).
func (c *Client) Window() int {
	m, _ := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model)
	return cmp.Or(c.facts().Window, m.Window)
}

// Sees reports whether the model accepts a media type, as far as known; for documents it is unknown (llm.Sighted).
func (c *Client) Sees(mediaType string) (sees, known bool) {
	m, _ := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model)
	return m.Sees, m.Blind || m.Sees && mediaType != picture.PDF
}

// settleOllama asks Ollama for the model's actual window after its first answer, because Ollama lists no windows and silently
// truncates long requests.
func (c *Client) settleOllama(ctx context.Context) {
	if c.Server() != "ollama" || ctx.Err() != nil {
		return
	}
	c.settled.Do(func() {
		const longest = 500 * time.Millisecond
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		f := c.facts()
		f.Server, f.Window, f.Parameters = "ollama", cmp.Or(c.running(ctx), f.Window), cmp.Or(f.Parameters, namedSize(c.opts.Model))
		known.Store(c.key(), f)
	})
}

// localServers are the servers that report more than their model list, by preset. vLLM's list has everything.
var localServers = []struct {
	name string
	ask  func(*Client, context.Context) Facts
}{
	{LlamaCpp, (*Client).askLlamaCpp},
	{"lmstudio", (*Client).askLMStudio},
	{"ollama", (*Client).askOllama},
}

// askServer asks a server of a known kind, or an unknown one on this computer, for the facts of a model. It takes at
// most a second.
func (c *Client) askServer(ctx context.Context, kind string) Facts {
	const longest = time.Second
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for _, s := range localServers {
		if kind != s.name && (kind != "" || !isLocal(c.host)) {
			continue
		}
		if f := s.ask(c, ctx); f != (Facts{}) {
			f.Server = s.name
			return f
		}
	}
	return Facts{Server: kind}
}

func (c *Client) askLlamaCpp(ctx context.Context) Facts {
	var doc struct {
		Settings struct {
			Context Number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	c.ask(ctx, http.MethodGet, "/props", nil, &doc)
	return Facts{Size: llm.Size{Window: doc.Settings.Context.Count()}}
}

func (c *Client) askLMStudio(ctx context.Context) Facts {
	var doc struct {
		Data []struct {
			ID     Text   `json:"id"`
			Loaded Number `json:"loaded_context_length"`
		} `json:"data"`
	}
	c.ask(ctx, http.MethodGet, "/api/v0/models", nil, &doc)
	for _, m := range doc.Data {
		if string(m.ID) == c.opts.Model {
			return Facts{Size: llm.Size{Window: m.Loaded.Count()}}
		}
	}
	return Facts{}
}

// askOllama returns the window with which the model runs now, or is configured to. Ollama does not report
// OLLAMA_CONTEXT_LENGTH.
func (c *Client) askOllama(ctx context.Context) Facts {
	var doc struct {
		Parameters Text            `json:"parameters"` // lines: "num_ctx    8192"
		Info       map[string]Text `json:"model_info"`
		Details    struct {
			Parameters Text `json:"parameter_size"` // "1.5B"
		} `json:"details"`
	}
	c.ask(ctx, http.MethodPost, "/api/show", map[string]string{"model": c.opts.Model}, &doc)
	var f Facts
	f.Parameters = cmp.Or(NumberIn(string(doc.Info["general.parameter_count"])).Float(), namedSize(string(doc.Details.Parameters)))
	for line := range strings.Lines(string(doc.Parameters)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == "num_ctx" {
			f.Window = NumberIn(value).Count()
		}
	}
	f.Window = cmp.Or(c.running(ctx), f.Window)
	return f
}

// running returns the window with which Ollama runs the model now; zero if it is not loaded.
func (c *Client) running(ctx context.Context) int {
	var doc struct {
		Models []struct {
			Name          Text   `json:"name"`
			Model         Text   `json:"model"`
			ContextLength Number `json:"context_length"`
		} `json:"models"`
	}
	c.ask(ctx, http.MethodGet, "/api/ps", nil, &doc)
	for _, m := range doc.Models {
		if slices.Contains([]string{c.opts.Model, c.opts.Model + ":latest"}, string(cmp.Or(m.Name, m.Model))) {
			return m.ContextLength.Count()
		}
	}
	return 0
}

// ask fetches a JSON document from a path of the server, outside base_url. On any error doc stays unchanged or
// incomplete.
func (c *Client) ask(ctx context.Context, method, path string, body map[string]string, doc any) {
	u, err := url.Parse(c.opts.BaseURL)
	if err != nil {
		return
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/v1") + path
	var sent []byte
	if body != nil {
		sent, _ = json.Marshal(body) // of texts: cannot fail
	}
	status, _, answer, err := c.fetch(ctx, method, u.String(), sent, "")
	if err == nil && status == http.StatusOK {
		_ = json.Unmarshal(answer, doc)
	}
}
