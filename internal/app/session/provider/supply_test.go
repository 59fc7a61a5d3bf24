package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/zalando/go-keyring"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/session/home"
)

func TestLacking(t *testing.T) {
	acme := Endpoint{Name: "my acme", BaseURL: "https://acme.example/v1"}
	openAI := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"}
	named := Endpoint{Name: "work", BaseURL: "https://work.example", key: config.EnvKey("WORK_KEY", config.Origin{})}
	for _, c := range []struct {
		name string
		err  llm.Error
		e    Endpoint
		want string // name of the key; empty if none is requested
	}{
		{"refused", llm.Error{Kind: llm.KindAuth}, openAI, "OPENAI_API_KEY"},
		{"refused, of nobody known", llm.Error{Kind: llm.KindAuth}, acme, "MY_ACME_API_KEY"},
		{"refused, from a variable", llm.Error{Kind: llm.KindAuth}, named, "WORK_KEY"},
		{"missing", llm.Error{Kind: llm.KindAuth, Missing: llm.Setting{Name: "MY_ACME_API_KEY", Secret: true}}, acme, "MY_ACME_API_KEY"},
		{"no such model", llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonModelNotFound}, acme, ""},
		{"no credit", llm.Error{Kind: llm.KindAuth, Reason: llm.ReasonQuota}, acme, ""},
		{"a login page", llm.Error{Kind: llm.KindAuth, Reason: llm.ReasonNotAnAPI}, acme, ""},
		{"no network", llm.Error{Kind: llm.KindNetwork}, acme, ""},
		{"too long", llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength}, acme, ""},
	} {
		_, f := supplying(t, nil)
		r, ok := f.Lacks(f.late(c.e), &c.err)
		if r.Name != c.want || ok != (c.want != "") {
			t.Errorf("%s: %+v, %v", c.name, r, ok)
		}
	}
}

// supplying returns a Finder with a keyring, and the provider of an endpoint whose key is in a variable.
func supplying(t *testing.T, env map[string]string) (*Lazy, Finder) {
	t.Helper()
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	xdg.Reload()
	t.Cleanup(xdg.Reload)
	keyring.MockInit()
	f := Finder{cfg: config.Defaults(), lookupEnv: lookup, log: home.Discard(), keys: keystore.New(true)}
	l := f.late(Endpoint{Name: "acme", BaseURL: "https://api.acme.example/v1", Model: "m", key: config.EnvKey("ACME_KEY", config.Origin{Kind: config.Environment, Name: "ACME_KEY"})})
	return l, f
}

