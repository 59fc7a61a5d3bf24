package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/app/config"
	"chatvault/internal/base/terminal/output"
)

// Answers of a model to the short call, as server-sent events.
const (
	native  = `data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"count_notes","arguments":"{\"folder\":\"Recipes\"}"}}]}}]}` + "\n\n" + ending
	inText  = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"<tool_call>\n{\"name\": \"count_notes\", \"arguments\": {\"folder\": \"Recipes\"}}\n</tool_call>"}}]}` + "\n\n" + ending
	inWords = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"There are many."}}]}` + "\n\n" + ending
	ending  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":170,"completion_tokens":30}}` + "\n\ndata: [DONE]\n\n"
	timed   = `data: {"choices":[],"usage":{"prompt_tokens":170,"completion_tokens":28},"timings":{"prompt_per_second":36.73,"predicted_per_second":15.47}}` + "\n\n"
	cut     = `data: {"choices":[{"index":0,"delta":{"reasoning_content":"Let me think"}}]}` + "\n\n" + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n"

	noJinja = `500 {"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`
	noAuto  = `400 {"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`
	noTools = `400 {"error":{"message":"registry.ollama.ai/library/gemma:7b does not support tools","type":"api_error"}}`
)

// fake is a server with these answers, by method and path. A call with tools is answered by "with tools", one without
// by "without".
type fake map[string]string

func (f fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := r.Method + " " + r.URL.Path
	if at == "POST /v1/chat/completions" {
		body := new(strings.Builder)
		_ = r.Write(body)
		at = "without"
		if strings.Contains(body.String(), `"count_notes"`) {
			at = "with tools"
		}
		w.Header().Set("Content-Type", "text/event-stream")
	}
	answer, ok := f[at]
	status, body, refused := strings.Cut(answer, " {")
	switch {
	case !ok:
		http.NotFound(w, r)
	case refused && len(status) == 3:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(map[string]int{"400": 400, "401": 401, "500": 500}[status])
		_, _ = w.Write([]byte("{" + body))
	default:
		_, _ = w.Write([]byte(answer))
	}
}

var (
	llamaCpp = fake{
		"GET /v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072,"n_ctx":32768,"n_params":32000000000}}]}`,
		"GET /props":     `{"default_generation_settings":{"n_ctx":32768}}`,
		"with tools":     strings.Replace(native, "data: [DONE]", timed+"data: [DONE]", 1),
	}
	ollama = fake{
		"GET /v1/models":   `{"data":[{"id":"m","owned_by":"library"}]}`,
		"GET /api/version": `{"version":"0.6.2"}`,
		"POST /api/show":   `{"parameters":"stop \"x\"","model_info":{"general.parameter_count":7615616512,"qwen2.context_length":32768}}`,
		"GET /api/ps":      `{"models":[{"name":"m:latest","model":"m:latest","context_length":16384}]}`,
		"with tools":       native,
	}
	lmStudio = fake{
		"GET /v1/models":     `{"data":[{"id":"m","owned_by":"organization_owner"}]}`,
		"GET /api/v0/models": `{"data":[{"id":"m","state":"loaded","loaded_context_length":8192,"max_context_length":32768}]}`,
		"with tools":         native,
	}
	vLLM = fake{
		"GET /v1/models": `{"data":[{"id":"m-32b","owned_by":"vllm","max_model_len":40960}]}`,
		"GET /version":   `{"version":"0.11.0"}`,
		"with tools":     native,
	}
	jan = fake{
		"GET /v1/models": `{"object":"list","data":[{"id":"Jan-v1-4B-Q4","object":"model","created":1,"owned_by":"user"}]}`,
		"with tools":     native,
	}
)

// but returns a copy of the fake with other answers.
func (f fake) but(answers ...string) fake {
	out := fake{}
	for at, answer := range f {
		out[at] = answer
	}
	for i := 0; i < len(answers); i += 2 {
		out[answers[i]] = answers[i+1]
	}
	return out
}

