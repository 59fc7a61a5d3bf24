package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/terminal/attention"
	"chatvault/tui"
)

// settingsOf is how a chat shows and changes its configuration.
type settingsOf struct {
	sources config.Sources
	vault   string // its folder
	// counts is told of the configuration after a setting was changed. Nil: all count from the next
	// start.
	counts func(*config.Config)
}

// current is the configuration for what counts at once; all else counts as it was at the start.
func (a *app) current() *config.Config {
	if cfg := a.changed.Load(); cfg != nil {
		return cfg
	}
	return a.config
}

// sources are where a chat's configuration is read from.
func (c *chats) settings(x *oneChat) *settingsOf {
	src := c.globals.sources(c.streams)
	src.VaultDir = x.vault.Dir()
	if src.UserFile == "" {
		src.UserFile = config.UserPath()
	}
	return &settingsOf{src, x.vault.Dir(), func(cfg *config.Config) {
		x.changed.Store(cfg)
		c.mu.Lock()
		window := c.window
		c.mu.Unlock()
		window.Use(attention.Of(attention.Setting(cfg.Notify.V), c.streams.getenv))
	}}
}

// load reads the configuration as it is now. What is wrong in it is no error here: it is shown as
// far as it is right.
func (s *settingsOf) load() (*config.Config, error) {
	src := s.sources
	if _, err := os.Stat(src.UserFile); errors.Is(err, os.ErrNotExist) {
		src.UserFile = os.DevNull // none is there yet, and none must be
	}
	return config.Load(src)
}

// forTUI is what the screen shows and changes.
func (s *settingsOf) forTUI() tui.Settings {
	return tui.Settings{List: s.list, Set: s.set}
}

// list are all settings, and warnings about what is wrong with them.
func (s *settingsOf) list(context.Context) ([]session.Setting, []string) {
	cfg, err := s.load()
	var warnings []string
	if err != nil {
		warnings = strings.Split(err.Error(), "\n")
	}
	var out []session.Setting
	for _, v := range cfg.Settings() {
		t := session.Setting{
			Key: v.Key, Group: v.Group, About: v.About, Kind: session.SettingKind(v.Kind), Choices: v.Choices, Means: v.Means, Until: v.Until,
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

// set gives a setting a value, nil: takes it away, in the user's file or in the vault's. said says
// where it is kept, and what decides instead where something does.
func (s *settingsOf) set(_ context.Context, key string, typed *string, inVault bool) (said string, err error) {
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
	if s.counts != nil && wrong == nil {
		s.counts(cfg)
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
		return "this vault's own file decides here"
	case config.Chosen:
		return "the model that was chosen for this vault decides here: /model"
	case config.Environment:
		return "the environment decides: " + o.Name
	}
	return "the flag --" + o.Name + " decides in this run"
}

// shortPath is a path with ~ for the user's home.
func shortPath(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && err == nil && home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// keepTheme makes a theme the user's.
func (s *settingsOf) keepTheme(name string) (string, error) {
	said, err := s.set(context.Background(), "theme", &name, false)
	if err != nil {
		return "", err
	}
	return "Theme: " + name + ", " + said, nil
}
