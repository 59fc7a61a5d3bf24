package cli

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
	"chatvault/internal/session"
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
	vault *vault.Vault
	state *os.Root           // keeps what is chosen
	use   func(llm.Provider) // has a provider answer from the next turn on

	mu  sync.Mutex
	now *lateProvider // what answers from the next turn on
	own bool          // it was chosen for the vault
}

// newModels are the models that can be chosen for an open vault; now is what answers.
func newModels(f finder, v *vault.Vault, state *os.Root, now *lateProvider, use func(llm.Provider)) *models {
	return &models{finder: f, vault: v, state: state, use: use, now: now, own: f.cfg.ChosenCounts()}
}

// Fixed says, where no other model can be chosen, how one starts with another; "" where one can.
func (m *models) Fixed() string {
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
	}
	return "take offline out of " + o.String() + " and start again"
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

// Sources are who has models. Nobody is asked.
func (m *models) Sources() []session.ModelSource {
	here := m.current()
	engine := session.ModelSource{ID: engineID, Title: "Offline engine", Choices: []session.ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; by rule, no language model", Short: "no network", Here: here == offline.Name,
	}}}
	if m.cfg.Offline.V {
		engine.Choices[0].About = "no other is offered: " + withoutOffline(m.cfg.Offline.Origin)
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
	cfg := m.cfg
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
	files := *m.cfg
	files.Chosen = config.Value[string]{}
	c, err := (finder{cfg: &files, lookupEnv: m.lookupEnv, keys: m.keys}).choose()
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