// doctor reports a local server's model, its context, native tool calls, and the missing option of a wrong setup.
func TestDoctorOfLocalServers(t *testing.T) {
	for _, c := range []struct {
		about, kind string
		serves      fake
		set         func(*config.Config)
		want        []string // prefixes of lines, in this order
		not         string
	}{
		{"llama.cpp", "llama.cpp", llamaCpp, nil, []string{"ok    provider      llama.cpp/m at http", "ok    model         32B parameters, context 32,768 tokens, full prompt", "ok    tool calls    native"}, ""},
		{"llama.cpp, small", "llama.cpp", llamaCpp.but("GET /v1/models", `{"data":[{"id":"qwen-1.5b","owned_by":"llamacpp"}]}`), nil, []string{"ok    model         1.5B parameters, context 32,768 tokens, compact prompt"}, ""},
		{"small, and full", "llama.cpp", llamaCpp.but("GET /v1/models", `{"data":[{"id":"qwen-270m","owned_by":"llamacpp"}]}`), func(c *config.Config) { c.Prompt.V = config.PromptFull }, []string{"ok    model         0.27B parameters, context 32,768 tokens, full prompt"}, ""},
		{"llama.cpp, -c 4096", "llama.cpp", llamaCpp.but("GET /props", `{"default_generation_settings":{"n_ctx":4096}}`), nil, []string{"note  model         32B parameters, context 4,096 tokens, compact", "                    → start llama-server with a larger -c"}, ""},
		{"llama.cpp, in text", "llama.cpp", llamaCpp.but("with tools", inText), nil, []string{"ok    tool calls    written as text, and chatvault reads them"}, "→"},
		{"llama.cpp without --jinja", "llama.cpp", llamaCpp.but("with tools", noJinja, "without", inWords), nil, []string{"FAIL  tool calls    refused", "                    tools param requires --jinja flag", "                    → start llama-server with --jinja;"}, ""},
		{"the same, compact", "llama.cpp", llamaCpp.but("with tools", noJinja, "without", inWords, "GET /v1/models", `{"data":[{"id":"m-3b"}]}`), nil, []string{"note  tool calls    refused; the compact prompt needs none", "                    → start llama-server with --jinja;"}, "FAIL"},
		{"Ollama", "ollama", ollama, nil, []string{"ok    provider      ollama/m at http", "ok    model         7.62B parameters, context 16,384 tokens", "ok    tool calls    native"}, ""},
		{"Ollama, num_ctx 2048", "ollama", ollama.but("POST /api/show", `{"parameters":"num_ctx    2048\nstop \"x\""}`, "GET /api/ps", `{"models":[]}`), nil, []string{"note  model         context 2,048 tokens, compact prompt", "                    → start Ollama with OLLAMA_CONTEXT_LENGTH=16384 in its environment, or set num_ctx"}, ""},
		{"Ollama, as it runs", "ollama", ollama.but("GET /api/ps", `{"models":[{"name":"m","context_length":2048}]}`), nil, []string{"note  model         7.62B parameters, context 2,048 tokens", "                    → start Ollama with OLLAMA_CONTEXT_LENGTH"}, ""},
		{"an old Ollama", "ollama", ollama.but("GET /api/ps", `{"models":[{"name":"m"}]}`), nil, []string{"note  model         7.62B parameters, context not known", "                    Ollama gives a model 4,096 tokens or fewer", "                    → start Ollama with OLLAMA_CONTEXT_LENGTH"}, ""},
		{"the same, set", "ollama", ollama.but("GET /api/ps", `{"models":[{"name":"m"}]}`), func(c *config.Config) { c.ContextWindow.V = 8192 }, []string{"ok    model         7.62B parameters, context not known"}, "OLLAMA"},
		{"more is sent than fits", "ollama", ollama, func(c *config.Config) { c.ContextWindow.V = 32768 }, []string{"note  model ", "                    → set context_window to at most 16384 in /own.toml, or start Ollama"}, ""},
		{"Ollama's gemma", "ollama", ollama.but("with tools", noTools, "without", inWords, "POST /api/show", `{}`), nil, []string{"note  tool calls    refused", "                    → choose a model that can use tools"}, ""},
		{"LM Studio", "lmstudio", lmStudio, nil, []string{"ok    model         context 8,192 tokens, compact prompt", "ok    tool calls    native"}, ""},
		{"vLLM", "vllm", vLLM, nil, []string{"ok    provider      vllm/m-32b at", "ok    model         32B parameters, context 40,960 tokens, full prompt", "ok    tool calls    native"}, ""},
		{"vLLM without a flag", "vllm", vLLM.but("with tools", noAuto, "without", inWords), nil, []string{"FAIL  tool calls    refused", `                    "auto" tool choice requires`, "                    → start vLLM with --enable-auto-tool-choice and the --tool-call-parser of your model;"}, ""},
		{"vLLM with another parser", "vllm", vLLM.but("with tools", inText), nil, []string{"note  tool calls    written as text", "                    → start vLLM with the --tool-call-parser of your model"}, ""},
		{"Jan", "jan", jan, nil, []string{"ok    provider      jan/Jan-v1-4B-Q4 at", "ok    model         4B parameters, context not known, compact prompt", "ok    tool calls    native"}, ""},
		{"vLLM at the port of llama.cpp", "llama.cpp", vLLM.but("with tools", inText), nil, []string{"note  tool calls    written as text", "                    → start vLLM with the --tool-call-parser of"}, ""},
		{"words alone", "vllm", vLLM.but("with tools", inWords), nil, []string{"note  tool calls    none: the model answered in words", "                    → choose a model that can use tools"}, ""},
		{"thoughts alone", "jan", jan.but("with tools", cut), nil, []string{"ok    tool calls    unknown: the model did not finish"}, ""},
		{"broken", "vllm", vLLM.but("with tools", `500 {"error":{"message":"CUDA out of memory"}}`), nil, []string{"FAIL  tool calls    a short call failed", "                    CUDA out of memory", "                    → the provider has a problem"}, "speed"},
		{"no chat model", "ollama", ollama.but("GET /v1/models", `{"data":[{"id":"nomic-embed"}]}`), nil, []string{"note  provider      ollama at http", "                    → load a model in it (in Ollama: ollama pull NAME)"}, "offline"},
		{"Jan with a key", "jan", jan.but("GET /v1/models", `401 {"error":"Invalid or missing authorization token"}`), nil, []string{"note  provider      jan at http", `                    → say where it is, below [providers."jan"] with api_key_env`}, "offline"},
		{"no server", "vllm", fake{}, nil, []string{"note  provider      offline engine (nothing is configured and no key is in the environment; no local server answers: vLLM "}, "tokens"},
	} {
		t.Run(c.about, func(t *testing.T) {
			srv := httptest.NewServer(c.serves)
			defer srv.Close()
			cfg := config.Defaults()
			if c.set != nil {
				c.set(cfg)
			}
			got := printed(checkProvider(options("CHATVAULT_LOCAL_SERVERS="+c.kind+"="+srv.URL+"/v1"), cfg, "/own.toml"))
			rest := "\n" + got
			for _, want := range c.want {
				_, after, ok := strings.Cut(rest, "\n"+want)
				if !ok {
					t.Fatalf("%q is missing (in order):\n%s", want, got)
				}
				rest = after
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("%q is there:\n%s", c.not, got)
			}
		})
	}
}

