package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"chatvault/internal/llmtest"
)

// Requests with the compact prompt begin alike in all conversations of a vault, both questions and changes, so that a
// server reads that part once.
func TestCompactPrefix(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Reply("It bakes for 35 minutes."),
		llmtest.Reply(`{"name": "append_file", "arguments": {"path": "Tart", "content": "x"}}`),
		llmtest.Reply("It bakes for 20 minutes."),
		llmtest.Reply(`{"name": "append_file", "arguments": {"path": "Rye", "content": "x"}}`),
	)
	h := newAskHome(t, map[string]string{"Tart.md": "# Tart\n\nIt bakes for 35 minutes.\n", "Rye.md": "# Rye\n\nIt bakes for 20 minutes.\n"})
	if err := os.MkdirAll(h.dir+"/c/chatvault", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.dir+"/c/chatvault/config.toml", []byte("prompt = \"compact\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{"How long does the tart bake?", "add x to Tart", "How long does the rye bake?", "add x to Rye"} {
		x := h.run(t, srv, nil, "ask", message)
		if code := x.Wait(patience); code != 0 {
			t.Fatalf("exit status %d\n%s", code, x.Screen())
		}
	}
	var systems []string
	for _, r := range srv.Requests() {
		var body struct {
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		if body.Messages[0].Role != "system" {
			t.Fatalf("begins with %q", body.Messages[0].Role)
		}
		systems = append(systems, body.Messages[0].Content)
	}
	if len(systems) != 4 || systems[0] != systems[2] || systems[1] != systems[3] {
		t.Errorf("%d requests, system messages %q", len(systems), slices.Compact(systems))
	}
}
