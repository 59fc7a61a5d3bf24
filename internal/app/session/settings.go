package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
)

// Setting is a key of the configuration with its value.
type Setting = config.Setting

// Settings reads and changes the configuration of an open vault.
type Settings struct {
	sources config.Sources
	config  *config.Config

	changed atomic.Pointer[config.Config] // configuration since the last change; nil means config
}

// Current returns the configuration for settings that apply immediately; all others stay as at the start.
func (s *Settings) Current() *config.Config {
	if cfg := s.changed.Load(); cfg != nil {
		return cfg
	}
	return s.config
}

// List returns all settings, and warnings about invalid ones.
func (s *Settings) List(context.Context) ([]Setting, []string) {
	cfg, err := config.Load(s.sources)
	if err != nil {
		return cfg.Settings(), strings.Split(err.Error(), "\n") // the valid part is shown
	}
	return cfg.Settings(), nil
}

// Set sets or, with nil, removes a setting, for all vaults or for this one. said describes where it is stored and
// what overrides it.
func (s *Settings) Set(_ context.Context, key string, typed *string, inVault bool) (said string, err error) {
	change, err := config.SetSetting(s.sources, inVault, key, typed)
	if bad, ok := errors.AsType[*config.Error](err); ok && bad.Key == key { // the screen shows which setting is edited
		return "", errors.New(bad.Text)
	}
	if err != nil {
		return "", err
	}
	in, where := config.SettingsFile, ShortPath(change.Path)
	if inVault {
		in = config.VaultSettings
		answers, done, err := home.AnswersFor(s.sources.VaultDir)
		defer done()
		if err == nil {
			err = consentToChange(answers, change)
		}
		if err != nil {
			return "", err
		}
	}
	said = "kept in " + where
	if typed == nil {
		said = "not set in " + where
	}
	cfg, wrong := config.Load(s.sources)
	if wrong == nil {
		s.changed.Store(cfg)
	}
	for _, v := range cfg.Settings() {
		if v.Key == key && v.From.Kind > in {
			said += ", but the value from " + ShortPath(v.From.String()) + " overrides it"
		}
	}
	return said, nil
}

// ShortPath returns a path with ~ for the user's home.
func ShortPath(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && err == nil && home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
