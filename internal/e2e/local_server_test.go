package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"chatvault/internal/base/text"
	"chatvault/internal/llmtest"
)

// localServer is a local model server in front of a scripted one: it answers requests about the model itself and passes
// on model calls.
type localServer struct {
	*httptest.Server
}

// newLocalServer starts a server with answers by path.
func newLocalServer(t *testing.T, model *llmtest.Server, answers map[string]string) *localServer {
	t.Helper()
	to, err := url.Parse(strings.TrimSuffix(model.URL(), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	l, calls := &localServer{}, httputil.NewSingleHostReverseProxy(to)
	calls.FlushInterval = -1
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			calls.ServeHTTP(w, r)
			return
		}
		if answers[r.URL.Path] == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answers[r.URL.Path]))
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *localServer) provider(name string) string {
	return fmt.Sprintf("[providers.%q]\nbase_url = %q\nmodel = \"m\"\n", name, l.URL+"/v1")
}

// No request is larger than the context that the server reports, whatever the settings are. A message that does not fit
// is not sent, and what is attached to one is cut to fit.
func TestServerWindowLimitsRequests(t *testing.T) {
	t.Parallel()
	const list = `{"data":[{"id":"m","owned_by":%q,"meta":{"n_ctx_train":131072}}]}`
	for _, c := range []struct {
		about, name string
		takes       int
		answers     map[string]string
	}{
		{"llama.cpp", "here", 3072, map[string]string{
			"/v1/models": fmt.Sprintf(list, "llamacpp"), "/props": `{"default_generation_settings":{"n_ctx":3072}}`,
		}},
		{"LM Studio", "lmstudio", 8192, map[string]string{
			"/v1/models": fmt.Sprintf(list, "organization_owner"), "/api/v0/models": `{"data":[{"id":"m","max_context_length":131072,"loaded_context_length":8192}]}`,
		}},
		{"Ollama, as it is set up", "here", 4096, map[string]string{
			"/v1/models": fmt.Sprintf(list, "library"), "/api/show": `{"parameters":"num_ctx 4096","model_info":{"qwen2.context_length":32768}}`,
		}},
		{"Ollama, as it runs", "ollama", 3000, map[string]string{
			"/v1/models": fmt.Sprintf(list, "library"), "/api/show": `{"parameters":"num_ctx 8192"}`, "/api/ps": `{"models":[{"name":"m:latest","context_length":3000}]}`,
		}},
		{"vLLM", "vllm", 2500, map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"vllm","max_model_len":2500}]}`}},
	} {
		for _, size := range []string{"compact", "full"} {
			t.Run(c.about+" "+size, func(t *testing.T) {
				model := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf("llama.cpp")}, llmtest.Say(llmtest.Text("Noted."), llmtest.Times(-1)))
				srv := newLocalServer(t, model, c.answers)
				a := newAsker(t, fmt.Sprintf("prompt = %q\nmodel = \"%s/m\"\ncontext_window = 200000\n%s", size, c.name, srv.provider(c.name)), map[string]string{
					"Home.md": "# Home\n", "Long.md": strings.Repeat("The long note has many lines.\n", 2000), "Longer.md": strings.Repeat("Even more of it.\n", 4000),
				})
				long := exec.Command(chatvault(t), "--vault", a.vault, "ask", "What do you make of this? "+strings.Repeat("words of a long text, ", 2000))
				long.Env = a.env()
				told, err := long.CombinedOutput()
				for _, want := range []string{"The message is too long", "it was not sent", "takes " + text.Thousands(c.takes), "put the text into a note"} {
					if err == nil || !strings.Contains(string(told), want) {
						t.Errorf("%q is missing, exit %v: %s", want, err, told)
					}
				}
				if n := len(model.Requests()); n != 0 {
					t.Fatalf("%d requests were sent", n)
				}
				if size == "full" && c.takes < 8192 { // its prompt and tools may be longer than that
					return
				}
				out := a.ask("Compare @Long.md and @Longer.md: which is longer?")
				if out.failed != "" || len(model.Requests()) == 0 {
					t.Fatalf("%d requests, failed: %s", len(model.Requests()), out.failed)
				}
				for _, r := range model.Requests() {
					if len(r.Body)/4 > c.takes {
						t.Errorf("%d bytes were sent to a window of %d", len(r.Body), c.takes)
					}
				}
			})
		}
	}
}
