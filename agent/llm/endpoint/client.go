// Package endpoint is what all providers reached over the network share: where they are and which are
// known (presets), one HTTP call with its watchdog and its bounds, the events of an answer, the models
// that are listed and how much they take, and what an error of any shape means.
//
// It promises, whatever the endpoint sends:
//
//   - an answer that stops, stalls or arrives damaged is a *llm.Error of KindNetwork;
//   - an error of any shape is classified, in a person's words and without keys, and the whole
//     of it, without keys too, goes to the log;
//   - nothing is without bound: the wait for an answer to begin and to go on, a line, the
//     response, the arguments of a call;
//   - the key goes to the host it is for, and to no other; to this computer through no proxy;
//   - a cancelled call ends at once, its connection closed and no goroutine left.
//
// It calls once: retrying is the agent's. What is said in a call is the business of the packages for
// each API.
package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/internal/loopback"
)

// API is how an endpoint is spoken to.
type API string

// The APIs.
const (
	Chat      API = "chat"      // OpenAI's chat completions, which nearly everybody has
	Messages  API = "messages"  // Anthropic's
	Responses API = "responses" // OpenAI's newer one
)

// Title is it as people write it.
func (a API) Title() string {
	switch a {
	case Messages:
		return "Messages API"
	case Responses:
		return "Responses API"
	}
	return "chat completions API"
}

// Waits for an endpoint where Options names none. An answer's beginning may wait for a local model
// to be loaded, for a place in a queue, or for a model that thinks unseen. What is sent meanwhile and
// holds nothing of an answer (SSE comments such as ": OPENROUTER PROCESSING", empty deltas) prolongs
// neither wait: a model that needs longer needs a longer FirstByte.
const (
	DefaultFirstByte = 120 * time.Second
	DefaultIdle      = 60 * time.Second
)

// Options of a Client. BaseURL and Model are needed.
type Options struct {
	Name    string // of the provider, such as "openai"; shown as NAME/MODEL
	BaseURL string // such as https://api.openai.com/v1
	APIKey  string // empty where none is needed
	API     API    // empty: Chat
	Model   string
	Headers map[string]string // of each request, beside its own

	Effort        string // how much the model reasons: "none", "low" …; empty leaves it to the endpoint
	AllowInsecure bool   // http:// to a host that is not this computer (loopback.Host)

	FirstByte time.Duration // longest wait for the answer to begin; 0: DefaultFirstByte
	Idle      time.Duration // longest wait for more of it; 0: DefaultIdle

	// Recall and Remember keep from one start to the next what the server said; nil: nothing is kept.
	Recall   func() Facts // zero if nothing is known
	Remember func(Facts)

	Transport http.RoundTripper // nil: one with the proxy of the environment, for other computers
	Logger    *slog.Logger      // nil: none
}

// Client is one endpoint, for one model. It is safe for concurrent use.
type Client struct {
	opts Options
	host string
	http *http.Client

	settled sync.Once
}

// New checks the options; nothing is sent yet. An error says which option is wrong and what to do.
func New(opts Options) (*Client, error) {
	u, err := checkBaseURL(opts.BaseURL, opts.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if opts.Model = strings.TrimSpace(opts.Model); opts.Model == "" {
		return nil, errors.New("no model is set: name one with --model or CHATVAULT_MODEL")
	}
	if opts.APIKey = strings.TrimSpace(opts.APIKey); strings.ContainsFunc(opts.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key holds a space, a line break or a character that no key has: copy it again")
	}
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
	if opts.Logger.Enabled(context.Background(), slog.LevelDebug) {
		base = &requestLog{base, opts.Logger, opts.Model}
	}
	return &Client{opts: opts, host: u.Host, http: newHTTPClient(base, u.Host, opts.Headers)}, nil
}

// Name is NAME/MODEL.
func (c *Client) Name() string { return c.opts.Name + "/" + c.opts.Model }

// Options are those in use.
func (c *Client) Options() Options { return c.opts }

// Target is where the requests go of a provider that speaks so. What it is told from others by is kept with
// conversations: an address may have a key in its path.
func (c *Client) Target(speaks string) dialect.Target {
	sum := sha256.Sum256([]byte(c.opts.BaseURL))
	return dialect.Target{
		Endpoint: strings.TrimSpace(fmt.Sprintf("%s %x", speaks, sum[:8])),
		Model:    c.opts.Model, Effort: c.opts.Effort,
	}
}

// BaseURL is the address in use.
func (c *Client) BaseURL() string { return c.opts.BaseURL }

// Model is the model in use.
func (c *Client) Model() string { return c.opts.Model }

// HTTP is what sends requests; those of a Call (Call.Context) under its watchdog.
func (c *Client) HTTP() *http.Client { return c.http }

// Close closes the connections kept for further calls. Calls under way are not touched.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// authorize puts the key into a request.
func (c *Client) authorize(req *http.Request) {
	name, key := "Authorization", "Bearer "+c.opts.APIKey
	// Anthropic's list of models is its own, whichever API is called.
	if c.opts.API == Messages || req.Method == http.MethodGet && req.URL.Host == "api.anthropic.com" {
		req.Header.Set("Anthropic-Version", "2023-06-01")
		name, key = "X-Api-Key", c.opts.APIKey
	}
	if c.opts.APIKey != "" {
		req.Header.Set(name, key)
	}
}

// send sends a request; what is answered is of a type that it accepts, where it says so.
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

// paths are those of calls, which people copy along with an address.
var paths = []string{"/chat/completions", "/messages", "/responses"}

func checkBaseURL(s string, allowInsecure bool) (*url.URL, error) {
	s = strings.TrimRight(strings.TrimSpace(s), "/")
	for _, path := range paths {
		s = strings.TrimSuffix(s, path)
	}
	if s == "" {
		return nil, errors.New("base_url is empty: set it to an address such as https://api.openai.com/v1")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("base_url is not an address: %w", errors.Unwrap(err))
	}
	switch {
	case u.User != nil:
		return nil, errors.New("base_url contains a name or password: remove it and set the key with api_key_env")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("base_url %q is not an http:// or https:// address", llm.Redact(s))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("base_url has a ? or # part: give the address up to the version, such as https://host/v1")
	case u.Scheme == "http" && !allowInsecure && !loopback.Host(u.Hostname()):
		return nil, fmt.Errorf("base_url http://%s would send the key and the notes unencrypted: use https://, or 127.0.0.1 or localhost if it runs on this computer, or set allow_insecure = true", u.Host)
	}
	return u, nil
}
