package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"testing"

	"chatvault/conversation"
	"chatvault/internal/app/ranked"
	"chatvault/internal/base/text"
	"chatvault/tools"
	"chatvault/tools/skill"
)

var update = flag.Bool("update", false, "write docs/schema/tool-result.json")

// TestToolResultSchema: the published schema of results has the data of each tool. The end-to-end scripts check results
// against it.
func TestToolResultSchema(t *testing.T) {
	type m = map[string]any
	var names []string
	parts := []any{}
	for _, tool := range tools.NewRegistry(nil, tools.Options{Conversations: &conversation.Manager{}, Finder: ranked.NewFinder(nil, false, ""), Skills: func() []skill.Skill { return make([]skill.Skill, 1) }}).Turn(printer{io.Discard}).Tools() {
		if data := tools.OutputSchema(tool.Name()); data != nil {
			names = append(names, tool.Name())
			parts = append(parts, m{"if": m{"properties": m{"tool": m{"const": tool.Name()}}}, "then": m{"properties": m{"data": data}}})
		}
	}
	parts = append(parts, m{"if": m{"properties": m{"tool": m{"not": m{"enum": names}}}}, "then": m{"properties": m{"data": false}}})
	var want bytes.Buffer
	err := text.WriteJSON(&want, m{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Output of chatvault tool --json NAME",
		"type": "object", "additionalProperties": false, "required": []string{"schema", "tool", "is_error", "result"},
		"properties": m{
			"schema": m{"const": 1, "description": "version of this format"}, "tool": m{"type": "string"},
			"is_error": m{"type": "boolean", "description": "the exit status is 1"}, "result": m{"type": "string", "description": "what the agent would see"},
			"data": m{"description": "the result for programs; not with an error"},
		},
		"allOf": parts,
	})
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../../docs/schema/tool-result.json"
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) || !json.Valid(got) {
		t.Errorf("it has changed; if programs that read it go on to work, run go test ./internal/app/cli -run TestToolResultSchema -update, otherwise give it a new version (%v)", err)
	}
}
