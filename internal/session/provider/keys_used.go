package provider

import (
	"context"
	"maps"
	"slices"

	"chatvault/agent/llm/endpoint"
	"chatvault/internal/config"
	"chatvault/internal/keystore"
)

// Standing says whether a stored key is used. A key that a command prints is not fetched for it.
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

// endpoints are all that the configuration may lead to.
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
