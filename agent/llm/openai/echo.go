package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
)

// echoes collects, over the pieces of a response, what its endpoint may want back with it.
type echoes struct {
	content, reasoning strings.Builder // of the fields reasoning_content and reasoning
	details            []reasoningDetail
	extra              json.RawMessage
}

// reasoningDetail is one of reasoning_details. Its members keep their values as they came.
type reasoningDetail map[string]json.RawMessage

// add takes a piece.
func (e *echoes) add(d delta) {
	e.content.WriteString(string(d.ReasoningContent))
	e.reasoning.WriteString(string(d.Reasoning))
	for _, next := range detailsIn(d.ReasoningDetails) {
		if n := len(e.details); n == 0 || !e.details[n-1].append(next) {
			e.details = append(e.details, next)
		}
	}
	e.extra = overlaid(e.extra, d.ExtraContent)
}

func detailsIn(raw json.RawMessage) []reasoningDetail {
	var all []reasoningDetail
	if len(raw) == 0 || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// detailsText is what details say in words.
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

// append adds a detail that goes on with this one, and says whether it does: one of the same kind under
// the same index, as long as this one is not signed. Their words are joined.
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

// given says whether a value is there and says something.
func given(v json.RawMessage) bool { return len(v) > 0 && string(v) != "null" && string(v) != `""` }

func quoted(s string) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string: cannot fail
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

// overlaid is an object with the members of another one laid over its own, objects within them too.
func overlaid(old, next json.RawMessage) json.RawMessage {
	if !given(next) {
		return old
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(old, &a) != nil || json.Unmarshal(next, &b) != nil || a == nil || b == nil {
		return next
	}
	for name, value := range b {
		a[name] = overlaid(a[name], value)
	}
	out, _ := json.Marshal(a) // both were decoded: cannot fail
	return out
}

// whole is what came with a response: thoughts are those its content began with, as they stood there.
func (e *echoes) whole(from dialect.Target, thoughts string, calls []*pendingCall) *llm.Echo {
	out := &llm.Echo{Endpoint: from.Endpoint, Model: from.Model, Fields: map[string]json.RawMessage{}}
	for name, text := range map[string]string{
		"reasoning_content": e.content.String(), "reasoning": e.reasoning.String(), "content": thoughts,
	} {
		if text != "" && len(text) <= dialect.MaxEcho {
			out.Fields[name] = quoted(text)
		}
	}
	if len(e.details) > 0 {
		if b, err := json.Marshal(e.details); err == nil && len(b) <= dialect.MaxEcho {
			out.Fields["reasoning_details"] = b
		}
	}
	if given(e.extra) && len(e.extra) <= dialect.MaxEcho {
		out.Fields["extra_content"] = e.extra
	}
	for _, c := range calls {
		x := llm.EchoedCall{ID: endpoint.KeptID(c.sentID)}
		if given(c.extra) && len(c.extra) <= dialect.MaxEcho {
			x.Fields = map[string]json.RawMessage{"extra_content": c.extra}
		}
		out.Calls = append(out.Calls, x)
	}
	return out
}
