package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
	"chatvault/internal/ranked"
	"chatvault/internal/session"
	"chatvault/tui"
	"chatvault/vault"
)

// How long a list of models is waited for: of a server on this machine, and of another.
const (
	listLocal  = time.Second
	listRemote = 8 * time.Second
)

// Sources that are no provider have IDs that none can have for a name.
const (
	localID      = "(this machine)" // what answers on this machine and is not configured
	engineID     = "(offline engine)"
	configuredID = "(as configured)"
)

// models are those the chat can go over to.
type models struct {
	finder
	app    *app
	engine func() *lateProvider

	mu  sync.Mutex
	now *lateProvider // what answers from the next turn on
	own bool          // it was chosen for the vault
}

// modelChoice is how the chat chooses its model.
func (a *app) modelChoice(lookupEnv func(string) (string, bool)) tui.Models {
	keys := newKeys(a.vault.Dir(), lookupEnv)
	m := &models{
		app: a, finder: finder{cfg: a.config, lookupEnv: lookupEnv, log: a.logger(), keys: keys}, now: a.provider, own: a.config.ChosenCounts(),
		engine: func() *lateProvider { return newOffline(a.vault) },
	}
	fixed := ""
	if off := a.config.Offline; off.V {
		fixed = withoutOffline(off.Origin)
	}
	return tui.Models{Fixed: fixed, Sources: m.sources, List: m.list, Unlisted: m.unlisted, Use: m.use, KeyGoes: m.goes, GiveKey: m.giveKey}
}

// withoutOffline says how one starts with a language model where offline is set.
func withoutOffline(o config.Origin) string {
	switch o.Kind {
	case config.Flag:
		return "start chatvault without --" + o.Name
	case config.Environment:
		return "start chatvault without " + o.Name + " in the environment"
	}
	return "take offline out of " + o.String() + " and start again"
}

// newOffline is the embedded engine, made when it is needed.
func newOffline(v *vault.Vault) *lateProvider {
	engine := sync.OnceValue(func() llm.Provider { return offline.New(offline.Options{Corpus: ranked.NewCorpus(v)}) })
	return &lateProvider{name: offline.Name, find: func(context.Context) (llm.Provider, error) { return engine(), nil }}
}

// current is the name of what answers from the next turn on.
func (m *models) current() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now.Name()
}

// chosenHere says whether what answers was chosen for the vault.
func (m *models) chosenHere() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.own
}

// sources are who has models. Nobody is asked.
func (m *models) sources() []session.ModelSource {
	here := m.current()
	engine := session.ModelSource{ID: engineID, Title: "Offline engine", Choices: []session.ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; by rule, no language model", Short: "no network", Here: here == offline.Name,
	}}}
	if m.app.config.Offline.V {
		engine.Choices[0].About = "no other is offered: " + withoutOffline(m.app.config.Offline.Origin)
		return []session.ModelSource{engine}
	}
	var all []session.ModelSource
	if name := m.configuredName(); name != "" && m.chosenHere() {
		all = append(all, session.ModelSource{ID: configuredID, Title: "As configured", Choices: []session.ModelChoice{{
			Name: asConfigured, Label: "As configured, for all vaults", About: name,
		}}})
	}
	seen := map[string]bool{}
	add := func(e endpoint) {
		if seen[e.name] {
			return
		}
		seen[e.name] = true
		s := session.ModelSource{ID: e.name, Title: providerTitle(e.name), Asks: true}
		if _, local := localPreset(e.name); !local || e.key.Configured() || m.storedFor(e) {
			s.Key = e.keyName()
			s.Keyed = e.key.Configured() || m.storedFor(e)
			s.Lacks = e.needsKey && !s.Keyed
			s.Asks = !s.Lacks
		}
		for _, model := range []string{m.modelOf(e), e.model} {
			if model != "" && !s.Lacks {
				s.Choices = append(s.Choices, m.choice(e, openai.Model{ID: model}, here))
			}
		}
		all = append(all, s)
	}
	cfg := m.app.config
	if cfg.BaseURL.V != "" {
		add(baseEndpoint(cfg))
	}
	names := slices.Sorted(maps.Keys(cfg.Providers))
	for _, p := range openai.Presets {
		if p.NeedsKey {
			names = append(names, p.Name)
		}
	}
	for _, name := range names {
		if e, err := ownEndpoint(cfg, name, m.lookupEnv); err == nil {
			add(e)
		}
	}
	all = append(all, session.ModelSource{ID: localID, Title: "On this machine", Asks: true}, engine)
	// What can be asked stands before what lacks a key.
	slices.SortStableFunc(all, func(a, b session.ModelSource) int { return boolOrder(a.Lacks) - boolOrder(b.Lacks) })
	return all
}

// modelOf is the model of an endpoint that answers now; empty where another endpoint does.
func (m *models) modelOf(e endpoint) string {
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	if now.endpoint == nil || now.endpoint.id() != e.id() || now.endpoint.name != e.name {
		return ""
	}
	return now.supplied().model
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// localPreset is the preset of a server on this machine, which needs no key.
func localPreset(name string) (openai.Preset, bool) {
	p, ok := openai.FindPreset(name)
	return p, ok && !p.NeedsKey
}

// providerTitle is a provider as people write it.
func providerTitle(name string) string {
	if p, ok := openai.FindPreset(name); ok {
		return p.Title
	}
	return name
}

// configuredName is what would answer if nothing had been chosen; empty where that is not known.
func (m *models) configuredName() string {
	files := *m.app.config
	files.Chosen = config.Value[string]{}
	c, err := choose(&files, m.lookupEnv, m.stored)
	switch {
	case err != nil:
		return ""
	case c.endpoint != nil:
		return strings.TrimSuffix(c.endpoint.name+"/"+c.endpoint.model, "/")
	case c.probe:
		return "local server, or " + offline.Name
	}
	return offline.Name
}

// asConfigured is what is chosen to forget a choice.
const asConfigured = "configured"
