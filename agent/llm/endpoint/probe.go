package endpoint

import (
	"context"
	"time"

	"chatvault/internal/loopback"
	"chatvault/internal/routine"
)

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
