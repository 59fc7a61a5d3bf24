package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestSetProperty(t *testing.T) {
	v, dir := newVault(t, map[string]string{
		"a.md":      "---\n# mine\ntitle: \"A: one\"   # keep\ndate: 2026-01-02\ntags: [one, \"two\"]\nversion: \"1.0\"\ncount: 3\n---\n# A\n",
		"plain.md":  "text\r\n",
		"broken.md": "---\na: 1\nb: c: d\n---\n",
		"odd.md":    "---\n{a: b}\n---\n",
		"tags.md":   "---\ntags: one, Two\nmap:\n  k: v\n---\n",
		"x.txt":     "text",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"set_property", `{"path": "a.md", "key": "Count", "value": "4"}`, "Set count: 4 in \"a.md\".\n\n--- a.md\n+++ a.md\n…", "set count"},
		{"set_property", `{"path": "a.md", "key": "count", "value": "4"}`, `"a.md" already has count: 4; nothing was written.`, "unchanged"},
		{"set_property", `{"path": "a.md", "key": "tags", "add": ["#three/four", "ONE"], "remove": ["two"]}`, `Set tags: [one, three/four] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "version", "value": "1.1"}`, `Set version: "1.1" in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "done", "value": "true"}`, `Set done: true in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "code", "value": "007", "as_text": true}`, `Set code: "007" in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "up", "value": "[[Home]]"}`, `Set up: "[[Home]]" in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "aliases", "value": "Alpha, the first"}`, `Set aliases: ["Alpha, the first"] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "date", "value": ""}`, `Set date: in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "count", "delete": true}`, "Removed the property \"count\" of \"a.md\".\n\n…", ""},
		{"set_property", `{"path": "a.md", "key": "count", "delete": true}`, `"a.md" has no property "count"; nothing was written.`, "not there"},
		{"set_property", `{"path": "plain.md", "key": "tags", "values": ["a", "a", "b"]}`, `Set tags: [a, b] in "plain.md".…`, ""},
		{"set_property", `{"path": "tags.md", "key": "tags", "add": ["three"]}`, `Set tags: [one, Two, three] in "tags.md".…`, ""},
		{"set_property", `{"path": "tags.md", "key": "map", "add": ["x"]}`, `Error: "map" has nested properties and is not a list; change it with edit_file.`, ""},
		{"set_property", `{"path": "tags.md", "key": "map", "value": "x"}`, `Error: "map" has nested properties, which would be lost; change it with edit_file, or delete it first.`, "invalid value"},
		{"set_property", `{"path": "tags.md", "key": "map", "value": ""}`, `Error: "map" has nested properties, which would be lost; …`, ""},
		{"set_property", `{"path": "tags.md", "key": "map", "values": ["x"]}`, `Error: "map" has nested properties, which would be lost; …`, ""},
		{"set_property", `{"path": "a.md", "key": "tags", "add": ["to do"]}`, `Error: "to do" cannot be a tag: a tag has letters, digits, - and _, no spaces, and not only digits; / nests it. Use one such as project/alpha.`, "invalid value"},
		{"set_property", `{"path": "a.md", "key": "tags", "values": ["2026"]}`, `Error: "2026" cannot be a tag…`, ""},
		{"set_property", `{"path": "broken.md", "key": "a", "value": "2"}`, `Error: The front matter of "broken.md" cannot be used (line 3: mapping values are not allowed in this context). Nothing was written. Fix it with edit_file…`, "front matter"},
		{"set_property", `{"path": "odd.md", "key": "a", "value": "2"}`, `Error: The front matter of "odd.md" cannot be used (line 2: it is written in a way that does not allow changing single properties). Nothing…`, "front matter"},
		{"set_property", `{"path": "x.txt", "key": "a", "value": "2"}`, `Error: "x.txt" is not a Markdown note (.md); set_property works only on notes.`, "not a note"},
		{"set_property", `{"path": "a.md", "key": "a"}`, `Error: set_property needs what to set: …`, ""},
		{"set_property", `{"path": "a.md", "key": "a", "value": "1", "delete": true}`, `Error: value and delete cannot be combined; give one of them.`, ""},
		{"set_property", `{"path": "a.md", "key": "a\nb", "value": "1"}`, `Error: …`, ""},
		{"set_property", `{"path": "a.md", "key": "tags", "values": [[1]]}`, `Error: Wrong arguments for set_property: values[]: type: [1] has type "array", want one of "string, number, boolean". It takes path, key, value, as_text, values, add, remove, delete, where. Use: {"path": "Notes/a.md", "key": "status", "value": "done"}`, ""},
	})
	want := "---\n# mine\ntitle: \"A: one\"   # keep\ndate:\ntags: [one, three/four]\nversion: \"1.1\"\ndone: true\ncode: \"007\"\nup: \"[[Home]]\"\naliases: [\"Alpha, the first\"]\n---\n# A\n"
	if got := content(t, dir, "a.md"); got != want {
		t.Errorf("a.md holds\n%q\nwant\n%q", got, want)
	}
	if got, want := content(t, dir, "plain.md"), "---\r\ntags:\r\n  - a\r\n  - b\r\n---\r\ntext\r\n"; got != want {
		t.Errorf("plain.md holds %q, want %q", got, want)
	}
	if got := content(t, dir, "broken.md"); got != "---\na: 1\nb: c: d\n---\n" {
		t.Errorf("broken.md holds %q", got)
	}
}

