package llm

import "encoding/json"

// Echo is what an endpoint sent with an answer and may want back with it in later requests: how it
// reasoned, under the names and in the form it did so, and the ids it gave to its calls. It is
// opaque to everyone but that endpoint: no other one is sent any of it.
type Echo struct {
	Endpoint string `json:"endpoint"` // by which it is told from others
	Model    string `json:"model"`
	// Fields of the message: reasoning_content, reasoning, reasoning_details, extra_content. Under
	// "content" stand the thoughts that the content itself began with, their tags included.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
	Calls  []EchoedCall               `json:"calls,omitempty"` // one for each of the message's ToolCalls
}

// EchoedCall is what came with a tool call.
type EchoedCall struct {
	ID     string                     `json:"id,omitempty"` // as it came; empty: it had none
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}
