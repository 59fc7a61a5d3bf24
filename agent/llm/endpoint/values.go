package endpoint

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"chatvault/agent/llm"
)

// Text is a string; null is empty, any other JSON stands for itself.
type Text string

// UnmarshalJSON takes any JSON value.
func (t *Text) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if len(b) == 0 || b[0] != '"' {
		*t = Text(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(t))
}

// Number is a JSON number, also one written as a string; empty where it is anything else.
type Number string

// UnmarshalJSON takes any JSON value.
func (n *Number) UnmarshalJSON(b []byte) error {
	s := string(bytes.Trim(b, `" `))
	if _, err := strconv.ParseFloat(s, 64); err != nil {
		s = ""
	}
	*n = Number(s)
	return nil
}

// Int is it as an integer; false: it is none.
func (n Number) Int() (int, bool) {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// Count is a number of tokens: not negative.
func (n Number) Count() int {
	i, _ := n.Int()
	return max(0, i)
}

// FinishReason maps what endpoints send onto the four reasons; empty stays empty.
func FinishReason(s string) llm.FinishReason {
	switch strings.ToLower(s) {
	case "":
		return ""
	case "tool_calls", "function_call", "tool_use", "tool_call":
		return llm.FinishToolCalls
	case "length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	case "content_filter", "safety", "refusal", "recitation", "prohibited_content", "blocklist":
		return llm.FinishContentFilter
	}
	return llm.FinishStop
}
