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
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/agent/llm/offline"
	"chatvault/agent/spend"
	"chatvault/internal/config"
	"chatvault/internal/ranked"
	"chatvault/internal/session/home"
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
	notes *ranked.Finder     // for the embedded engine
	state *os.Root           // keeps what is chosen
	use   func(llm.Provider) // has a provider answer from the next turn on

	mu  sync.Mutex
	now *Lazy // what answers from the next turn on
	own bool  // it was chosen for the vault

	effortOf, effortIs string // of a model, as it was last asked for
}

// NewModels are the models that can be chosen for an open vault; now is what answers.
func NewModels(f Finder, notes *ranked.Finder, state *os.Root, now *Lazy, use func(llm.Provider)) *Models {
	return &Models{Finder: f, notes: notes, state: state, use: use, now: now, own: f.cfg.ChosenCounts()}
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

// next is what answers from the next turn on.
func (m *Models) next() *Lazy {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// chosenHere says whether what answers was chosen for the vault.
func (m *Models) chosenHere() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.own
}

// Sources are who has models. Nobody is asked.
func (m *Models) Sources() []ModelSource {
	here := m.next().Name()
	engine := ModelSource{ID: engineID, Title: "Offline engine", Choices: []ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; rule-based, not a language model", Short: "no network", Here: here == offline.Name,
	}}}
	if m.cfg.Offline.V {
		engine.Choices[0].About = "other models are disabled: " + withoutOffline(m.cfg.Offline.Origin)
		return []ModelSource{engine}
	}
	var all, lacking []ModelSource
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
		preset, known := endpoint.FindPreset(e.Name)
		s := ModelSource{ID: e.Name, Title: cmp.Or(preset.Title, e.Name), Asks: true}
		if local := known && !preset.NeedsKey; !local || e.key.Configured() || m.storedFor(e) {
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
		if s.Lacks {
			lacking = append(lacking, s)
		} else {
			all = append(all, s)
		}
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
	return append(all, lacking...)
}

// modelOf is the model of an endpoint that answers now; empty where another endpoint does.
func (m *Models) modelOf(e Endpoint) string {
	now := m.next()
	if now.endpoint == nil || now.endpoint.ID() != e.ID() || now.endpoint.Name != e.Name {
		return ""
	}
	return now.supplied().Model
}

// configuredName is what would answer if nothing had been chosen; empty where that is not known.
func (m *Models) configuredName() string {
	f := m.Finder
	f.cfg = unchosen(m.cfg)
	c, err := f.Choose()
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

// Use goes over to a model from the next turn on, and keeps it for the vault.
func (m *Models) Use(name string) (ModelUsed, error) {
	name = strings.TrimSpace(name)
	if name == asConfigured || name == "" {
		return m.useConfigured()
	}
	if off := m.cfg.Offline; off.V && name != offlineName {
		return ModelUsed{}, fmt.Errorf("only the offline engine can answer now; for a language model, %s", withoutOffline(off.Origin))
	}
	p, chosen, err := m.meant(name)
	if err != nil {
		return ModelUsed{}, err
	}
	used := m.take(p, true)
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

// meant is the provider that a name means, and the name to keep.
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

// useConfigured goes back to what is configured.
func (m *Models) useConfigured() (ModelUsed, error) {
	f := m.Finder
	f.cfg = unchosen(m.cfg)
	p, err := f.Provider(m.notes)
	if err != nil {
		return ModelUsed{}, err
	}
	if err := home.ChooseModel(m.state, ""); err != nil {
		return ModelUsed{}, fmt.Errorf("the choice was not cleared: %w", err)
	}
	if p.Probes { // so that the header says who it is
		ctx, cancel := context.WithTimeout(context.Background(), listLocal)
		defer cancel()
		_, _ = p.Ready(ctx) // the first message's error tells the user
	}
	used := m.take(p, false)
	used.Said = "as configured"
	return used, nil
}

// take has a provider answer from the next turn on.
func (m *Models) take(p *Lazy, own bool) ModelUsed {
	m.mu.Lock()
	m.now, m.own = p, own
	m.mu.Unlock()
	m.use(p)
	return ModelUsed{Name: p.Name(), Offline: p.Name() == offline.Name}
}

// GiveKey stores a key that was typed.
func (m *Models) GiveKey(ctx context.Context, id, typed string) (string, error) {
	e, ok := m.endpoint(id)
	if !ok {
		return "", fmt.Errorf("%s is no longer configured", id)
	}
	key, err := config.ParseKey(typed)
	if err != nil {
		return "", fmt.Errorf("the key %w", err)
	}
	where, err := m.put(ctx, e, e.keyName(), key)
	if err != nil {
		return "", err
	}
	return "The key is stored in " + where + "; chatvault config forget-key " + e.Name + " removes it", nil
}

func (m *Models) storedFor(e Endpoint) bool {
	_, ok, _ := m.keys.Find(e.ID())
	return ok
}

// KeyGoes says where a key is sent and kept.
func (m *Models) KeyGoes(ctx context.Context, id string) string {
	e, ok := m.endpoint(id)
	if !ok {
		return "It is no longer configured."
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	where, err := m.keys.Where(ctx)
	if err != nil {
		return fmt.Sprintf("It is sent to %s and nowhere else. It cannot be stored: %v.", e.ID().Address, err)
	}
	return fmt.Sprintf("It is sent to %s and nowhere else, and stored in %s.", e.ID().Address, where)
}

// ModelSource is somebody who has models.
type ModelSource struct {
	ID    string
	Title string
	// Choices are known without asking.
	Choices []ModelChoice
	// Asks says that List is to be called.
	Asks bool
	// Key is what the source's key is called, where one can be typed; Keyed says that there is one,
	// Lacks that nothing can be asked before there is.
	Key          string
	Keyed, Lacks bool
}

// With returns the source's choices, each as it is listed where it is, followed by the others that are listed.
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
	Name  string // what Models.Use takes
	Label string // Name where it is empty
	About string // how much it takes, what it costs
	Short string // of About, where there is less room
	Here  bool   // it is the present one
}

// ModelUsed is the model that was taken.
type ModelUsed struct {
	Name    string // for the header
	Offline bool   // it is the embedded engine
	Said    string // what to tell beside that it was taken; may be empty
}

// PriceOf is the price of a model, by provider/model: the one that is configured, for that or for the model
// alone, else the one that is known.
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

// known is what is known of a model, by provider/model.
func known(cfg *config.Config, name string) (models.Model, bool) {
	provider, model, _ := strings.Cut(name, "/")
	base := cfg.Providers[provider].BaseURL
	if base == "" {
		preset, _ := endpoint.FindPreset(provider)
		base = preset.BaseURL
	}
	if base == "" {
		base = "https://" + provider // base_url is called by its host
	}
	return models.Find(provider, base, model)
}
