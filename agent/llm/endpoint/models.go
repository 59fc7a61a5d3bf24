package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/loopback"
	"chatvault/internal/routine"
)

// Model is a model an endpoint lists.
type Model struct {
	ID     string
	Window int // context length in tokens; 0 where the endpoint does not say
	// Input and Output are what it costs, in dollars per million tokens; both 0 where the endpoint
	// does not say.
	Input, Output float64
}

// ListModels asks the endpoint for its models, in its order. It waits for at most half a
// minute. The error is a *llm.Error.
func (c *Client) ListModels(ctx context.Context) ([]Model, error) {
	const longest = 30 * time.Second
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	models, err := c.listModels(bounded)
	if err == nil {
		return models, nil
	}
	e := (&Call{client: c, ctx: ctx, inner: bounded}).fail(err)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		e.Message = fmt.Sprintf("%s did not list its models within %s", c.host, seconds(longest))
	}
	c.log(e)
	return nil, e
}

func (c *Client) listModels(ctx context.Context) ([]Model, error) {
	resp, err := c.send(ctx, http.MethodGet, c.opts.BaseURL+"/models", nil, "application/json")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	const largest = 8 << 20 // routers list hundreds with their descriptions
	body, err := io.ReadAll(io.LimitReader(resp.Body, largest))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, Classify(resp.StatusCode, resp.Header, body, time.Now())
	}
	models, ok := modelsIn(body)
	if !ok {
		return nil, notAnAPI(resp.StatusCode, "the answer is not a list of models: "+snippet(body))
	}
	noteWindows(c.opts.BaseURL, models...)
	return models, nil
}

// modelsIn reads a list of models, {"data":[…]} or {"models":[…]}.
func modelsIn(body []byte) ([]Model, bool) {
	type entry struct {
		ID            Text   `json:"id"`
		Name          Text   `json:"name"`
		ContextLength Number `json:"context_length"`     // OpenRouter
		ContextWindow Number `json:"context_window"`     // Groq
		MaxModelLen   Number `json:"max_model_len"`      // vLLM
		MaxContext    Number `json:"max_context_length"` // Mistral, LM Studio
		Meta          struct {
			Trained Number `json:"n_ctx_train"`
			Used    Number `json:"n_ctx"`
		} `json:"meta"` // llama.cpp
		Pricing json.RawMessage `json:"pricing"` // OpenRouter
	}
	var doc struct {
		Data   []entry `json:"data"`
		Models []entry `json:"models"`
	}
	if json.Unmarshal(body, &doc) != nil || doc.Data == nil && doc.Models == nil {
		return nil, false
	}
	list := doc.Data
	if list == nil {
		list = doc.Models
	}
	var models []Model
	for _, e := range list {
		m := Model{ID: string(cmp.Or(e.ID, e.Name))}
		if m.ID = strings.TrimPrefix(Tidy(m.ID), "models/"); m.ID == "" {
			continue
		}
		m.Window = cmp.Or(e.ContextLength.Count(), e.ContextWindow.Count(), e.MaxModelLen.Count(), e.MaxContext.Count(), e.Meta.Used.Count(), e.Meta.Trained.Count())
		m.Input, m.Output = pricesIn(e.Pricing)
		models = append(models, m)
	}
	return models, true
}

// pricesIn reads prices in dollars a token; whatever else stands there is none.
func pricesIn(raw json.RawMessage) (input, output float64) {
	var p struct {
		Prompt     Text `json:"prompt"`
		Completion Text `json:"completion"`
	}
	_ = json.Unmarshal(raw, &p) // what is no object of prices has none
	return perMillion(string(p.Prompt)), perMillion(string(p.Completion))
}

// perMillion makes a price for a million tokens of one for a token; 0 where there is none.
func perMillion(price string) float64 {
	x, err := strconv.ParseFloat(price, 64)
	if err != nil || !(x > 0 && x < 1) {
		return 0
	}
	return math.Round(x*1e6*1e4) / 1e4
}

// PickModel chooses the model to use where none is configured: the first that can chat.
func PickModel(models []Model) (string, bool) {
	if i := slices.IndexFunc(models, Model.Chats); i >= 0 {
		return models[i].ID, true
	}
	return "", false
}

// Chats says whether a model is one to chat with, as far as its name tells.
func (m Model) Chats() bool {
	id := strings.ToLower(m.ID)
	others := []string{"embed", "rerank", "whisper", "moderation", "dall-e", "tts", "transcribe"}
	return !slices.ContainsFunc(others, func(other string) bool { return strings.Contains(id, other) })
}

// probeBound is how long a local server may take to answer a probe.
const probeBound = 400 * time.Millisecond

// Local is a server found on this machine.
type Local struct {
	Preset Preset
	Model  string // the first it lists that can chat
}

// FindLocal probes the usual ports of Ollama, LM Studio and llama.cpp at once and returns the
// first in this order that answers and has a model.
func FindLocal(ctx context.Context) (Local, bool) {
	var local []Preset
	for _, p := range Presets {
		if p.Name == "ollama" || p.Name == "lmstudio" || p.Name == "llama.cpp" {
			local = append(local, p)
		}
	}
	return findLocal(ctx, local)
}

func findLocal(ctx context.Context, presets []Preset) (Local, bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found := make([]chan string, len(presets))
	for i, p := range presets {
		found[i] = make(chan string, 1)
		routine.Go("probe", func() {
			models, _ := probe(ctx, p.BaseURL)
			model, _ := PickModel(models)
			found[i] <- model
		})
	}
	var first Local
	for i, p := range presets {
		if model := <-found[i]; model != "" && first.Model == "" {
			first = Local{Preset: p, Model: model}
			cancel() // the later ones do not count: they end at once
		}
	}
	return first, first.Model != ""
}

func probe(ctx context.Context, baseURL string) ([]Model, bool) {
	u, err := checkBaseURL(baseURL, false)
	if err != nil || !loopback.Host(u.Hostname()) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, probeBound)
	defer cancel()
	base := NewTransport()
	base.DisableKeepAlives = true
	c := &Client{opts: Options{BaseURL: u.String()}, http: newHTTPClient(base)}
	models, err := c.listModels(ctx)
	return models, err == nil
}
