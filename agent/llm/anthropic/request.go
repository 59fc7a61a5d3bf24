package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// A request.
type (
	request struct {
		Model     string            `json:"model"`
		MaxTokens int               `json:"max_tokens"`
		Thinking  *thinking         `json:"thinking,omitempty"`
		Output    map[string]string `json:"output_config,omitempty"`
		Tools     []tool            `json:"tools,omitempty"`
		Choice    map[string]string `json:"tool_choice,omitempty"`
		System    []*block          `json:"system,omitempty"`
		Messages  []message         `json:"messages"`
		Stream    bool              `json:"stream"`
	}
	tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Schema      json.RawMessage `json:"input_schema"`
	}
	message struct {
		Role    string   `json:"role"`
		Content []*block `json:"content"`
	}
	// block is a piece of a message, with the fields of its Type; Raw is a block that goes back unchanged.
	block struct {
		Raw json.RawMessage `json:"-"`

		Type      string            `json:"type"`
		Text      string            `json:"text,omitempty"`
		ID        string            `json:"id,omitempty"`
		Name      string            `json:"name,omitempty"`
		Input     json.RawMessage   `json:"input,omitempty"`
		ToolUseID string            `json:"tool_use_id,omitempty"`
		Content   []*block          `json:"content,omitempty"`
		Source    *source           `json:"source,omitempty"`
		Title     string            `json:"title,omitempty"`
		IsError   bool              `json:"is_error,omitempty"`
		Cache     map[string]string `json:"cache_control,omitempty"`
	}
	source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}
)

// MarshalJSON implements json.Marshaler.
func (b *block) MarshalJSON() ([]byte, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	type plain block
	return json.Marshal((*plain)(b))
}

// body implements endpoint.Body.
func body(to dialect.Target, system string, history []llm.Message, req llm.Request) ([]byte, error) {
	out := request{Model: to.Model, Messages: messages(to, history), Stream: true}
	out.limit(to.Effort, req.MaxTokens, startsThinking(out.Messages))
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{dialect.Name(t.Name), strings.TrimSpace(t.Description), dialect.Schema(t.Parameters)})
	}
	if req.NoCalls && len(out.Tools) > 0 {
		out.Choice = map[string]string{"type": "none"}
	}
	if system != "" {
		out.System = []*block{{Type: "text", Text: system}}
	}
	out.mark()
	return json.Marshal(out)
}

// ephemeral marks the end of a part that is cached for some minutes.
var ephemeral = map[string]string{"type": "ephemeral"}

// mark sets cache marks. Tools and system text are the same in every request. The next request continues from the end
// of the messages. The end of the previous request is marked, too, because the endpoint looks only a few blocks back
// from a mark for a cached part, and a response with many calls has more.
func (r *request) mark() {
	if n := len(r.System); n > 0 {
		r.System[n-1].Cache = ephemeral
	}
	const ends = 2
	marked := 0
	for i := len(r.Messages) - 1; i >= 0 && marked < ends; i-- {
		if m := r.Messages[i]; m.Role == "user" {
			m.Content[len(m.Content)-1].Cache = ephemeral
			marked++
		}
	}
}

// messages returns a history in the form of the target: results first, then user text.
func messages(to dialect.Target, history []llm.Message) []message {
	var out []message
	add := func(role string, b ...*block) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, b...)
			return
		}
		out = append(out, message{role, b})
	}
	for _, m := range history {
		switch m.Role {
		case llm.RoleTool:
			add("user", &block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: blocks(m), IsError: m.IsError})
		case llm.RoleAssistant:
			var calls []*block
			for _, c := range m.ToolCalls {
				calls = append(calls, &block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: json.RawMessage(c.Arguments)})
			}
			add("assistant", form.Parts(to, m, calls)...)
		default:
			add("user", blocks(m)...)
		}
	}
	return out
}

// blocks returns a message's text and media.
func blocks(m llm.Message) []*block {
	out := []*block{{Type: "text", Text: m.Content}}
	for _, x := range m.Media {
		b := &block{Type: "image", Source: &source{"base64", x.Type, x.Data}}
		if x.Document() {
			b.Type, b.Title = "document", dialect.FileName(x)
		}
		out = append(out, &block{Type: "text", Text: x.Label()}, b)
	}
	return out
}

// form describes the blocks of an assistant message, including thoughts.
var form = dialect.Form[*block]{
	Names: dialect.Names{Field: "blocks", Words: "text", Call: "tool_use"},
	Say:   func(words dialect.Kept) *block { return &block{Type: "text", Text: words.Text} },
	Back:  func(kind string, raw json.RawMessage) *block { return &block{Type: kind, Raw: raw} },
}

// thinking is the setting for thoughts before the answer.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

// Models with a thinking budget in tokens. Anthropic's newer models take an effort in words and refuse tokens. Source:
// platform.claude.com, build-with-claude/thinking, as of November 2026.
var inTokens = []string{
	"claude-2", "claude-3", "claude-haiku-4", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5",
	"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5",
}

// budgets are the tokens for each effort.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 28_000, "max": 28_000}

// Completion limits in tokens; a request must have one.
const (
	usualLimit = 32_000
	oldLimit   = 4096   // of models before Claude 3.7
	thoughts   = 16_000 // added to a short limit
	leastRoom  = 4096   // for the answer, in addition to the budget
)

// wordy reports whether a model takes the effort in words.
func wordy(model string) bool {
	name := plain(model)
	return strings.HasPrefix(name, "claude-") && !slices.ContainsFunc(inTokens, func(p string) bool { return strings.HasPrefix(name, p) })
}

// plain returns a model's name as Anthropic writes it, without folders before it.
func plain(model string) string {
	return strings.ReplaceAll(dialect.PlainModel(model), ".", "-")
}

// limit sets the thinking and completion limits. asked is the limit of this call, or 0. A model with a budget can only
// think if its messages with calls began with thoughts.
func (r *request) limit(effort string, asked int, begun bool) {
	limit := usualLimit
	if name := plain(r.Model); strings.HasPrefix(name, "claude-3-") && !strings.HasPrefix(name, "claude-3-7") {
		limit = oldLimit
	}
	r.MaxTokens = cmp.Or(asked, limit)
	switch {
	case effort == "none":
		r.Thinking = &thinking{Type: "disabled"}
	case wordy(r.Model):
		if effort != "" {
			r.Thinking, r.Output = &thinking{Type: "adaptive", Display: "summarized"}, map[string]string{"effort": effort}
		}
		if asked > 0 { // thoughts count, and some models think without being asked
			r.MaxTokens += thoughts
		}
	case effort != "" && begun:
		budget := cmp.Or(budgets[effort], budgets["medium"])
		r.Thinking = &thinking{Type: "enabled", Budget: budget}
		if asked > 0 {
			r.MaxTokens += budget
		}
		r.MaxTokens = max(r.MaxTokens, budget+leastRoom)
	}
}

// startsThinking reports whether each message with calls since the user's last message begins with thoughts.
func startsThinking(messages []message) bool {
	for _, m := range slices.Backward(messages) {
		first := m.Content[0]
		if m.Role == "user" && !slices.ContainsFunc(m.Content, func(b *block) bool { return b.Type == "tool_result" }) {
			return true
		}
		if m.Role == "assistant" && first.Type != "thinking" && first.Type != "redacted_thinking" {
			return false
		}
	}
	return true
}
