package openai

import (
	"encoding/json"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
)

// empty stands for content that is not there: endpoints refuse a message without.
const empty = "(empty)"

var badName = lazyregexp.New(`[^a-zA-Z0-9_-]`)

// request is a model call in go-openai's words.
func (p *Provider) request(req llm.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{
		Model:         p.opts.Model,
		Stream:        true,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, message(m))
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
	}
	if req.NoCalls && len(out.Tools) > 0 && p.host == openAIHost {
		out.ToolChoice = "none"
	}
	limit := req.MaxTokens
	if limit == 0 {
		limit = p.opts.MaxTokens
	}
	if p.opts.LegacyMaxTokens {
		out.MaxTokens = limit //nolint:staticcheck // the name these endpoints know
	} else {
		out.MaxCompletionTokens = limit
	}
	if len(out.Tools) > 0 && (p.opts.Model == openai.GPT6Sol || p.opts.Model == openai.GPT6Luna) {
		// With these the protocol has tools only without reasoning.
		out.ReasoningEffort = openai.ReasoningEffortNone
	}
	return out
}

func message(m llm.Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Prompt()}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{
			ID: c.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: toolName(c.Name), Arguments: arguments(c.Arguments)},
		})
	}
	if m.Role == llm.RoleTool {
		out.ToolCallID = m.ToolCallID
	}
	// A call without words is whole; "(empty)" there would teach the model to say it.
	if strings.TrimSpace(out.Content) == "" {
		out.Content = ""
		if len(out.ToolCalls) == 0 {
			out.Content = empty
		}
	}
	return out
}

// toolName makes a name the model invented one that endpoints take back.
func toolName(name string) string {
	const longest = 64
	name = badName().ReplaceAllString(name, "_")
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), longest)]
}

// arguments are sent back as they were where they are a JSON object, else as an empty one:
// several endpoints fail on others, and the call's result says what was wrong.
func arguments(s string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &object) != nil || object == nil {
		return "{}"
	}
	return s
}

func tool(t llm.ToolSpec) openai.Tool {
	parameters := t.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: t.Name, Description: t.Description, Parameters: parameters,
	}}
}
