package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// message is a message of a request. Its content are objects and thoughts.
type message struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

// thought is a block that goes back unchanged.
type thought struct{ json.RawMessage }

// body implements endpoint.Codec.
func body(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error) {
	said := messages(to, history)
	var tools, first []any
	for _, t := range req.Tools {
		tools = append(tools, dialect.NewObject("name", llm.PortableName(t.Name), "description", strings.TrimSpace(t.Description), "input_schema", dialect.Schema(t.Parameters)))
	}
	var choice map[string]string
	if req.NoCalls && len(tools) > 0 {
		choice = map[string]string{"type": "none"}
	}
	if system != "" {
		first = []any{dialect.NewObject("type", "text", "text", system, "cache_control", ephemeral)}
	}
	tokens, thinking, leveled := limit(to, req.MaxTokens, startsThinking(said))
	var output dialect.Object
	if leveled {
		output = dialect.NewObject("effort", to.Effort)
	}
	if schema := dialect.Answer(req.Answer); schema != nil {
		output = dialect.With(output, "format", dialect.NewObject("type", "json_schema", "schema", schema))
	}
	mark(said)
	return json.Marshal(dialect.NewObject("model", to.Model, "max_tokens", tokens, "thinking", thinking, "output_config", output,
		"tools", tools, "tool_choice", choice, "system", first, "messages", said, "stream", true))
}

// ephemeral marks the end of a part that is cached for some minutes.
var ephemeral = map[string]string{"type": "ephemeral"}

// mark sets cache marks. Tools and system text are the same in every request. The next request continues from the end
// of the messages. The end of the previous request is marked, too, because the endpoint looks only a few blocks back
// from a mark for a cached part, and a response with many calls has more.
func mark(messages []message) {
	const ends = 2
	marked := 0
	for _, m := range slices.Backward(messages) {
		if last := len(m.Content) - 1; m.Role == "user" && marked < ends {
			m.Content[last] = dialect.With(m.Content[last].(dialect.Object), "cache_control", ephemeral)
			marked++
		}
	}
}

// messages returns a history in the form of the target: results first, then user text.
func messages(to dialect.Target, history []llm.Message) []message {
	var out []message
	add := func(role string, b ...any) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, b...)
			return
		}
		out = append(out, message{role, b})
	}
	for _, m := range history {
		switch m.Role {
		case llm.RoleTool:
			add("user", dialect.NewObject("type", "tool_result", "tool_use_id", m.ToolCallID, "content", blocks(m), "is_error", m.IsError))
		case llm.RoleAssistant:
			var calls []any
			for _, c := range m.ToolCalls {
				calls = append(calls, dialect.NewObject("type", "tool_use", "id", c.ID, "name", c.Name, "input", json.RawMessage(c.Arguments)))
			}
			add("assistant", form.Parts(to, m, calls)...)
		default:
			add("user", blocks(m)...)
		}
	}
	return out
}

// blocks returns a message's text and media.
func blocks(m llm.Message) []any {
	out := []any{textBlock(m.Content)}
	for _, x := range m.Media {
		kind, title := "image", ""
		if x.Document() {
			kind, title = "document", dialect.FileName(x)
		}
		source := dialect.NewObject("type", "base64", "media_type", x.Type, "data", x.Data)
		out = append(out, textBlock(x.Label()), dialect.NewObject("type", kind, "source", source, "title", title))
	}
	return out
}

func textBlock(text string) any { return dialect.NewObject("type", "text", "text", text) }

// form describes the blocks of an assistant message, including thoughts.
var form = dialect.Form{
	Names: dialect.Names{Field: "blocks", Words: "text", Call: "tool_use"},
	Say:   func(words dialect.Kept) any { return textBlock(words.Text) },
	Back:  func(raw json.RawMessage) any { return thought{raw} },
}

// Models with a thinking budget in tokens. Anthropic's newer models accept effort levels and refuse tokens. Source:
// platform.claude.com, build-with-claude/thinking, as of November 2026.
var inTokens = []string{
	"claude-3", "claude-haiku-4", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5",
	"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5",
}

// budgets are the tokens for each effort.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 28_000, "max": 28_000}

// Completion limits in tokens; a request must have one.
const (
	usualLimit = 32_000
	thoughts   = 16_000 // added to a short limit
	leastRoom  = 4096   // for the answer, in addition to the budget
)

// takesLevels reports whether a model accepts effort levels instead of a token budget.
func takesLevels(model string) bool {
	name := strings.ReplaceAll(dialect.PlainModel(model), ".", "-")
	return strings.HasPrefix(name, "claude-") && !slices.ContainsFunc(inTokens, func(p string) bool { return strings.HasPrefix(name, p) })
}

// limit returns the completion limit and the thinking setting; leveled is set if the effort is sent as a level. asked is the
// limit of this call, or 0. A model with a budget can only think if its messages with calls began with thoughts.
func limit(to dialect.Target, asked int, begun bool) (tokens int, thinking dialect.Object, leveled bool) {
	tokens = cmp.Or(asked, usualLimit)
	switch {
	case to.Effort == "none":
		thinking = dialect.NewObject("type", "disabled")
	case takesLevels(to.Model):
		if leveled = to.Effort != ""; leveled {
			thinking = dialect.NewObject("type", "adaptive", "display", "summarized")
		}
		if asked > 0 { // thoughts count, and some models think without being asked
			tokens += thoughts
		}
	case to.Effort != "" && begun:
		budget := cmp.Or(budgets[to.Effort], budgets["medium"])
		thinking = dialect.NewObject("type", "enabled", "budget_tokens", budget)
		if asked > 0 {
			tokens += budget
		}
		tokens = max(tokens, budget+leastRoom)
	}
	return tokens, thinking, leveled
}

// startsThinking reports whether each message with calls since the user's last message begins with thoughts.
func startsThinking(messages []message) bool {
	for _, m := range slices.Backward(messages) {
		_, thinks := m.Content[0].(thought)
		first, _ := m.Content[0].(dialect.Object)
		switch {
		case m.Role == "user" && first.Get("type") != "tool_result": // results come first
			return true
		case m.Role == "assistant" && !thinks:
			return false
		}
	}
	return true
}
