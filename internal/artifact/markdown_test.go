package artifact

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func table(rows int) string {
	return "| a | b |\n|---|:-:|\n" + strings.Repeat("| 1 | 2 |\n", rows)
}

func TestInMarkdown(t *testing.T) {
	code := strings.Repeat("x = 1\n", minCode)
	for name, tt := range map[string]struct {
		answer string
		want   []string // names
	}{
		"words":                  {strings.Repeat("Nothing | special.\n\n", 40), nil},
		"a small table":          {table(minRows - 1), nil},
		"a large table":          {"# Trees of the *park*\n\n" + table(minRows) + "\nThat is all.", []string{"Trees of the *park*.md"}},
		"without a heading":      {"Here:\n\n" + table(minRows), []string{"Table.md"}},
		"two of one name":        {table(20) + "\n\n" + table(30), []string{"Table.md", "Table 2.md"}},
		"no delimiters":          {strings.Repeat("| a | b |\n", 40), nil},
		"a table in code":        {"```\n" + table(minRows) + "```\n", nil},
		"short code":             {"```python\n" + strings.Repeat("x\n", minCode-1) + "```\n", nil},
		"long code":              {"```python\n" + code + "```\n", []string{"Code.py"}},
		"of a file":              {"```js title=\"src/app.js\"\n" + code + "```\n", []string{"src/app.js"}},
		"of a file, shorter":     {"```js:src/app.js\n" + code + "```\n", []string{"src/app.js"}},
		"of no language":         {"## Log\n~~~\n" + code + "~~~\n", []string{"Log.txt"}},
		"cut off":                {"```go\n" + code, nil},
		"in a list":              {"- x\n\n  ```go\n" + strings.ReplaceAll(code, "x", "  x") + "  ```\n", nil},
		"code, then a table":     {"```go\n" + code + "```\n" + table(minRows), []string{"Code.go", "Table.md"}},
		"a table in a paragraph": {"See:\n" + table(minRows), []string{"Table.md"}},
	} {
		var got []string
		for _, thing := range InMarkdown(tt.answer) {
			got = append(got, thing.Name)
			if !strings.Contains(tt.answer, string(thing.Data)) {
				t.Errorf("%s: %q is not of the answer", name, thing.Data)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// Whatever a text is, its things are parts of it.
func TestInAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := []string{"|a|b|\n", "|-|-|\n", "```go x=y\n", "~~~\n", "# Head/ing\n", "\n", "> ", "- ", "x\n", strings.Repeat("|1|2|\n", minRows), strings.Repeat("y\n", minCode), "\x00|\xff"}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), "")
		names := map[string]bool{}
		for _, thing := range InMarkdown(text) {
			if !strings.Contains(text, string(thing.Data)) || names[thing.Name] {
				t.Fatalf("%q: %q of %q", thing.Name, thing.Data, text)
			}
			names[thing.Name] = true
		}
		if len(names) > MaxThings {
			t.Fatalf("%d things", len(names))
		}
	})
}
