// Package endpoint is shared by all providers that are reached over the network: presets, HTTP calls with their bounds
// and watchdog, the events of an answer, listed models and their windows, and the classification of errors.
//
// It promises, whatever the endpoint sends:
//
//   - an answer that stops, stalls or arrives damaged is an *llm.Error of KindNetwork;
//   - an error of any shape is classified and shown in plain words without keys; the log has all of it, without
//     keys, too;
//   - everything is bounded: waits, lines, responses, arguments of a call;
//   - the key goes only to its own host, and to this computer without a proxy;
//   - a cancelled call ends at once; its connection is closed and no goroutine is left.
//
// It calls once: the agent retries.
package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm/dialect"
	"chatvault/internal/base/loopback"
)

// API is the protocol of an endpoint.
type API string

// The APIs.
const (
	Chat      API = "chat"      // OpenAI's chat completions, the most common
	Messages  API = "messages"  // Anthropic's
	Responses API = "responses" // OpenAI's newer one
)

// Title returns the API's name for people.
func (a API) Title() string {
	return cmp.Or(map[API]string{Messages: "Messages API", Responses: "Responses API"}[a], "chat completions API")
}

// Default waits. The first output may take long while a local model is loaded, a request is queued, or a model reasons
// invisibly. Data without output, such as SSE comments and empty deltas, does not extend them; slower models need a
// longer FirstByte.
const (
	DefaultFirstByte = 120 * time.Second
	DefaultIdle      = 60 * time.Second
)

// Options of a Client. BaseURL and Model are required.
type Options struct {
	Name    string // of the provider, such as "openai"; shown as NAME/MODEL
	BaseURL string // such as https://api.openai.com/v1
	APIKey  string // may be empty
	API     API    // empty means Chat
	Model   string
	Headers map[string]string // added to each request

	Effort        string // reasoning effort: "none", "low" …; empty means the endpoint's default
	AllowInsecure bool   // allow http:// to other computers

	FirstByte time.Duration // longest wait for the first output; zero means DefaultFirstByte
	Idle      time.Duration // longest wait for more output; zero means DefaultIdle

	Transport http.RoundTripper // nil means NewTransport()
	Logger    *slog.Logger      // nil means none
}

// Client is a connection to one endpoint for one model. It is safe for concurrent use.
type Client struct {
	opts Options
	host string
	http *http.Client

	settled sync.Once
}

// New returns a client without sending anything. The error names the invalid option and the remedy.
func New(opts Options) (*Client, error) {
	u, err := checkBaseURL(opts.BaseURL, opts.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if opts.Model = strings.TrimSpace(opts.Model); opts.Model == "" {
		return nil, errors.New("no model is set: name one with --model or CHATVAULT_MODEL")
	}
	opts.APIKey = strings.TrimSpace(opts.APIKey)
	opts.Name = cmp.Or(opts.Name, u.Host)
	opts.API = cmp.Or(opts.API, Chat)
	opts.FirstByte = cmp.Or(max(opts.FirstByte, 0), DefaultFirstByte)
	opts.Idle = cmp.Or(max(opts.Idle, 0), DefaultIdle)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.BaseURL = u.String()
	base := opts.Transport
	if base == nil {
		base = NewTransport()
	}
	client := &http.Client{Transport: &transport{base, u.Host, opts}, CheckRedirect: checkRedirect} // the watchdog bounds the waits
	return &Client{opts: opts, host: u.Host, http: client}, nil
}

// Name returns NAME/MODEL.
func (c *Client) Name() string { return c.opts.Name + "/" + c.opts.Model }

// Options returns the effective options.
func (c *Client) Options() Options { return c.opts }

// Target returns the target of requests over a protocol. Its Endpoint is stored with conversations, so it is a hash: an
// address may contain a key.
func (c *Client) Target(speaks string) dialect.Target {
	sum := sha256.Sum256([]byte(c.opts.BaseURL))
	return dialect.Target{
		Endpoint: strings.TrimSpace(fmt.Sprintf("%s %x", speaks, sum[:8])),
		Model:    c.opts.Model, Effort: c.opts.Effort,
	}
}

// Model returns the model's name.
func (c *Client) Model() string { return c.opts.Model }

// HTTP returns the HTTP client. Requests with the context of a Call are under its watchdog.
func (c *Client) HTTP() *http.Client { return c.http }

// Close closes idle connections; running calls continue.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// authorize adds the key to a request.
func (c *Client) authorize(req *http.Request) {
	name, key := "Authorization", "Bearer "+c.opts.APIKey
	// Anthropic's model list always uses its own header.
	if c.opts.API == Messages || req.Method == http.MethodGet && req.URL.Host == "api.anthropic.com" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
		name, key = "X-Api-Key", c.opts.APIKey
	}
	if c.opts.APIKey != "" {
		req.Header.Set(name, key)
	}
}

// send sends a request. accepts is the accepted content type; it may be empty.
func (c *Client) send(ctx context.Context, method, url string, body []byte, accepts string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if accepts != "" {
		req.Header.Set("Accept", accepts)
	}
	c.authorize(req)
	return c.http.Do(req)
}

// fetch sends a request and returns the answer. Its body is cut at a bound.
func (c *Client) fetch(ctx context.Context, method, url string, body []byte, accepts string) (status int, h http.Header, answer []byte, err error) {
	resp, err := c.send(ctx, method, url, body, accepts)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	const largest = 8 << 20 // routers list hundreds of models with descriptions
	answer, err = io.ReadAll(io.LimitReader(resp.Body, largest))
	return resp.StatusCode, resp.Header, answer, err
}

// paths are the paths of calls, which people copy along with an address.
var paths = []string{"/chat/completions", "/messages", "/responses"}

func checkBaseURL(s string, allowInsecure bool) (*url.URL, error) {
	s = strings.TrimRight(strings.TrimSpace(s), "/")
	for _, path := range paths {
		s = strings.TrimSuffix(s, path)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("base_url is not an address up to the version, such as https://api.openai.com/v1, without a name, a password, ? or #")
	case u.Scheme == "http" && !allowInsecure && !loopback.Host(u.Hostname()):
		return nil, fmt.Errorf("base_url http://%s would send the key and the notes unencrypted: use https://, or 127.0.0.1 or localhost if it runs on this computer, or set allow_insecure = true", u.Host)
	}
	return u, nil
}
