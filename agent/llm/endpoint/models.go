package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/routine"
)

// Model is a model that an endpoint lists.
type Model struct {
	ID     string
	Window int    // context length in tokens; 0 if unknown
	Owner  string // may be empty
	// Parameters is the number of parameters; 0 if unknown.
	Parameters float64
}

// ListModels returns the endpoint's models, in its order. It takes at most 8 seconds, on this computer 2. The error is
// an *llm.Error.
func (c *Client) ListModels(ctx context.Context) ([]Model, error) {
	longest := 8 * time.Second
	if isLocal(c.host) {
		longest = 2 * time.Second
	}
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	models, err := c.listModels(bounded)
	if err == nil {
		return models, nil
	}
	e := (&Call{client: c, ctx: ctx, inner: bounded}).failure(err)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		e.Message = fmt.Sprintf("%s did not list its models within %s", c.host, seconds(longest))
	}
	c.log(e)
	return nil, e
}

func (c *Client) listModels(ctx context.Context) ([]Model, error) {
	status, header, body, err := c.fetch(ctx, http.MethodGet, c.opts.BaseURL+"/models", nil, "application/json")
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, Classify(status, header, body, time.Now())
	}
	models, ok := modelsIn(body)
	if !ok {
		return nil, notEndpoint(status, "the answer is not a list of models: "+snippet(body))
	}
	return models, nil
}

// modelsIn parses a list of models, {"data":[…]} or {"models":[…]}.
func modelsIn(body []byte) ([]Model, bool) {
	type entry struct {
		ID            Text   `json:"id"`
		Name          Text   `json:"name"`
		Owner         Text   `json:"owned_by"`
		ContextLength Number `json:"context_length"`     // OpenRouter
		ContextWindow Number `json:"context_window"`     // Groq
		MaxModelLen   Number `json:"max_model_len"`      // vLLM
		MaxContext    Number `json:"max_context_length"` // Mistral, LM Studio
		Meta          struct {
			Trained Number `json:"n_ctx_train"`
			Used    Number `json:"n_ctx"`
			Params  Number `json:"n_params"`
		} `json:"meta"` // llama.cpp
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
		m := Model{ID: string(cmp.Or(e.ID, e.Name)), Owner: string(e.Owner)}
		if m.ID = strings.TrimPrefix(Tidy(m.ID), "models/"); m.ID == "" {
			continue
		}
		m.Window = cmp.Or(e.ContextLength.Count(), e.ContextWindow.Count(), e.MaxModelLen.Count(), e.MaxContext.Count(), e.Meta.Used.Count(), e.Meta.Trained.Count())
		m.Parameters = e.Meta.Params.Float()
		models = append(models, m)
	}
	return models, true
}

// PickModel returns the first model that can chat.
func PickModel(models []Model) (string, bool) {
	if i := slices.IndexFunc(models, Model.Chats); i >= 0 {
		return models[i].ID, true
	}
	return "", false
}

// Chats reports whether a model is for chatting, judging by its name.
func (m Model) Chats() bool {
	id := strings.ToLower(m.ID)
	others := []string{"embed", "rerank", "whisper", "moderation", "dall-e", "tts", "transcribe"}
	return !slices.ContainsFunc(others, func(other string) bool { return strings.Contains(id, other) })
}

// probeBound is how long a probe waits for a local server.
const probeBound = 400 * time.Millisecond

// Local is a running server on this computer.
type Local struct {
	Preset
	First  string // its first model that can chat; may be empty
	Locked bool   // it requires a key
}

// FindLocal probes servers on this computer concurrently and returns those that answer, in their order, those with a
// model first.
func FindLocal(ctx context.Context, presets []Preset) []Local {
	found := make([]Local, len(presets))
	var probes sync.WaitGroup
	for i, p := range presets {
		routine.Join(&probes, "probe", func() {
			models, err := probe(ctx, p.BaseURL)
			if e, _ := errors.AsType[*llm.Error](err); err == nil || e != nil && e.Status == http.StatusUnauthorized {
				model, _ := PickModel(models)
				found[i] = Local{p, model, err != nil}
			}
		})
	}
	probes.Wait()
	found = slices.DeleteFunc(found, func(l Local) bool { return l.Name == "" })
	slices.SortStableFunc(found, func(a, b Local) int { return min(len(b.First), 1) - min(len(a.First), 1) })
	return found
}

func probe(ctx context.Context, baseURL string) ([]Model, error) {
	c, err := New(Options{BaseURL: baseURL, Model: "unknown"})
	if err != nil || !isLocal(c.host) {
		return nil, errors.New("not an address of this computer")
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, probeBound)
	defer cancel()
	return c.listModels(ctx)
}
