package provider

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
)

// keyringEnv turns off the system's keyring.
const keyringEnv = "CHATVAULT_KEYRING"

// NewKeys returns the store of typed keys.
func NewKeys(lookupEnv func(string) (string, bool)) *keystore.Store {
	off, _ := lookupEnv(keyringEnv)
	return keystore.New(!strings.EqualFold(strings.TrimSpace(off), "off"))
}

// ID names the endpoint's key in the key store.
func (e Endpoint) ID() keystore.ID { return keystore.IDOf(e.Name, e.BaseURL) }

// keyName returns the name of the endpoint's key: its variable, or the usual one.
func (e Endpoint) keyName() string {
	name, _ := e.keyPlace()
	return cmp.Or(name, strings.ReplaceAll(strings.ToUpper(llm.PortableName(e.Name)), "-", "_")+"_API_KEY")
}

// keyPlace returns where the endpoint's key is set: its configured variable, else its place in a file, else its usual
// variable. Both are empty if unknown.
func (e Endpoint) keyPlace() (variable, place string) {
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

// key returns the key for calls of an endpoint: one typed in this process, else the configured one or, if there is none
// or the provider refused it, the stored one.
func (f Finder) key(ctx context.Context, e Endpoint) (config.Secret, error) {
	if typed := f.keys.Typed(e.ID()); !typed.Empty() {
		return typed, nil
	}
	key, err := e.key.Resolve(ctx, f.lookupEnv)
	entry, ok, findErr := f.keys.Find(e.ID())
	if findErr != nil {
		f.log.Warn("stored keys not used", "error", findErr)
	}
	if !ok || err == nil && !key.Empty() && !entry.Replaces(key) {
		return key, err
	}
	stored, getErr := f.keys.Get(ctx, entry)
	if getErr != nil || stored.Empty() {
		f.log.Warn("stored key not found", "provider", e.Name, "error", getErr)
		return key, err
	}
	return stored, nil
}

// put stores a typed key for an endpoint, in place of the configured one. It returns a message for the user, or an error
// if it cannot be a key.
func (f Finder) put(ctx context.Context, e Endpoint, typed string) (string, error) {
	key, err := config.ParseKey(typed)
	if err != nil {
		return "", fmt.Errorf("it %w", err)
	}
	refused, _ := e.key.Resolve(ctx, f.lookupEnv) // with an error none
	if err := f.keys.Put(ctx, e.ID(), e.keyName(), key, refused); err != nil {
		return fmt.Sprintf("The key is forgotten when chatvault ends: %v. To keep it, %s.", err, e.SetKey("your config.toml (chatvault config path names it)")), nil
	}
	return "The key is stored in the system's keyring; chatvault config forget-key " + e.Name + " removes it", nil
}

// SetKey describes how the user sets the endpoint's key, in the environment or in a configuration file.
func (e Endpoint) SetKey(file string) string {
	variable, place := e.keyPlace()
	table := "at the top of " + file + ": "
	if !e.unnamed {
		table = "below [" + toml.Key{"providers", e.Name}.String() + "] in " + file + ": "
	}
	switch {
	case place != "":
		return "change " + place
	case variable != "":
		return fmt.Sprintf("set %s in the environment, or write %sapi_key_command = \"pass show %s\"", variable, table, e.Name)
	}
	return fmt.Sprintf("write %sapi_key_env = %q, and set that variable, or api_key_command = \"pass show %s\"", table, e.keyName(), e.Name)
}

// keyGoes describes where the endpoint's key is sent and stored.
func (e Endpoint) keyGoes() string {
	return fmt.Sprintf("It is sent to %s and nowhere else, and stored in the system's keyring; without one it is forgotten when chatvault ends.", e.ID().Address)
}

// stored reports whether a typed key is stored for an endpoint. An error of the store is reported when a key is needed.
func (f Finder) stored(e Endpoint) bool {
	_, ok, _ := f.keys.Find(e.ID())
	return ok || !f.keys.Typed(e.ID()).Empty()
}
