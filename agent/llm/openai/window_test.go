package openai

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
)

// TestRunningWindow: Ollama is asked once after an answer for the window of the running model, and to keep the model
// loaded if it would soon be unloaded; no other server is.
func TestRunningWindow(t *testing.T) {
	var asked, kept atomic.Int32
	var until atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/ps":
			asked.Add(1)
			_, _ = fmt.Fprintf(w, `{"models":[{"name":"other","context_length":1},{"name":"llama3.2:latest","model":"llama3.2:latest","context_length":4096,"expires_at":%q}]}`, until.Load())
		case r.URL.Path == "/api/generate":
			var body map[string]string
			if json.NewDecoder(r.Body).Decode(&body) != nil || !maps.Equal(body, map[string]string{"model": "llama3.2", "keep_alive": "30m0s"}) {
				t.Errorf("kept loaded by %v", body)
			}
			kept.Add(1)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
		default:
			t.Errorf("request to %s", r.URL.Path)
		}
	}))
	defer srv.Close()
	for _, c := range []struct {
		about, name string
		loaded      time.Duration
		kept        int32
	}{
		{"another server", "vllm", 5 * time.Minute, 0},
		{"for five minutes", "ollama", 5 * time.Minute, 1},
		{"for ever", "ollama", 24 * 365 * time.Hour, 0},
		{"no longer than a call", "ollama", -time.Second, 0},
	} {
		asked.Store(0)
		kept.Store(0)
		until.Store(time.Now().Add(c.loaded).Format(time.RFC3339Nano))
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
		want, requests := 0, int32(0)
		if c.name == "ollama" {
			want, requests = 4096, 1
		}
		if p.Window() != want || asked.Load() != requests || kept.Load() != c.kept {
			t.Errorf("%s: window %d after %d requests, want %d after %d; kept loaded %d times, want %d", c.about, p.Window(), asked.Load(), want, requests, kept.Load(), c.kept)
		}
	}
}