// Outside Logseq, "key:: value" at the top of a note is a Dataview field in its text: it is no property, tag or alias.
func TestSetPropertyAboveDataviewFields(t *testing.T) {
	text := "status:: open\ntags:: one\n\nalias:: A\n"
	v, dir := newVault(t, map[string]string{"a.md": text, ".obsidian/app.json": "{}"})
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"get_properties", `{"path": "a.md"}`, `"a.md" has no properties.`, ""},
		{"get_tags", `{}`, `There are no tags in the vault (1 note).`, ""},
		{"rename_tag", `{"tag": "one", "to": "two"}`, `Error: There are no notes with #one; nothing was changed.…`, ""},
		{"set_property", `{"path": "a.md", "key": "status", "delete": true}`, `"a.md" has no property "status"; nothing was written.`, ""},
		{"set_property", `{"where": {"path": "."}, "key": "status", "value": "done"}`, "Set status: done in 1 note.\n\na.md", ""},
	})
	if got, want := content(t, dir, "a.md"), "---\nstatus: done\n---\n"+text; got != want {
		t.Errorf("a.md holds %q, want %q", got, want)
	}
}

// A page of Logseq gets no front matter: its properties are lines at its top.
func TestSetPropertyInLogseq(t *testing.T) {
	page := "status:: draft\r\ntags:: one, [[two]]\r\n\r\n- text\r\n  rating:: 5\r\n"
	v, dir := newVault(t, map[string]string{"pages/a.md": page, "pages/b.md": "- text\n", "pages/c.md": "---\nstatus: x\n---\n", "logseq/config.edn": "{}"})
	for _, c := range []struct{ name, args, text, want string }{
		{"pages/a.md", `{"path": "pages/a.md", "key": "status", "value": "done"}`, "Set status: done in", "status:: done\r\ntags:: one, [[two]]\r\n\r\n- text\r\n  rating:: 5\r\n"},
		{"pages/a.md", `{"path": "pages/a.md", "key": "tags", "add": ["three"]}`, "Set tags: ", "status:: done\r\ntags:: one, [[two]], three\r\n\r\n- text\r\n  rating:: 5\r\n"},
		{"pages/a.md", `{"path": "pages/a.md", "key": "rating", "value": "4"}`, "Set rating: 4 in", "status:: done\r\ntags:: one, [[two]], three\r\nrating:: 4\r\n\r\n- text\r\n  rating:: 5\r\n"},
		{"pages/a.md", `{"path": "pages/a.md", "key": "tags", "delete": true}`, "Removed the property", "status:: done\r\nrating:: 4\r\n\r\n- text\r\n  rating:: 5\r\n"},
		{"pages/b.md", `{"path": "pages/b.md", "key": "status", "value": "new"}`, "Set status: new in", "status:: new\n\n- text\n"},
		{"pages/b.md", `{"path": "pages/b.md", "key": "status", "delete": true}`, "Removed the property", "- text\n"},
		{"pages/b.md", `{"path": "pages/b.md", "key": "two words", "value": "x"}`, "a property of a page is one line", "- text\n"},
		{"pages/b.md", `{"path": "pages/b.md", "key": "a", "value": "x\ny"}`, "a property of a page is one line", "- text\n"},
		{"pages/c.md", `{"path": "pages/c.md", "key": "status", "value": "y"}`, "Set status: y in", "---\nstatus: y\n---\n"},
		{"pages/c.md", `{"where": {"key": "rating"}, "key": "seen", "value": "true"}`, "Set seen: true in 1 note", "---\nstatus: y\n---\n"},
		{"pages/a.md", `{"where": {"key": "rating"}, "key": "seen", "value": "true"}`, "already; nothing", "status:: done\r\nrating:: 4\r\nseen:: true\r\n\r\n- text\r\n  rating:: 5\r\n"},
	} {
		r := NewRegistry(v, Options{}).Turn(nil).Call(t.Context(), "set_property", json.RawMessage(c.args))
		got, err := os.ReadFile(filepath.Join(dir, c.name))
		if err != nil || string(got) != c.want || !regexp.MustCompile(c.text).MatchString(r.Text) {
			t.Errorf("%s: %q %v\n%s", c.args, got, err, r.Text)
		}
	}
}

