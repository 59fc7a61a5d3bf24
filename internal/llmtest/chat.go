package llmtest

import (
	"encoding/json"
	"strings"
)

// Chat holds the fields of a chat-completions request that tests examine. Requests of the other APIs are converted
// to it.
type Chat struct {
	Model               string    `json:"model"`
	Stream              bool      `json:"stream"`
	Messages            []Message `json:"messages"`
	Tools               []Tool    `json:"tools"`
	ToolChoice          any       `json:"tool_choice"`
	MaxTokens           int       `json:"max_tokens"`
	MaxCompletionTokens int       `json:"max_completion_tokens"`
	Progress            bool      `json:"return_progress"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// Message is a message of the history.
type Message struct {
	Role       string     `json:"role"`
	Content    Content    `json:"content"`
	ToolCalls  []CallSent `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
}

// CallSent is a tool call in the history.
type CallSent struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool offered to the model.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// Content is the text of a message. The parts of an array are joined, and each image or document is replaced by a
// placeholder such as "[image/png 40×30]".
type Content string

// UnmarshalJSON accepts a string, null or an array of parts.
func (c *Content) UnmarshalJSON(b []byte) error {
	var v any
	err := json.Unmarshal(b, &v)
	*c = contentOf(v)
	return err
}

// contentOf returns the text of a content value: a string or an array of parts.
func contentOf(content any) Content {
	c := Content(str(content))
	for _, p := range list(content) {
		p := object(p)
		if s, _, ok := inspectPart(p); ok {
			c += Content(s.text)
		} else {
			c += Content(str(p["text"]))
		}
	}
	return c
}

// newChat returns a Chat with the scalar fields of a request. limit is the name of its token limit field.
func newChat(body map[string]any, limit string) *Chat {
	most, _ := body[limit].(float64)
	return &Chat{Model: str(body["model"]), Stream: body["stream"] == true, MaxTokens: int(most)}
}

func newCallSent(id, name, arguments string) (c CallSent) {
	c.ID, c.Type, c.Function.Name, c.Function.Arguments = id, "function", name, arguments
	return c
}

// toolOf converts a tool of another API. schema is the name of the field with its JSON Schema.
func toolOf(tool map[string]any, schema string) Tool {
	t := Tool{Type: "function"}
	t.Function.Name, t.Function.Description = str(tool["name"]), str(tool["description"])
	t.Function.Parameters = json.RawMessage(document(tool[schema]))
	return t
}

// Last returns the last message with a role, and whether there is one.
func (c *Chat) Last(role string) (Message, bool) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == role {
			return c.Messages[i], true
		}
	}
	return Message{}, false
}

// ToolNames returns the names of the offered tools in request order.
func (c *Chat) ToolNames() []string {
	var names []string
	for _, t := range c.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// MayCall reports whether the request allows the model to call a tool.
func (c *Chat) MayCall() bool { return len(c.Tools) > 0 && c.ToolChoice != "none" }

// titleAnswer is the default answer to a call for a conversation title.
const titleAnswer = "TITLE: A conversation from a test\nSUMMARY: The person asked and was answered."

// Title reports whether the call asks for the title of a finished conversation.
func (c *Chat) Title() bool {
	return len(c.Messages) > 0 && c.Messages[0].Role == "system" && !c.MayCall() &&
		strings.Contains(string(c.Messages[0].Content), "\nTITLE: ")
}

// text returns the history as text for conditions: a "role: content" line for each message and a "call name
// arguments" line for each tool call.
func (c *Chat) text() string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString(m.Role + ": " + string(m.Content) + "\n")
		for _, t := range m.ToolCalls {
			b.WriteString("call " + t.Function.Name + " " + t.Function.Arguments + "\n")
		}
	}
	return b.String()
}
