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
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// providerAt returns a provider at any address, as a user might configure it.
func providerAt(t *testing.T, baseURL string, base http.RoundTripper) *Provider {
	t.Helper()
	p, err := New(endpoint.Options{BaseURL: baseURL, APIKey: testKey, Model: "m", Transport: base, AllowInsecure: true, FirstByte: 3 * time.Second, Idle: 3 * time.Second})
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

	expectFailure(t, providerAt(t, front.URL+"/away", nil), llm.ReasonNotAnAPI, false, "redirects to "+other.URL+"/v1/chat/completions, which is not followed")
	expectFailure(t, providerAt(t, front.URL+"/get", nil), llm.ReasonNotAnAPI, false, "/v1/chat/completions, which is not followed")
	expectFailure(t, providerAt(t, front.URL+"/round", nil), llm.ReasonNotAnAPI, false, "/round/chat/completions, which is not followed")
	expectFailure(t, providerAt(t, front.URL+"/nowhere", nil), llm.ReasonNotAnAPI, false, "302")
	if n := keys.Load(); n != 0 {
		t.Errorf("the key was sent to another host %d times", n)
	}
	if resp, failed := collect(t.Context(), t, providerAt(t, front.URL+"/kept", nil), question()); failed != nil || resp.Text != "moved" {
		t.Errorf("same host: %+v, %v", resp, failed)
	}
	if _, err := providerAt(t, front.URL+"/away", nil).ListModels(t.Context()); err == nil || keys.Load() != 0 {
		t.Errorf("models: %v, %d keys", err, keys.Load())
	}
}

func TestTLS(t *testing.T) {
	secure := quiet(httptest.NewUnstartedServer(http.NotFoundHandler()))
	secure.StartTLS()
	defer secure.Close()
	expectFailure(t, providerAt(t, secure.URL+"/v1", nil), llm.ReasonCertificate, false, "cannot be trusted")

	plain := quiet(httptest.NewServer(http.NotFoundHandler()))
	defer plain.Close()
	expectFailure(t, providerAt(t, strings.Replace(plain.URL, "http:", "https:", 1)+"/v1", nil), llm.ReasonCertificate, false, "does not speak TLS")

	closing := listen(t, func(c net.Conn) { _ = c.Close() })
	expectFailure(t, providerAt(t, "https://"+closing+"/v1", nil), llm.ReasonBroken, true, "")
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

func TestProxyRequiresLogin(t *testing.T) {
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
		base := endpoint.NewTransport()
		base.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: proxy})
		expectFailure(t, providerAt(t, target, base), llm.ReasonProxy, false, "407")
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	expectFailure(t, providerAt(t, "http://"+addr+"/v1", nil), llm.ReasonUnreachable, true, "nothing answers at "+addr)

	base := endpoint.NewTransport()
	base.DialContext = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Name: "model.invalid", Err: "i/o timeout", IsTimeout: true}}
	}
	expectFailure(t, providerAt(t, "https://model.invalid/v1", base), "", true, "model.invalid could not be resolved")
}

func TestHTTP2(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", r.Proto)
	}))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	base := endpoint.NewTransport()
	base.TLSClientConfig = &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	if resp, failed := collect(t.Context(), t, providerAt(t, secure.URL+"/v1", base), question()); failed != nil || resp.Text != "HTTP/2.0" {
		t.Errorf("%+v, %v", resp, failed)
	}
}
