package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/trust"
)

// Setting is a key of the configuration.
type Setting = config.Setting

// The kinds of settings.
const (
	SettingSwitch = config.KindSwitch
	SettingChoice = config.KindChoice
	SettingNumber = config.KindNumber
	SettingAmount = config.KindAmount
	SettingText   = config.KindText
	SettingProse  = config.KindProse
	SettingList   = config.KindList
	SettingFixed  = config.KindFixed
)

// Settings is the configuration of an open vault, seen and changed.
type Settings struct {
	sources config.Sources
	config  *config.Config
	answers *trust.Answers

	changed  atomic.Pointer[config.Config] // as it is since a setting was changed; nil: as config
	accepted atomic.Pointer[string]        // for where things go; nil: nothing was
	counts   atomic.Pointer[func(*config.Config)]
}

// OnChange has a front-end told of the configuration after a setting was changed.
func (s *Settings) OnChange(counts func(*config.Config)) { s.counts.Store(&counts) }

// Current is the configuration for what counts at once; all else counts as it was at the start.
func (s *Settings) Current() *config.Config {
	if cfg := s.changed.Load(); cfg != nil {
		return cfg
	}
	return s.config
}

// load reads the configuration as it is now. What is wrong in it is no error here: it is shown as
// far as it is right.
func (s *Settings) load() (*config.Config, error) {
	src := s.sources
	if _, err := os.Stat(src.UserFile); errors.Is(err, os.ErrNotExist) {
		src.UserFile = os.DevNull // none is there yet, and none must be
	}
	return config.Load(src)
}

// List are all settings, and warnings about what is wrong with them.
func (s *Settings) List(context.Context) ([]Setting, []string) {
	cfg, err := s.load()
	var warnings []string
	if err != nil {
		warnings = strings.Split(err.Error(), "\n")
	}
	return cfg.Settings(), warnings
}

// Set gives a setting a value, nil: takes it away, in the user's file or in the vault's. said says
// where it is kept, and what decides instead where something does.
func (s *Settings) Set(_ context.Context, key string, typed *string, inVault bool) (said string, err error) {
	in := config.UserFile
	if inVault {
		in = config.VaultFile
	}
	e, err := config.EditSetting(s.sources, in, key, typed)
	if err != nil {
		if bad, ok := errors.AsType[*config.Error](err); ok && bad.Key == key { // what is edited is on the screen
			return "", errors.New(bad.Text)
		}
		return "", err
	}
	if err := e.Apply(); err != nil {
		return "", err
	}
	if inVault {
		answers, done, err := home.AnswersFor(s.sources.VaultDir)
		defer done()
		if err == nil {
			err = agreeToEdit(answers, e.Before, e.After)
		}
		if err != nil {
			return "", err
		}
	}
	said = "kept in " + shortPath(e.Path)
	switch {
	case typed == nil && !e.Changes():
		said = "it is not set in " + shortPath(e.Path)
	case typed == nil:
		said = "a comment now in " + shortPath(e.Path)
	}
	cfg, wrong := s.load()
	if wrong == nil {
		s.changed.Store(cfg)
		if counts := s.counts.Load(); counts != nil {
			(*counts)(cfg)
		}
	}
	for _, v := range cfg.Settings() {
		if v.Key == key && v.From.Kind > in {
			said += ", but " + decides(v.From)
		}
	}
	return said, nil
}

// decides says what counts more than a file.
func decides(o config.Origin) string {
	switch o.Kind {
	case config.VaultFile:
		return "this vault's own file overrides it"
	case config.Chosen:
		return "the model chosen for this vault overrides it: /model"
	case config.Environment:
		return "the environment overrides it: " + o.Name
	case config.Demo:
		return o.String() + " overrides it"
	}
	return "the flag --" + o.Name + " overrides it in this run"
}

// shortPath is a path with ~ for the user's home.
func shortPath(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && err == nil && home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// KeepTheme makes a theme the user's.
func (s *Settings) KeepTheme(name string) (string, error) {
	said, err := s.Set(context.Background(), "theme", &name, false)
	if err != nil {
		return "", err
	}
	return "Theme: " + name + ", " + said, nil
}

const architectureKey = "information_architecture"

// architecture is where things go in this vault: what was accepted in this chat, else what is
// configured.
func (s *Settings) architecture() string {
	if text := s.accepted.Load(); text != nil {
		return *text
	}
	return s.config.Architecture.V
}

// Architecture works out what taking a text for where things go would change in the
// vault's own configuration.
func (s *Settings) Architecture(text string) (SettingChange, error) {
	if o := s.config.Architecture.Origin; o.Kind > config.VaultFile {
		return SettingChange{}, errors.New(architectureKey + " is set by the " + o.String() + ", which the vault's file would not change")
	}
	if strings.TrimSpace(text) == "" {
		return SettingChange{}, errors.New(architectureKey + ": the text is empty")
	}
	e, err := config.EditSetting(s.sources, config.VaultFile, architectureKey, &text)
	if err != nil {
		return SettingChange{}, err
	}
	const name = home.InVault + "/config.toml"
	change := SettingChange{Path: name}
	if !e.Changes() {
		return change, nil
	}
	change.Diff = udiff.Unified(name, name, e.Before, e.After)
	change.Apply = func() error {
		if err := e.Apply(); err != nil {
			return err
		}
		s.accepted.Store(&text)
		return agreeToEdit(s.answers, e.Before, e.After)
	}
	return change, nil
}
