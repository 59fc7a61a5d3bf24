package anthropic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
)

// The form of a request.
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
	// block is a piece of a message. Of its fields those of its Type are set; Raw is all of one that
	// goes back as it came.
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

// MarshalJSON writes what came as it came.
func (b *block) MarshalJSON() ([]byte, error) {
	if b.Raw != nil {
		return b.Raw, nil
	}
	type plain block
	return json.Marshal((*plain)(b))
}

// body is a request as it is sent (endpoint.Body).
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

// ephemeral is how what is kept for some minutes is marked.
var ephemeral = map[string]string{"type": "ephemeral"}

// mark says what is to be kept in the cache. Tools and system are the same in every request. The end of
// the messages is what the next request goes on from; the end of those of the request before is marked
// too, as its place is looked for only a few blocks back from a mark, and a response with many calls has more.
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

// messages are those of a history as the target takes them: results first, then the user's words.
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

// blocks are a message's text, and what it shows after that.
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

// form is how the blocks of an assistant's message are written, thoughts among them: words, and as they came.
var form = dialect.Form[*block]{
	Field: "blocks", Words: "text", Call: "tool_use",
	Say:  func(words dialect.Kept) *block { return &block{Type: "text", Text: words.Text} },
	Back: func(kind string, raw json.RawMessage) *block { return &block{Type: kind, Raw: raw} },
}

// thinking says whether and how a model thinks before it answers.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

// Models are told how much to think in tokens, or, the newer ones of Anthropic's, in words; these refuse
// tokens. Source: platform.claude.com, build-with-claude/thinking, as of November 2026.
var inTokens = []string{
	"claude-2", "claude-3", "claude-haiku-4", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5",
	"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5",
}

// budgets are what an effort is in tokens.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 28_000, "max": 28_000}

// Limits of a completion, in tokens. A request has to name one.
const (
	usualLimit = 32_000
	oldLimit   = 4096   // of models before Claude 3.7
	thoughts   = 16_000 // room for them beside an answer that is to be short
	leastRoom  = 4096   // for the answer, beside a budget for thoughts
)

// wordy says whether a model is told in words how much to think.
func wordy(model string) bool {
	name := plain(model)
	return strings.HasPrefix(name, "claude-") && !slices.ContainsFunc(inTokens, func(p string) bool { return strings.HasPrefix(name, p) })
}

// plain is a model's name without the folders that some endpoints put before it, and as Anthropic writes it.
func plain(model string) string {
	return strings.ReplaceAll(dialect.PlainModel(model), ".", "-")
}

// limit sets how much the model may think and say: asked is the limit of this call, 0 if it names none. A
// model that counts its thoughts in tokens has to have begun with them where it called tools.
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
		if asked > 0 { // thoughts count, and some of these think unasked
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

// startsThinking says whether each message that called tools since the user last spoke begins with thoughts.
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
