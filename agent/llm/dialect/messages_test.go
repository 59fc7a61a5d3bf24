package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

var unknown = Target{Endpoint: "http://127.0.0.1/v1", Model: "m"}

// naive returns a request with the messages unchanged.
func naive(t *testing.T, history []llm.Message, tools []llm.ToolSpec) []byte {
	t.Helper()
	messages := []map[string]any{}
	for _, m := range history {
		o := map[string]any{"role": m.Role}
		if m.Content != "" {
			o["content"] = m.Content
		}
		if m.ToolCallID != "" {
			o["tool_call_id"] = m.ToolCallID
		}
		var calls []any
		for _, c := range m.ToolCalls {
			calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Arguments}})
		}
		if calls != nil {
			o["tool_calls"] = calls
		}
		messages = append(messages, o)
	}
	body := map[string]any{"model": "m", "stream": true, "stream_options": map[string]any{"include_usage": true}, "messages": messages}
	var specs []any
	for _, s := range tools {
		specs = append(specs, map[string]any{"type": "function", "function": map[string]any{"name": s.Name, "parameters": s.Parameters}})
	}
	if specs != nil {
		body["tools"] = specs
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func refuses(body []byte, rule string) bool {
	return slices.ContainsFunc(llmtest.Endpoints[0].Refuses(body), func(s string) bool { return strings.HasPrefix(s, rule+": ") })
}

func user(text string) llm.Message      { return llm.Message{Role: llm.RoleUser, Content: text} }
func assistant(text string) llm.Message { return llm.Message{Role: llm.RoleAssistant, Content: text} }

func result(id, text string) llm.Message {
	return llm.Message{Role: llm.RoleTool, ToolCallID: id, Content: text}
}

func calls(ids ...string) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: "read_file", Arguments: `{}`})
	}
	return m
}

