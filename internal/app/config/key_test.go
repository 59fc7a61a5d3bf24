package config

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-0123456789"

func TestSecretIsNeverPrinted(t *testing.T) {
	type holder struct {
		Public  Secret
		private Secret
		source  KeySource
		pointer *KeySource
	}
	source := LiteralKey(NewSecret(canary), Origin{})
	command := CommandKey("echo "+canary, Origin{})
	h := holder{NewSecret(canary), NewSecret(canary), source, &command}
	cfg := Defaults()
	cfg.APIKey = source
	cfg.Providers["x"] = Provider{Key: command}

	var printed bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		for _, v := range []any{h, &h, h.private, source, []KeySource{source, command}, cfg, *cfg, map[string]Secret{"k": h.Public}} {
			_, _ = fmt.Fprintf(&printed, verb+"\n", v)
		}
	}
	for _, v := range []any{h, cfg, source, h.Public} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		printed.Write(data)
		if err := toml.NewEncoder(&printed).Encode(map[string]any{"v": v}); err != nil {
			t.Logf("TOML: %v", err)
		}
		slog.New(slog.NewTextHandler(&printed, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("x", "v", v)
	}
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%d", []byte(canary))} {
		if strings.Contains(printed.String(), form) {
			t.Errorf("printed as %s", form)
		}
	}
	if h.Public.Reveal() != canary {
		t.Error("Reveal lost the text")
	}
}

func TestErrorsOmitKey(t *testing.T) {
	for _, text := range []string{
		"api_key = " + canary,
		"api_key = \"" + canary,
		"api_key = '" + canary + "\n'",
		"api_key = \"" + canary + " x\"",
		"api_key_env = \"" + canary + "\"",
		"api_key_command = [\"" + canary + "\"]",
		"api_key = [\"" + canary + "\"]",
		"base_url = \"https://u:" + canary + "@host/v1\"",
		"base_url = \"https://host/v1?key=" + canary + "\"",
		"[providers.x]\napi_key = " + canary,
		"[providers.x]\napi_key = \"" + canary + "\"\napi_key_env = \"" + canary + "\"",
		"[providers.x]\napi_kee = \"" + canary + "\"",
		"api_key = \"\"\"\n" + canary,
		"api_key = 1" + canary,
		"api_key = 2026-" + canary,
	} {
		for _, l := range []layers{{user: text}, {vault: text}} {
			_, err := l.load(t)
			if err == nil {
				t.Errorf("%q: no error", text)
			} else if strings.Contains(err.Error(), "canary") {
				t.Errorf("%q: the error repeats it: %v", text, err)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"K": " sk-env\n", "EMPTY": "", "BAD": "a b"}[name]
		return v, ok
	}
	tests := []struct {
		name   string
		source KeySource
		want   string
		fails  string
	}{
		{"none", KeySource{}, "", ""},
		{"literal", LiteralKey(NewSecret("sk"), Origin{}), "sk", ""},
		{"variable", EnvKey("K", Origin{}), "sk-env", ""},
		{"unset variable", EnvKey("NONE", Origin{}), "", "the key from the variable NONE is empty or not set"},
		{"empty variable", EnvKey("EMPTY", Origin{}), "", "the key from the variable EMPTY is empty or not set"},
		{"no key in it", EnvKey("BAD", Origin{}), "", "is not a key"},
		{"command", CommandKey("printf '  sk-cmd\\nlogin: me\\n'", Origin{}), "sk-cmd", ""},
		{"silent command", CommandKey("true", Origin{}), "", "the key from a command is empty"},
		{"failing command", CommandKey("echo sk-hidden; echo bad sk-hidden >&2; exit 3", Origin{}), "", "the command failed (exit status 3); run it by hand to see why"},
		{"command not found", CommandKey("sk-hidden-no-such-command", Origin{}), "", "the command failed (exit status 127); run it by hand to see why"},
		{"command that is killed", CommandKey("echo sk-hidden >&2; kill -9 $$", Origin{}), "", "the command failed (signal: killed); run it by hand to see why"},
		{"child left behind", CommandKey("sleep 3 & echo sk-first", Origin{}), "sk-first", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := tt.source.Resolve(context.Background(), env)
			if key.Reveal() != tt.want {
				t.Errorf("key %q, want %q", key.Reveal(), tt.want)
			}
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %v, want %q", err, tt.fails)
			}
			if err != nil && strings.Contains(err.Error(), "sk-hidden") {
				t.Errorf("the error repeats the output: %v", err)
			}
		})
	}
}

func TestResolveStops(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := CommandKey("sleep 30; echo sk", Origin{}).Resolve(ctx, noEnv)
	if err == nil || time.Since(start) > 5*time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}

func TestKeyPrecedence(t *testing.T) {
	for _, tt := range []struct {
		name, user string
		env        map[string]string
		want       string
	}{
		{"file", `api_key = "file"`, nil, "file"},
		{"environment over file", `api_key = "file"`, map[string]string{"OPENAI_API_KEY": "env"}, "env"},
		{"environment over command", `api_key_command = "echo cmd"`, map[string]string{"OPENAI_API_KEY": "env"}, "env"},
		{"a configured variable takes precedence", `api_key_env = "MINE"`, map[string]string{"OPENAI_API_KEY": "env", "MINE": "mine"}, "mine"},
		{"the default if the configured one is empty", `api_key_env = "MINE"`, map[string]string{"OPENAI_API_KEY": "env"}, "env"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := layers{user: tt.user, env: tt.env}.load(t)
			if err != nil {
				t.Fatal(err)
			}
			key, err := c.APIKey.Resolve(context.Background(), func(n string) (string, bool) { v, ok := tt.env[n]; return v, ok })
			if err != nil || key.Reveal() != tt.want {
				t.Errorf("key %q, want %q, error %v", key.Reveal(), tt.want, err)
			}
		})
	}
}
