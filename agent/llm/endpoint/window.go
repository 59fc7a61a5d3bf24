package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/models"
	"chatvault/internal/base/picture"
)

// Window returns how many tokens the model takes in one call, as reported by its endpoint or known for the model; 0 if
// unknown (llm.Windowed).
func (c *Client) Window() int {
	listed, _ := listedWindows.Load(c.key())
	n, _ := listed.(int)
	m, _ := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model)
	return cmp.Or(c.facts().Window, n, m.Window)
}

// KnownWindow returns the Window of a model without a Client.
func KnownWindow(name, baseURL, model string) int {
	u, err := checkBaseURL(baseURL, true)
	if err != nil {
		return 0
	}
	c := Client{opts: Options{Name: name, BaseURL: u.String(), Model: model}}
	return c.Window()
}

// Sees reports whether the model accepts a media type, as far as known; for documents it is unknown (llm.Sighted).
func (c *Client) Sees(mediaType string) (sees, known bool) {
	m, _ := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model)
	return m.Sees, m.Blind || m.Sees && mediaType != picture.PDF
}

// listedWindows holds the windows that endpoints reported in this process, by base URL and model. The model list and
// the calls may use different clients.
var listedWindows sync.Map

func noteWindows(baseURL string, models ...Model) {
	for _, m := range models {
		if m.Window > 0 {
			listedWindows.Store([2]string{baseURL, m.ID}, m.Window)
		}
	}
}

// keepAlive is how long Ollama keeps a model loaded after a call: loading it and reading the prompt again takes longer
// than most people wait.
const keepAlive = 30 * time.Minute

// settleOllama asks Ollama for the model's actual window after its first answer, because Ollama lists no windows and silently
// truncates long requests. It also extends the time that the model stays loaded, which chat completions cannot.
func (c *Client) settleOllama(ctx context.Context) {
	if c.Server() != "ollama" || ctx.Err() != nil {
		return
	}
	c.settled.Do(func() {
		const longest = 500 * time.Millisecond
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		window, until := c.running(ctx, c.opts.Model)
		f := c.facts()
		f.Server, f.Window, f.Parameters = "ollama", cmp.Or(window, f.Window), cmp.Or(f.Parameters, namedSize(c.opts.Model))
		known.Store(c.key(), f)
		if left := time.Until(until); left > 0 && left < keepAlive-time.Minute { // otherwise it is configured to stay longer, or not at all
			c.ask(ctx, http.MethodPost, "/api/generate", map[string]string{"model": c.opts.Model, "keep_alive": keepAlive.String()}, &struct{}{})
		}
	})
}

// localServer knows how to ask one kind of server for the facts of a model.
type localServer struct {
	name string
	ask  func(c *Client, ctx context.Context, model string) Facts
}

// localServers are the servers that report more than their model list, by preset. vLLM's list has everything.
var localServers = []localServer{
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
		if f := s.ask(c, ctx, c.opts.Model); f != (Facts{}) {
			f.Server = s.name
			return f
		}
	}
	return Facts{Server: kind}
}

func (c *Client) askLlamaCpp(ctx context.Context, _ string) Facts {
	var doc struct {
		Settings struct {
			Context Number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	c.ask(ctx, http.MethodGet, "/props", nil, &doc)
	return Facts{Size: llm.Size{Window: doc.Settings.Context.Count()}}
}

func (c *Client) askLMStudio(ctx context.Context, model string) Facts {
	var doc struct {
		Data []struct {
			ID     Text   `json:"id"`
			Loaded Number `json:"loaded_context_length"`
			Most   Number `json:"max_context_length"`
		} `json:"data"`
	}
	c.ask(ctx, http.MethodGet, "/api/v0/models", nil, &doc)
	for _, m := range doc.Data {
		if string(m.ID) == model {
			return Facts{Size: llm.Size{Window: m.Loaded.Count()}, Most: m.Most.Count()}
		}
	}
	return Facts{}
}

// askOllama returns the window with which the model runs now, or is configured to. Ollama does not report
// OLLAMA_CONTEXT_LENGTH.
func (c *Client) askOllama(ctx context.Context, model string) Facts {
	var doc struct {
		Parameters Text            `json:"parameters"` // lines: "num_ctx    8192"
		Info       map[string]Text `json:"model_info"` // "llama.context_length": 131072
		Details    struct {
			Parameters Text `json:"parameter_size"` // "1.5B"
		} `json:"details"`
	}
	c.ask(ctx, http.MethodPost, "/api/show", map[string]string{"model": model}, &doc)
	var f Facts
	f.Parameters = cmp.Or(NumberIn(string(doc.Info["general.parameter_count"])).Float(), namedSize(string(doc.Details.Parameters)))
	for key, value := range doc.Info {
		if strings.HasSuffix(key, ".context_length") {
			f.Most = NumberIn(string(value)).Count()
		}
	}
	for line := range strings.Lines(string(doc.Parameters)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name == "num_ctx" {
			f.Window = NumberIn(value).Count()
		}
	}
	runs, _ := c.running(ctx, model)
	f.Window = cmp.Or(runs, f.Window)
	return f
}

// running returns the window with which Ollama runs a model now, and when it will be unloaded; zero if it is not
// loaded.
func (c *Client) running(ctx context.Context, model string) (window int, until time.Time) {
	var doc struct {
		Models []struct {
			Name          Text   `json:"name"`
			Model         Text   `json:"model"`
			ContextLength Number `json:"context_length"`
			Expires       Text   `json:"expires_at"`
		} `json:"models"`
	}
	c.ask(ctx, http.MethodGet, "/api/ps", nil, &doc)
	for _, m := range doc.Models {
		for _, name := range []string{string(m.Name), string(m.Model)} {
			if name == model || name == model+":latest" {
				until, _ = time.Parse(time.RFC3339Nano, string(m.Expires))
				return m.ContextLength.Count(), until
			}
		}
	}
	return 0, until
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
