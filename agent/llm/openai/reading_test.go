package openai

import (
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// readings calls the model and returns the reported progress of reading its prompt.
func readings(t *testing.T, p *Provider, text string) (all []llm.Reading) {
	t.Helper()
	for chunk, err := range p.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Reading != nil {
			all = append(all, *chunk.Reading)
		}
	}
	return all
}

// TestPromptProgress: only a server that identifies itself as llama.cpp is asked for progress, and each report
// extends the wait.
func TestPromptProgress(t *testing.T) {
	for owner, want := range map[string][]llm.Reading{
		"llamacpp": {{Total: 900}, {Read: 512, Total: 900}, {Read: 900, Total: 900}}, "library": nil, "": nil,
	} {
		e := *llmtest.EndpointOf("llama.cpp")
		e.Owner = owner
		const wait = 200 * time.Millisecond
		pause := llmtest.Delay(wait * 3 / 4)
		step := llmtest.Say(llmtest.Progress(0, 900), pause, llmtest.Progress(512, 900), pause, llmtest.Progress(900, 900), llmtest.Text("hi"))
		if want == nil {
			step = llmtest.Say(llmtest.Progress(0, 900), llmtest.Text("hi"))
		}
		srv := llmtest.NewWith(t, llmtest.Options{Endpoint: &e}, step)
		p, err := New(endpoint.Options{Name: "mine", BaseURL: srv.URL(), Model: e.Model, FirstByte: wait})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		p.Size(t.Context())
		got := readings(t, p, "hello")
		if len(got) != len(want) {
			t.Fatalf("%q: %+v, want %+v", owner, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: %+v, want %+v", owner, got, want)
			}
		}
		if asked := strings.Contains(string(srv.Requests()[0].Body), `"return_progress":true`); asked != (want != nil) {
			t.Errorf("%q: asked for progress: %v", owner, asked)
		}
	}
}
