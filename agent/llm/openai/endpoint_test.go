package openai

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

// at is a provider at any address, as a user might configure it.
func at(t *testing.T, baseURL string, base http.RoundTripper) *Provider {
	t.Helper()
	p, err := New(Options{BaseURL: baseURL, APIKey: testKey, Model: "m", Transport: base, AllowInsecure: true, FirstByte: 3 * time.Second, Idle: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func expectFailure(t *testing.T, p *Provider, reason llm.Reason, retry bool, message string) {
	t.Helper()
	_, failed := collect(t.Context(), t, p, question())
	if failed == nil || failed.Kind != llm.KindNetwork || failed.Reason != reason || failed.Retryable() != retry || !strings.Contains(failed.Message, message) {
		t.Errorf("%+v; want reason %q, retry %v, %q", failed, reason, retry, message)
	}
}

func quiet(s *httptest.Server) *httptest.Server {
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

func TestRedirects(t *testing.T) {
	var keys atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			keys.Add(1)
		}
	}))
	defer other.Close()
	model := llmtest.New(t, llmtest.Reply("moved"))
	behind, err := url.Parse(model.URL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/away/"):
			http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/get/"):
			http.Redirect(w, r, "/v1/chat/completions", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/round/"):
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasPrefix(r.URL.Path, "/nowhere/"):
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/kept/"):
			http.Redirect(w, r, "/v1/chat/completions", http.StatusPermanentRedirect)
		default: // on the same host
			req, _ := http.NewRequestWithContext(r.Context(), r.Method, behind.Scheme+"://"+behind.Host+r.URL.Path, r.Body)
			req.Header, req.Close = r.Header, true
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = resp.Body.Close() }()
			w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
			_, _ = io.Copy(w, resp.Body)
		}
	}))
	defer front.Close()

	expectFailure(t, at(t, front.URL+"/away", nil), llm.ReasonNotAnAPI, false, "another host")
	expectFailure(t, at(t, front.URL+"/get", nil), llm.ReasonNotAnAPI, false, "has moved to")
	expectFailure(t, at(t, front.URL+"/round", nil), llm.ReasonNotAnAPI, false, "too many redirects")
	expectFailure(t, at(t, front.URL+"/nowhere", nil), llm.ReasonNotAnAPI, false, "302")
	if n := keys.Load(); n != 0 {
		t.Errorf("the key went to another host %d times", n)
	}
	if resp, failed := collect(t.Context(), t, at(t, front.URL+"/kept", nil), question()); failed != nil || resp.Text != "moved" {
		t.Errorf("same host: %+v, %v", resp, failed)
	}
	if _, err := at(t, front.URL+"/away", nil).ListModels(t.Context()); err == nil || keys.Load() != 0 {
		t.Errorf("models: %v, %d keys", err, keys.Load())
	}
}

func TestTLS(t *testing.T) {
	secure := quiet(httptest.NewUnstartedServer(http.NotFoundHandler()))
	secure.StartTLS()
	defer secure.Close()
	expectFailure(t, at(t, secure.URL+"/v1", nil), llm.ReasonCertificate, false, "cannot be trusted")

	plain := quiet(httptest.NewServer(http.NotFoundHandler()))
	defer plain.Close()
	expectFailure(t, at(t, strings.Replace(plain.URL, "http:", "https:", 1)+"/v1", nil), llm.ReasonCertificate, false, "does not speak TLS")

	closing := listen(t, func(c net.Conn) { _ = c.Close() })
	expectFailure(t, at(t, "https://"+closing+"/v1", nil), llm.ReasonBroken, true, "")
}

