// Package written reads tool calls that a model wrote as text. Small models, and servers that do not parse
// what their model writes, put a call into the answer in place of the field that the API has for it.
//
// A call counts only if the message is nothing else but calls, with at most a sentence before the first and
// one after the last, if each names a tool that was offered, and if its arguments satisfy that tool's schema.
// Text that the model was shown, such as a note with an example of a call, never counts.
package written

import (
	"encoding/json"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
)

// maxAside is the maximum length of the sentence next to a call, in bytes.
const maxAside = 400

// Read returns the calls in an answer that consists of calls only, in order and without IDs, and the sentence before
// them. shown are the texts that the model was sent. calls is nil for any other answer.
func Read(answer string, offered []llm.ToolSpec, shown ...string) (before string, calls []llm.ToolCall) {
	start := opening(answer)
	if start < 0 || len(offered) == 0 {
		return "", nil
	}
	before, rest := strings.TrimSpace(answer[:start]), answer[start:]
	if !isAside(before) || exampleWord().MatchString(before) {
		return "", nil
	}
	for {
		rest = rest[decoration(rest):]
		raw, n, ok := next(rest)
		if !ok {
			break
		}
		source := rest[:n]
		rest = rest[n:]
		for _, c := range raw {
			call, ok := check(c, offered)
			if !ok || quotes(source, shown) {
				return "", nil
			}
			if len(calls) == 0 || calls[len(calls)-1] != call { // a model that repeats itself means it once
				calls = append(calls, call)
			}
		}
	}
	if rest = strings.TrimSpace(rest); len(calls) == 0 || !isAside(rest) && opening(rest) != 0 { // one more call may begin there, which was cut off
		return "", nil
	}
	return before, calls
}

// Name returns the name of the first call in an answer, offered or not; empty if there is none.
func Name(answer string) string {
	start := opening(answer)
	if start < 0 {
		return ""
	}
	rest := answer[start:]
	if calls, _, ok := next(rest[decoration(rest):]); ok && len(calls) > 0 && len(calls[0].name) <= llm.MaxToolName {
		return calls[0].name
	}
	return ""
}

// isAside reports whether text next to a call is at most a short paragraph.
func isAside(text string) bool {
	return len(text) <= maxAside && !strings.Contains(text, "\n\n") && !strings.Contains(text, "```")
}

// exampleWord marks a sentence that announces an example.
var exampleWord = lazyregexp.New(`(?i)\b(?:examples?|for instance|e\.g\.|such as|would look|looks like|syntax|Beispiel|zum Beispiel|exempl\w*|ejemplo|esempio)\b|例`)

// quotes reports whether a call's source is quoted from a text that the model was shown.
func quotes(source string, shown []string) bool {
	source = squeezed(source)
	for _, s := range shown {
		if strings.Contains(squeezed(s), source) {
			return true
		}
	}
	return false
}

// squeezed returns a text without white space.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// rawCall is a call as written; arguments is an object or a string that contains one.
type rawCall struct {
	name      string
	arguments json.RawMessage
}

// check makes a call of what was written, if it names an offered tool and satisfies its schema.
func check(c rawCall, offered []llm.ToolSpec) (llm.ToolCall, bool) {
	for _, spec := range offered {
		if spec.Name != c.name {
			continue
		}
		var args map[string]json.RawMessage
		raw, err := llm.ParseArguments(string(c.arguments))
		if err != nil || json.Unmarshal(raw, &args) != nil || !satisfies(args, spec.Parameters) {
			return llm.ToolCall{}, false
		}
		text, err := json.Marshal(args)
		return llm.ToolCall{Name: c.name, Arguments: string(text)}, err == nil
	}
	return llm.ToolCall{}, false
}

// satisfies reports whether arguments have the names and kinds of values that a schema asks for. A value
// given as text counts as any kind: the tool converts what can mean one thing only.
func satisfies(args map[string]json.RawMessage, schema json.RawMessage) bool {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return false
	}
	for _, name := range s.Required {
		if len(args[name]) == 0 {
			return false
		}
	}
	for name, value := range args {
		p, known := s.Properties[name]
		if !known || !isKind(value, p.Type) {
			return false
		}
	}
	return true
}

// isKind reports whether a JSON value may be meant as a type of JSON Schema.
func isKind(value json.RawMessage, want any) bool {
	switch text := strings.TrimSpace(string(value)); text[0] {
	case '{':
		return want == "object" || want == nil
	case '[':
		return want == "array" || want == nil
	default:
		return true
	}
}
