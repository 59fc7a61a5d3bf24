package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"chatvault/internal/app/config"
)

// Settings are read from disk each time, with their origins.
func TestChatSettings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "c"))
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	s := &Settings{sources: config.Sources{
		UserFile: filepath.Join(dir, "c", "chatvault", "config.toml"), VaultDir: t.TempDir(),
		LookupEnv: func(name string) (string, bool) {
			v, ok := map[string]string{"CHATVAULT_NOTIFY": "bell"}[name]
			return v, ok
		},
	}}
	list, wrong := s.List(context.Background())
	if len(wrong) > 0 || len(list) < 30 {
		t.Fatalf("%d settings, %v", len(list), wrong)
	}
	said, err := s.Set(context.Background(), "theme", new("warm"), false)
	if err != nil || !strings.HasPrefix(said, "kept in ~/c/chatvault/settings.toml") {
		t.Errorf("%q, %v", said, err)
	}
	notify := "off"
	if said, err := s.Set(context.Background(), "notify", &notify, false); err != nil || !strings.Contains(said, "the value from environment CHATVAULT_NOTIFY overrides it") {
		t.Errorf("%q, %v", said, err)
	}
	if now := s.Current(); now.Notify.V != "bell" || now.Theme.V != "warm" {
		t.Errorf("current: %+v", now)
	}
	if _, err := s.Set(context.Background(), "hyperlinks", new("off"), false); err != nil || s.Current().Hyperlinks.V != "off" {
		t.Errorf("hyperlinks: %v, %+v", err, s.Current())
	}
	if _, err := s.Set(context.Background(), "theme", &notify, false); err == nil || !strings.HasPrefix(err.Error(), "must be auto, ") {
		t.Errorf("%v", err)
	}
	if said, err := s.Set(context.Background(), "mouse", new("false"), true); err != nil || !strings.HasSuffix(said, ".smarthole/settings.toml") {
		t.Errorf("mouse: %q, %v", said, err)
	}
	if said, err := s.Set(context.Background(), "mouse", new("true"), false); err != nil || !strings.HasSuffix(said, " overrides it") {
		t.Errorf("mouse: %q, %v", said, err)
	}
	if said, err := s.Set(context.Background(), "mouse", nil, true); err != nil || !strings.HasPrefix(said, "not set in ") {
		t.Errorf("mouse: %q, %v", said, err)
	}
	if said, err := s.Set(context.Background(), "mouse", nil, true); err != nil || !strings.HasPrefix(said, "not set in ") {
		t.Errorf("mouse: %q, %v", said, err)
	}
	if err := os.WriteFile(s.sources.UserFile, []byte("# mine\nhyperlinks = \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := s.Set(context.Background(), "hyperlinks", new("on"), false); err != nil || !strings.HasSuffix(said, "config.toml:2 overrides it") {
		t.Errorf("hyperlinks: %q, %v", said, err)
	}
	if err := os.WriteFile(s.sources.UserFile, []byte("theme = \"dark\"\nhyperlinks = \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := s.Set(context.Background(), "theme", new("light"), false); err != nil || !strings.HasSuffix(said, "config.toml:1 overrides it") {
		t.Errorf("theme: %q, %v", said, err)
	}
	if err := os.WriteFile(s.sources.UserFile, []byte("# mine\nhyperlinks = \"off\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, _ = s.List(context.Background())
	for _, v := range list {
		switch {
		case v.Key == "theme" && (v.Value != "light" || v.Origin != "yours" || !v.Set):
			t.Errorf("%+v", v)
		case v.Key == "hyperlinks" && (v.Value != "off" || v.From.Kind != config.UserFile):
			t.Errorf("%+v", v)
		case v.Key == "notify" && (v.Value != "bell" || v.Origin != "environment CHATVAULT_NOTIFY" || v.From.Kind != config.Environment):
			t.Errorf("%+v", v)
		}
	}
}
