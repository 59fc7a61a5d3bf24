package config

import (
	"errors"
	"strings"
	"testing"
)

func TestSmartHole(t *testing.T) {
	c, err := layers{user: "[smarthole]\nenabled = true\nname = \"notes\""}.load(t)
	if err != nil || !c.SmartHole.Enabled.V || c.SmartHole.Name.V != "notes" || c.SmartHole.Name.Origin.Line != 3 {
		t.Errorf("%+v, %v", c.SmartHole, err)
	}
	c, err = layers{user: "[smarthole]\nenabled = true", flags: map[string]string{"smarthole.enabled": "false"}}.load(t)
	if err != nil || c.SmartHole.Enabled.V || c.SmartHole.Name.V != "chatvault" {
		t.Errorf("%+v, %v", c.SmartHole, err)
	}
	for text, key := range map[string]string{
		"smarthole = true":                 "smarthole",
		"[smarthole]\nenable = true":       "smarthole.enable",
		"[smarthole]\nenabled = \"maybe\"": "smarthole.enabled",
		"[smarthole.name]\nx = 1":          "smarthole.name",
	} {
		_, err := layers{user: text}.load(t)
		all, _ := errors.AsType[Errors](err)
		if len(all) == 0 || all[0].Key != key || all[0].Origin.Line == 0 {
			t.Errorf("%q: error %v does not name the line of %s", text, err, key)
		}
	}
}

// TestNamedServer checks that a server named by another program gets a name valid for tools, has the same
// restrictions as a configured one, and that consent is bound to everything it runs or sends.
func TestNamedServer(t *testing.T) {
	for _, c := range []struct{ name, command, url, want, refusal string }{
		{"My Files!", "npx", "", "my-files", ""},
		{"a__b", "/usr/bin/x", "", "a-b", ""},
		{strings.Repeat("n", 31) + " x", "x", "", strings.Repeat("n", 31), ""},
		{"local", "", "http://127.0.0.1:9/mcp", "local", ""},
		{"…", "x", "", "", "neither letters nor digits"},
		{"near", "./x", "", "", "must be a full path"},
		{"far", "", "http://far.example/mcp", "", "unencrypted"},
		{"file", "", "file:///etc/passwd", "", "must begin with https://"},
	} {
		s, err := MCPServer{Name: c.name, Command: c.command, URL: c.url}.Named()
		switch {
		case c.refusal != "":
			if err == nil || !strings.Contains(err.Error(), c.refusal) {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil || s.Name != c.want || !s.Enabled || s.TimeoutSeconds != mcpTimeout:
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	one := MCPServer{Command: "x", Args: []string{"a b"}, Env: map[string]string{"A": "1"}}
	for _, other := range []MCPServer{
		{Command: "x", Args: []string{"a", "b"}, Env: one.Env},
		{Command: "x", Args: one.Args, Env: map[string]string{"A": "2"}},
		{Command: "x", Args: one.Args, Headers: one.Env},
	} {
		if other.Print() == one.Print() {
			t.Errorf("a consent to %+v applies to %+v", one, other)
		}
	}
}
