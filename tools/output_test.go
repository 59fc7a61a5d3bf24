package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// The data of a result conforms to the tool's output schema and has what its text has.
func TestDataConformsToSchema(t *testing.T) {
	v, _ := newVault(t, map[string]string{
		"A.md":      "---\nstatus: draft\naliases: [One]\n---\n# Head\n\nsee [[B]] and [[Gone]] #tag/sub\n\n- [ ] a task\n- [x] done\n",
		"B.md":      "# B\nneedle one\nneedle two\n",
		"F/C.md":    "#tag needle\n",
		"Empty.md":  "",
		"G/pic.png": "\x00",
	})
	turn := NewRegistry(v, Options{}).Turn(nil)
	covered := map[string]bool{}
	for _, c := range []struct{ tool, args, holds string }{
		{"list_files", `{"pattern":"**"}`, `"path":"F/C.md"`},
		{"list_files", `{"pattern":"**","max_results":1}`, `more items; raise max_results or narrow`},
		{"list_files", `{"pattern":"none"}`, `"note":"No items match`},
		{"search_files", `{"pattern":"needle"}`, `"line":2,"text":"needle one","hit":true`},
		{"search_files", `{"pattern":"needle","max_results":1}`, `"total":2,"note":"[1 more note; raise max_results or narrow`},
		{"search_files", `{"pattern":"nothing"}`, `"files":[]`},
		{"get_file_info", `{"path":"B.md"}`, `"folder":false,"size":26`},
		{"get_file_info", `{"path":"F"}`, `"folder":true,"size":0,"items":1`},
		{"get_outline", `{"path":"A.md"}`, `"level":1,"text":"Head","first_line":5`},
		{"get_outline", `{"path":"Empty.md"}`, `"headings":[]`},
		{"get_tags", `{}`, `"tag":"#tag","notes":2,"own":1`},
		{"get_tags", `{"tag":"tag/sub"}`, `"path":"A.md","lines":[7]`},
		{"get_tags", `{"tag":"non"}`, `"total":0`},
		{"list_tasks", `{"state":"all"}`, `"mark":"x","text":"done","heading":"Head"`},
		{"list_tasks", `{"tag":"non"}`, `"tasks":[]`},
		{"get_links", `{"path":"A.md"}`, `"written":"[[Gone]]"}`},
		{"get_links", `{"path":"B.md","mode":"backlinks"}`, `"backlinks":[{"path":"A.md","line":7`},
		{"get_links", `{"mode":"unresolved"}`, `"target":"Gone","count":1,"notes":["A.md"]`},
		{"get_links", `{"mode":"orphans"}`, `"orphans":[{"path":"A.md"`},
		{"get_properties", `{"path":"A.md"}`, `"key":"status","value":"draft"`},
		{"get_properties", `{}`, `"key":"status","notes":1,"values":[{"value":"draft","notes":1}]`},
		{"get_properties", `{"key":"status"}`, `"notes":[{"path":"A.md","value":"draft"}]`},
	} {
		r := turn.Call(context.Background(), c.tool, json.RawMessage(c.args))
		if r.IsError || r.Data == nil {
			t.Errorf("%s %s: %s", c.tool, c.args, r.Text)
			continue
		}
		data, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), c.holds) {
			t.Errorf("%s %s has no %s:\n%s", c.tool, c.args, c.holds, data)
		}
		var schema jsonschema.Schema
		var value any
		if err := json.Unmarshal(OutputSchema(c.tool), &schema); err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(data, &value)
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
		}
		covered[c.tool] = true
	}
	for _, d := range definitions() {
		if d.output != nil && !covered[d.name] && d.name != "find_notes" {
			t.Errorf("%s: its data is not tested", d.name)
		}
	}
}
