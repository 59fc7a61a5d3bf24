package provider

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/agent/llm/offline"
	"chatvault/agent/spend"
	"chatvault/internal/app/config"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session/home"
)

// IDs of sources that are no provider. No provider can have these names.
const (
	localID      = "(this machine)" // servers on this machine that are not configured
	engineID     = "(offline engine)"
	configuredID = "(as configured)"
)

// Models are the models that the chat can switch to.
type Models struct {
	Finder
	notes *ranked.Finder     // for the embedded engine
	state *os.Root           // stores the choice
	use   func(llm.Provider) // switches the provider from the next turn on

	mu  sync.Mutex
	now *Lazy // provider from the next turn on
}

// NewModels returns the models for an open vault. now is the current provider, use switches to another one from the
// next turn on.
func NewModels(f Finder, notes *ranked.Finder, state *os.Root, now *Lazy, use func(llm.Provider)) *Models {
	return &Models{Finder: f, notes: notes, state: state, use: use, now: now}
}

// Fixed describes how to start with another model if none can be chosen, or returns "".
func (m *Models) Fixed() string {
	if off := m.cfg.Offline; off.V {
		return withoutOffline(off.Origin)
	}
	return ""
}

// withoutOffline describes how to start without the setting offline.
func withoutOffline(o config.Origin) string {
	if o.Kind == config.Demo {
		return "run chatvault in your own vault, or chatvault demo --model NAME"
	}
	return "start chatvault without offline (" + o.String() + ")"
}

// next returns the provider that answers from the next turn on.
func (m *Models) next() *Lazy {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Sources returns the sources of models without contacting them.
func (m *Models) Sources() []ModelSource {
	here := m.next().Name()
	engine := ModelSource{ID: engineID, Title: "Offline engine", Choices: []ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; rule-based, not a language model", Here: here == offline.Name,
	}}}
	if m.cfg.Offline.V {
		engine.Choices[0].About = "other models are disabled: " + withoutOffline(m.cfg.Offline.Origin)
		return []ModelSource{engine}
	}
	var all, lacking []ModelSource
	if m.next().chosen {
		all = append(all, ModelSource{ID: configuredID, Title: "As configured", Choices: []ModelChoice{{
			Name: asConfigured, Label: "As configured, for all vaults", About: "from the next start",
		}}})
	}
	seen := map[string]bool{}
	add := func(e Endpoint) {
		if seen[e.Name] {
			return
		}
		seen[e.Name] = true
		preset, known := endpoint.FindPreset(e.Name)
		s := ModelSource{ID: e.Name, Title: cmp.Or(preset.Title, e.Name), Asks: true}
		keyed := e.key.Configured() || m.stored(e)
		if local := known && !preset.NeedsKey; !local || keyed {
			s.Key, s.KeyGoes, s.Keyed = e.keyName(), e.keyGoes(), keyed
			s.Lacks = e.needsKey && !s.Keyed
			s.Asks = !s.Lacks
		}
		if now := m.next().endpoint; now != nil && now.ID() == e.ID() {
			e.Model = now.Model
		}
		if e.Model != "" && !s.Lacks {
			s.Choices = append(s.Choices, m.choice(e, endpoint.Model{ID: e.Model}, here))
		}
		if s.Lacks {
			lacking = append(lacking, s)
		} else {
			all = append(all, s)
		}
	}
	cfg := m.cfg
	names := slices.Concat([]string{baseEndpoint(cfg).Name}, slices.Sorted(maps.Keys(cfg.Providers)))
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
	return append(all, lacking...)
}

// asConfigured is chosen to remove the choice for the vault.
const asConfigured = "configured"

// Use switches to a model from the next turn on, and stores the choice for the vault.
func (m *Models) Use(name string) (ModelUsed, error) {
	name = strings.TrimSpace(name)
	if name == asConfigured || name == "" {
		if err := home.ChooseModel(m.state, ""); err != nil {
			return ModelUsed{}, fmt.Errorf("the choice was not cleared: %w", err)
		}
		is := m.next().Name()
		return ModelUsed{Name: is, Offline: is == offline.Name, Said: "as configured from the next start"}, nil
	}
	if off := m.cfg.Offline; off.V && name != offlineName {
		return ModelUsed{}, fmt.Errorf("only the offline engine can answer now; for a language model, %s", withoutOffline(off.Origin))
	}
	p, chosen, err := m.meant(name)
	if err != nil {
		return ModelUsed{}, err
	}
	p.chosen = true
	used := m.take(p)
	if err := home.ChooseModel(m.state, chosen); err != nil {
		m.log.Warn("the model is not kept", "error", err)
		used.Said = "not kept for the next start: " + err.Error()
		return used, nil
	}
	used.Said = "kept for this vault"
	if o := m.cfg.Model.Origin; o.Kind > config.Chosen {
		used.Said = "at the next start the " + o.String() + " decides again"
	}
	return used, nil
}

