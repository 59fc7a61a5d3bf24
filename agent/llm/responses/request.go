package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// leastTokens is the lowest accepted completion limit.
const leastTokens = 16

// reasoners are prefixes of models that reason; others refuse an effort.
var reasoners = []string{"o1", "o3", "o4", "gpt-5", "gpt-6", "gpt-oss", "codex-"}

// no is a false that is sent.
var no = json.RawMessage("false")

// body implements endpoint.Codec.
func body(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error) {
	var tools []any
	for _, t := range req.Tools {
		tools = append(tools, dialect.NewObject("type", "function", "name", llm.PortableName(t.Name), "description", strings.TrimSpace(t.Description),
			"parameters", dialect.Schema(t.Parameters), "strict", no)) // default true
	}
	choice, tokens := "", req.MaxTokens
	if req.NoCalls && len(tools) > 0 {
		choice = "none"
	}
	if tokens > 0 {
		tokens = max(tokens, leastTokens)
	}
	var include []string
	name := dialect.PlainModel(to.Model)
	if !strings.Contains(name, "-chat") && slices.ContainsFunc(reasoners, func(p string) bool { return strings.HasPrefix(name, p) }) {
		include = []string{"reasoning.encrypted_content"}
	}
	var text dialect.Object
	if schema := dialect.Answer(req.Answer); schema != nil {
		text = dialect.NewObject("format", dialect.NewObject("type", "json_schema", "name", "reply", "schema", schema, "strict", true))
	}
	return json.Marshal(dialect.NewObject("model", to.Model, "instructions", system, "input", items(to, history), "tools", tools, "tool_choice", choice, "text", text,
		"reasoning", dialect.NewObject("effort", to.Effort), "include", include, "max_output_tokens", tokens, "prompt_cache_key", req.CacheKey, "store", no, "stream", true))
}

// items returns a history in the form of the target.
func items(to dialect.Target, history []llm.Message) []any {
	var out []any
	for _, m := range history {
		switch m.Role {
		case llm.RoleTool:
			out = append(out, dialect.NewObject("type", "function_call_output", "call_id", m.ToolCallID, "output", parts(m)))
		case llm.RoleAssistant:
			var calls []any
			for _, c := range m.ToolCalls {
				calls = append(calls, dialect.NewObject("type", "function_call", "call_id", c.ID, "name", c.Name, "arguments", c.Arguments))
			}
			out = append(out, form.Parts(to, m, calls)...)
		default:
			out = append(out, dialect.NewObject("type", "message", "role", "user", "content", parts(m)))
		}
	}
	return out
}

// parts returns the content of a message: plain text if there are no media.
func parts(m llm.Message) any {
	if len(m.Media) == 0 {
		return m.Content
	}
	out := []any{dialect.NewObject("type", "input_text", "text", m.Content)}
	for _, x := range m.Media {
		p := dialect.NewObject("type", "input_image", "image_url", dialect.DataURL(x), "detail", "auto")
		if x.Document() {
			p = dialect.NewObject("type", "input_file", "filename", dialect.FileName(x), "file_data", dialect.DataURL(x))
		}
		out = append(out, dialect.NewObject("type", "input_text", "text", x.Label()), p)
	}
	return out
}

// form describes the items of an assistant message, including reasoning.
var form = dialect.Form{
	Names: dialect.Names{Field: "items", Words: "message", Call: "function_call"},
	Say: func(words dialect.Kept) any {
		return dialect.NewObject("type", "message", "role", "assistant", "content", words.Text, "phase", words.Phase)
	},
	Back: func(raw json.RawMessage) any { return raw },
}