func (l *Lazy) keyNow(t *testing.T, f Finder) string {
	t.Helper()
	key, err := f.key(t.Context(), *l.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return key.Reveal()
}

// TestSupplyKey follows a key: refused in the environment, mistyped, typed, and used at the next starts.
func TestSupplyKey(t *testing.T) {
	const refused, wrong, right = "refused-canary-111", "wrong-canary-222", "right-canary-333"
	l, f := supplying(t, map[string]string{"ACME_KEY": refused})
	if got := l.keyNow(t, f); got != refused {
		t.Fatalf("begins with %q", got)
	}
	r, ok := f.Lacks(l, &llm.Error{Kind: llm.KindAuth, Message: "it has expired"})
	want := "Acme refused the key: it has expired. It is sent to https://api.acme.example and nowhere else, and stored in the system's keyring; without one it is forgotten when chatvault ends."
	if !ok || r.Kind != event.RequestSecret || r.Name != "ACME_KEY" || r.Text != want {
		t.Errorf("%+v", r)
	}
	if _, err := f.Supply(t.Context(), l, r, "spaced canary"); err == nil || strings.Contains(err.Error(), "canary") || l.keyNow(t, f) != refused {
		t.Errorf("%v", err)
	}
	said, err := f.Supply(t.Context(), l, r, wrong)
	if err != nil || !strings.Contains(said, "stored in") || strings.Contains(said, wrong) || l.keyNow(t, f) != wrong {
		t.Errorf("%q, %v", said, err)
	}
	if _, ok := f.Lacks(l, &llm.Error{Kind: llm.KindAuth}); !ok {
		t.Error("a typed key that is refused is not asked for again")
	}
	if list, err := f.keys.Entries(); err != nil || len(list) > 0 {
		t.Errorf("a refused key is kept: %+v, %v", list, err)
	}
	if _, err := f.Supply(t.Context(), l, r, right); err != nil || l.keyNow(t, f) != right {
		t.Error(err)
	}

	later := func(env map[string]string) string {
		f.keys = keystore.New(true)
		f.lookupEnv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		return f.late(*l.endpoint).keyNow(t, f)
	}
	if got := later(map[string]string{"ACME_KEY": refused}); got != right {
		t.Errorf("with the refused key configured still: %q", got)
	}
	if got := later(nil); got != right {
		t.Errorf("with none configured: %q", got)
	}
	if got := later(map[string]string{"ACME_KEY": "another-canary-444"}); got != "another-canary-444" {
		t.Errorf("with another configured: %q", got)
	}
	other := f.late(Endpoint{Name: "acme", BaseURL: "https://evil.example/v1"})
	if got := other.keyNow(t, f); got != "" {
		t.Errorf("another address gets %q", got)
	}
}

// TestSupplyKeyWithoutKeyring: the key is used until the program ends, and the person reads how to keep it.
func TestSupplyKeyWithoutKeyring(t *testing.T) {
	file := config.Origin{Kind: config.UserFile, Name: "config.toml", Line: 3}
	for _, c := range []struct {
		e    Endpoint
		want string
	}{
		{Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"}, `set OPENAI_API_KEY in the environment, or write below [providers.openai] in your config.toml (chatvault config path names it): api_key_command = "pass show openai".`},
		{Endpoint{Name: "my acme", BaseURL: "https://acme.example/v1"}, `write below [providers."my acme"] in your config.toml (chatvault config path names it): api_key_env = "MY_ACME_API_KEY", and set that variable, or api_key_command = "pass show my acme".`},
		{Endpoint{Name: "acme.example", BaseURL: "https://acme.example/v1", unnamed: true, key: config.EnvKey("WORK_KEY", config.Origin{})}, `set WORK_KEY in the environment, or write at the top of your config.toml (chatvault config path names it): api_key_command = "pass show acme.example".`},
		{Endpoint{Name: "work", BaseURL: "https://work.example", key: config.LiteralKey(config.NewSecret("old"), file)}, "change api_key (config.toml:3)."},
	} {
		_, f := supplying(t, nil)
		keyring.MockInitWithError(errors.New("no keyring in this test"))
		l := f.late(c.e)
		said, err := f.Supply(t.Context(), l, event.Request{Kind: event.RequestSecret, Name: "X"}, "typed-canary-555")
		if want := "The key is forgotten when chatvault ends: no keyring answers on this system. To keep it, " + c.want; err != nil || said != want {
			t.Errorf("%s, %v\nwant %s", said, err, want)
		}
		if l.keyNow(t, f) != "typed-canary-555" {
			t.Error("it is not used")
		}
		if _, err := os.Stat(config.StateDir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something was written: %v", err)
		}
	}
}

// TestNothingToSupply: what is no provider of an endpoint takes nothing.
func TestNothingToSupply(t *testing.T) {
	_, f := supplying(t, nil)
	late := &Lazy{name: "x", find: func(context.Context) (llm.Provider, error) { return nil, errors.New("no") }}
	if _, ok := f.Lacks(late, &llm.Error{Kind: llm.KindAuth}); ok {
		t.Error("asked")
	}
	if _, err := f.Supply(t.Context(), late, event.Request{Kind: event.RequestSecret}, "typed-canary-666"); err == nil {
		t.Error("taken")
	}
}

// TestEndpointsHideKeys formats what holds a typed key.
func TestEndpointsHideKeys(t *testing.T) {
	l, f := supplying(t, nil)
	if _, err := f.Supply(t.Context(), l, event.Request{Kind: event.RequestSecret, Name: "ACME_KEY"}, "typed-canary-777"); err != nil {
		t.Fatal(err)
	}
	e := *l.endpoint
	if text := fmt.Sprintf("%v %+v %#v %v %+v %#v", e, e, e, f.keys, f.keys, f.keys); strings.Contains(text, "typed-canary-777") {
		t.Error(text)
	}
}
