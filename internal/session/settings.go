package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/trust"
)

// SettingKind is how a setting is changed.
type SettingKind string

// The kinds of settings: on or off; one of Choices; a number; dollars; a line of text; a text of
// many lines; a list with commas; what is changed in the file alone.
const (
	SettingSwitch SettingKind = "switch"
	SettingChoice SettingKind = "choice"
	SettingNumber SettingKind = "number"
	SettingAmount SettingKind = "amount"
	SettingText   SettingKind = "text"
	SettingProse  SettingKind = "prose"
	SettingList   SettingKind = "list"
	SettingFixed  SettingKind = "fixed"
)

// Setting is a key of the configuration.
type Setting struct {
	Key, Group, About string
	Kind              SettingKind
	Choices, Means    []string // Means: of each what it does; nil: they say it themselves
	Value             string   // as it would be typed; no secret
	Shown             string   // on one line, secrets hidden
	Origin            string   // where it came from, in a word or two
	Set               bool     // by something other than the default
	Fixed             string   // the flag or variable that decides; empty: none does
	InVault           bool     // the vault's file may set it
	ByVault           bool     // the vault's file does
	AtOnce            bool     // a change counts at once
	Until             string   // what is so until a change counts; empty: it only counts from the next start
}

// Settings is the configuration of an open vault, seen and changed.
type Settings struct {
	sources config.Sources
	vault   string // its folder
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
	var out []Setting
	for _, v := range cfg.Settings() {
		t := Setting{
			Key: v.Key, Group: v.Group, About: v.About, Kind: SettingKind(v.Kind), Choices: v.Choices, Means: v.Means, Until: v.Until,
			Value: v.Value, Shown: v.Shown, Origin: originText(v.Origin), Set: v.Origin.Kind != config.Default,
			InVault: v.InVault, ByVault: v.Origin.Kind == config.VaultFile, AtOnce: v.AtOnce,
		}
		if v.Origin.Kind > config.VaultFile {
			t.Fixed = v.Origin.String()
		}
		out = append(out, t)
	}
	return out, warnings
}

// originText is where a value came from, in a few words.
func originText(o config.Origin) string {
	switch o.Kind {
	case config.Default:
		return "default"
	case config.UserFile:
		return "yours"
	case config.VaultFile:
		return "this vault's"
	case config.Environment:
		return "$" + o.Name
	case config.Flag:
		return "--" + o.Name
	}
	return o.String()
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
		var bad *config.Error
		if errors.As(err, &bad) && bad.Key == key { // what is edited is on the screen
			return "", errors.New(bad.Text)
		}
		return "", err
	}
	if err := e.Apply(); err != nil {
		return "", err
	}
	if inVault {
		answers, done, err := home.AnswersFor(s.vault)
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
		if v.Key == key && v.Origin.Kind > in {
			said += ", but " + decides(v.Origin)
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