// options returns doctor's options with an environment.
func options(env ...string) Options {
	return Options{Out: output.New(&strings.Builder{}, false), LookupEnv: func(name string) (string, bool) {
		for _, e := range env {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}}
}

func printed(all []finding) string {
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.lines(0))
	}
	return b.String()
}

// doctor calls no endpoint that may cost money, and none at all offline.
func TestDoctorCallsNoPaidEndpoint(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	serves := llamaCpp
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path)
		mu.Unlock()
		serves.ServeHTTP(w, r)
	}))
	defer srv.Close()
	for _, c := range []struct {
		about   string
		models  string
		key     string
		offline bool
		calls   int
	}{
		{"a gateway with a key", `{"data":[{"id":"m","owned_by":"openai","max_model_len":16384}]}`, "sk-0123456789abcdef", false, 0},
		{"a gateway without one", `{"data":[{"id":"m","owned_by":"openai"}]}`, "", false, 1},
		{"llama.cpp with a key", llamaCpp["GET /v1/models"], "sk-0123456789abcdef", false, 1},
		{"offline", llamaCpp["GET /v1/models"], "", true, 0},
	} {
		asked = nil
		serves = llamaCpp.but("GET /v1/models", c.models)
		delete(serves, "GET /props")
		cfg := config.Defaults()
		cfg.BaseURL.V, cfg.Model.V, cfg.Offline.V = srv.URL+"/v1", "m", c.offline
		if c.key != "" {
			cfg.APIKey = config.LiteralKey(config.NewSecret(c.key), config.Origin{})
		}
		got := printed(checkProvider(options("CHATVAULT_LOCAL_SERVERS=off"), cfg, "/own.toml"))
		if n := strings.Count(strings.Join(asked, " "), "completions"); n != c.calls || c.offline && len(asked) > 0 {
			t.Errorf("%s: %d calls, want %d: %q\n%s", c.about, n, c.calls, asked, got)
		}
	}
}