// listen serves connections with f until the test ends.
func listen(t *testing.T, f func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func TestProxyWantsALogin(t *testing.T) {
	proxy := listen(t, func(c net.Conn) {
		defer func() { _ = c.Close() }()
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = fmt.Fprint(c, "HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	})
	for _, target := range []string{"https://model.invalid/v1", "http://model.invalid/v1"} {
		base := newTransport()
		base.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})
		expectFailure(t, at(t, target, base), llm.ReasonProxy, false, "407")
	}
}

// TestProxyIsForOthers: what is this computer's goes through no proxy, whatever the environment says.
func TestProxyIsForOthers(t *testing.T) {
	always := viaProxy(http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.invalid"}))
	for target, want := range map[string]bool{
		"http://127.0.0.1:1/v1": false, "https://127.9.9.9/v1": false, "http://[::1]:1/v1": false, "http://localhost:1/v1": false, "http://LOCALHOST/v1": false,
		"http://foo.localhost/v1": true, "http://localhost.:1/v1": true, "https://api.example.com/v1": true,
	} {
		req, err := http.NewRequest(http.MethodPost, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := always(req); err != nil || (u != nil) != want {
			t.Errorf("%s: %v, %v", target, u, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	expectFailure(t, at(t, "http://"+addr+"/v1", nil), llm.ReasonUnreachable, true, "nothing answers at "+addr)

	base := newTransport()
	base.DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Name: "model.invalid", Err: "i/o timeout", IsTimeout: true}}
	}
	expectFailure(t, at(t, "https://model.invalid/v1", base), "", true, "model.invalid could not be resolved")
}

func TestHTTP2IsSpoken(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", r.Proto)
	}))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	base := newTransport()
	base.TLSClientConfig = &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	if resp, failed := collect(t.Context(), t, at(t, secure.URL+"/v1", base), question()); failed != nil || resp.Text != "HTTP/2.0" {
		t.Errorf("%+v, %v", resp, failed)
	}
}

func TestListModels(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"text-embed-3", "chat-1"}, APIKey: testKey})
	p := newProvider(t, srv)
	models, err := p.ListModels(t.Context())
	if err != nil || len(models) != 2 || models[1].ID != "chat-1" {
		t.Fatalf("%v, %v", models, err)
	}
	if id, ok := PickModel(models); !ok || id != "chat-1" {
		t.Errorf("picked %q", id)
	}
	wrong := newProvider(t, srv, func(o *Options) { o.APIKey = "sk-wrong-key-0123456789" })
	if _, err := wrong.ListModels(t.Context()); llm.AsError(err) == nil || llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("wrong key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ListModels(ctx); llm.AsError(err) == nil || llm.AsError(err).Kind != llm.KindAborted {
		t.Errorf("cancelled: %v", err)
	}
	for body, want := range map[string][]Model{
		`{"data":[{"id":"a","context_length":8192},{"id":7,"max_model_len":"4096"},{"id":""}]}`:                                                          {{ID: "a", Window: 8192}, {ID: "7", Window: 4096}},
		`{"models":[{"name":"models/gemini-x"}]}`:                                                                                                        {{ID: "gemini-x"}},
		`{"data":[{"id":"l","meta":{"n_ctx":2048,"n_ctx_train":9}}]}`:                                                                                    {{ID: "l", Window: 2048}},
		`{"data":[{"id":"p","pricing":{"prompt":"0.000003","completion":"0.000015"}},{"id":"q","pricing":{"prompt":"-1"}},{"id":"r","pricing":"free"}]}`: {{ID: "p", Input: 3, Output: 15}, {ID: "q"}, {ID: "r"}},
		`{"data":[]}`: nil,
	} {
		got, ok := modelsIn([]byte(body))
		if !ok || len(got) != len(want) {
			t.Errorf("%s: %v", body, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %v", body, got)
			}
		}
	}
	for _, body := range []string{`{}`, `[]`, `<html>`, `{"data":7}`} {
		if got, ok := modelsIn([]byte(body)); ok {
			t.Errorf("%s is a list: %v", body, got)
		}
	}
	if _, ok := PickModel([]Model{{ID: "nomic-embed-text"}}); ok {
		t.Error("an embedding model is picked")
	}
}

func TestProbe(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"nomic-embed", "qwen"}})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>wiki</html>") }))
	defer page.Close()
	silent := listen(t, func(c net.Conn) { t.Cleanup(func() { _ = c.Close() }) })
	begun := time.Now()
	for u, want := range map[string]bool{
		srv.URL():                true,
		page.URL:                 false,
		"http://" + silent:       false,
		"http://127.0.0.1:1/v1":  false,
		"https://example.com/v1": false,
		// These lead here where the system resolves them, and are not asked all the same.
		strings.Replace(srv.URL(), "127.0.0.1", "foo.localhost", 1): false,
		strings.Replace(srv.URL(), "127.0.0.1", "localhost.", 1):    false,
	} {
		if _, got := probe(t.Context(), u); got != want {
			t.Errorf("%s: %v", u, got)
		}
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	for _, r := range srv.AllRequests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("a probe carries a key")
		}
	}
	presets := []Preset{{Name: "none", BaseURL: "http://127.0.0.1:1/v1"}, {Name: "second", BaseURL: srv.URL()}, {Name: "slow", BaseURL: "http://" + silent}}
	if found, ok := findLocal(t.Context(), presets); !ok || found.Preset.Name != "second" || found.Model != "qwen" {
		t.Errorf("%+v, %v", found, ok)
	}
	if _, ok := findLocal(t.Context(), presets[:1]); ok {
		t.Error("found what is not there")
	}
}

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets {
		if _, err := checkBaseURL(p.BaseURL, false); seen[p.Name] || err != nil || p.Title == "" || p.NeedsKey != (p.KeyEnv != "") || p.NeedsKey != (p.Model != "") {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
	for _, name := range strings.Fields("openai anthropic openrouter gemini groq mistral deepseek ollama lmstudio llama.cpp vllm") {
		if _, ok := FindPreset(strings.ToUpper(name) + " "); !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if _, ok := FindPreset("nobody"); ok || len(PresetNames()) != len(Presets) {
		t.Error("presets")
	}
}
