package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
)

// step is a call of a tool that the scripted model makes.
type step struct {
	Tool string
	Args map[string]any
}

// model answers the requests of a client over the APIs of Anthropic, OpenAI (chat completions and responses) and Google.
// It makes the calls of its steps one after the other, and then says that it is done. It is safe for concurrent use.
type model struct {
	steps []step

	mu       sync.Mutex
	offered  bool     // a request offered the tools of chatvault
	searched bool     // it asked for them
	results  []string // of the calls so far, as JSON
	other    []string // requests without an answer
}

// reply is one answer of the model: a text or a call.
type reply struct {
	text, tool, space, id string
	args                  map[string]any
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(data, &body)
	path := r.URL.Path
	switch stream := body["stream"] == true; {
	case strings.HasSuffix(path, "/chat/completions"):
		chat(w, m.next(body), stream)
	case strings.HasSuffix(path, "/responses"):
		responses(w, m.next(body))
	case strings.HasSuffix(path, "/messages"):
		messages(w, m.next(body), stream)
	case strings.HasSuffix(path, "/messages/count_tokens"):
		answer(w, map[string]any{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		answer(w, map[string]any{"totalTokens": 100})
	case strings.HasSuffix(path, "enerateContent"):
		gemini(w, m.next(body), strings.Contains(path, ":stream"))
	case strings.HasSuffix(path, "/models"):
		answer(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}})
	default:
		m.mu.Lock()
		m.other = append(m.other, r.Method+" "+path)
		m.mu.Unlock()
		w.WriteHeader(http.StatusNotFound)
	}
}

// next returns the answer to a request, whose history says how many calls were made.
func (m *model) next(body map[string]any) reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	var results []string
	walk(body, func(o map[string]any) {
		_, google := o["functionResponse"]
		if google || o["type"] == "tool_result" || o["role"] == "tool" || o["type"] == "function_call_output" {
			if data, _ := json.Marshal(o); !strings.Contains(string(data), searchID) {
				results = append(results, string(data))
			}
		}
	})
	if len(results) > len(m.results) {
		m.results = results
	}
	if len(results) >= len(m.steps) {
		return reply{text: "Done."}
	}
	s := m.steps[len(results)]
	name, space := find(body["tools"], s.Tool)
	switch search, bridge := has(body["tools"], "tool_search", "ToolSearch"), has(body["tools"], "tool_call"); {
	case name != "":
	case search != "" && !m.searched: // it offers the tools only after a search
		m.searched = true
		return reply{tool: search, id: searchID, args: map[string]any{"query": "select:" + qualified(m.steps), "max_results": 20}}
	case bridge != "": // or calls them through another one
		m.offered = true
		return reply{tool: bridge, id: fmt.Sprintf("call_%d", len(results)+1), args: map[string]any{"name": qualified([]step{s}), "arguments": s.Args}}
	}
	if name == "" {
		var names []string
		walk(body["tools"], func(o map[string]any) {
			if n, ok := o["name"].(string); ok {
				names = append(names, n)
			}
		})
		m.other = append(m.other, fmt.Sprintf("no %s among %q", s.Tool, names))
		if *verbose {
			data, _ := json.Marshal(body["tools"])
			fmt.Fprintf(os.Stderr, "no %s in %s\n", s.Tool, data)
		}
		return reply{text: "I have no tool for that."}
	}
	m.offered = true
	return reply{tool: name, space: space, args: s.Args, id: fmt.Sprintf("call_%d", len(results)+1)}
}

// finished reports whether all steps were made.
func (m *model) finished() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.results) >= len(m.steps)
}

// searchID is the ID of the call that searches for tools.
const searchID = "search_1"

// has returns the first of the names that a tool has, or "".
func has(tools any, names ...string) (name string) {
	walk(tools, func(o map[string]any) {
		if n, _ := o["name"].(string); slices.Contains(names, n) {
			name = n
		}
	})
	return name
}

// qualified returns the names of the steps' tools as most clients form them.
func qualified(steps []step) string {
	var names []string
	for _, s := range steps {
		names = append(names, "mcp__chatvault__"+s.Tool)
	}
	return strings.Join(names, ",")
}

