package dialect

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// idsOf returns the ids that the calls of a history get.
func idsOf(to Target, history []llm.Message, format string) []string {
	var ids []string
	for _, m := range WithPortableIDs(to, history, format) {
		for _, c := range m.ToolCalls {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// TestIDs: an endpoint gets its own IDs back unchanged; other endpoints get replacements, which are stable; all are
// unique.
func TestIDs(t *testing.T) {
	own := calls("call", "call-2")
	own.Echo = &llm.Echo{Endpoint: unknown.Endpoint, Model: "m", Calls: []llm.EchoedCall{{ID: "functions.read_file:0"}, {ID: "chatcmpl tool/é"}}}
	again := calls("call-3")
	again.Echo = &llm.Echo{Endpoint: unknown.Endpoint, Model: "another", Calls: []llm.EchoedCall{{ID: "functions.read_file:0"}}}
	nameless := calls("call-4")
	nameless.Echo = &llm.Echo{Endpoint: unknown.Endpoint, Model: "m", Calls: []llm.EchoedCall{{}}}
	foreign := calls("toolu_01")
	foreign.Echo = &llm.Echo{Endpoint: "elsewhere", Calls: []llm.EchoedCall{{ID: "toolu_01"}}}
	history := []llm.Message{user("a"), own, again, nameless, foreign, calls("old")}

	here := idsOf(unknown, history, "")
	if want := []string{"functions.read_file:0", "chatcmpl tool/é"}; !slices.Equal(here[:2], want) {
		t.Errorf("%q", here)
	}
	for _, id := range here[2:] {
		if !regexp.MustCompile(`^[0-9A-Za-z]{9}$`).MatchString(id) {
			t.Errorf("%q is not of nine letters and digits", id)
		}
	}
	if !slices.Equal(here, idsOf(unknown, append(slices.Clone(history), calls("new")), "")[:len(here)]) {
		t.Error("the IDs change as the history grows")
	}
	there := idsOf(Target{Endpoint: "elsewhere", Model: "m"}, history, "")
	if there[4] != "toolu_01" || slices.Contains(there, "functions.read_file:0") {
		t.Errorf("elsewhere: %q", there)
	}
	kimi := find(func(d *Dialect) bool { return d.Name == "kimi" })
	if ids := idsOf(unknown, history, kimi.ID); !slices.Equal(ids, []string{"functions.read_file:0", "chatcmpl tool/é", "functions.read_file:2", "functions.read_file:3", "functions.read_file:4", "functions.read_file:5"}) {
		t.Errorf("Kimi: %q", ids)
	}
	slices.Sort(there)
	if len(slices.Compact(there)) != len(here) {
		t.Errorf("duplicate ID: %q", there)
	}
}

// TestSigned: signed reasoning is sent only to its own model, even at the same endpoint.
func TestSigned(t *testing.T) {
	m := calls("call")
	m.Echo = &llm.Echo{
		Endpoint: unknown.Endpoint, Model: "m", Calls: []llm.EchoedCall{{ID: "x", Fields: map[string]json.RawMessage{"extra_content": []byte(`{"a":1}`)}}},
		Fields: map[string]json.RawMessage{"reasoning": []byte(`"r"`), "reasoning_details": []byte(`[{"signature":"s"}]`), "content": []byte(`"<think>r</think>"`)},
	}
	for model, want := range map[string]string{
		"m":     `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read_file","arguments":"{}"},"extra_content":{"a":1}}],"reasoning":"r","reasoning_details":[{"signature":"s"}]}`,
		"other": `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"read_file","arguments":"{}"}}],"reasoning":"r"}`,
	} {
		got := Unknown.messages(Target{Endpoint: unknown.Endpoint, Model: model}, []llm.Message{m})
		if b, err := got[0].MarshalJSON(); err != nil || string(b) != want {
			t.Errorf("%s: %s, not\n%s (%v)", model, b, want, err)
		}
	}
}

// TestSeparateSignature: a signature of Gemini belongs to the first call, even if it arrived separately.
func TestSeparateSignature(t *testing.T) {
	m := calls("call", "call-2")
	m.Echo = &llm.Echo{
		Endpoint: "e", Model: "m", Calls: []llm.EchoedCall{{ID: "x"}, {ID: "y"}},
		Fields: map[string]json.RawMessage{extraContent: []byte(`{"google":{"thought_signature":"s"}}`)},
	}
	gemini := find(func(d *Dialect) bool { return d.Name == "gemini" })
	for model, want := range map[string]string{"m": "s", "other": "skip_thought_signature_validator"} {
		got := gemini.messages(Target{Endpoint: "e", Model: model}, []llm.Message{m})
		first, err := got[0].Get("tool_calls").([]object)[0].MarshalJSON()
		if err != nil || !strings.Contains(string(first), `"extra_content":{"google":{"thought_signature":"`+want+`"}}`) {
			t.Errorf("%s: %s, %v", model, first, err)
		}
	}
}