// A number or boolean argument is stored as one, whatever the property was. A text is parsed.
func TestSetPropertyTakesNumbersAndBooleans(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "---\nrating: \"3\"\nlist: [1, two]\n---\n"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"set_property", `{"path": "a.md", "key": "rating", "value": 4}`, `Set rating: 4 in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "price", "value": 2.50}`, `Set price: 2.5 in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "far", "value": -1e3}`, `Set far: -1000 in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "done", "value": false}`, `Set done: false in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "code", "value": 7, "as_text": true}`, `Set code: "7" in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "aliases", "value": 1984}`, `Set aliases: ["1984"] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "list", "add": [2, true, "2", "3"], "remove": ["1"]}`, `Set list: [two, 2, true, "3"] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "list", "remove": [2]}`, `Set list: [two, true, "3"] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "mixed", "values": [1, 1, "1", true, "x"]}`, `Set mixed: [1, "1", true, x] in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "id", "value": 12345678901234567890}`, `Error: 12345678901234567890 is too large for a number, which would lose digits: set it as text, with "as_text": true.`, "invalid value"},
		{"set_property", `{"path": "a.md", "key": "id", "value": 12345678901234567890, "as_text": true}`, `Set id: "12345678901234567890" in "a.md".…`, ""},
		{"set_property", `{"path": "a.md", "key": "id", "value": {"a": 1}}`, `Error: Wrong arguments for set_property: value: type: map[a:1] has type "object", want one of "string, number, boolean". …`, ""},
		{"set_property", `{"path": "a.md", "key": "id", "value": null, "delete": true}`, "Removed the property \"id\" of \"a.md\".…", ""},
	})
	want := "---\nrating: 4\nlist: [two, true, \"3\"]\nprice: 2.5\nfar: -1000\ndone: false\ncode: \"7\"\naliases: [\"1984\"]\nmixed: [1, \"1\", true, x]\n---\n"
	if got := content(t, dir, "a.md"); got != want {
		t.Errorf("a.md holds\n%s\nwant\n%s", got, want)
	}
}