// find returns the full name of a tool of chatvault, and the namespace that it is in.
func find(tools any, name string) (full, space string) {
	walk(tools, func(o map[string]any) {
		n, _ := o["name"].(string)
		if inner, ok := o["tools"].([]any); ok && strings.Contains(n, "chatvault") {
			walk(inner, func(o map[string]any) {
				if o["name"] == name {
					full, space = name, n
				}
			})
		}
		if full == "" && strings.HasSuffix(n, name) && strings.Contains(n, "chatvault") {
			full = n
		}
	})
	return full, space
}

// walk calls f with each object in a JSON value, the outer ones first, lists in order.
func walk(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			walk(x, f)
		}
	case map[string]any:
		f(v)
		for _, x := range v {
			walk(x, f)
		}
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// event writes an event of a stream; kind may be empty.
func event(w http.ResponseWriter, kind string, v any) {
	w.Header().Set("Content-Type", "text/event-stream")
	data, _ := json.Marshal(v)
	if kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
}

func (r reply) arguments() string {
	data, _ := json.Marshal(r.args)
	return string(data)
}

type object = map[string]any

func chat(w http.ResponseWriter, r reply, stream bool) {
	message, why := object{"role": "assistant", "content": r.text}, "stop"
	if r.tool != "" {
		why = "tool_calls"
		message = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
			"index": 0, "id": r.id, "type": "function", "function": object{"name": r.tool, "arguments": r.arguments()},
		}}}
	}
	usage := object{"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
	whole := func(kind string, choice object) object {
		choice["index"] = 0
		return object{"id": "c", "object": kind, "created": 1, "model": "scripted", "choices": []any{choice}, "usage": usage}
	}
	if !stream {
		answer(w, whole("chat.completion", object{"message": message, "finish_reason": why}))
		return
	}
	event(w, "", whole("chat.completion.chunk", object{"delta": message, "finish_reason": nil}))
	event(w, "", whole("chat.completion.chunk", object{"delta": object{}, "finish_reason": why}))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func responses(w http.ResponseWriter, r reply) {
	item := object{"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": r.text, "annotations": []any{}}}}
	if r.tool != "" {
		item = object{"type": "function_call", "id": "f_" + r.id, "call_id": r.id, "name": r.tool, "arguments": r.arguments(), "status": "completed"}
		if r.space != "" {
			item["namespace"] = r.space
		}
	}
	done := object{"id": "r", "object": "response", "status": "completed", "model": "scripted", "output": []any{item}, "usage": object{
		"input_tokens": 100, "output_tokens": 10, "total_tokens": 110,
		"input_tokens_details": object{"cached_tokens": 0}, "output_tokens_details": object{"reasoning_tokens": 0},
	}}
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "r", "status": "in_progress"}})
	event(w, "response.output_item.added", object{"type": "response.output_item.added", "output_index": 0, "item": item})
	event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(w, "response.completed", object{"type": "response.completed", "response": done})
}

func messages(w http.ResponseWriter, r reply, stream bool) {
	block, why := object{"type": "text", "text": r.text}, "end_turn"
	if r.tool != "" {
		block, why = object{"type": "tool_use", "id": "toolu_" + r.id, "name": r.tool, "input": r.args}, "tool_use"
	}
	whole := object{
		"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": []any{block}, "stop_reason": why,
		"usage": object{"input_tokens": 100, "output_tokens": 10},
	}
	if !stream {
		answer(w, whole)
		return
	}
	start := object{"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": 100, "output_tokens": 1}}
	event(w, "message_start", object{"type": "message_start", "message": start})
	opened, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": r.text}
	if r.tool != "" {
		opened = object{"type": "tool_use", "id": block["id"], "name": r.tool, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": r.arguments()}
	}
	event(w, "content_block_start", object{"type": "content_block_start", "index": 0, "content_block": opened})
	event(w, "content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	event(w, "content_block_stop", object{"type": "content_block_stop", "index": 0})
	event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": why, "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	event(w, "message_stop", object{"type": "message_stop"})
}

func gemini(w http.ResponseWriter, r reply, stream bool) {
	part := object{"text": r.text}
	if r.tool != "" {
		part = object{"functionCall": object{"name": r.tool, "args": r.args, "id": r.id}}
	}
	whole := object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}, "modelVersion": "scripted",
	}
	if !stream {
		answer(w, whole)
		return
	}
	event(w, "", whole)
}
