package provider

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/anthropic"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/agent/llm/responses"
	"chatvault/internal/config"
	"chatvault/internal/keystore"
	"chatvault/internal/ranked"
	"chatvault/internal/text"
)

// Provider returns the provider that the configuration leads to. It returns at once: a key
// that a command prints, a model list and the probe for a local server are waited for by the
// first call, or by Ready.
func (f Finder) Provider(notes *ranked.Finder) (*Lazy, error) {
	c, err := f.Choose()
	if err != nil {
		return nil, err
	}
	engine := NewOffline(notes)
	switch {
	case c.Endpoint != nil:
		return f.late(*c.Endpoint), nil
	case c.Probe:
		return &Lazy{name: cmp.Or(c.Model, offline.Name), Probes: true, find: func(ctx context.Context) (llm.Provider, error) {
			if found := f.Local(ctx, c); len(found) > 0 && found[0].Model != "" {
				return f.Connect(ctx, found[0])
			}
			if c.Model != "" && ctx.Err() == nil {
				return nil, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoProvider, Message: fmt.Sprintf("the model %q was asked for (%s), but no provider is configured, no key is in the environment and no local server answers", c.Model, f.cfg.Model.Origin)}
			}
			return engine.find(ctx)
		}}, nil
	default:
		return engine, nil
	}
}

// NewOffline is the embedded engine, made when it is needed: its thesaurus takes longer to read than the
// first frame to show.
func NewOffline(notes *ranked.Finder) *Lazy {
	engine := sync.OnceValue(func() llm.Provider { return offline.New(notes.Notes()) })
	return &Lazy{name: offline.Name, find: func(context.Context) (llm.Provider, error) { return engine(), nil }}
}

// Fallback returns the providers that take over, in order.
func (f Finder) Fallback() ([]llm.Provider, error) {
	if f.cfg.Offline.V {
		return nil, nil
	}
	var chain []llm.Provider
	for _, text := range f.cfg.Fallback.V {
		p, err := f.named("fallback", text, f.cfg.Fallback.Origin)
		if err != nil {
			return nil, err
		}
		chain = append(chain, p)
	}
	return chain, nil
}

// Subagent returns the provider of sub-agents; nil: that of their parent.
func (f Finder) Subagent() (llm.Provider, error) {
	if f.cfg.Offline.V || f.cfg.SubagentModel.V == "" {
		return nil, nil
	}
	return f.named("subagent_model", f.cfg.SubagentModel.V, f.cfg.SubagentModel.Origin)
}

// named makes the provider of a "provider/model" that a key of the configuration names.
func (f Finder) named(key, text string, o config.Origin) (llm.Provider, error) {
	name, model, _ := strings.Cut(text, "/")
	e, err := namedEndpoint(f.cfg, name, f.lookupEnv)
	if err != nil {
		return nil, Unusable("%s %q (%s): %v", key, text, o, err)
	}
	e.Model = cmp.Or(model, e.Model)
	return f.late(*e), nil
}

// late is the provider of an endpoint, found by its first call.
func (f Finder) late(e Endpoint) *Lazy {
	l := &Lazy{name: strings.TrimSuffix(e.Name+"/"+e.Model, "/"), endpoint: &e}
	l.find = func(ctx context.Context) (llm.Provider, error) { return f.Connect(ctx, l.supplied()) }
	return l
}

// SettingsError says that what is configured makes no sense.
type SettingsError struct{ text string }

func (e *SettingsError) Error() string { return e.text }

// Unusable is a SettingsError.
func Unusable(format string, args ...any) error {
	return &SettingsError{fmt.Sprintf(format, args...)}
}

// Finder makes providers.
type Finder struct {
	cfg       *config.Config
	lookupEnv func(string) (string, bool)
	log       *slog.Logger
	keys      *keystore.Store // that were typed; nil: none
	remembers bool            // what servers say of themselves
}

// NewFinder makes the finder of a vault's providers, by its folder; "": of none.
func NewFinder(cfg *config.Config, vaultDir string, lookupEnv func(string) (string, bool), log *slog.Logger) Finder {
	return Finder{cfg: cfg, lookupEnv: lookupEnv, log: log, keys: NewKeys(vaultDir, lookupEnv), remembers: vaultDir != ""}
}

// Choose decides which provider answers.
func (f Finder) Choose() (choice, error) { return choose(f.cfg, f.lookupEnv, f.stored) }

// options are what an endpoint's provider is made from.
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
	headers, err := e.named.ResolvedHeaders(ctx, f.lookupEnv)
	if err != nil {
		return endpoint.Options{}, &llm.Error{Kind: llm.KindAuth, Message: err.Error()}
	}
	return endpoint.Options{
		Headers: headers,
		Name:    e.Name, BaseURL: e.BaseURL, APIKey: key.Reveal(), API: e.API(), Model: e.Model, AllowInsecure: e.allowInsecure, Logger: f.log,
		FirstByte: time.Duration(f.cfg.FirstByteSeconds.V) * time.Second, Idle: time.Duration(f.cfg.StallSeconds.V) * time.Second,
	}, nil
}

// Connect makes the provider of an endpoint. It speaks with the endpoint only where it must ask
// which models there are.
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
	if f.remembers {
		f.remember(&o)
	}
	p, err := speaking(o)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonSettings, Message: err.Error(), Err: err}
	}
	return p, nil
}

