package openai

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// TestRunningWindow: Ollama is asked once, after an answer, with what window it runs the model;
// nobody else is.
func TestRunningWindow(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/ps":
			asked.Add(1)
			_, _ = w.Write([]byte(`{"models":[{"name":"other","context_length":1},{"name":"llama3.2:latest","model":"llama3.2:latest","context_length":4096}]}`))
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
		default:
			t.Errorf("request of %s", r.URL.Path)
		}
	}))
	defer srv.Close()
	for _, name := range []string{"vllm", "ollama"} {
		p, err := New(endpoint.Options{Name: name, BaseURL: srv.URL + "/v1", Model: "llama3.2"})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range 2 {
			for _, err := range p.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		want, requests := 0, int32(0)
		if name == "ollama" {
			want, requests = 4096, 1
		}
		if p.Window() != want || asked.Load() != requests {
			t.Errorf("%s: window %d after %d requests, want %d after %d", name, p.Window(), asked.Load(), want, requests)
		}
	}
}
