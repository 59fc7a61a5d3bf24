package response

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

func TestCompleteMembers(t *testing.T) {
	for beginning, want := range map[string]string{
		``:                                     ``,
		`nonsense`:                             ``,
		`[1]`:                                  ``,
		`{"path": "Proj`:                       ``,
		`{"path": "a.md"`:                      ``,
		`{"path": "a.md",`:                     `{"path": "a.md"}`,
		`{"path": "a\"b.md", "content": "# Al`: `{"path": "a\"b.md"}`,
		`{"path": "a.md", "content": "a, b`:    ``,
		`{"start_line": 1`:                     ``,
		`{"start_line": 12, "pa`:               `{"start_line": 12}`,
		`{"a": {"b": [1, 2]}, "c": [`:          `{"a": {"b": [1, 2]}}`,
		`{"path": "a.md"}`:                     `{"path": "a.md"}`,
		`{"path" "a.md"`:                       ``,
	} {
		if got := string(wholeMembers(beginning)); got != want {
			t.Errorf("%s: %s, want %s", beginning, got, want)
		}
	}
}

// TestPrefixMembers: the complete members of any prefix of an object are members of the object.
func TestPrefixMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), rapid.OneOf(
			rapid.String().AsAny(), rapid.IntRange(-999, 999).AsAny(), rapid.Bool().AsAny(), rapid.SliceOf(rapid.String()).AsAny(),
		)).Draw(t, "object")
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var whole, part map[string]json.RawMessage
		if err := json.Unmarshal(text, &whole); err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if members := wholeMembers(string(text[:cut])); members == nil {
			part = nil
		} else if err := json.Unmarshal(members, &part); err != nil {
			t.Fatalf("%s: %v", text[:cut], err)
		}
		for name, value := range part {
			if string(whole[name]) != string(value) {
				t.Fatalf("cut at %d of %s: %q is %s", cut, text, name, value)
			}
		}
		if cut == len(text) && len(part) != len(whole) {
			t.Fatalf("%s: %d of %d members", text, len(part), len(whole))
		}
	})
}

// TestTarget: a call has its target as soon as the arguments say.
func TestTarget(t *testing.T) {
	r := New(nil)
	for i, piece := range []string{`{`, `"path": "Proj`, `ects/Alpha.md"`, `, "content": "`} {
		c, err := r.Add(llm.Chunk{ToolCall: &llm.ToolCallDelta{Name: "write_file", Arguments: piece}})
		if err != nil || (c.Target == "Projects/Alpha.md") != (i == 3) {
			t.Errorf("piece %d: %q, %v", i, c.Target, err)
		}
	}
}
