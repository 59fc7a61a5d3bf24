package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/offline"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

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
	if err := home.ChooseModel(m.state, m.vault.Dir(), chosen); err != nil {
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
func (m *Models) meant(name string) (*Late, string, error) {
	if name == offlineName || name == offline.Name {
		return newOffline(m.notes), offlineName, nil
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
	m.mu.Lock()
	now := m.now
	m.mu.Unlock()
	if e := now.endpoint; e != nil && (!strings.Contains(name, "/") || endpoint.Slashed(e.Name) || e.unnamed) {
		other := *e
		other.Model = name
		return m.late(other), other.Name + "/" + name, nil
	}
	return nil, "", fmt.Errorf("%q names no known provider; write it as provider/model, or choose one with /model", name)
}

// useConfigured goes back to what is configured.
func (m *Models) useConfigured() (ModelUsed, error) {
	files := *m.cfg
	files.Chosen = config.Value[string]{}
	p, err := Finder{cfg: &files, lookupEnv: m.lookupEnv, keys: m.keys, log: m.log}.Provider(m.notes)
	if err != nil {
		return ModelUsed{}, err
	}
	if err := home.ChooseModel(m.state, m.vault.Dir(), ""); err != nil {
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
func (m *Models) take(p *Late, own bool) ModelUsed {
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
	refused, err := e.key.Resolve(ctx, m.lookupEnv)
	if err != nil {
		refused = config.Secret{}
	}
	where, err := m.keys.Put(ctx, e.ID(), e.keyName(), key, refused)
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
