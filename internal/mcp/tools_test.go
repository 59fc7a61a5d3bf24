package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"chatvault/internal/artifact"
	"chatvault/tools"
)

// A client gets what a tool brings beside words whole, as the protocol has it.
func TestThingsAreEmbedded(t *testing.T) {
	r := result(tools.Result{Text: "Drawn.", Things: []artifact.Thing{
		{Name: "a tree.png", Data: []byte("\x89PNG\r\n\x1a\n")}, {Name: "list.txt", Data: []byte("oak")}, {Name: "none"},
	}})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"type":"text","text":"Drawn."}`, `/a%20tree.png"`, `"mimeType":"image/png","blob":"iVBORw0KGgo="`, `"mimeType":"text/plain","text":"oak"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	if len(r.Content) != 3 {
		t.Errorf("%s", data)
	}
}