// TestSetPropertyWritesWhatIsGiven checks that a text becomes a number or boolean only if that is written with the
// same characters.
func TestSetPropertyWritesWhatIsGiven(t *testing.T) {
	for _, c := range []struct{ was, value, want string }{
		{"", "0770123", `"0770123"`},
		{"", "12345678901234567890", `"12345678901234567890"`},
		{"", "1.10", `"1.10"`},
		{"", "+4930", `"+4930"`},
		{"", "1e5", `"1e5"`},
		{"", "0x1F", `"0x1F"`},
		{"", "0o17", `"0o17"`},
		{"", "-0", `"-0"`},
		{"", "TRUE", `"TRUE"`},
		{"", "~", `"~"`},
		{"", "1_000", `"1_000"`},
		{"", "42", "42"},
		{"", "-7", "-7"},
		{"", "1.5", "1.5"},
		{"", "true", "true"},
		{"", "2026-11-21", "2026-11-21"},
		{"", "2026-11-21T10:00:00", "2026-11-21T10:00:00"},
		{"false", "True", "true"}, // a boolean property stays boolean
		{"0012", "0013", `"0013"`},
		{"1.10", "1.1", "1.1"},
		{"0012", "12", "12"},
		{"4.0", "5", "5"},
	} {
		t.Run(c.was+"→"+c.value, func(t *testing.T) {
			before := "---\nother: 1.0\n---\n"
			want := "---\nother: 1.0\nk: " + c.want + "\n---\n"
			if c.was != "" {
				before = "---\nk: " + c.was + "\nother: 1.0\n---\n"
				want = "---\nk: " + c.want + "\nother: 1.0\n---\n"
			}
			v, dir := newVault(t, map[string]string{"a.md": before})
			runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
				{"set_property", `{"path": "a.md", "key": "k", "value": "` + c.value + `"}`, "Set k: " + c.want + " in…", ""},
				{"set_property", `{"path": "a.md", "key": "k", "value": "` + c.value + `"}`, `"a.md" already has k: ` + c.want + "…", ""},
			})
			if got := content(t, dir, "a.md"); got != want {
				t.Errorf("a.md holds\n%q\nwant\n%q", got, want)
			}
		})
	}
	v, dir := newVault(t, map[string]string{"a.md": "---\nk: 0012\nl: [1.10, b]\n---\n"})
	runSteps(t, NewRegistry(v, Options{}).Turn(nil), []step{
		{"set_property", `{"path": "a.md", "key": "k", "remove": ["12"]}`, `"a.md" already has k: 12; nothing was written.`, "unchanged"},
		{"set_property", `{"path": "a.md", "key": "k", "add": ["0013"]}`, `Set k: ["0012", "0013"] in…`, ""},
		{"set_property", `{"path": "a.md", "key": "l", "add": ["1.20"]}`, `Set l: …`, ""},
	})
	if got, want := content(t, dir, "a.md"), "---\nk: [\"0012\", \"0013\"]\nl: [1.10, b, \"1.20\"]\n---\n"; got != want {
		t.Errorf("a.md holds %q, want %q", got, want)
	}
}

// TestNoteToolsKnowWhatChanged checks that a note that changed since the turn read it is not written, and that one
// never read is.
func TestNoteToolsKnowWhatChanged(t *testing.T) {
	v, dir := newVault(t, map[string]string{"a.md": "one\n", "b.md": "b\n"})
	turn := NewRegistry(v, Options{}).Turn(nil)
	runSteps(t, turn, []step{
		{"read_file", `{"path": "a.md"}`, "1: one", ""},
		{"append_file", `{"path": "a.md", "content": "two"}`, `Appended…`, ""},
		{"set_property", `{"path": "a.md", "key": "k", "value": "v"}`, `Set…`, ""},
		{"edit_file", `{"path": "a.md", "old_text": "two", "new_text": "2"}`, `Replaced…`, ""},
	})
	for _, name := range []string{"a.md", "b.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("theirs\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runSteps(t, turn, []step{
		{"get_outline", `{"path": "a.md"}`, `"a.md" has no headings (1 line).`, ""},
		{"append_file", `{"path": "a.md", "content": "two"}`, `Error: "a.md" changed on disk since…`, "changed on disk"},
		{"set_property", `{"path": "A.md", "key": "k", "value": "v"}`, `Error: "a.md" changed on disk since…`, "changed on disk"},
		{"append_file", `{"path": "b.md", "content": "two"}`, `Appended…`, ""},
		{"read_file", `{"path": "a.md"}`, "1: theirs", ""},
		{"set_property", `{"path": "a.md", "key": "k", "value": "v"}`, `Set…`, ""},
	})
	if got := content(t, dir, "a.md"); got != "---\nk: v\n---\ntheirs\n" {
		t.Errorf("a.md holds %q", got)
	}
}
