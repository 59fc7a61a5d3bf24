package config

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// docsTable returns the table of docs/settings.md, a line per row. What the present table says of a setting after its
// first sentence is kept.
func docsTable(was string) string {
	var b strings.Builder
	b.WriteString("| key | default | what it is | variable | takes effect | a vault's file may |\n|---|---|---|---|---|---|\n")
	for _, r := range rowsOf(Defaults()) {
		name, def := "`"+r.key+"`", ""
		if r.holds.table != nil {
			name = "`[" + r.key + "]`"
		} else if def, _ = r.holds.show(); len(def) > 40 {
			def = "a text"
		}
		text := r.about + "."
		if r.holds.choices != nil {
			text += " One of " + explained(r.holds) + "."
		}
		text += moreOf(was, name, text)
		env := ""
		if r.env != "" {
			env = "`" + r.env + "`"
		}
		counts := "from the next start"
		if r.atOnce {
			counts = "at once"
		}
		may := map[vaultMay]string{never: "not set it", freely: "set it", lower: "lower it", agreed: "set it, after you agreed"}[r.vault]
		switch r.key {
		case "approval":
			may = "make it stricter"
		case privateKey:
			may = "add to it"
		}
		b.WriteString("| " + strings.Join([]string{name, def, text, env, counts, may}, " | ") + " |\n")
	}
	return b.String()
}

// explained returns the choices, each with what it does.
func explained(h holder) string {
	var all []string
	for i, c := range h.choices {
		c = "`" + c + "`"
		if h.means != nil {
			c += " (" + h.means[i] + ")"
		}
		all = append(all, c)
	}
	return strings.Join(all, ", ")
}

// moreOf returns what a table says of a setting after its generated text.
func moreOf(table, name, text string) string {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) > 2 && cells[0] == "| "+name {
			if more, ok := strings.CutPrefix(cells[2], text); ok {
				return more
			}
			_, more, _ := strings.Cut(cells[2], ". ")
			return " " + more
		}
	}
	return ""
}

// The table of docs/settings.md is generated from the rows (make golden).
func TestSettingsTableInDocs(t *testing.T) {
	const path, begin, end = "../../../docs/settings.md", "<!-- made from internal/app/config/rows.go -->\n", "<!-- end -->\n"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	was, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no table between %q and %q", path, begin, end)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+docsTable(was)+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := docsTable(was); was != want {
		lines := strings.Split(was, "\n")
		for i, l := range strings.Split(want, "\n") {
			if i >= len(lines) || lines[i] != l {
				t.Fatalf("line %d of the table in %s should be\n%s\nmake golden updates it", i+1, path, l)
			}
		}
		t.Fatalf("the table in %s has too many lines; make golden updates it", path)
	}
}
