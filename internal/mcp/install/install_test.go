package install

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

var at = []string{"mcpServers", "x"}

func TestSet(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"nothing", "", "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n"},
		{"an empty object", "{}", "{\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}"},
		{"others", "{\n\t\"a\": 1, // why\n\t\"b\": [1,\n 2] // because\n}\n", "{\n\t\"a\": 1, // why\n\t\"b\": [1,\n 2], // because\n\t\"mcpServers\": {\n\t\t\"x\": 1\n\t}\n}\n"},
		{"a trailing comma", "{\n  \"a\": 1, // why\n}\n", "{\n  \"a\": 1, // why\n  \"mcpServers\": {\n    \"x\": 1\n  },\n}\n"},
		{"a comma on its own", "{\n  \"a\": 1\n  ,\n}\n", "{\n  \"a\": 1\n  ,\n  \"mcpServers\": {\n    \"x\": 1\n  }\n}\n"},
		{"one line", `{"a":1}`, "{\"a\":1, \"mcpServers\": {\n    \"x\": 1\n  }}"},
		{"one line, a trailing comma", `{"a":1,}`, "{\"a\":1, \"mcpServers\": {\n    \"x\": 1\n  }}"},
		{"an empty map", "{\n    \"mcpServers\": {},\n    \"z\": 1\n}", "{\n    \"mcpServers\": {\n        \"x\": 1\n    },\n    \"z\": 1\n}"},
		{"a comment alone", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}", "{\n  \"mcpServers\": {\n    \"x\": 1\n    // none yet\n  }\n}"},
		{"beside another", "{\n  \"mcpServers\": {\n    \"y\": {} /* y */\n  }\n}", "{\n  \"mcpServers\": {\n    \"y\": {}, /* y */\n    \"x\": 1\n  }\n}"},
		{"there already", "{\"mcpServers\": {\"x\": {\"old\": 1} /* kept */, \"y\": 2}}", "{\"mcpServers\": {\"x\": 1 /* kept */, \"y\": 2}}"},
		{"by Windows", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"x\": 1\r\n  }\r\n}\r\n"},
	} {
		got, err := Set([]byte(tt.doc), at, 1)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.name, err, got, tt.want)
		}
		if again, err := Set(got, at, 1); err != nil || string(again) != string(got) {
			t.Errorf("%s, twice: %v\n%s", tt.name, err, again)
		}
	}
	for doc, why := range map[string]string{
		"{":                                   "not JSON",
		"{\"a\": 1} x":                        "not JSON",
		"\ufeff{}":                            "not JSON",
		"[]":                                  "the whole is not an object",
		`{"mcpServers": []}`:                  "mcpServers is not an object",
		`{"mcpServers": {}, "mcpServers":{}}`: "mcpServers more than once",
		`{"mcpServers": {"x":1, "\u0078":2}}`: "mcpServers.x more than once",
	} {
		if got, err := Set([]byte(doc), at, 1); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %q, %v", doc, got, err)
		}
	}
}

// Whatever the document, all of it stays in its order, and only the entry is new.
func TestSetKeepsAllElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := document(t, "doc", 3)
		if !strings.HasPrefix(doc, "{") {
			doc = "{\"mcpServers\":" + doc + "}"
		}
		got, err := Set([]byte(doc), at, map[string]any{"command": "c"})
		if err != nil {
			return // said above
		}
		before, after := parsed(t, doc), parsed(t, string(got))
		servers, _ := after["mcpServers"].(map[string]any)
		if !reflect.DeepEqual(servers["x"], map[string]any{"command": "c"}) {
			t.Fatalf("%s\nbecame\n%s", doc, got)
		}
		was, _ := before["mcpServers"].(map[string]any)
		if _, had := was["x"]; had {
			return
		}
		rest := string(got)
		for _, c := range doc {
			i := strings.IndexRune(rest, c)
			if i < 0 {
				t.Fatalf("%q lost something:\n%s", doc, got)
			}
			rest = rest[i+1:]
		}
		delete(servers, "x")
		if was == nil {
			delete(after, "mcpServers")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%s\nbecame\n%s", doc, got)
		}
	})
}

func parsed(t *rapid.T, doc string) (out map[string]any) {
	data, err := hujson.Standardize([]byte(doc))
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return out
}

