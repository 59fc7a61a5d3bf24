package config

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// docs/settings.md lists every key and none that there is not, with its default.
func TestTheTableOfSettings(t *testing.T) {
	data, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut("\n"+string(data), "\n# Settings\n")
	table, _, _ = strings.Cut(table, "\n## ")
	if !ok {
		t.Fatal("docs/settings.md has no table")
	}
	listed := map[string]string{} // key → default
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		keys, values := strings.Split(cells[1], ","), strings.Split(cells[2], ",")
		for i, key := range keys {
			value := strings.TrimSpace(values[0])
			if len(values) == len(keys) {
				value = strings.TrimSpace(values[i])
			}
			listed[strings.Trim(key, " `")] = value
		}
	}
	for _, f := range fields {
		value, ok := listed[f.key]
		if !ok {
			t.Errorf("docs/settings.md lacks %s", f.key)
			continue
		}
		delete(listed, f.key)
		want, _ := f.show(Defaults())
		if want == "false" && value == "" || strings.Contains(want, "\n") || len(want) > 40 {
			continue // a text, which the table does not repeat
		}
		if want != "" && value != want || want == "" && !slices.Contains([]string{"", "none", "found", "the chat's", "the system's"}, value) {
			t.Errorf("docs/settings.md says %q of %s; its default is %q", value, f.key, want)
		}
	}
	for _, table := range []string{"[providers.NAME]", `[prices."MODEL"]`, "[keys]", `[vaults."DIR"]`} {
		if _, ok := listed[table]; !ok {
			t.Errorf("docs/settings.md lacks %s", table)
		}
		delete(listed, table)
	}
	for key := range listed {
		t.Errorf("docs/settings.md lists %s, which is no key", key)
	}
}

// The file that config init writes explains every key.
func TestTemplateListsTheSettings(t *testing.T) {
	for _, f := range fields {
		key := f.key[strings.LastIndexByte(f.key, '.')+1:]
		if !strings.Contains(Template, "\n# "+key+" = ") {
			t.Errorf("the template lacks %s", f.key)
		}
	}
	for _, table := range []string{"# [keys]", "# [providers.", "# [prices.", "# [smarthole]"} {
		if !strings.Contains(Template, table) {
			t.Errorf("the template lacks %s", table)
		}
	}
}
