package llmtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// validRequest returns a request that e accepts. Its history has one tool call that another server made.
func validRequest(e *Endpoint) map[string]any {
	call := map[string]any{"id": "aB3dE0001", "type": "function", "function": map[string]any{"name": "read_file", "arguments": `{"path":"a.md"}`}}
	if slices.Contains(e.Except, "ids") {
		call["id"] = "functions.read_file:0"
	}
	maps.Copy(call, e.WithCall)
	assistant := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}
	maps.Copy(assistant, e.WithCalls)
	body := map[string]any{
		"model": e.Model, "stream": true, "stream_options": map[string]any{"include_usage": true},
		"messages": []any{
			map[string]any{"role": "system", "content": "You keep notes."},
			map[string]any{"role": "user", "content": "what is in a?"},
			assistant,
			map[string]any{"role": "tool", "tool_call_id": call["id"], "content": "Alpha"},
		},
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "read_file", "parameters": map[string]any{
			"type":       "object",
			"properties": map[string]any{"path": map[string]any{"type": "string"}, "lines": map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}},
			"required":   []any{"path"},
		}}}},
	}
	if slices.Contains(e.Fields, "reasoning_effort") && strings.HasPrefix(e.Model, "gpt-5.6") {
		body["reasoning_effort"] = "none"
	}
	if slices.Contains(e.Fields, "tool_stream") {
		body["thinking"], body["tool_stream"] = map[string]any{"type": "enabled", "clear_thinking": false}, true
	}
	raw, _ := json.Marshal(body) // maps and strings always marshal
	var copied map[string]any
	_ = json.Unmarshal(raw, &copied)
	return copied
}

func messagesOf(b map[string]any) []any { return list(b["messages"]) }

func messageAt(b map[string]any, i int) map[string]any {
	return object(messagesOf(b)[i])
}

func callOf(b map[string]any) map[string]any { return object(list(messageAt(b, 2)["tool_calls"])[0]) }

func schemaOf(b map[string]any) map[string]any {
	return object(object(object(list(b["tools"])[0])["function"])["parameters"])
}

func appendTo(b map[string]any, messages ...map[string]any) {
	all := messagesOf(b)
	for _, m := range messages {
		all = append(all, m)
	}
	b["messages"] = all
}

