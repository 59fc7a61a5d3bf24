package endpoint

import (
	"bytes"
	"encoding/json"
	"html"
	"math"
	"strconv"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// report is an error as the endpoint describes it.
type report struct {
	message string // for people
	code    string // code, type and status, lower case, space separated: for classification
	status  int    // numeric code in the range of HTTP statuses, or 0
	window  string // the model's window in digits, if in a separate field (llama.cpp)
}

// reportIn parses an error of any known shape: {"error":{…}}, {"error":"…"}, {"type":"error", "error":{…}},
// {"object":"error","message":…}, {"detail":…}, {"errors":[…]}, [{"error":…}], "…".
func reportIn(v any) report {
	var r report
	r.take(v, 0)
	r.code = strings.ToLower(strings.TrimSpace(r.code))
	return r
}

func (r *report) take(v any, depth int) {
	const deepest = 5
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case string:
		if r.message == "" {
			r.message = v
		}
	case []any:
		for _, e := range v {
			if r.message == "" {
				r.take(e, depth+1)
			}
		}
	case map[string]any:
		r.codes(v)
		for _, key := range []string{"error", "message", "detail", "msg", "error_description", "errors", "title"} {
			if inner, ok := v[key]; ok && inner != nil {
				r.take(inner, depth+1)
			}
		}
		r.upstream(v)
	}
}

// codes collects the codes and statuses of an error.
func (r *report) codes(v map[string]any) {
	for _, key := range []string{"code", "type", "status", "status_code"} {
		var digits string
		switch c := v[key].(type) {
		case string:
			r.code += " " + c
			digits = c
		case json.Number:
			digits = c.String()
		}
		if n, err := strconv.Atoi(digits); err == nil && n >= 400 && n <= 599 && r.status == 0 {
			r.status = n
		}
	}
	if n, ok := v["n_ctx"].(json.Number); ok {
		r.window = n.String()
	}
}

// upstream adds the error of the provider behind a router, such as OpenRouter's metadata.raw.
func (r *report) upstream(v map[string]any) {
	meta, _ := v["metadata"].(map[string]any)
	raw, _ := meta["raw"].(string)
	if raw == "" || strings.Contains(r.message, raw) {
		return
	}
	if inner, ok := decode([]byte(raw)); ok {
		deeper := reportIn(inner)
		r.code += " " + deeper.code
		raw = deeper.message
	}
	if raw != "" && r.message != "" {
		r.message += ": " + raw
	}
}

// errorValue returns the error in a JSON object or array of an answer, if there is one.
func errorValue(b []byte) (any, bool) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return nil, false
	}
	// Fast path: nearly every piece contains none of these words.
	if !bytes.Contains(b, []byte(`"error"`)) && (bytes.Contains(b, []byte(`"choices"`)) || !bytes.Contains(b, []byte(`"message"`)) && !bytes.Contains(b, []byte(`"detail"`))) {
		return nil, false
	}
	v, ok := decode(b)
	if list, _ := v.([]any); len(list) > 0 {
		v = list[0]
	}
	object, isObject := v.(map[string]any)
	if !ok || !isObject {
		return nil, false
	}
	switch e := object["error"].(type) {
	case string:
		return v, e != ""
	case map[string]any:
		return v, len(e) > 0
	case []any:
		return v, len(e) > 0
	}
	_, answer := object["choices"]
	_, detail := object["detail"]
	message, _ := object["message"].(string)
	return v, object["type"] == "error" || object["object"] == "error" || !answer && (detail || message != "")
}

func decode(b []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

var title = lazyregexp.New(`(?is)<title[^>]*>(.*?)</title>`)

// snippet returns a body that is not JSON for people: the title of HTML. It is not shortened yet, because keys
// are removed first and a cut key might not be recognized.
func snippet(b []byte) string {
	s := string(b[:min(len(b), maxReport)])
	if strings.HasPrefix(strings.TrimSpace(s), "<") {
		s = ""
		if m := title().FindSubmatch(b); m != nil {
			s = html.UnescapeString(string(m[1]))
		}
	}
	return text.OneLine(s)
}

// Tidy returns the words of an endpoint on one line of bounded length, without control characters and characters that
// reorder or hide text.
func Tidy(s string) string {
	const most = 501 // characters
	return text.Excerpt(text.Printable(s), most)
}

// Text is a JSON string; null is empty, and other JSON stands for itself.
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

// Number is a JSON number, possibly in a string; -1 if it is anything else.
type Number float64

// UnmarshalJSON takes any JSON value.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = NumberIn(string(b))
	return nil
}

// NumberIn parses a number, with or without quotes.
func NumberIn(s string) Number {
	f, err := strconv.ParseFloat(strings.Trim(s, `" `), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return -1
	}
	return Number(f)
}

// Float returns the number, or 0 if it is invalid or negative.
func (n Number) Float() float64 { return max(0, float64(n)) }

// Count returns a number of tokens, or 0 if it is invalid, negative or too large.
func (n Number) Count() int {
	if n > math.MaxInt32 {
		return 0
	}
	return int(n.Float())
}

// Finish reasons for filtered content (OpenAI, Gemini, Z.ai, Bedrock, Cohere) and for an answer cut by the provider
// (DeepSeek, Z.ai, Vercel).
var (
	filterWords = lazyregexp.New(`filter|safety|sensitive|prohibited|blocklist|recitation|spii|guardrail|toxic|moderation`)
	cutWords    = lazyregexp.New(`insufficient|overload|capacity|error|abort|timeout|cancel`)
)

// FinishReason maps the reasons of endpoints to ours; empty stays empty.
func FinishReason(s string) llm.FinishReason {
	switch s = strings.ToLower(s); s {
	case "":
		return ""
	case "tool_calls", "function_call", "tool_use", "tool_call":
		return llm.FinishToolCalls
	case "length", "max_tokens", "model_length", "max_output_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	}
	switch {
	case strings.Contains(s, "refus"):
		return llm.FinishRefusal
	case filterWords().MatchString(s):
		return llm.FinishContentFilter
	case cutWords().MatchString(s):
		return llm.FinishCut
	}
	return llm.FinishStop
}
