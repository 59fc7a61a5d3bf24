package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestForms checks that the converted arguments match the tool, and that no text contains a path that a model could
// copy.
func TestForms(t *testing.T) {
	offered, seen, bytes := 0, map[string]bool{}, 0
	for _, d := range definitions() {
		forms := Forms(bound{definition: d})
		if len(forms) > 0 {
			offered++
		}
		for _, f := range forms {
			if seen[f.Name] || strings.Contains(f.Signature()+f.About, "/") {
				t.Errorf("%s is twice, or has a path", f.Signature())
			}
			seen[f.Name] = true
			bytes += len(f.Signature() + f.About)
			given := map[string]string{}
			for _, p := range f.Params {
				given[p.Name] = "x"
			}
			raw, _ := json.Marshal(given)
			var args map[string]any
			if err := d.schema().Decode(d.name, f.Arguments(raw, ""), &args); err != nil {
				t.Errorf("%s makes %s: %v", f.Name, f.Arguments(raw, ""), err)
			}
		}
	}
	if offered != 9 || len(seen) != 18 || bytes > 1400 {
		t.Errorf("%d tools in %d forms of %d bytes", offered, len(seen), bytes)
	}
}

func TestFormArguments(t *testing.T) {
	const note = "# A\n\n## Done\n\n- [x] wheel\n\n## Winter\n\nold\nolder\n"
	all := map[string]Form{}
	for _, d := range definitions() {
		for _, f := range Forms(bound{definition: d}) {
			all[f.Name] = f
		}
	}
	for _, c := range []struct{ form, given, want string }{
		{"tick_task", `{"path":"A","task":"- [ ] call Gran"}`, `{"path":"A","old_text":"[ ] call Gran","new_text":"[x] call Gran"}`},
		{"untick_task", `{"path":"A","task":"wheel"}`, `{"path":"A","old_text":"[x] wheel","new_text":"[ ] wheel"}`},
		{"append_under", `{"path":"A","heading":"Done","content":"tape"}`, `{"path":"A","heading":"Done","content":"- [ ] tape"}`},
		{"append_under", `{"path":"A","heading":"Winter","content":"winter: none"}`, `{"path":"A","heading":"Winter","content":"none"}`},
		{"replace_section", `{"path":"A","heading":"Winter","content":"none"}`, `{"path":"A","old_text":"old\nolder","new_text":"none"}`},
		{"remove_line", `{"path":"A","line":"older"}`, `{"path":"A","old_text":"older\n","new_text":""}`},
		{"write_file", `{"title":"Compost in Projects","folder":"Projects","content":"x"}`, `{"path":"Projects/Compost.md","content":"x\n"}`},
		{"write_file", `{"title":"Compost.md","folder":"","content":"x"}`, `{"path":"Compost.md","content":"x\n"}`},
		{"write_file", `{"path":"A.md","content":"x"}`, `{"path":"A.md","content":"x"}`},
		{"rename_file", `{"source":"A","new_name":"Folder/B"}`, `{"source":"A","new_name":"B"}`},
		{"add_tag", `{"path":"A","tag":"#new"}`, `{"path":"A","key":"tags","add":["new"]}`},
	} {
		var got, want map[string]any
		if json.Unmarshal(all[c.form].Arguments(json.RawMessage(c.given), note), &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatal(c)
		}
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s %s: %s, want %s", c.form, c.given, g, w)
		}
	}
}
