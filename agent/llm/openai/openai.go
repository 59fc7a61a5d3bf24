// Package openai reaches a language model over the OpenAI chat-completions protocol, at any
// compatible endpoint, through go-openai.
//
// It promises, whatever the endpoint sends:
//
//   - a response counts as complete only when it said why it ended; one that stops, stalls or
//     arrives damaged is a *llm.Error of KindNetwork;
//   - tool calls come with unambiguous ordinals, unique ids and whole names, in the order the
//     model began them;
//   - an error of any shape is classified, in a person's words and without keys, and the whole
//     of it, without keys too, goes to the log;
//   - nothing is without bound: the wait for an answer to begin and to go on, a line, the
//     response, the arguments of a call;
//   - the key goes to the host it is for, and to no other; to this computer through no proxy;
//   - a cancelled call ends at once, its connection closed and no goroutine left.
//
// It calls once: retrying is the agent's.
package openai

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/agent/llm/openai/dialect"
	"chatvault/internal/loopback"
)

// Waits for an endpoint where Options names none. An answer's beginning may wait for a local model
// to be loaded, for a place in a queue, or for a model that thinks unseen. What is sent meanwhile and
// holds nothing of an answer (SSE comments such as ": OPENROUTER PROCESSING", empty deltas) prolongs
// neither wait: a model that needs longer needs a longer FirstByte.
const (
	DefaultFirstByte = 120 * time.Second
	DefaultIdle      = 60 * time.Second
)

// Options of a Provider. BaseURL and Model are needed.
type Options struct {
	Name    string // of the provider, such as "openai"; shown as NAME/MODEL
	BaseURL string // such as https://api.openai.com/v1
	APIKey  string // empty where none is needed
	Model   string

	MaxTokens     int  // completion limit of calls that name none; 0 leaves it to the endpoint
	AllowInsecure bool // http:// to a host that is not this computer (loopback.Host)

	FirstByte time.Duration // longest wait for the answer to begin; 0: DefaultFirstByte
	Idle      time.Duration // longest wait for more of it; 0: DefaultIdle

	Transport http.RoundTripper // nil: one with the proxy of the environment, for other computers
	Logger    *slog.Logger      // nil: none

	bounds bounds // zero: those of package llm
}

// Provider is an llm.Provider at one endpoint, for one model. It is safe for concurrent use.
type Provider struct {
	opts    Options
	dialect *dialect.Dialect
	host    string
	base    http.RoundTripper
	http    *http.Client
	client  *openai.Client

	askedRunning sync.Once
}

// New checks the options and makes a provider; nothing is sent yet. An error says which option
// is wrong and what to do.
func New(opts Options) (*Provider, error) {
	u, err := checkBaseURL(opts.BaseURL, opts.AllowInsecure)
	if err != nil {
		return nil, err
	}
	if opts.Model = strings.TrimSpace(opts.Model); opts.Model == "" {
		return nil, errors.New("no model is set: name one with --model or CHATVAULT_MODEL")
	}
	if opts.APIKey = strings.TrimSpace(opts.APIKey); strings.ContainsFunc(opts.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the API key holds a space, a line end or a letter no key has: copy it again")
	}
	opts.Name = cmp.Or(opts.Name, u.Host)
	opts.FirstByte = cmp.Or(max(opts.FirstByte, 0), DefaultFirstByte)
	opts.Idle = cmp.Or(max(opts.Idle, 0), DefaultIdle)
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	opts.bounds = cmp.Or(opts.bounds, bounds{line: llm.MaxLine, response: llm.MaxResponse, arguments: llm.MaxArguments})
	p := &Provider{opts: opts, host: u.Host, base: opts.Transport}
	if p.base == nil {
		p.base = newTransport()
	}
	p.http = newHTTPClient(logged(p.base, opts.Logger, opts.Model))
	p.opts.BaseURL = u.String()
	p.dialect = dialect.For(opts.Name, p.opts.BaseURL, opts.Model)
	config := openai.DefaultConfig(opts.APIKey)
	config.BaseURL = p.opts.BaseURL
	config.HTTPClient = p.http
	p.client = openai.NewClientWithConfig(config)
	return p, nil
}

// Name is NAME/MODEL.
func (p *Provider) Name() string { return p.opts.Name + "/" + p.opts.Model }

// BaseURL is the address in use.
func (p *Provider) BaseURL() string { return p.opts.BaseURL }

// Model is the model in use.
func (p *Provider) Model() string { return p.opts.Model }

// Close closes the connections kept for further calls. Calls under way are not touched.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

func checkBaseURL(s string, allowInsecure bool) (*url.URL, error) {
	s = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(s), "/"), "/chat/completions")
	if s == "" {
		return nil, errors.New("base_url is empty: set it to an address such as https://api.openai.com/v1")
	}
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("base_url is no address: %w", errors.Unwrap(err))
	}
	switch {
	case u.User != nil:
		return nil, errors.New("base_url holds a name or password: remove it and set the key with api_key_env")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("base_url %q is no http:// or https:// address", llm.Redact(s))
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("base_url has a ? or # part: give the address up to the version, such as https://host/v1")
	case u.Scheme == "http" && !allowInsecure && !loopback.Host(u.Hostname()):
		return nil, fmt.Errorf("base_url http://%s would send the key and the notes unprotected: use https://, or 127.0.0.1 or localhost where it runs on this computer, or set allow_insecure = true", u.Host)
	}
	return u, nil
}