// remember has what the server says of itself kept for the next start.
func (f Finder) remember(o *endpoint.Options) {
	sum := sha256.Sum256([]byte(o.BaseURL))
	s := config.KnownServer{Endpoint: fmt.Sprintf("%x", sum[:8]), Model: o.Model}
	o.Recall = func() endpoint.Facts {
		k := s.Recall()
		return endpoint.Facts{Server: k.Server, Size: llm.Size{Parameters: k.Parameters, Window: k.Window}}
	}
	o.Remember = func(facts endpoint.Facts) {
		s.Server, s.Parameters, s.Window = facts.Server, facts.Parameters, facts.Window
		if err := s.Keep(); err != nil {
			f.log.Warn("what the model server said is not kept", "error", err)
		}
	}
}

// speaking is the provider for an API.
func speaking(o endpoint.Options) (llm.Provider, error) {
	switch o.API {
	case endpoint.Messages:
		return anthropic.New(o)
	case endpoint.Responses:
		return responses.New(o)
	}
	return openai.New(o)
}

// Lister is an endpoint that is only asked for its models.
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

// firstModel asks an endpoint for its models and takes the first that can chat.
func firstModel(ctx context.Context, o endpoint.Options) (string, error) {
	p, err := listing(o)
	if err != nil {
		return "", err
	}
	models, err := p.ListModels(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && hasNoList(e) {
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

// hasNoList says whether an endpoint answers, and has no list of models.
func hasNoList(e *llm.Error) bool {
	return e.Kind == llm.KindInvalidRequest || e.Reason == llm.ReasonNotAnAPI
}

// noModel is the failure of a call for which no model is known: its name can be typed.
func noModel(message string, cause error) *llm.Error {
	return &llm.Error{
		Kind: llm.KindInvalidRequest, Reason: llm.ReasonNoModel, Message: message, Err: cause,
	}
}

// Local looks for local servers and returns the endpoints of those found, first the one to use. One without a model
// has none to chat with.
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

// Lazy is a provider that is still being found. A call waits for it; a failure to
// find it is that call's error, and the next call tries again.
type Lazy struct {
	find   func(context.Context) (llm.Provider, error)
	Probes bool // it may turn out to be another than Name says: worth finding ahead of a call

	endpoint *Endpoint // as it is configured; nil: nothing it lacks could be given to it

	once    sync.Once
	finding chan struct{} // holds a token while somebody is finding

	mu    sync.Mutex
	name  string
	found llm.Provider
	typed config.Secret // key typed by the user, until the program exits
}

// Name is the expected name until the provider is found.
func (l *Lazy) Name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != nil {
		return l.found.Name()
	}
	return l.name
}

// known returns the provider if it was found; nil: not yet.
func (l *Lazy) known() llm.Provider {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// Window is how many tokens the provider's model takes in one call; 0: not known (yet).
func (l *Lazy) Window() int {
	if w, ok := l.known().(llm.Windowed); ok {
		return w.Window()
	}
	return 0
}

// Runs returns the most tokens that the provider's server takes for the model; 0: not known (yet).
func (l *Lazy) Runs() int {
	if s, ok := l.known().(interface{ Runs() int }); ok {
		return s.Runs()
	}
	return 0
}

// Sees says which media the provider's model takes, as far as that is known (yet).
func (l *Lazy) Sees(mediaType string) (sees, known bool) { return llm.Sees(l.known(), mediaType) }

// Ready finds the provider.
func (l *Lazy) Ready(ctx context.Context) (llm.Provider, error) {
	l.once.Do(func() { l.finding = make(chan struct{}, 1) })
	select { // a stopped turn does not wait until somebody else has found it
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

// Stream calls the model once it is found.
func (l *Lazy) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		p, err := l.Ready(ctx)
		if err != nil {
			yield(llm.Chunk{}, l.explained(ctx, nil, err))
			return
		}
		for c, err := range p.Stream(ctx, req) {
			if !yield(c, l.explained(ctx, p, err)) {
				return
			}
		}
	}
}

// explained adds to a failure what the configuration and the endpoint know: where its key is set, and
// which models there are where there is no such one. p is the provider that failed, nil where none was
// found.
func (l *Lazy) explained(ctx context.Context, p llm.Provider, err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	if l.endpoint == nil || !ok || e.Kind != llm.KindAuth && e.Reason != llm.ReasonModelNotFound {
		return err
	}
	out := *e
	if e.Kind == llm.KindAuth {
		out.KeyEnv, out.KeyAt = l.endpoint.KeyPlace()
	} else if asks, ok := p.(lister); ok {
		ctx, cancel := context.WithTimeout(ctx, listBound(*l.endpoint))
		defer cancel()
		models, _ := asks.ListModels(ctx) // without them the failure is told all the same
		out.Models = near(asks.Model(), models)
	}
	return &out
}

// lister is a provider that can say which models there are.
type lister interface {
	Model() string
	ListModels(ctx context.Context) ([]endpoint.Model, error)
}

// near are the names of models to chat with, first those whose name begins most like the one that was asked for.
func near(asked string, models []endpoint.Model) []string {
	names := text.Of(chatting(models), func(m endpoint.Model) string { return m.ID })
	slices.SortStableFunc(names, func(a, b string) int { return text.CommonPrefix(b, asked) - text.CommonPrefix(a, asked) })
	return names
}