// meant returns the provider for a typed name, and the name to store.
func (m *Models) meant(name string) (*Lazy, string, error) {
	if name == offlineName || name == offline.Name {
		return NewOffline(m.notes), offlineName, nil
	}
	if e, ok := chosenEndpoint(m.cfg, name, m.lookupEnv); ok {
		return m.late(e), strings.TrimSuffix(e.Name+"/"+e.Model, "/"), nil
	}
	if owner := endpoint.Family(name); owner != "" {
		if e, err := ownEndpoint(m.cfg, owner, m.lookupEnv); err == nil {
			e.Model = name
			return m.late(e), owner + "/" + name, nil
		}
	}
	if e := m.next().endpoint; e != nil && (!strings.Contains(name, "/") || endpoint.Slashed(e.Name) || e.unnamed) {
		other := *e
		other.Model = name
		return m.late(other), other.Name + "/" + name, nil
	}
	return nil, "", fmt.Errorf("%q names no known provider; write it as provider/model, or choose one with /model", name)
}

// take switches to a provider from the next turn on.
func (m *Models) take(p *Lazy) ModelUsed {
	m.mu.Lock()
	m.now = p
	m.mu.Unlock()
	m.use(p)
	return ModelUsed{Name: p.Name(), Offline: p.Name() == offline.Name}
}

// GiveKey stores a typed key. It returns a message for the user.
func (m *Models) GiveKey(ctx context.Context, id, typed string) (string, error) {
	e, err := ownEndpoint(m.cfg, id, m.lookupEnv)
	if err != nil {
		return "", fmt.Errorf("%s is no longer configured", id)
	}
	return m.put(ctx, e, typed)
}

// ModelSource is a source of models, such as a provider.
type ModelSource struct {
	ID    string
	Title string
	// Choices are known without contacting it.
	Choices []ModelChoice
	// Asks reports whether List returns more.
	Asks bool
	// Key is the name of the source's key, if it can have one, and KeyGoes where that is sent and stored. Keyed reports
	// whether there is a key, Lacks whether it must be typed first.
	Key, KeyGoes string
	Keyed, Lacks bool
}

// With returns the source's choices, with the details of the listed ones, followed by the other listed ones.
func (s ModelSource) With(listed []ModelChoice) []ModelChoice {
	var all []ModelChoice
	for _, c := range slices.Concat(s.Choices, listed) {
		i := slices.IndexFunc(all, func(x ModelChoice) bool { return x.Name == c.Name })
		if i < 0 {
			all = append(all, c)
			continue
		}
		c.Label = all[i].Label
		all[i] = c
	}
	return all
}

// ModelChoice is a model that can be chosen.
type ModelChoice struct {
	Name  string // argument of Models.Use
	Label string // empty for Name
	About string // its window and price
	Here  bool   // it is the current one
}

// ModelUsed is the model after a switch.
type ModelUsed struct {
	Name    string // for the header
	Offline bool   // it is the embedded engine
	Said    string // more for the user; may be empty
}

// PriceOf returns the price of a model, by provider/model: the configured one, else the one of the catalogue.
func PriceOf(cfg *config.Config, name string) (spend.Price, bool) {
	_, plain, _ := strings.Cut(name, "/")
	for _, n := range []string{name, plain} {
		if p, ok := cfg.Prices[n]; ok {
			return spend.Price{Input: p.Input, CachedInput: p.CachedInput, CacheWrite: p.CacheWrite, Output: p.Output}, true
		}
	}
	m, ok := known(cfg, name)
	if !ok || !m.Priced() {
		return spend.Price{}, false
	}
	return spend.Price{Input: m.Input, CachedInput: m.CacheRead, CacheWrite: m.CacheWrite, Output: m.Output, LongAbove: m.LongAbove}, true
}

// known returns the catalogue entry of a model, by provider/model.
func known(cfg *config.Config, name string) (models.Model, bool) {
	provider, model, _ := strings.Cut(name, "/")
	base := cfg.Providers[provider].BaseURL
	if base == "" {
		preset, _ := endpoint.FindPreset(provider)
		base = preset.BaseURL
	}
	if base == "" {
		base = "https://" + provider // the provider of base_url is named by its host
	}
	return models.Find(provider, base, model)
}
