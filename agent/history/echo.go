package history

import (
	"encoding/json"

	"chatvault/agent/llm"
	"chatvault/conversation"
)

// RecordEcho is what a response's endpoint may want back with it, as it is recorded; empty: nothing.
// Of an answer that called no tool nothing is wanted but the thoughts that stood in its content.
func RecordEcho(resp llm.Response) string {
	e := resp.Echo
	if e == nil || len(e.Calls) != len(resp.ToolCalls) || len(e.Calls) == 0 && e.Fields["content"] == nil {
		return ""
	}
	if len(e.Calls) == 0 {
		e = &llm.Echo{Endpoint: e.Endpoint, Model: e.Model, Fields: map[string]json.RawMessage{"content": e.Fields["content"]}}
	}
	b, err := json.Marshal(e)
	if err != nil {
		return "" // it is lost, as with another endpoint: the history stays valid
	}
	return string(b)
}

// withoutThoughts is what was recorded so without how the model reasoned: only what its calls were named.
func withoutThoughts(m conversation.Message) string {
	e := echoOf(m)
	if e == nil {
		return ""
	}
	e.Fields = nil
	b, err := json.Marshal(e)
	if err != nil {
		return ""
	}
	return string(b)
}

// echoOf is what was recorded so; nil where nothing was, or what was cannot be read.
func echoOf(m conversation.Message) *llm.Echo {
	if m.Echo == "" {
		return nil
	}
	var e llm.Echo
	if json.Unmarshal([]byte(m.Echo), &e) != nil {
		return nil
	}
	return &e
}
