package config

import (
	"slices"
	"strings"
	"testing"
)

// TestSettingIsOneRow: a single row adds a setting to the file, the variables, the flags, /settings, config show,
// config init and the documentation, and defines what a vault's file may do with it.
func TestSettingIsOneRow(t *testing.T) {
	before := rowsOf
	t.Cleanup(func() { rowsOf = before })
	var hello Value[string]
	rowsOf = func(c *Config) []row {
		return append(before(c), row{
			key: "hello", group: groupScreen, env: "CHATVAULT_HELLO", vault: agreed, atOnce: true,
			holds: choice(&hello, "plain", "warm").meaning("a nod", "a smile"), about: "How you are greeted",
		})
	}

	for where, in := range map[string]layers{
		"user":        {user: `hello = "warm"`},
		"environment": {env: map[string]string{"CHATVAULT_HELLO": "warm"}},
		"flag":        {flags: map[string]string{"hello": "warm"}},
		"vault":       {vault: `hello = "warm"`},
	} {
		if _, err := in.load(t); err != nil || hello.V != "warm" {
			t.Errorf("%s: %q, %v", where, hello.V, err)
		}
	}
	c, err := layers{vault: `hello = "warm"`, stranger: true}.load(t)
	if err != nil || hello.V != "plain" || len(c.Unagreed) != 1 {
		t.Errorf("of a stranger: %q, %v, %v", hello.V, c.Unagreed, err)
	}
	if _, err := (layers{user: `hello = "cold"`}).load(t); err == nil || !strings.Contains(err.Error(), "hello: must be plain or warm") {
		t.Errorf("a bad value: %v", err)
	}
	if _, err := (layers{user: `helo = "warm"`}).load(t); err == nil || !strings.Contains(err.Error(), "did you mean hello?") {
		t.Errorf("mistyped: %v", err)
	}

	c, _ = layers{}.load(t)
	if !slices.ContainsFunc(c.Settings(), func(s Setting) bool {
		return s.Key == "hello" && s.Value == "plain" && s.InVault && s.AtOnce && slices.Equal(s.Choices, []string{"plain", "warm"})
	}) {
		t.Error("/settings lacks it")
	}
	if want := "\n# How you are greeted.\n# One of \"plain\", \"warm\".\n# hello = \"plain\"\n"; !strings.Contains(Template(), want) {
		t.Errorf("config init lacks it: %s", Template())
	}
	if !strings.Contains(docsTable(""), "| `hello` | plain | How you are greeted.") {
		t.Error("docs/settings.md would lack it")
	}
	if err := set(sourcesWith(t, "", ""), false, "hello", "warm"); err != nil || hello.V != "warm" {
		t.Errorf("it cannot be set: %v", err)
	}
}
