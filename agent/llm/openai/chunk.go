package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
)

type (
	text   = endpoint.Text
	number = endpoint.Number
)

// chunk is a streamed piece or a whole answer as endpoints really send them: only the used fields, with any JSON type
// that has a meaning.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *endpoint.Usage `json:"usage"`

	Progress *struct {
		Total     number `json:"total"`
		Processed number `json:"processed"` // including cached ones
	} `json:"prompt_progress"` // llama.cpp
}

type choice struct {
	Index   number          `json:"index"`
	Delta   *delta          `json:"delta"`
	Message *delta          `json:"message"` // if not streamed
	Finish  text            `json:"finish_reason"`
	Usage   *endpoint.Usage `json:"usage"` // Kimi
}

type delta struct {
	Content          content         `json:"content"`
	Refusal          text            `json:"refusal"`
	ReasoningContent text            `json:"reasoning_content"`
	Reasoning        text            `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"` // OpenRouter; may be signed or encrypted
	ExtraContent     json.RawMessage `json:"extra_content"`     // Gemini
	ToolCalls        []toolPart      `json:"tool_calls"`
}

type toolPart struct {
	Index    *number `json:"index"`
	ID       text    `json:"id"`
	Function struct {
		Name      text `json:"name"`
		Arguments text `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"` // Gemini
}

// first returns the choice with index 0, or nil.
func (c *chunk) first() *choice {
	for i := range c.Choices {
		if c.Choices[i].Index <= 0 {
			return &c.Choices[i]
		}
	}
	return nil
}

func (c *choice) delta() delta { return *cmp.Or(c.Delta, c.Message, &delta{}) }

// reasoning returns the first of several fields; endpoints repeat themselves in them.
func (d delta) reasoning() string {
	if field := cmp.Or(d.ReasoningContent, d.Reasoning); field != "" {
		return string(field)
	}
	return cmp.Or(detailsText(d.ReasoningDetails), d.Content.reasoning)
}

// content is a text or an array of parts: {"type":"text","text":…}, or reasoning, {"type":"thinking","thinking":[…]}.
type content struct{ text, reasoning string }

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		var t text
		err := t.UnmarshalJSON(b)
		c.text = string(t)
		return err
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     text    `json:"text"`
		Thinking content `json:"thinking"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		if p.Type == "thinking" || p.Type == "reasoning" {
			c.reasoning += p.Thinking.text + string(p.Text)
		} else {
			c.text += string(p.Text)
		}
	}
	return nil
}

// echoes collects what the endpoint may want back with a response.
type echoes struct {
	content, reasoning strings.Builder // of the fields reasoning_content and reasoning
	thoughts           strings.Builder // at the start of the content, without tags
	details            []reasoningDetail
	extra              json.RawMessage
}

// reasoningDetail is an element of reasoning_details, with its original values.
type reasoningDetail map[string]json.RawMessage

// add reads a piece.
func (e *echoes) add(d delta) {
	e.content.WriteString(string(d.ReasoningContent))
	e.reasoning.WriteString(string(d.Reasoning))
	for _, next := range detailsIn(d.ReasoningDetails) {
		if n := len(e.details); n == 0 || !e.details[n-1].append(next) {
			e.details = append(e.details, next)
		}
	}
	if given(d.ExtraContent) {
		e.extra = d.ExtraContent
	}
}

func detailsIn(raw json.RawMessage) []reasoningDetail {
	var all []reasoningDetail
	_ = json.Unmarshal(raw, &all) // anything else has no details
	return all
}

// detailsText returns the texts of details.
func detailsText(raw json.RawMessage) string {
	var b strings.Builder
	for _, d := range detailsIn(raw) {
		for _, name := range []string{"text", "summary"} {
			var s string
			if json.Unmarshal(d[name], &s) == nil {
				b.WriteString(s)
			}
		}
	}
	return b.String()
}

// append merges a detail that continues this one and reports whether it does: it has the same type and index, and this
// one is not signed. Their texts are joined.
func (d reasoningDetail) append(next reasoningDetail) bool {
	if !bytes.Equal(d["type"], next["type"]) || !bytes.Equal(d["index"], next["index"]) || d["index"] == nil {
		return false
	}
	if given(d["signature"]) || given(d["data"]) || given(d["id"]) && given(next["id"]) && !bytes.Equal(d["id"], next["id"]) {
		return false
	}
	for name, value := range next {
		var head, tail string
		if name == "text" || name == "summary" {
			if json.Unmarshal(d[name], &head) != nil || json.Unmarshal(value, &tail) != nil {
				head, tail = "", ""
			}
		}
		switch {
		case head+tail != "":
			d[name] = quoted(head + tail)
		case given(value) || d[name] == nil:
			d[name] = value
		}
	}
	return true
}

// given reports whether a value is present and not empty.
func given(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" && string(v) != `""` }

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s) // strings can be encoded
	return b
}

// whole returns the echo of a response.
func (e *echoes) whole(from dialect.Target, calls []*pendingCall) *llm.Echo {
	details, _ := json.Marshal(e.details) // decoded values can be encoded
	out := &llm.Echo{Endpoint: from.Endpoint, Model: from.Model, Fields: map[string]json.RawMessage{}}
	for name, value := range map[string]json.RawMessage{
		"reasoning_content": quoted(e.content.String()), "reasoning": quoted(e.reasoning.String()), dialect.InContent: quoted(e.thoughts.String()),
		"reasoning_details": details, "extra_content": e.extra,
	} {
		if keeps(value) {
			out.Fields[name] = value
		}
	}
	for _, c := range calls {
		x := llm.EchoedCall{ID: endpoint.BoundedID(c.sentID)}
		if keeps(c.extra) {
			x.Fields = map[string]json.RawMessage{"extra_content": c.extra}
		}
		out.Calls = append(out.Calls, x)
	}
	return out
}

// keeps reports whether an echo holds a value.
func keeps(value json.RawMessage) bool { return given(value) && len(value) <= dialect.MaxEcho }