func say(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// ruleBreakers holds, by rule name, a change that makes a valid request break the rule.
var ruleBreakers = map[string]func(b map[string]any){
	"model":              func(b map[string]any) { delete(b, "model") },
	"usage":              func(b map[string]any) { delete(b, "stream_options") },
	"roles":              func(b map[string]any) { messageAt(b, 0)["role"] = "robot" },
	"schemas":            func(b map[string]any) { schemaOf(b)["$ref"] = "#/x" },
	"system first":       func(b map[string]any) { appendTo(b, say("assistant", "x"), say("system", "Also."), say("user", "y")) },
	"roles alternate":    func(b map[string]any) { appendTo(b, say("assistant", "x"), say("user", "one"), say("user", "two")) },
	"no user after tool": func(b map[string]any) { appendTo(b, say("user", "and b")) },
	"user begins": func(b map[string]any) {
		b["messages"] = append([]any{messageAt(b, 0)}, messagesOf(b)[2:]...)
	},
	"user or tool ends":  func(b map[string]any) { appendTo(b, say("assistant", "x")) },
	"content":            func(b map[string]any) { delete(messageAt(b, 2), "content") },
	"calls are answered": func(b map[string]any) { b["messages"] = append(messagesOf(b)[:3:3], say("user", "stop")) },
	"ids":                func(b map[string]any) { callOf(b)["id"], messageAt(b, 3)["tool_call_id"] = "call_1", "call_1" },
	"arguments":          func(b map[string]any) { object(callOf(b)["function"])["arguments"] = `{"path":` },
	"names":              func(b map[string]any) { object(callOf(b)["function"])["name"] = "read file" },
	"number of tools": func(b map[string]any) {
		one := list(b["tools"])[0]
		b["tools"] = slices.Repeat([]any{one}, 129)
	},
	"root is an object with properties": func(b map[string]any) { delete(schemaOf(b), "properties"); delete(schemaOf(b), "required") },
	"root type":                         func(b map[string]any) { schemaOf(b)["type"] = []any{"object", "null"} },
	"arrays have items":                 func(b map[string]any) { delete(object(object(schemaOf(b)["properties"])["lines"]), "items") },
	"schema keywords":                   func(b map[string]any) { schemaOf(b)["additionalProperties"] = false },
	"enumerations are of strings": func(b map[string]any) {
		object(object(schemaOf(b)["properties"])["lines"])["items"] = map[string]any{"type": "integer", "enum": []any{1, 2}}
	},
	"required exists":       func(b map[string]any) { schemaOf(b)["required"] = []any{"path", "gone"} },
	"tools stay":            func(b map[string]any) { delete(b, "tools") },
	"fields of the request": func(b map[string]any) { b["store"] = false },
	"tool_choice":           func(b map[string]any) { b["tool_choice"] = map[string]any{"type": "auto"} },
	"nothing of others":     func(b map[string]any) { messageAt(b, 2)["reasoning_details"] = []any{map[string]any{"type": "x"}} },
	"max_tokens":            func(b map[string]any) { b["max_completion_tokens"] = 5 },
	"max_completion_tokens": func(b map[string]any) { b["max_tokens"], b["model"] = 5, "gpt-5.6" },
	"reasoning_effort": func(b map[string]any) {
		b["model"] = "gpt-5.6"
		delete(b, "reasoning_effort")
	},
	"reasoning with calls": func(b map[string]any) { delete(messageAt(b, 2), "reasoning_content") },
	"no reasoning":         func(b map[string]any) { messageAt(b, 2)["reasoning_content"] = "" },
	"signature":            func(b map[string]any) { delete(callOf(b), "extra_content") },
	"nine letters": func(b map[string]any) {
		callOf(b)["id"], messageAt(b, 3)["tool_call_id"] = "functions.f:0", "functions.f:0"
	},
	"form of ids":    func(b map[string]any) { callOf(b)["id"], messageAt(b, 3)["tool_call_id"] = "aB3dE0001", "aB3dE0001" },
	"no tool_choice": func(b map[string]any) { b["tool_choice"] = "none" },
	"thinking stays": func(b map[string]any) { delete(b, "thinking") },
	"not both": func(b map[string]any) {
		messageAt(b, 2)["content"], messageAt(b, 2)["reasoning_content"] = "I look.", "let me see"
	},
	"response_format": func(b map[string]any) {
		b["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "reply", "strict": true, "schema": map[string]any{"type": "object"}}}
	},
}

// TestRules checks that each endpoint accepts a valid request, that each of its rules refuses a request that breaks
// it, and that its error body is valid JSON.
func TestRules(t *testing.T) {
	stateful := []string{"what came goes back"} // needs a server: see TestWhatCameGoesBack
	for i := range Endpoints {
		e := &Endpoints[i]
		t.Run(e.Name, func(t *testing.T) {
			body, _ := json.Marshal(validRequest(e))
			if wrong := e.Refuses(body); len(wrong) > 0 {
				t.Fatalf("refuses what it should take: %q", wrong)
			}
			for _, r := range e.All() {
				if r.Source == "" {
					t.Errorf("%s has no source", r.Name)
				}
				if slices.Contains(stateful, r.Name) {
					continue
				}
				breakRule, ok := ruleBreakers[r.Name]
				if !ok {
					t.Errorf("nothing shows that %q refuses anything", r.Name)
					continue
				}
				b := validRequest(e)
				breakRule(b)
				body, _ := json.Marshal(b)
				wrong := e.Refuses(body)
				if !slices.ContainsFunc(wrong, func(s string) bool { return strings.HasPrefix(s, r.Name+": ") }) {
					t.Errorf("%s takes it: %q", r.Name, wrong)
				}
			}
			if len(e.Error("no such thing")) == 0 || !json.Valid([]byte(e.Error(`a "quoted" word`))) || e.Status < http.StatusBadRequest {
				t.Errorf("it refuses with %d, %s", e.Status, e.Error("x"))
			}
		})
	}
}

// TestWhatCameGoesBack checks that a server recognizes its own calls and requires their reasoning unchanged.
func TestWhatCameGoesBack(t *testing.T) {
	srv, err := Start([]Step{
		Say(Reasoning("let me see"), CallID("functions.read_file:0", "read_file", `{"path":"a.md"}`)),
		Reply("Alpha.", Forever()),
	}, Options{Endpoint: EndpointOf("deepseek")})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	body := validRequest(srv.opts.Endpoint)
	first, _ := json.Marshal(map[string]any{"model": "m", "stream": true, "stream_options": body["stream_options"], "messages": messagesOf(body)[:2], "tools": body["tools"]})
	if status, answer, err := call(t, srv.URL(), string(first)); status != http.StatusOK || err != nil {
		t.Fatalf("%d %s %v", status, answer, err)
	}
	for name, c := range map[string]struct {
		id, reasoning string
		status        int
	}{
		"as it came":       {"functions.read_file:0", "let me see", http.StatusOK},
		"without":          {"functions.read_file:0", "", http.StatusBadRequest},
		"other words":      {"functions.read_file:0", "let me see.", http.StatusBadRequest},
		"another's":        {"aB3dE0001", "", http.StatusOK},
		"another's words":  {"aB3dE0001", "let me see", http.StatusBadRequest},
		"an id nobody has": {"functions_read_file_0", "", http.StatusBadRequest},
	} {
		b := validRequest(srv.opts.Endpoint)
		callOf(b)["id"], messageAt(b, 3)["tool_call_id"], messageAt(b, 2)["reasoning_content"] = c.id, c.id, c.reasoning
		body, _ := json.Marshal(b)
		if status, answer, err := call(t, srv.URL(), string(body)); status != c.status || err != nil {
			t.Errorf("%s: %d %s %v", name, status, answer, err)
		}
	}
}
