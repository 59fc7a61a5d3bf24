package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/anthropic"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/agent/llm/responses"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/ranked"
)

// Provider returns the configured provider at once. Its first call, or Ready, waits for the command of a key, the list
// of models and the search for a local server.
func (f Finder) Provider(notes *ranked.Finder) (*Lazy, error) {
	c, err := f.Choose()
	if err != nil {
		return nil, err
	}
	engine := NewOffline(notes)
	l := engine
	switch {
	case c.Endpoint != nil:
		l = f.late(*c.Endpoint)
	case c.Probe:
		l = &Lazy{name: cmp.Or(c.Model, offline.Name), Probes: true, find: func(ctx context.Context) (llm.Provider, error) {
			found := f.Local(ctx, c)
			if len(found) > 0 && found[0].Model != "" {
				return f.Connect(ctx, found[0])
			}
			l.note(unready(found))
			if c.Model != "" && ctx.Err() == nil {
				return nil, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoProvider, Message: fmt.Sprintf("the model %q was asked for (%s), but no provider is configured, no key is in the environment and no local server answers", c.Model, f.cfg.Model.Origin)}
			}
			return engine.find(ctx)
		}}
	}
	l.chosen = f.cfg.ChosenCounts()
	return l, nil
}

// NewOffline returns the embedded engine, which is created when needed: reading its thesaurus would delay the first
// frame.
func NewOffline(notes *ranked.Finder) *Lazy {
	engine := sync.OnceValue(func() llm.Provider { return offline.New(notes.Notes()) })
	return &Lazy{name: offline.Name, find: func(context.Context) (llm.Provider, error) { return engine(), nil }}
}

// Fallback returns the providers that take over if one fails, the first one first.
func (f Finder) Fallback() ([]llm.Provider, error) {
	if f.cfg.Offline.V {
		return nil, nil
	}
	var chain []llm.Provider
	for _, text := range f.cfg.Fallback.V {
		name, model, _ := strings.Cut(text, "/")
		e, err := namedEndpoint(f.cfg, name, f.lookupEnv)
		if err != nil {
			return nil, Unusable("fallback %q (%s): %v", text, f.cfg.Fallback.Origin, err)
		}
		e.Model = cmp.Or(model, e.Model)
		chain = append(chain, f.late(*e))
	}
	return chain, nil
}

// late returns the provider of an endpoint, which connects at its first call.
func (f Finder) late(e Endpoint) *Lazy {
	l := &Lazy{name: strings.TrimSuffix(e.Name+"/"+e.Model, "/"), endpoint: &e}
	l.find = func(ctx context.Context) (llm.Provider, error) { return f.Connect(ctx, e) }
	return l
}

// SettingsError is an error of the configuration.
type SettingsError struct{ text string }

func (e *SettingsError) Error() string { return e.text }

// Unusable returns a SettingsError.
func Unusable(format string, args ...any) error {
	return &SettingsError{fmt.Sprintf(format, args...)}
}

// Finder creates providers.
type Finder struct {
	cfg       *config.Config
	lookupEnv func(string) (string, bool)
	log       *slog.Logger
	keys      *keystore.Store // typed keys
}

// NewFinder returns a Finder.
func NewFinder(cfg *config.Config, lookupEnv func(string) (string, bool), log *slog.Logger) Finder {
	return Finder{cfg: cfg, lookupEnv: lookupEnv, log: log, keys: NewKeys(lookupEnv)}
}

// Choose decides which provider answers.
func (f Finder) Choose() (choice, error) { return choose(f.cfg, f.lookupEnv, f.stored) }

// options returns the options of a provider for an endpoint.
func (f Finder) options(ctx context.Context, e Endpoint) (endpoint.Options, error) {
	key, err := f.key(ctx, e)
	if err == nil && key.Empty() && e.needsKey {
		err = errors.New("no key for " + e.Name + " is configured")
	}
	if err != nil {
		return endpoint.Options{}, &llm.Error{
			Kind: llm.KindAuth, Message: err.Error(), Missing: llm.Setting{Name: e.keyName(), Secret: true},
		}
	}
	headers, err := e.named.Headers.Resolve(ctx, f.lookupEnv)
	if err != nil {
		return endpoint.Options{}, &llm.Error{Kind: llm.KindAuth, Message: err.Error()}
	}
	return endpoint.Options{
		Headers: headers,
		Name:    e.Name, BaseURL: e.BaseURL, APIKey: key.Reveal(), API: e.API(), Model: e.Model, AllowInsecure: e.allowInsecure, Logger: f.log,
		FirstByte: time.Duration(f.cfg.FirstByteSeconds.V) * time.Second, Idle: time.Duration(f.cfg.StallSeconds.V) * time.Second,
	}, nil
}

// Connect creates the provider of an endpoint. It only contacts the endpoint to find a model.
func (f Finder) Connect(ctx context.Context, e Endpoint) (llm.Provider, error) {
	o, err := f.options(ctx, e)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		if o.Model, err = firstModel(ctx, o); err != nil {
			return nil, err
		}
	}
	e.Model = o.Model
	o.API = e.API()
	o.Effort = f.effort(e)
	p, err := speaking(o)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonSettings, Message: err.Error(), Err: err}
	}
	return p, nil
}

// speaking returns the provider for a protocol.
func speaking(o endpoint.Options) (llm.Provider, error) {
	switch o.API {
	case endpoint.Messages:
		return anthropic.New(o)
	case endpoint.Responses:
		return responses.New(o)
	}
	return openai.New(o)
}

