package response

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestCompleteMembers(t *testing.T) {
	for beginning, want := range map[string]string{
		``:                                     `{}`,
		`nonsense`:                             `{}`,
		`[1]`:                                  `{}`,
		`{"path": "Proj`:                       `{}`,
		`{"path": "a.md"`:                      `{"path": "a.md"}`,
		`{"path": "a\"b.md", "content": "# Al`: `{"path": "a\"b.md"}`,
		`{"start_line": 1`:                     `{}`,
		`{"start_line": 12, "pa`:               `{"start_line": 12}`,
		`{"a": {"b": [1, 2]}, "c": [`:          `{"a": {"b": [1, 2]}}`,
		`{"path": "a.md"}`:                     `{"path": "a.md"}`,
		`{"path" "a.md"`:                       `{}`,
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
		if err := json.Unmarshal(wholeMembers(string(text[:cut])), &part); err != nil {
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

// TestCallProgress: a call is shown at once, with its target once known, and then as it grows, at a limited rate
// however slowly it arrives.
func TestCallProgress(t *testing.T) { synctest.Test(t, testCallProgress) }

func testCallProgress(t *testing.T) {
	c := &Call{Shown: -1, Name: "write_file"}
	var shown []string
	add := func(piece string) {
		c.Arguments.WriteString(piece)
		if c.Grown(piece) {
			shown = append(shown, c.Target)
		}
	}
	for _, piece := range []string{`{`, `"path": "Proj`, `ects/Alpha.md"`, `, "content": "`} {
		add(piece)
	}
	if len(shown) != 2 || shown[0] != "" || shown[1] != "Projects/Alpha.md" {
		t.Fatalf("shown %q", shown)
	}
	for _, tt := range []struct {
		name   string
		pieces []string
		every  time.Duration
		want   int
	}{
		{"slowly", slices.Repeat([]string{"xxxx"}, 20), growth, 20},
		{"fast", slices.Repeat([]string{"xxxx"}, 1000), growth / 10, 100},
		{"not at all", slices.Repeat([]string{""}, 20), growth, 0},
	} {
		before := len(shown)
		for _, piece := range tt.pieces {
			time.Sleep(tt.every)
			add(piece)
		}
		if n := len(shown) - before; n != tt.want {
			t.Errorf("%s: shown %d times, want %d", tt.name, n, tt.want)
		}
	}
}
