package llmtest

import (
	"encoding/json"
	"strings"
)

// Chat is a chat-completions request as far as tests look into it.
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

// Message is one entry of the history.
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

// Content is a message's text; an array of parts is joined, and a picture or a document stands in it as
// what it is: "[image/png 40×30]".
type Content string

// UnmarshalJSON takes a string, null or an array of parts.
func (c *Content) UnmarshalJSON(b []byte) error {
	var v any
	err := json.Unmarshal(b, &v)
	*c = shownIn(v)
	return err
}

// shownIn returns what a text, or an array of parts, shows.
func shownIn(content any) Content {
	c := Content(str(content))
	for _, p := range list(content) {
		p := object(p)
		if s, _, ok := shownBy(p); ok {
			c += Content(s.text)
		} else {
			c += Content(str(p["text"]))
		}
	}
	return c
}

func newChat(body map[string]any, limit string) *Chat {
	most, _ := body[limit].(float64)
	return &Chat{Model: str(body["model"]), Stream: body["stream"] == true, MaxTokens: int(most)}
}

func callSent(id, name, arguments string) (c CallSent) {
	c.ID, c.Type, c.Function.Name, c.Function.Arguments = id, "function", name, arguments
	return c
}

// offered reads a tool whose schema is in a field.
func offered(tool map[string]any, schema string) Tool {
	t := Tool{Type: "function"}
	t.Function.Name, t.Function.Description = str(tool["name"]), str(tool["description"])
	t.Function.Parameters = json.RawMessage(document(tool[schema]))
	return t
}

// Last returns the last message of a role.
func (c *Chat) Last(role string) (Message, bool) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == role {
			return c.Messages[i], true
		}
	}
	return Message{}, false
}

// ToolNames are the names of the tools offered, in order.
func (c *Chat) ToolNames() []string {
	var names []string
	for _, t := range c.Tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// MayCall says whether the model may call a tool.
func (c *Chat) MayCall() bool { return len(c.Tools) > 0 && c.ToolChoice != "none" }

// titleAnswer is what a call for a title is answered where no step says otherwise.
const titleAnswer = "TITLE: A conversation from a test\nSUMMARY: The person asked and was answered."

// Title says whether the call asks for the title of a conversation that has ended.
func (c *Chat) Title() bool {
	return len(c.Messages) > 0 && c.Messages[0].Role == "system" && !c.MayCall() &&
		strings.Contains(string(c.Messages[0].Content), "\nTITLE: ")
}

// text is the history as lines a condition can look into.
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