var reader = []llm.ToolSpec{{Name: "read_file", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}

// TestNormalForm: histories that endpoints would refuse are repaired without loss.
func TestNormalForm(t *testing.T) {
	system := llm.Message{Role: llm.RoleSystem, Content: "You keep notes."}
	odd := calls("aB3dE0001")
	odd.ToolCalls[0].Name, odd.ToolCalls[0].Arguments = "read\x1b[2J", `{"path":`
	for name, c := range map[string]struct {
		rule    string // the rule that refuses the unchanged history
		history []llm.Message
		want    string // role and content of each message in normal form
	}{
		"late system":           {"system first", []llm.Message{user("a"), assistant("b"), system, user("c")}, "system You keep notes. | user a | assistant b | user c"},
		"two systems":           {"system first", []llm.Message{system, {Role: llm.RoleSystem, Content: "Also."}, user("a")}, "system You keep notes.\n\nAlso. | user a"},
		"users":                 {"roles alternate", []llm.Message{user("a"), user("b")}, "user a\n\nb"},
		"assistants":            {"roles alternate", []llm.Message{user("a"), assistant("b"), assistant("c"), user("d")}, "user a | assistant b\n\nc | user d"},
		"words before calls":    {"roles alternate", []llm.Message{user("a"), assistant("b"), calls("aB3dE0001"), result("aB3dE0001", "r")}, "user a | assistant b +1 | tool r"},
		"user after tool":       {"no user after tool", []llm.Message{user("a"), calls("aB3dE0001"), result("aB3dE0001", "r"), user("b"), user("c")}, "user a | assistant  +1 | tool r | assistant " + bridge + " | user b\n\nc"},
		"assistant first":       {"user begins", []llm.Message{system, assistant("a"), user("b")}, "system You keep notes. | user " + earlier + " | assistant a | user b"},
		"nothing but a system":  {"user begins", []llm.Message{system}, "system You keep notes. | user " + goesOn},
		"assistant last":        {"user or tool ends", []llm.Message{user("a"), assistant("b")}, "user a | assistant b | user " + goesOn},
		"empty result":          {"content", []llm.Message{user("a"), calls("aB3dE0001"), result("aB3dE0001", " ")}, "user a | assistant  +1 | tool (empty)"},
		"empty turn":            {"content", []llm.Message{user("a"), assistant(" \n"), user("b")}, "user a\n\nb"},
		"empty message":         {"content", []llm.Message{user(""), assistant("b"), user("c")}, "user (empty) | assistant b | user c"},
		"call without words":    {"content", []llm.Message{user("a"), calls("aB3dE0001"), result("aB3dE0001", "r")}, "user a | assistant  +1 | tool r"},
		"not answered":          {"calls are answered", []llm.Message{user("a"), calls("aB3dE0001", "aB3dE0002"), result("aB3dE0002", "r"), user("b")}, "user a | assistant  +2 | tool " + llm.NoResult + " | tool r | assistant " + bridge + " | user b"},
		"answered late":         {"calls are answered", []llm.Message{user("a"), calls("aB3dE0001"), user("b"), result("aB3dE0001", "r")}, "user a | assistant  +1 | tool r | assistant " + bridge + " | user b"},
		"answered out of order": {"calls are answered", []llm.Message{user("a"), calls("aB3dE0001", "aB3dE0002"), result("aB3dE0002", "2"), result("aB3dE0001", "1")}, "user a | assistant  +2 | tool 1 | tool 2"},
		"answered twice":        {"calls are answered", []llm.Message{user("a"), calls("aB3dE0001"), result("aB3dE0001", "1"), result("aB3dE0001", "2")}, "user a | assistant  +1 | tool 1"},
		"an answer to nothing":  {"calls are answered", []llm.Message{user("a"), result("aB3dE0001", "1")}, "user a"},
		"the same id twice":     {"calls are answered", []llm.Message{user("a"), calls("aB3dE0001"), result("aB3dE0001", "1"), calls("aB3dE0001"), result("aB3dE0001", "2")}, "user a | assistant  +1 | tool 1 | assistant  +1 | tool 2"},
		"an id of another":      {"ids", []llm.Message{user("a"), calls("functions.read_file:0"), result("functions.read_file:0", "r")}, "user a | assistant  +1 | tool r"},
		"half arguments":        {"arguments", []llm.Message{user("a"), odd, result("aB3dE0001", "r")}, "user a | assistant  +1 | tool r"},
		"an invented name":      {"names", []llm.Message{user("a"), odd, result("aB3dE0001", "r")}, "user a | assistant  +1 | tool r"},
	} {
		if body := naive(t, c.history, reader); !refuses(body, c.rule) {
			t.Errorf("%s: accepted unchanged: %s", name, body)
		}
		d := Unknown
		body, err := d.Body(unknown, llm.Request{Messages: c.history, Tools: reader})
		if err != nil {
			t.Fatal(err)
		}
		if wrong := llmtest.Endpoints[0].Refuses(body); len(wrong) > 0 {
			t.Errorf("%s: %q\n%s", name, wrong, body)
		}
		if got := outline(Normal(c.history)); got != c.want {
			t.Errorf("%s:\n%s, not\n%s", name, got, c.want)
		}
	}
}

func outline(messages []llm.Message) string {
	var all []string
	for _, m := range messages {
		s := string(m.Role) + " " + m.Content
		if n := len(m.ToolCalls); n > 0 {
			s += " +" + string(rune('0'+n))
		}
		all = append(all, s)
	}
	return strings.Join(all, " | ")
}

// TestToolsStay: a request that offers no tools still contains those that its history calls.
func TestToolsStay(t *testing.T) {
	history := []llm.Message{user("a"), calls("aB3dE0001", "aB3dE0002"), result("aB3dE0001", "1"), result("aB3dE0002", "2")}
	if !refuses(naive(t, history, nil), "tools stay") {
		t.Error("accepted without tools")
	}
	d := Unknown
	body, err := d.Body(unknown, llm.Request{Messages: history})
	if wrong := llmtest.Endpoints[0].Refuses(body); err != nil || len(wrong) > 0 || !strings.Contains(string(body), `"tool_choice":"none"`) || strings.Count(string(body), "cannot be called") != 1 {
		t.Errorf("%v, %q: %s", err, wrong, body)
	}
	if body, err = d.Body(unknown, llm.Request{Messages: []llm.Message{user("a")}}); err != nil || strings.Contains(string(body), "tool") {
		t.Errorf("%v: %s", err, body)
	}
}

// TestNoCalls: tool_choice "none" and the cache key are sent to endpoints that understand them.
func TestNoCalls(t *testing.T) {
	req := llm.Request{Messages: []llm.Message{user("a")}, Tools: reader, NoCalls: true, CacheKey: `2026"x`}
	for name, want := range map[string]bool{"openai": true, "mistral": false, "zai": false, "": false} {
		d := find(func(d *Dialect) bool { return d.Name == name })
		if d == nil {
			d = &Unknown
		}
		body, err := d.Body(unknown, req)
		var sent struct {
			Key    string            `json:"prompt_cache_key"`
			Choice string            `json:"tool_choice"`
			Tools  []json.RawMessage `json:"tools"`
		}
		if err != nil || json.Unmarshal(body, &sent) != nil || len(sent.Tools) != 1 || (sent.Choice == "none") != want || (sent.Key == req.CacheKey) != want {
			t.Errorf("%q: %v, %s", name, err, body)
		}
	}
}

// TestRequestsOnlyGrow: each request of a conversation begins with the previous one.
func TestRequestsOnlyGrow(t *testing.T) {
	own := calls("call", "call-2")
	own.Echo = &llm.Echo{Endpoint: unknown.Endpoint, Model: "m", Calls: []llm.EchoedCall{{ID: "functions.f:0"}, {ID: "functions.f:1"}}}
	history := []llm.Message{
		user("a"), own, result("call", "1"), result("call-2", "2"), user("folded"), calls("x1"), result("x1", "r"), assistant("b"), user("c"), calls("x2"), result("x2", "r"),
	}
	for i := range Dialects {
		d := &Dialects[i]
		var before string
		for _, n := range []int{1, 4, 5, 7, 9, 11} {
			b, err := json.Marshal(d.messages(unknown, Normal(history[:n])))
			if err != nil {
				t.Fatal(err)
			}
			now := strings.TrimSuffix(string(b), "]")
			if !strings.HasPrefix(now, before) {
				t.Errorf("%s: after %d messages\n%s is not a prefix of\n%s", d.Name, n, before, now)
			}
			before = now
		}
	}
}
