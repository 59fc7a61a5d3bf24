package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// A request.
type (
	request struct {
		Model        string            `json:"model"`
		Instructions string            `json:"instructions,omitempty"`
		Input        []any             `json:"input"`
		Tools        []tool            `json:"tools,omitempty"`
		Choice       string            `json:"tool_choice,omitempty"`
		Reasoning    map[string]string `json:"reasoning,omitempty"`
		Include      []string          `json:"include,omitempty"`
		MaxTokens    int               `json:"max_output_tokens,omitempty"`
		CacheKey     string            `json:"prompt_cache_key,omitempty"`
		Store        bool              `json:"store"`
		Stream       bool              `json:"stream"`
	}
	tool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"` // default true
	}
	message struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content any    `json:"content"` // a text, or parts
		Phase   string `json:"phase,omitempty"`
	}
	// part is a piece of text or media, with the fields of its Type.
	part struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		ImageURL string `json:"image_url,omitempty"`
		Detail   string `json:"detail,omitempty"`
		FileName string `json:"filename,omitempty"`
		FileData string `json:"file_data,omitempty"`
	}
	functionCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	callOutput struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output any    `json:"output"` // a text, or parts
	}
)

// leastTokens is the lowest accepted completion limit.
const leastTokens = 16

// reasoners are prefixes of models that reason; others refuse an effort.
var reasoners = []string{"o1", "o3", "o4", "gpt-5", "gpt-6", "gpt-oss", "codex-"}

func reasons(model string) bool {
	name := dialect.PlainModel(model)
	return !strings.Contains(name, "-chat") && slices.ContainsFunc(reasoners, func(p string) bool { return strings.HasPrefix(name, p) })
}

// body implements endpoint.Body.
func body(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error) {
	out := request{Model: to.Model, Instructions: system, Input: items(to, history), CacheKey: req.CacheKey, Stream: true}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{Type: "function", Name: dialect.Name(t.Name), Description: strings.TrimSpace(t.Description), Parameters: dialect.Schema(t.Parameters)})
	}
	if req.NoCalls && len(out.Tools) > 0 {
		out.Choice = "none"
	}
	if to.Effort != "" {
		out.Reasoning = map[string]string{"effort": to.Effort}
	}
	if reasons(to.Model) {
		out.Include = []string{"reasoning.encrypted_content"}
	}
	if req.MaxTokens > 0 {
		out.MaxTokens = max(req.MaxTokens, leastTokens)
	}
	return json.Marshal(out)
}

// items returns a history in the form of the target.
func items(to dialect.Target, history []llm.Message) []any {
	var out []any
	for _, m := range history {
		switch m.Role {
		case llm.RoleTool:
			out = append(out, callOutput{"function_call_output", m.ToolCallID, parts(m)})
		case llm.RoleAssistant:
			var calls []any
			for _, c := range m.ToolCalls {
				calls = append(calls, functionCall{"function_call", c.ID, c.Name, c.Arguments})
			}
			out = append(out, form.Parts(to, m, calls)...)
		default:
			out = append(out, message{Type: "message", Role: "user", Content: parts(m)})
		}
	}
	return out
}

// parts returns the content of a message: plain text if there are no media.
func parts(m llm.Message) any {
	if len(m.Media) == 0 {
		return m.Content
	}
	out := []part{{Type: "input_text", Text: m.Content}}
	for _, x := range m.Media {
		p := part{Type: "input_image", ImageURL: dialect.DataURL(x), Detail: "auto"}
		if x.Document() {
			p = part{Type: "input_file", FileName: dialect.FileName(x), FileData: dialect.DataURL(x)}
		}
		out = append(out, part{Type: "input_text", Text: x.Label()}, p)
	}
	return out
}

// form describes the items of an assistant message, including reasoning.
var form = dialect.Form[any]{
	Names: dialect.Names{Field: "items", Words: "message", Call: "function_call"},
	Say:   func(words dialect.Kept) any { return message{"message", "assistant", words.Text, words.Phase} },
	Back:  func(_ string, raw json.RawMessage) any { return raw },
}
