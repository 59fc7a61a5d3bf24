package provider

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/internal/app/config"
	"chatvault/internal/app/ranked"
)

// TestStopDoesNotWaitForTheSearch checks that a turn can be stopped while it waits for the search for a provider.
func TestStopDoesNotWaitForTheSearch(t *testing.T) {
	release, searching := make(chan struct{}), make(chan struct{})
	late := &Lazy{name: "expected", find: func(context.Context) (llm.Provider, error) {
		close(searching)
		<-release
		return offline.New(nil), nil
	}}
	found := make(chan error)
	go func() { _, err := late.Ready(context.Background()); found <- err }()
	<-searching
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	for _, err := range late.Stream(ctx, llm.Request{}) {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindAborted {
			t.Errorf("%v", err)
		}
	}
	if d := time.Since(began); d > time.Second {
		t.Errorf("stopped after %v", d)
	}
	close(release)
	if err := <-found; err != nil || late.Name() != offline.Name {
		t.Errorf("%v, %s", err, late.Name())
	}
}

func TestReadyRetriesAfterFailure(t *testing.T) {
	tries := 0
	late := &Lazy{name: "expected", find: func(context.Context) (llm.Provider, error) {
		if tries++; tries == 1 {
			return nil, errors.New("no route")
		}
		return offline.New(nil), nil
	}}
	if _, err := late.Ready(t.Context()); err == nil || late.Name() != "expected" {
		t.Errorf("%v, %s", err, late.Name())
	}
	for range 2 {
		if p, err := late.Ready(t.Context()); err != nil || p == nil {
			t.Error(err)
		}
	}
	if tries != 2 {
		t.Errorf("sought %d times", tries)
	}
}

// A local server that answers without a model to chat with, or requires a key, is named with the next step, on one line
// of the first screen.
func TestLacks(t *testing.T) {
	for _, tt := range []struct {
		preset string
		status int
		want   string
	}{
		{"ollama", 200, "Ollama answers here, without a model: ollama pull qwen3, then /model."},
		{"lmstudio", 200, "LM Studio answers here, without a model: load one in it, then /model."},
		{"llama.cpp", 401, "llama.cpp answers here and requires a key: /model takes it."},
		{"ollama", 404, ""},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(`{"object": "list", "data": []}`))
		}))
		env := map[string]string{"CHATVAULT_LOCAL_SERVERS": tt.preset + "=" + srv.URL + "/v1"}
		f := NewFinder(&config.Config{}, func(name string) (string, bool) { v, ok := env[name]; return v, ok }, slog.New(slog.DiscardHandler))
		l, err := f.Provider(ranked.NewFinder(nil, false, ""))
		if err == nil {
			_, err = l.Ready(t.Context())
		}
		if err != nil || l.Name() != offline.Name || l.Lacks() != tt.want || len(tt.want) > 72 {
			t.Errorf("%s, %d: %v, %s, %q", tt.preset, tt.status, err, l.Name(), l.Lacks())
		}
		srv.Close()
	}
}
