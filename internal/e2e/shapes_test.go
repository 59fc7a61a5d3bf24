package e2e

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// Exchanges in the forms of real endpoints pass through the program whole, in any chunks: reasoning, text, calls and
// their IDs, and what is sent back in the next request and after a restart.
func TestEndpointResponseForms(t *testing.T) {
	shapes, err := llmtest.Shapes()
	if err != nil {
		t.Fatal(err)
	}
	if len(shapes) < 12 {
		t.Errorf("%d shapes", len(shapes))
	}
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			for _, c := range llmtest.Chunkings {
				if c == llmtest.ByByte && testing.Short() {
					continue
				}
				shape(t, s, c)
			}
		})
	}
}

func shape(t *testing.T, s llmtest.Shape, c llmtest.Chunking) {
	t.Helper()
	srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf(s.Provider)}, append(s.Steps(c), llmtest.Reply("Bye."))...)
	a := newAsker(t, "prompt = \"full\"\n"+providerAt(s.Provider, srv, s.Model), map[string]string{"a.md": "hello\n", "b.md": "HELLO\n"})
	model := "--model=" + s.Provider + "/" + s.Model
	got := a.ask(model, "what do a and b say?")
	if got.reasoning != s.Reasoning && !strings.HasPrefix(got.reasoning, s.Reasoning) { // the second response may think, too
		t.Errorf("%s: thought %q, not %q", c, got.reasoning, s.Reasoning)
	}
	if got.text != s.Said+s.Text || got.response != s.Text {
		t.Errorf("%s: said %q, answered %q, not %q", c, got.text, got.response, s.Text)
	}
	if got.usage != s.Usage {
		t.Errorf("%s: used %v, not %v", c, got.usage, s.Usage)
	}
	for i, call := range s.Calls {
		if i >= len(got.calls) || got.calls[i] != call[1] {
			t.Errorf("%s: called %q, not %q", c, got.calls, s.Calls)
		}
	}
	if again := a.ask(model, "-c", "bye"); again.response != "Bye." {
		t.Errorf("%s: after a restart: %+v", c, again)
	}
	for n, r := range srv.Requests() {
		if n == 0 {
			continue
		}
		var body struct{ Messages []map[string]any }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		var message map[string]any
		for _, m := range body.Messages {
			if m["tool_calls"] != nil {
				message = m
			}
		}
		calls, _ := message["tool_calls"].([]any)
		if len(calls) != len(s.Calls) {
			t.Fatalf("%s: request %d has %d calls: %s", c, n+1, len(calls), r.Body)
		}
		for i, call := range calls {
			call := call.(map[string]any)
			if s.Calls[i][0] != "" && call["id"] != s.Calls[i][0] {
				t.Errorf("%s: in request %d call %d is %q, not %q", c, n+1, i+1, call["id"], s.Calls[i][0])
			}
			if i == 0 {
				within(t, s.Back1, call)
			}
		}
		within(t, s.Back, message)
		for name := range message {
			if _, wanted := s.Back[name]; !wanted && name != "role" && name != "content" && name != "tool_calls" {
				t.Errorf("%s: %s goes back", c, name)
			}
		}
	}
}

// within checks that an object has the wanted members.
func within(t *testing.T, want, got map[string]any) {
	t.Helper()
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s goes back as\n%v, not\n%v", name, got[name], value)
		}
	}
}
