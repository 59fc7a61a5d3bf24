package session

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// asLines marks what exists only where views are printed as lists.
const asLines = " (`--accessible`)"

// commandRows returns the table of docs/commands.md.
func commandRows() string {
	var b strings.Builder
	b.WriteString("| command | does |\n|---|---|\n")
	for _, c := range Commands() {
		for i, f := range c.Forms() {
			does := f.Does
			if i == 0 && len(c.Aliases) > 0 {
				does += "; also `/" + strings.Join(c.Aliases, "`, `/") + "`"
			}
			b.WriteString("| `" + c.Usage(f) + "` | " + does + " |\n")
		}
		for _, f := range c.Lists {
			b.WriteString("| `" + c.Usage(f) + "` | " + f.Does + asLines + " |\n")
		}
	}
	return b.String()
}

var update = flag.Bool("update", false, "write the table of docs/commands.md anew")

// docs/commands.md has the generated table up to the next heading.
func TestCommandsDocs(t *testing.T) {
	const file, begin, end = "../../../docs/commands.md", "| command | does |\n", "\n## "
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	table, after, more := strings.Cut(rest, end)
	if !ok || !more {
		t.Fatal("docs/commands.md has no table before a heading")
	}
	want := commandRows()
	if *update {
		if err := os.WriteFile(file, []byte(before+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if begin+table != want {
		t.Error("docs/commands.md does not list the commands as they are: make golden writes them anew")
	}
}
