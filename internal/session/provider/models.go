package provider

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/offline"
	"chatvault/internal/config"
	"chatvault/internal/ranked"
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

// Models are those the chat can go over to.
type Models struct {
	Finder
	vault *vault.Vault
	notes *ranked.Finder     // for the embedded engine
	state *os.Root           // keeps what is chosen
	use   func(llm.Provider) // has a provider answer from the next turn on

	mu  sync.Mutex
	now *Late // what answers from the next turn on
	own bool  // it was chosen for the vault

	effortOf, effortIs string // of a model, as it was last asked for
}

// NewModels are the models that can be chosen for an open vault; now is what answers.
func NewModels(f Finder, v *vault.Vault, notes *ranked.Finder, state *os.Root, now *Late, use func(llm.Provider)) *Models {
	return &Models{Finder: f, vault: v, notes: notes, state: state, use: use, now: now, own: f.cfg.ChosenCounts()}
}

// Fixed says, where no other model can be chosen, how one starts with another; "" where one can.
func (m *Models) Fixed() string {
	if off := m.cfg.Offline; off.V {
		return withoutOffline(off.Origin)
	}
	return ""
}

// withoutOffline says how one starts with a language model where offline is set.
func withoutOffline(o config.Origin) string {
	switch o.Kind {
	case config.Flag:
		return "start chatvault without --" + o.Name
	case config.Environment:
		return "start chatvault without " + o.Name + " in the environment"
	case config.Demo:
		return "run chatvault in your own vault, or chatvault demo --model NAME"
	}
	return "take offline out of " + o.String() + " and start again"
}

// current is the name of what answers from the next turn on.
func (m *Models) current() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now.Name()
}

// chosenHere says whether what answers was chosen for the vault.
func (m *Models) chosenHere() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.own
}

// Sources are who has models. Nobody is asked.
func (m *Models) Sources() []ModelSource {
	here := m.current()
	engine := ModelSource{ID: engineID, Title: "Offline engine", Choices: []ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; rule-based, not a language model", Short: "no network", Here: here == offline.Name,
	}}}
	if m.cfg.Offline.V {
		engine.Choices[0].About = "other models are disabled: " + withoutOffline(m.cfg.Offline.Origin)
		return []ModelSource{engine}
	}
	var all []ModelSource
	if name := m.configuredName(); name != "" && m.chosenHere() {
		all = append(all, ModelSource{ID: configuredID, Title: "As configured", Choices: []ModelChoice{{
			Name: asConfigured, Label: "As configured, for all vaults", About: name,
		}}})
	}
	seen := map[string]bool{}
	add := func(e Endpoint) {
		if seen[e.Name] {
			return
		}
		seen[e.Name] = true
		s := ModelSource{ID: e.Name, Title: providerTitle(e.Name), Asks: true}
		if _, local := localPreset(e.Name); !local || e.key.Configured() || m.storedFor(e) {
			s.Key = e.keyName()
			s.Keyed = e.key.Configured() || m.storedFor(e)
			s.Lacks = e.needsKey && !s.Keyed
			s.Asks = !s.Lacks
		}
		for _, model := range []string{m.modelOf(e), e.Model} {
			if model != "" && !s.Lacks {
				s.Choices = append(s.Choices, m.choice(e, endpoint.Model{ID: model}, here))
			}
		}
		all = append(all, s)
	}
	cfg := m.cfg
	if cfg.BaseURL.V != "" {
		add(baseEndpoint(cfg))
	}
	names := slices.Sorted(maps.Keys(cfg.Providers))
	for _, p := range endpoint.Presets {
		if p.NeedsKey {
			names = append(names, p.Name)
		}
	}
	for _, name := range names {
		if e, err := ownEndpoint(cfg, name, m.lookupEnv); err == nil {
			add(e)
		}
	}
	all = append(all, ModelSource{ID: localID, Title: "On this machine", Asks: true}, engine)
	// What can be asked stands before what lacks a key.
	slices.SortStableFunc(all, func(a, b ModelSource) int { return boolOrder(a.Lacks) - boolOrder(b.Lacks) })
	return all
}

// modelOf is the model of an endpoint that answers now; empty where another endpoint does.
func (m *Models) modelOf(e Endpoint) string {
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	if now.endpoint == nil || now.endpoint.ID() != e.ID() || now.endpoint.Name != e.Name {
		return ""
	}
	return now.supplied().Model
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// localPreset is the preset of a server on this machine, which needs no key.
func localPreset(name string) (endpoint.Preset, bool) {
	p, ok := endpoint.FindPreset(name)
	return p, ok && !p.NeedsKey
}

// providerTitle is a provider as people write it.
func providerTitle(name string) string {
	if p, ok := endpoint.FindPreset(name); ok {
		return p.Title
	}
	return name
}

// configuredName is what would answer if nothing had been chosen; empty where that is not known.
func (m *Models) configuredName() string {
	files := *m.cfg
	files.Chosen = config.Value[string]{}
	c, err := (Finder{cfg: &files, lookupEnv: m.lookupEnv, keys: m.keys}).Choose()
	switch {
	case err != nil:
		return ""
	case c.Endpoint != nil:
		return strings.TrimSuffix(c.Endpoint.Name+"/"+c.Endpoint.Model, "/")
	case c.Probe:
		return "local server, or " + offline.Name
	}
	return offline.Name
}

// asConfigured is what is chosen to forget a choice.
const asConfigured = "configured"
