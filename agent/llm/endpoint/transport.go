package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/loopback"
)

// maxReport bounds the body of an error in bytes.
const maxReport = 64 << 10

// transport sends the body of a call in place of the one that go-openai encoded, normalizes the events of the answer,
// and classifies errors by status, headers and body, which go-openai would lose.
//
// It logs each request when its response begins: target, size, outcome and duration. Bodies, headers and queries are not
// logged because they contain notes and keys.
type transport struct {
	base http.RoundTripper
	host string  // of the endpoint
	opts Options // headers for that host only
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c, _ := req.Context().Value(callKey{}).(*Call)
	if c != nil {
		req = c.request(req)
	}
	if len(t.opts.Headers) > 0 && req.URL.Host == t.host {
		req = req.Clone(req.Context())
		for name, value := range t.opts.Headers {
			req.Header.Set(name, value)
		}
	}
	began, status := time.Now(), 0
	resp, err := t.base.RoundTrip(req)
	if err == nil {
		status = resp.StatusCode
	}
	t.opts.Logger.Debug("request", "method", req.Method, "host", req.URL.Host, "path", req.URL.Path, "model", t.opts.Model,
		"sent", max(req.ContentLength, 0), "duration", time.Since(began).String(), "status", status)
	if err != nil || c == nil {
		return resp, err
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "":
		return resp, nil // checkRedirect decides
	case resp.StatusCode >= 300:
		c.refused = true
		c.watch.progress()                                            // an error is an answer, too
		report, _ := io.ReadAll(io.LimitReader(resp.Body, maxReport)) // a partial body suffices
		_ = resp.Body.Close()
		return nil, Classify(resp.StatusCode, resp.Header, report, time.Now())
	}
	c.events = &eventReader{ReadCloser: resp.Body, call: c, events: events{bounds: usual}, buf: make([]byte, 16<<10)}
	switch kind := contentType(resp.Header); {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		c.events.events.doc = true
	case kind == "text/event-stream", kind == "", kind == "text/plain", kind == "application/octet-stream", kind == "application/x-ndjson":
	default:
		return nil, c.foreign(resp, kind)
	}
	resp.Body = c.events
	return resp, nil
}

// request returns the request with the call's body: go-openai's types omit empty fields and lack those of single
// providers.
func (c *Call) request(req *http.Request) *http.Request {
	if req.Body != nil {
		_ = req.Body.Close() // cannot fail
	}
	req = req.Clone(req.Context())
	req.ContentLength = int64(len(c.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
	req.Body, _ = req.GetBody()
	return req
}

// foreign returns the error for an answer that cannot be a model's, such as a login page.
func (c *Call) foreign(resp *http.Response, kind string) error {
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // a partial body suffices
	_ = resp.Body.Close()
	message := fmt.Sprintf("the answer is %s, not a model's stream", kind)
	if s := snippet(b); s != "" {
		message += ": " + s
	}
	return notEndpoint(resp.StatusCode, message)
}

// NewTransport returns the default transport. It uses the proxy of the environment except for this computer.
func NewTransport() *http.Transport {
	const connect = 15 * time.Second
	return &http.Transport{
		Proxy:               viaProxy(http.ProxyFromEnvironment),
		DialContext:         loopback.Dial(&net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}),
		TLSHandshakeTimeout: connect,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		MaxIdleConnsPerHost: 2,
		IdleConnTimeout:     90 * time.Second,
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			return &llm.Error{
				Kind: llm.KindNetwork, Reason: llm.ReasonProxy, Status: resp.StatusCode, Final: true,
				Message: fmt.Sprintf("the proxy %s refused the connection: HTTP %s", proxy.Host, resp.Status),
			}
		},
	}
}

// viaProxy restricts a proxy function to other computers.
func viaProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		if loopback.Host(req.URL.Hostname()) {
			return nil, nil //nolint:nilnil // no proxy, for http.Transport
		}
		return proxy(req)
	}
}

// checkRedirect allows only redirects of the same request on the same host: the key and the notes must go to no other
// host, and a POST that becomes a GET is no model call.
func checkRedirect(req *http.Request, via []*http.Request) error {
	const most = 5
	first, to := via[0], req.URL
	if strings.EqualFold(to.Host, first.URL.Host) && to.Scheme == first.URL.Scheme && req.Method == first.Method && len(via) < most {
		return nil
	}
	return notEndpoint(req.Response.StatusCode, fmt.Sprintf("%s redirects to %s://%s%s, which is not followed", first.URL.Host, to.Scheme, to.Host, to.Path))
}
