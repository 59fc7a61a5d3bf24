package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// TestRunningWindow: Ollama is asked once after an answer for the window of the running model; no other server is.
func TestRunningWindow(t *testing.T) {
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/ps":
			asked.Add(1)
			_, _ = io.WriteString(w, `{"models":[{"name":"other","context_length":1},{"name":"llama3.2:latest","model":"llama3.2:latest","context_length":4096}]}`)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
		default:
			t.Errorf("request to %s", r.URL.Path)
		}
	}))
	defer srv.Close()
	for _, c := range []struct {
		name     string
		window   int
		requests int32
	}{{"vllm", 0, 0}, {"ollama", 4096, 1}} {
		asked.Store(0)
		p, err := New(endpoint.Options{Name: c.name, BaseURL: srv.URL + "/v1", Model: "llama3.2"})
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
		if p.Window() != c.window || asked.Load() != c.requests {
			t.Errorf("%s: window %d after %d requests, want %d after %d", c.name, p.Window(), asked.Load(), c.window, c.requests)
		}
	}
}