// document draws JSON with comments.
func document(t *rapid.T, name string, deep int) string {
	blank := func() string {
		return rapid.SampledFrom([]string{"", " ", "\n", "\n\t", "\r\n  ", " // c\n", "/* d */"}).Draw(t, "blank")
	}
	if deep == 0 || rapid.IntRange(0, 3).Draw(t, name) == 0 {
		return rapid.SampledFrom([]string{"1", `"s{,}"`, "null", "[1,\n2]", "{}"}).Draw(t, "leaf")
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"mcpServers", "x", "a", "b"}), 0, 3, rapid.ID[string]).Draw(t, "keys")
	if len(keys) == 0 {
		return "{}" // blanks alone are laid out anew where the first member comes
	}
	out := "{"
	for i, k := range keys {
		if i > 0 {
			out += blank() + ","
		}
		out += blank() + `"` + k + `"` + blank() + ":" + blank() + document(t, k, deep-1)
	}
	if rapid.Bool().Draw(t, "comma") {
		out += blank() + ","
	}
	return out + blank() + "}"
}

func TestWrite(t *testing.T) {
	home := t.TempDir()
	env := Env{Home: home, Config: filepath.Join(home, ".config"), System: "linux", Getenv: func(string) string { return "" }}
	s := Server{Name: "chatvault", Command: "/opt/chat vault", Args: []string{"mcp", "--vault", "/n \"q\""}}
	now := time.Date(2026, 11, 24, 1, 2, 3, 0, time.UTC)
	for _, c := range Clients() {
		entry, err := c.Entry(s)
		if err != nil || !strings.Contains(entry, "/opt/chat vault") {
			t.Errorf("%s: %s, %v", c.Name, entry, err)
		}
		if !c.Writes {
			if _, err := c.Write(env, s, now); err == nil {
				t.Errorf("%s was written to", c.Name)
			}
			continue
		}
		w, err := c.Write(env, s, now)
		if data, _ := os.ReadFile(w.File); err != nil || w.Backup != "" || string(data) != entry {
			t.Errorf("%s: %+v, %v: %s", c.Name, w, err, data)
		}
		if w, err := c.Write(env, s, now); err != nil || !w.Same {
			t.Errorf("%s, twice: %+v, %v", c.Name, w, err)
		}
	}
	claude, _ := Find("Claude Code")
	file := claude.File(env)
	kept := filepath.Join(home, "dotfiles.json") // kept elsewhere, and linked
	old := "{\n  // mine\n  \"theme\": \"dark\"\n}\n"
	if err := os.WriteFile(kept, []byte(old), 0o640); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(file)
	if err := os.Symlink(kept, file); err != nil {
		t.Fatal(err)
	}
	w, err := claude.Write(env, s, now)
	if err != nil || w.Backup != kept+".before-chatvault-20261124-010203" {
		t.Fatalf("%+v, %v", w, err)
	}
	if data, _ := os.ReadFile(w.Backup); string(data) != old {
		t.Errorf("the backup: %s", data)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info, err)
	}
	data, _ := os.ReadFile(kept)
	if info, _ := os.Stat(kept); info.Mode().Perm() != 0o640 || !strings.HasPrefix(string(data), "{\n  // mine\n  \"theme\": \"dark\",\n") {
		t.Errorf("%v %s", info.Mode(), data)
	}
	if err := os.WriteFile(kept, []byte("{ oops"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := claude.Write(env, s, now); err == nil || !strings.Contains(err.Error(), "left as it is") {
		t.Errorf("what is no JSON was written to: %v", err)
	}
	if data, _ := os.ReadFile(kept); string(data) != "{ oops" {
		t.Errorf("%s", data)
	}
}

func TestCodexEntry(t *testing.T) {
	c, err := Find("codex")
	if err != nil {
		t.Fatal(err)
	}
	entry, err := c.Entry(Server{Name: "my vault", Command: `C:\x "y"`, Args: []string{"mcp", "é\x7f"}})
	var got struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `toml:"mcp_servers"`
	}
	if err == nil {
		err = toml.Unmarshal([]byte(entry), &got)
	}
	if s := got.Servers["my vault"]; err != nil || s.Command != `C:\x "y"` || s.Args[1] != "é\x7f" {
		t.Errorf("%s: %v", entry, err)
	}
	if _, err := Find("gemini"); err == nil || !strings.Contains(err.Error(), "gemini-cli") {
		t.Errorf("%v", err)
	}
}
