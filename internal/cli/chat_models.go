package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
	"chatvault/internal/routine"
	"chatvault/tui"
	"chatvault/vault"
)

// How long a list of models is waited for: of a server on this machine, and of another.
const (
	listLocal  = time.Second
	listRemote = 8 * time.Second
)

// localID is the source of what answers on this machine and is not configured.
const localID = "local"

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
	return tui.Models{Sources: m.sources, List: m.list, Use: m.use, KeyGoes: m.goes, GiveKey: m.giveKey}
}

// newOffline is the embedded engine, made when it is needed.
func newOffline(v *vault.Vault) *lateProvider {
	engine := sync.OnceValue(func() llm.Provider { return offline.New(offline.Options{Corpus: corpus{v}}) })
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
func (m *models) sources() []tui.ModelSource {
	here := m.current()
	engine := tui.ModelSource{ID: offlineName, Title: "Offline engine", Choices: []tui.ModelChoice{{
		Name: offlineName, Label: offline.Name, About: "no key, no network; by rule, no language model", Short: "no network", Here: here == offline.Name,
	}}}
	if m.app.config.Offline.V {
		engine.Choices[0].About = "no other is asked, by " + m.app.config.Offline.Origin.String()
		return []tui.ModelSource{engine}
	}
	var all []tui.ModelSource
	if name := m.configuredName(); name != "" && m.chosenHere() {
		all = append(all, tui.ModelSource{ID: asConfigured, Title: "As configured", Choices: []tui.ModelChoice{{
			Name: asConfigured, Label: "As configured, for all vaults", About: name,
		}}})
	}
	seen := map[string]bool{}
	add := func(e endpoint) {
		if seen[e.name] {
			return
		}
		seen[e.name] = true
		s := tui.ModelSource{ID: e.name, Title: providerTitle(e.name), Asks: true}
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
	all = append(all, tui.ModelSource{ID: localID, Title: "On this machine", Asks: true}, engine)
	// What can be asked stands before what lacks a key.
	slices.SortStableFunc(all, func(a, b tui.ModelSource) int { return boolOrder(a.Lacks) - boolOrder(b.Lacks) })
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

func (m *models) storedFor(e endpoint) bool {
	_, ok, _ := m.keys.Find(e.id())
	return ok
}

// goes says where a key is sent and kept.
func (m *models) goes(ctx context.Context, id string) string {
	e, ok := m.endpoint(id)
	if !ok {
		return "It is not configured any more."
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	where, err := m.keys.Where(ctx)
	if err != nil {
		return fmt.Sprintf("It is sent to %s and nowhere else. It cannot be stored: %v.", e.id().Address, err)
	}
	return fmt.Sprintf("It is sent to %s and nowhere else, and stored in %s.", e.id().Address, where)
}

func (m *models) windowOf(e endpoint) int {
	p, err := listing(openai.Options{Name: e.name, BaseURL: e.baseURL, Model: e.model, AllowInsecure: e.allowInsecure})
	if err != nil {
		return 0
	}
	return p.Window()
}

// choice is a model of an endpoint, with what is known of it.
func (m *models) choice(e endpoint, model openai.Model, here string) tui.ModelChoice {
	c := tui.ModelChoice{Name: e.name + "/" + model.ID}
	c.Here = c.Name == here
	var about []string
	if model.Window == 0 {
		e.model = model.ID
		model.Window = m.windowOf(e)
	}
	if model.Window > 0 {
		c.Short = shortCount(model.Window)
		about = append(about, c.Short+" tokens")
	}
	if p, ok := priceOf(m.app.config, c.Name); ok {
		model.Input, model.Output = p.Input, p.Output
	}
	if model.Input > 0 || model.Output > 0 {
		about = append(about, fmt.Sprintf("$%s in, $%s out", dollars(model.Input), dollars(model.Output)))
	}
	c.About = strings.Join(about, " · ")
	return c
}

// shortCount is a number of tokens in few digits: 272k, 1M.
func shortCount(n int) string {
	switch {
	case n >= 1_000_000:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + "M"
	case n >= 1000:
		return strconv.Itoa((n+500)/1000) + "k"
	}
	return strconv.Itoa(n)
}

func dollars(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// list asks a source for its models.
func (m *models) list(ctx context.Context, id string) ([]tui.ModelChoice, error) {
	if id == localID {
		return m.listLocal(ctx)
	}
	e, ok := m.endpoint(id)
	if !ok {
		return nil, errors.New("it is not configured any more")
	}
	bound := listRemote
	if !config.IsInsecure(e.baseURL) && strings.HasPrefix(e.baseURL, "http:") { // plain http is for this machine
		bound = listLocal
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	return m.ask(ctx, e, bound)
}

// endpoint finds a source's endpoint.
func (m *models) endpoint(id string) (endpoint, bool) {
	cfg := m.app.config
	if cfg.BaseURL.V != "" {
		if e := baseEndpoint(cfg); e.name == id {
			return e, true
		}
	}
	e, err := ownEndpoint(cfg, id, m.lookupEnv)
	return e, err == nil
}

// ask asks an endpoint for its models, in a few seconds.
func (m *models) ask(ctx context.Context, e endpoint, bound time.Duration) ([]tui.ModelChoice, error) {
	p, err := m.lister(ctx, e)
	if err != nil {
		return nil, whyNoList(err, bound)
	}
	list, err := p.ListModels(ctx)
	if err != nil {
		return nil, whyNoList(err, bound)
	}
	here := m.current()
	var out []tui.ModelChoice
	for _, model := range list {
		if model.Chats() {
			out = append(out, m.choice(e, model, here))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it lists no model to chat with")
	}
	return out, nil
}

// whyNoList is why there is no list, on one line.
func whyNoList(err error, bound time.Duration) error {
	e := llm.AsError(err)
	if errors.Is(err, context.DeadlineExceeded) || e.Kind == llm.KindAborted {
		return fmt.Errorf("no answer within %s", bound)
	}
	why := firstLine(e.Message)
	if why == "" {
		why = firstLine(e.Error())
	}
	return errors.New(why)
}

// listLocal asks the servers on this machine that are not configured.
func (m *models) listLocal(ctx context.Context) ([]tui.ModelChoice, error) {
	ctx, cancel := context.WithTimeout(ctx, listLocal)
	defer cancel()
	type answer struct {
		list []tui.ModelChoice
		err  error
	}
	var asked []openai.Preset
	var answers []chan answer
	for _, p := range openai.Presets {
		if _, configured := m.app.config.Providers[p.Name]; p.NeedsKey || configured || p.Name == "vllm" {
			continue
		}
		e, err := ownEndpoint(m.app.config, p.Name, m.lookupEnv)
		if err != nil {
			continue
		}
		c := make(chan answer, 1)
		asked, answers = append(asked, p), append(answers, c)
		routine.Go("list of models", func() {
			list, err := m.ask(ctx, e, listLocal)
			c <- answer{list, err}
		})
	}
	var out []tui.ModelChoice
	var silent []string
	for i, c := range answers {
		a := answer{err: context.DeadlineExceeded}
		select {
		case a = <-c:
		case <-ctx.Done():
		}
		out = append(out, a.list...)
		if a.err != nil {
			_, port, _ := strings.Cut(strings.TrimPrefix(asked[i].BaseURL, "http://"), ":")
			port, _, _ = strings.Cut(port, "/")
			silent = append(silent, asked[i].Title+" "+port)
		}
	}
	if len(out) == 0 && len(silent) > 0 {
		return nil, errors.New("no server answers: " + strings.Join(silent, ", "))
	}
	return out, nil
}

// use goes over to a model from the next turn on, and keeps it for the vault.
func (m *models) use(name string) (tui.ModelUsed, error) {
	name = strings.TrimSpace(name)
	if name == asConfigured || name == "" {
		return m.useConfigured()
	}
	if off := m.app.config.Offline; off.V && name != offlineName {
		return tui.ModelUsed{}, fmt.Errorf("no other model can be used: offline is set (%s)", off.Origin)
	}
	p, chosen, err := m.meant(name)
	if err != nil {
		return tui.ModelUsed{}, err
	}
	used := m.take(p, true)
	if err := config.ChooseModel(m.app.vault.Dir(), chosen, time.Now()); err != nil {
		m.log.Warn("the model is not kept", "error", err)
		used.Said = "not kept for the next start: " + err.Error()
		return used, nil
	}
	used.Said = "kept for this vault"
	if o := m.app.config.Model.Origin; o.Kind > config.Chosen {
		used.Said = "at the next start the " + o.String() + " decides again"
	}
	return used, nil
}

// meant is the provider that a name means, and the name to keep.
func (m *models) meant(name string) (*lateProvider, string, error) {
	if name == offlineName || name == offline.Name {
		return m.engine(), offlineName, nil
	}
	if e, ok := chosenEndpoint(m.app.config, name, m.lookupEnv); ok {
		return m.late(e), strings.TrimSuffix(e.name+"/"+e.model, "/"), nil
	}
	if owner := family(name); owner != "" {
		if e, err := ownEndpoint(m.app.config, owner, m.lookupEnv); err == nil {
			e.model = name
			return m.late(e), owner + "/" + name, nil
		}
	}
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	if e := now.endpoint; e != nil && (!strings.Contains(name, "/") || slashedModels[e.name] || e.unnamed) {
		other := *e
		other.model = name
		return m.late(other), other.name + "/" + name, nil
	}
	return nil, "", fmt.Errorf("%q names no provider that is known; write it as provider/model, or choose one with /model", name)
}

// useConfigured goes back to what is configured.
func (m *models) useConfigured() (tui.ModelUsed, error) {
	files := *m.app.config
	files.Chosen = config.Value[string]{}
	p, err := newProvider(&files, m.app.vault, m.keys, m.lookupEnv, m.log)
	if err != nil {
		return tui.ModelUsed{}, err
	}
	if err := config.ChooseModel(m.app.vault.Dir(), "", time.Now()); err != nil {
		return tui.ModelUsed{}, fmt.Errorf("the choice was not forgotten: %w", err)
	}
	if p.probes { // so that the header says who it is
		ctx, cancel := context.WithTimeout(context.Background(), listLocal)
		defer cancel()
		_, _ = p.Ready(ctx) // the first message's error tells the user
	}
	used := m.take(p, false)
	used.Said = "as configured"
	return used, nil
}

// take has a provider answer from the next turn on.
func (m *models) take(p *lateProvider, own bool) tui.ModelUsed {
	m.mu.Lock()
	m.now, m.own = p, own
	m.mu.Unlock()
	m.app.processor.SetProvider(p)
	return tui.ModelUsed{Name: p.Name(), Offline: p.Name() == offline.Name}
}

// giveKey stores a key that was typed.
func (m *models) giveKey(ctx context.Context, id, typed string) (string, error) {
	e, ok := m.endpoint(id)
	if !ok {
		return "", fmt.Errorf("%s is not configured any more", id)
	}
	key, err := config.ParseKey(typed)
	if err != nil {
		return "", fmt.Errorf("the key %w", err)
	}
	refused, err := e.key.Resolve(ctx, m.lookupEnv)
	if err != nil {
		refused = config.Secret{}
	}
	where, err := m.keys.Put(ctx, e.id(), e.keyName(), key, refused)
	if err != nil {
		return "", err
	}
	return "The key is stored in " + where + "; chatvault config forget-key " + e.name + " removes it", nil
}
