package markdown

import (
	"slices"
	"strings"
	"testing"
)

func TestCodeBlocks(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		want         []Code
	}{
		{"none", "Some `inline` code and **bold**.", nil},
		{"one", "Run:\n\n```sh\nmake all\n\n  make test\n```\n\nDone.", []Code{{"sh", "make all\n\n  make test\n"}}},
		{"two", "```go\nx := 1\n```\n~~~\na ``` b\n~~~\n", []Code{{"go", "x := 1\n"}, {"", "a ``` b\n"}}},
		{"in a list", "1. First:\n\n   ```yaml\n   a:\n     b: 1\n   ```\n", []Code{{"yaml", "a:\n  b: 1\n"}}},
		{"in a quotation", "> ```\n> quoted\n> ```\n", []Code{{"", "quoted\n"}}},
		{"set in", "Text\n\n    line one\n      line two\n\nMore", []Code{{"", "line one\n  line two\n"}}},
		{"not closed", "```python\nprint(1)\n", []Code{{"python", "print(1)\n"}}},
		{"empty", "```\n\n```\n", nil},
		{"line ends of another system", "```sh\r\nls\r\n```\r\n", []Code{{"sh", "ls\n"}}},
		{"after what is too deep", strings.Repeat("> ", 5000) + "\n```\nx\n```\n", []Code{{"", "x\n"}}},
		{"too deep", strings.Repeat("> ", 5000) + "    x\n", nil},
	} {
		if got := CodeBlocks(tt.source); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
