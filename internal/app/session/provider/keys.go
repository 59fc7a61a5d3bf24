package provider

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
)

// keyringEnv turns off the system's keyring.
const keyringEnv = "CHATVAULT_KEYRING"

// NewKeys returns the store of typed keys.
func NewKeys(vaultDir string, lookupEnv func(string) (string, bool)) *keystore.Store {
	off, _ := lookupEnv(keyringEnv)
	return keystore.New(keystore.Options{
		Folder: filepath.Dir(config.UserPath()), Vault: vaultDir, Keyring: !strings.EqualFold(strings.TrimSpace(off), "off"),
	})
}

// supplied returns the provider's endpoint with the key that the user typed, if any.
func (l *Lazy) supplied() Endpoint {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := *l.endpoint
	if !l.typed.Empty() {
		e.key, e.typed = config.LiteralKey(l.typed, config.Origin{}), true
	}
	return e
}

// ID names the endpoint's key in the key store.
func (e Endpoint) ID() keystore.ID { return keystore.IDOf(e.Name, e.BaseURL) }

// keyName returns the name of the endpoint's key: its variable, or the usual one.
func (e Endpoint) keyName() string {
	if name := e.key.Variable(); name != "" {
		return name
	}
	if name := endpoint.KeyEnv(e.Name, e.BaseURL); name != "" {
		return name
	}
	return strings.ReplaceAll(strings.ToUpper(llm.PortableName(e.Name)), "-", "_") + "_API_KEY"
}

// KeyPlace returns where the endpoint's key is set: its configured variable, else its place in a file, else its usual
// variable. Both are empty if unknown.
func (e Endpoint) KeyPlace() (variable, place string) {
	switch name := e.key.Variable(); {
	case name != "":
		return name, ""
	case e.key.IsCommand():
		return "", "api_key_command (" + e.key.Origin.String() + ")"
	case e.key.Configured():
		return "", "api_key (" + e.key.Origin.String() + ")"
	}
	return endpoint.KeyEnv(e.Name, e.BaseURL), ""
}

// key returns the key for calls of an endpoint: the configured one or, if there is none or the provider refused it,
// the stored one.
func (f Finder) key(ctx context.Context, e Endpoint) (config.Secret, error) {
	key, err := e.key.Resolve(ctx, f.lookupEnv)
	if f.keys == nil || e.typed {
		return key, err
	}
	entry, ok, findErr := f.keys.Find(e.ID())
	if findErr != nil {
		f.log.Warn("stored keys not used", "error", findErr)
	}
	if !ok || !preferStored(entry, key, err) {
		return key, err
	}
	stored, getErr := f.keys.Get(ctx, e.ID())
	if getErr != nil || stored.Empty() {
		f.log.Warn("stored key not found", "provider", e.Name, "where", entry.Where, "error", getErr)
		return key, err
	}
	return stored, nil
}

// put stores a typed key for an endpoint, in place of the configured one. It returns a message for the user.
func (f Finder) put(ctx context.Context, e Endpoint, name string, key config.Secret) (said string, err error) {
	refused, err := e.key.Resolve(ctx, f.lookupEnv)
	if err != nil {
		refused = config.Secret{}
	}
	where, err := f.keys.Put(ctx, e.ID(), name, key, refused)
	return "The key is stored in " + where + "; chatvault config forget-key " + e.Name + " removes it", err
}

// keyGoes describes where the endpoint's key is sent and stored.
func (f Finder) keyGoes(ctx context.Context, e Endpoint) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	stored := "forgotten when the program exits"
	if where, err := f.keys.Where(ctx); err == nil {
		stored = "stored in " + where
	}
	return fmt.Sprintf("It is sent to %s and nowhere else, and %s.", e.ID().Address, stored)
}

// preferStored reports whether a stored key is used instead of the configured one: that is missing, or the stored one
// replaced it.
func preferStored(stored keystore.Entry, configured config.Secret, err error) bool {
	return err != nil || configured.Empty() || stored.Replaces(configured)
}

// stored reports whether a typed key is stored for a preset.
func (f Finder) stored(p endpoint.Preset) bool {
	if f.keys == nil {
		return false
	}
	e, err := namedEndpoint(f.cfg, p.Name, f.lookupEnv)
	if err != nil {
		return false
	}
	_, ok, _ := f.keys.Find(e.ID()) // a fault of the store is reported when a key is needed
	return ok
}

// Standing describes whether a stored key is used. It does not run a key's command.
func Standing(lookupEnv func(string) (string, bool), cfg *config.Config, e keystore.Entry) string {
	if cfg.Offline.V {
		return "not used (offline)"
	}
	for _, end := range endpoints(cfg, lookupEnv) {
		if end.ID() != e.ID {
			continue
		}
		if end.key.Configured() && end.key.IsCommand() {
			return "used where the configured command prints none"
		}
		key, err := end.key.Resolve(context.Background(), lookupEnv)
		switch {
		case preferStored(e, key, err) && err == nil && !key.Empty():
			return "used instead of the one that was refused (" + end.key.Origin.String() + ")"
		case preferStored(e, key, err):
			return "used"
		}
		return "not used: another is configured (" + end.key.Origin.String() + ")"
	}
	return "not used: nothing leads to this address"
}

// endpoints returns all endpoints that the configuration can lead to.
func endpoints(cfg *config.Config, lookupEnv func(string) (string, bool)) []Endpoint {
	var all []Endpoint
	if cfg.BaseURL.V != "" {
		all = append(all, baseEndpoint(cfg))
	}
	names := slices.Concat(endpoint.PresetNames(), slices.Collect(maps.Keys(cfg.Providers)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if e, err := namedEndpoint(cfg, name, lookupEnv); err == nil {
			all = append(all, *e)
		}
	}
	return all
}