// Lister returns a client that lists the models of an endpoint.
func (f Finder) Lister(ctx context.Context, e Endpoint) (*endpoint.Client, error) {
	o, err := f.options(ctx, e)
	if err != nil {
		return nil, err
	}
	return listing(o)
}

func listing(o endpoint.Options) (*endpoint.Client, error) {
	o.Model = cmp.Or(o.Model, "unknown")
	c, err := endpoint.New(o)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonSettings, Message: err.Error(), Err: err}
	}
	return c, nil
}

// firstModel returns the first model of an endpoint that can chat.
func firstModel(ctx context.Context, o endpoint.Options) (string, error) {
	p, err := listing(o)
	if err != nil {
		return "", err
	}
	models, err := p.ListModels(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.Kind == llm.KindInvalidRequest || e.Reason == llm.ReasonNotAnAPI) { // it answers, without a list
		return "", noModel(fmt.Sprintf("%s does not say which models it has (%s)", o.Name, e.Message), err)
	}
	if err != nil {
		return "", err
	}
	model, ok := endpoint.PickModel(models)
	if !ok {
		return "", noModel(o.Name+" lists no model to chat with", nil)
	}
	return model, nil
}

// noModel returns the error of a call without a model.
func noModel(message string, cause error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoModel, Message: message, Err: cause,
	}
}

// Local returns the endpoints of the local servers found, the one to use first. A server without a model that can chat
// has none.
func (f Finder) Local(ctx context.Context, c choice) []Endpoint {
	var found []Endpoint
	for _, l := range endpoint.FindLocal(ctx, LocalPresets(f.lookupEnv)) {
		e := Endpoint{Name: l.Name, BaseURL: l.BaseURL, Why: c.Why, Locked: l.Locked}
		if l.First != "" {
			e.Model = cmp.Or(c.Model, l.First)
		}
		found = append(found, e)
	}
	return found
}

// Lazy is a provider that connects when needed. A call waits for it and returns its error; the next call tries again.
type Lazy struct {
	find   func(context.Context) (llm.Provider, error)
	Probes bool // the provider may differ from Name, so it is worth connecting before a call

	endpoint *Endpoint // as configured; nil for the engine and a local server
	chosen   bool      // for the vault, with /model

	once    sync.Once
	finding chan struct{} // semaphore of Ready

	mu     sync.Mutex
	name   string
	found  llm.Provider
	lacks  string
	effort *string // Models.Effort of endpoint; nil if it has not been read
}

func (l *Lazy) note(lacks string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lacks = lacks
}

// Lacks describes a local server that answers but cannot chat yet and how to change that, or returns "". It is known
// once the provider is connected.
func (l *Lazy) Lacks() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lacks
}

// unready is Lacks for the local servers found, none of which has a model to chat with.
func unready(found []Endpoint) string {
	if len(found) == 0 {
		return ""
	}
	preset, _ := endpoint.FindPreset(found[0].Name)
	switch {
	case found[0].Locked:
		return preset.Title + " answers here and requires a key: /model takes it."
	case preset.Name == "ollama":
		return preset.Title + " answers here, without a model: ollama pull qwen3, then /model."
	}
	return preset.Title + " answers here, without a model: load one in it, then /model."
}

// Name returns the expected name until the provider is connected.
func (l *Lazy) Name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != nil {
		return l.found.Name()
	}
	return l.name
}

// known returns the connected provider, or nil.
func (l *Lazy) known() llm.Provider {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// Window returns the size of the context window of the model in tokens, or 0 if unknown.
func (l *Lazy) Window() int {
	if w, ok := l.known().(llm.Windowed); ok {
		return w.Window()
	}
	return 0
}

// Runs returns the window that the provider's server uses for the model in tokens, or 0 if unknown.
func (l *Lazy) Runs() int {
	if s, ok := l.known().(interface{ Runs() int }); ok {
		return s.Runs()
	}
	return 0
}

// Sees reports whether the model accepts a media type, as far as known.
func (l *Lazy) Sees(mediaType string) (sees, known bool) { return llm.Sees(l.known(), mediaType) }

// Ready connects the provider.
func (l *Lazy) Ready(ctx context.Context) (llm.Provider, error) {
	l.once.Do(func() { l.finding = make(chan struct{}, 1) })
	select { // a stopped turn does not wait for another call
	case l.finding <- struct{}{}:
		defer func() { <-l.finding }()
	case <-ctx.Done():
		return nil, &llm.Error{Kind: llm.KindAborted, Err: context.Cause(ctx)}
	}
	if found := l.known(); found != nil {
		return found, nil
	}
	found, err := l.find(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &llm.Error{Kind: llm.KindAborted, Err: context.Cause(ctx)}
		}
		return nil, llm.AsError(err)
	}
	l.mu.Lock()
	l.found = found
	l.mu.Unlock()
	return found, nil
}

// Stream calls the model.
func (l *Lazy) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		p, err := l.Ready(ctx)
		if err != nil {
			yield(llm.Chunk{}, l.explained(err))
			return
		}
		for c, err := range p.Stream(ctx, req) {
			if !yield(c, l.explained(err)) {
				return
			}
		}
	}
}

// explained adds to an error how the key is set.
func (l *Lazy) explained(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if l.endpoint == nil || !ok || e.Kind != llm.KindAuth {
		return err
	}
	out := *e
	out.SetKey = l.endpoint.SetKey("config.toml")
	return &out
}
