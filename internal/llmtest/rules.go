package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Rule is a check that refuses some requests.
type Rule struct {
	Name   string
	Source string                    // documentation, issue or code that the rule is based on
	Check  func(c *ModelCall) string // returns the endpoint's error message, or "" if c keeps the rule
}

// ModelCall is a chat-completions request for rules to check.
type ModelCall struct {
	Body     map[string]any
	Messages []map[string]any // elements of "messages" in Body
	endpoint *Endpoint
	sent     *memory // calls that the server made; nil if there is no server
}

// check returns "NAME: message" for each rule that the body of a request breaks.
func check(body []byte, e *Endpoint, sent *memory, rules []Rule) []string {
	c := &ModelCall{endpoint: e, sent: sent}
	if err := json.Unmarshal(body, &c.Body); err != nil {
		return []string{"the request is not a chat completion: " + err.Error()}
	}
	for _, m := range list(c.Body["messages"]) {
		c.Messages = append(c.Messages, object(m))
	}
	var all []string
	for _, r := range rules {
		if wrong := r.Check(c); wrong != "" {
			all = append(all, r.Name+": "+wrong)
		}
	}
	return all
}

// CheckRequest returns the errors in the body of a chat-completions request that every endpoint would refuse.
func CheckRequest(body []byte) []string { return check(body, &Endpoints[0], nil, wellFormed) }

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// unknownFields returns the names of the fields of o that are not in known, sorted.
func unknownFields(o map[string]any, known ...string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(name string) bool { return slices.Contains(known, name) })
}

func role(m map[string]any) string { return str(m["role"]) }

func toolCalls(m map[string]any) []map[string]any {
	var out []map[string]any
	for _, c := range list(m["tool_calls"]) {
		out = append(out, object(c))
	}
	return out
}

// model returns the requested model without path prefixes such as "openai/".
func (c *ModelCall) model() string {
	name := str(c.Body["model"])
	return name[strings.LastIndexByte(name, '/')+1:]
}

// tools returns the function objects of the offered tools.
func (c *ModelCall) tools() []map[string]any {
	var out []map[string]any
	for _, t := range list(c.Body["tools"]) {
		out = append(out, object(object(t)["function"]))
	}
	return out
}

// hasCalls reports whether the history contains tool calls.
func (c *ModelCall) hasCalls() bool {
	return slices.ContainsFunc(c.Messages, func(m map[string]any) bool { return len(toolCalls(m)) > 0 })
}

// each returns a check that applies check to each message and returns the first error.
func each(check func(c *ModelCall, i int, m map[string]any) string) func(*ModelCall) string {
	return func(c *ModelCall) string {
		for i, m := range c.Messages {
			if wrong := check(c, i, m); wrong != "" {
				return fmt.Sprintf("messages[%d]: %s", i, wrong)
			}
		}
		return ""
	}
}

// eachSchema returns a check that applies check to the schemas of all tools, including nested ones, and
// returns the first error. The root of a schema has depth 0.
func eachSchema(check func(s map[string]any, depth int) string) func(*ModelCall) string {
	var walk func(s map[string]any, depth int) string
	walk = func(s map[string]any, depth int) string {
		if wrong := check(s, depth); wrong != "" {
			return wrong
		}
		for name, p := range object(s["properties"]) {
			if wrong := walk(object(p), depth+1); wrong != "" {
				return name + ": " + wrong
			}
		}
		if items, ok := s["items"].(map[string]any); ok {
			return walk(items, depth+1)
		}
		return ""
	}
	return func(c *ModelCall) string {
		for _, f := range c.tools() {
			if wrong := walk(object(f["parameters"]), 0); wrong != "" {
				return fmt.Sprintf("Invalid schema for function '%s': %s", str(f["name"]), wrong)
			}
		}
		return ""
	}
}

// eachCall returns a check that applies check to each tool call in the history and returns the first error.
func eachCall(check func(c *ModelCall, call map[string]any) string) func(*ModelCall) string {
	return each(func(c *ModelCall, _ int, m map[string]any) string {
		for _, call := range toolCalls(m) {
			if wrong := check(c, call); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}

// noField returns a check that refuses the named request fields. message contains %s for the name.
func noField(message string, names ...string) func(*ModelCall) string {
	return func(c *ModelCall) string {
		for _, n := range names {
			if _, has := c.Body[n]; has {
				return fmt.Sprintf(message, n)
			}
		}
		return ""
	}
}

// noMessageField returns a check that refuses the named message fields. message contains %s for the name.
func noMessageField(message string, names ...string) func(*ModelCall) string {
	return each(func(_ *ModelCall, _ int, m map[string]any) string {
		for _, n := range names {
			if _, has := m[n]; has {
				return fmt.Sprintf(message, n)
			}
		}
		return ""
	})
}

var (
	nineAlphanumeric = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
	goodName         = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
)

// The fields of requests, messages, calls and schemas that every endpoint accepts.
var (
	requestFields = []string{"model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens", "max_completion_tokens", "temperature", "response_format"}
	messageFields = []string{"role", "content", "tool_calls", "tool_call_id"}
	callFields    = []string{"id", "type", "function"}
	schemaFields  = []string{"type", "description", "properties", "required", "items", "enum", "minimum", "maximum", "minItems", "maxItems"}
)

// wellFormed holds the rules of the chat-completions protocol itself.
var wellFormed = []Rule{
	{"model", "openai-openapi: required", func(c *ModelCall) string {
		if str(c.Body["model"]) == "" {
			return "you must provide a model parameter"
		}
		return ""
	}},
	{"usage", "openai-openapi: without it a stream reports none", func(c *ModelCall) string {
		if c.Body["stream"] == true && object(c.Body["stream_options"])["include_usage"] != true {
			return "stream_options.include_usage is not set"
		}
		return ""
	}},
	{"roles", "openai-openapi: the roles of messages; only the assistant calls tools", each(func(_ *ModelCall, _ int, m map[string]any) string {
		if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role(m)) || len(toolCalls(m)) > 0 && role(m) != "assistant" {
			return "Invalid value for 'role': " + role(m)
		}
		return ""
	})},
	{"content", "Anthropic refuses empty text; vllm-project/vllm: the key is needed; Mistral: content or tool_calls", each(func(c *ModelCall, _ int, m map[string]any) string {
		content, has := m["content"]
		text, isText := content.(string)
		switch {
		case !has:
			return "Field required: content"
		case isText && strings.TrimSpace(text) == "":
			return "text content blocks must be non-empty"
		case len(list(content)) > 0:
			return c.endpoint.checkParts(m)
		case !isText && (content != nil || len(toolCalls(m)) == 0):
			return "content must be a string"
		}
		return ""
	})},
	{"calls are answered", "OpenAI; langchain: An assistant message with 'tool_calls' must be followed by tool messages", checkAnswered},
	{"arguments", "ollama/ollama: openai.go unmarshals them into an object", eachCall(func(_ *ModelCall, call map[string]any) string {
		var o map[string]any
		if json.Unmarshal([]byte(str(object(call["function"])["arguments"])), &o) != nil || o == nil {
			return "invalid tool call arguments"
		}
		return ""
	})},
	{"names", "OpenAI [A-Za-z0-9_-]{1,64}; Kimi: begins with a letter or _", func(c *ModelCall) string {
		seen := map[string]bool{}
		for _, f := range c.tools() {
			name := str(f["name"])
			if !goodName.MatchString(name) || seen[name] {
				return fmt.Sprintf("Invalid function name: %q", name)
			}
			seen[name] = true
		}
		return eachCall(func(_ *ModelCall, call map[string]any) string {
			if name := str(object(call["function"])["name"]); !goodName.MatchString(name) {
				return fmt.Sprintf("Invalid function name: %q", name)
			}
			return ""
		})(c)
	}},
	{"user begins", "chat templates: after the optional system message", func(c *ModelCall) string {
		for _, m := range c.Messages {
			if role(m) != "system" {
				if role(m) != "user" {
					return "First message must be from user, not " + role(m)
				}
				return ""
			}
		}
		return "at least one user message is needed" // zai-org: 1214
	}},
	{"user or tool ends", "anthropics/claude-code: end with user (4.6+); Mistral: 3230", func(c *ModelCall) string {
		if n := len(c.Messages); n > 0 && role(c.Messages[n-1]) != "user" && role(c.Messages[n-1]) != "tool" {
			return "Expected last role User or Tool (or Assistant with prefix True) for serving but got " + role(c.Messages[n-1])
		}
		return ""
	}},
	{"schemas", "json-schema.org: what is offered resolves", func(c *ModelCall) string {
		for _, f := range c.tools() {
			if wrong := checkSchema(document(f["parameters"])); wrong != "" {
				return fmt.Sprintf("Invalid schema for function '%s': %s", str(f["name"]), wrong)
			}
		}
		return ""
	}},
}

// checkFormat returns the error in the form of an answer that an endpoint is to enforce, or "".
//
// Sources: the guides to structured outputs of OpenAI and Anthropic.
func checkFormat(format map[string]any) string {
	schema := object(format["schema"])
	switch {
	case format["type"] != "json_schema":
		return fmt.Sprintf("unknown type %v", format["type"])
	case schema["type"] != "object":
		return fmt.Sprintf("schema must be a JSON Schema of 'type: \"object\"', got 'type: %v'", schema["type"])
	}
	return checkStrict(schema, "()")
}

// checkStrict returns the error in a part of a schema that is to be enforced.
func checkStrict(s map[string]any, at string) string {
	if unknown := unknownFields(s, "type", "description", "properties", "required", "items", "enum", "anyOf", "additionalProperties", "$ref", "$defs"); len(unknown) > 0 {
		return fmt.Sprintf("In context=%s, '%s' is not permitted.", at, unknown[0])
	}
	properties := object(s["properties"])
	switch {
	case s["$ref"] == nil && s["anyOf"] == nil && s["type"] == nil:
		return fmt.Sprintf("In context=%s, schema must have a 'type' key.", at)
	case s["type"] == "object" && s["additionalProperties"] != false:
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", at)
	case s["type"] == "object" && len(list(s["required"])) != len(properties):
		return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties.", at)
	case s["type"] == "array" && s["items"] == nil:
		return fmt.Sprintf("In context=%s, array schema missing items.", at)
	}
	parts := map[string]any{"items": s["items"]}
	maps.Copy(parts, properties)
	maps.Copy(parts, object(s["$defs"]))
	for i, p := range list(s["anyOf"]) {
		parts[fmt.Sprint("anyOf ", i)] = p
	}
	for name, p := range parts {
		if p == nil {
			continue
		}
		if wrong := checkStrict(object(p), at+" "+name); wrong != "" {
			return wrong
		}
	}
	return ""
}

// strictAnswers refuses forms of answers that OpenAI cannot enforce.
var strictAnswers = Rule{"response_format", "OpenAI, guides/structured-outputs: Invalid schema for response_format", func(c *ModelCall) string {
	format, has := c.Body["response_format"]
	if !has {
		return ""
	}
	inner := object(object(format)["json_schema"])
	if inner["strict"] != true || str(inner["name"]) == "" {
		return "response_format.json_schema: name and strict are missing"
	}
	if wrong := checkFormat(map[string]any{"type": object(format)["type"], "schema": inner["schema"]}); wrong != "" {
		return "Invalid schema for response_format 'reply': " + wrong
	}
	return ""
}}

// schemas caches the results of checkSchema, since a test suite sends the same tools with every request.
var schemas sync.Map

// checkSchema returns the error in the JSON Schema of a tool, or "" if it is a valid schema of an object.
func checkSchema(parameters string) string {
	if known, ok := schemas.Load(parameters); ok {
		return known.(string)
	}
	var schema jsonschema.Schema
	err := json.Unmarshal([]byte(parameters), &schema)
	if err == nil {
		_, err = schema.Resolve(nil)
	}
	wrong := ""
	switch {
	case err != nil:
		wrong = err.Error()
	case schema.Type != "object":
		wrong = "schema must be of type object"
	}
	schemas.Store(parameters, wrong)
	return wrong
}

// Strict holds the rules that no endpoint contradicts, apart from those in its Except. Every endpoint accepts a
// request that keeps these rules and the endpoint's own. Each Server enforces both over chat completions.
var Strict = append(slices.Clone(wellFormed), []Rule{
	{"system first", "lmstudio-bug-tracker#2115, QwenLM/Qwen3.8#244: templates raise on a later or second one", each(func(_ *ModelCall, i int, m map[string]any) string {
		if role(m) == "system" && i > 0 {
			return "System message must be at the beginning."
		}
		return ""
	})},
	{"roles alternate", "ggml-org/llama.cpp#19851: templates raise on user, user", each(func(c *ModelCall, i int, m map[string]any) string {
		if i > 0 && role(m) == role(c.Messages[i-1]) && role(m) != "tool" {
			return "Conversation roles must alternate user/assistant/user/assistant/..."
		}
		return ""
	})},
	{"no user after tool", "nearai/ironclaw#1241; Mistral's chat templates", each(func(c *ModelCall, i int, m map[string]any) string {
		if i > 0 && role(m) == "user" && role(c.Messages[i-1]) == "tool" {
			return "Unexpected role 'user' after role 'tool'"
		}
		return ""
	})},
	{"ids", "Kimi's rest on theirs; Mistral: a-z, A-Z, 0-9, with a length of 9", eachCall(func(c *ModelCall, call map[string]any) string {
		id := str(call["id"])
		if _, own := c.sent.lookup(call); !own && !nineAlphanumeric.MatchString(id) {
			return fmt.Sprintf("Tool call id was %s but must be one that came from here, or a-z, A-Z, 0-9, with a length of 9.", id)
		}
		return ""
	})},
	{"number of tools", "OpenAI, Kimi: 128", func(c *ModelCall) string {
		if n := len(c.tools()); n > 128 {
			return fmt.Sprintf("array too long: expected at most 128 tools, got %d", n)
		}
		return ""
	}},
	{"root is an object with properties", "OpenAI: object schema missing properties; Gemini: should be non-empty for OBJECT type", eachSchema(func(s map[string]any, _ int) string {
		if s["type"] != "object" {
			return ""
		}
		if len(object(s["properties"])) == 0 {
			return "properties: should be non-empty for OBJECT type"
		}
		return ""
	})},
	{"root type", "Kimi, Anthropic: input_schema.type: Field required", eachSchema(func(s map[string]any, depth int) string {
		if depth == 0 && s["type"] != "object" {
			return "schema must be of type object"
		}
		if _, one := s["type"].(string); !one {
			return "type must be one name"
		}
		return ""
	})},
	{"arrays have items", "OpenAI: array schema missing items; Gemini: items: missing field", eachSchema(func(s map[string]any, _ int) string {
		if s["type"] == "array" && object(s["items"]) == nil {
			return "array schema missing items"
		}
		return ""
	})},
	{"schema keywords", "Gemini: Unknown name \"additionalProperties\"; Anthropic: no oneOf, anyOf, allOf at the root", eachSchema(func(s map[string]any, _ int) string {
		if unknown := unknownFields(s, schemaFields...); len(unknown) > 0 {
			return fmt.Sprintf("Unknown name %q: Cannot find field.", unknown[0])
		}
		return ""
	})},
	{"enumerations are of strings", "Gemini: enum: only allowed for STRING type", eachSchema(func(s map[string]any, _ int) string {
		for _, v := range list(s["enum"]) {
			if _, ok := v.(string); !ok || s["type"] != "string" {
				return "enum: only allowed for STRING type"
			}
		}
		return ""
	})},
	{"required exists", "Gemini: required[0]: property is not defined", eachSchema(func(s map[string]any, _ int) string {
		for i, name := range list(s["required"]) {
			if _, has := object(s["properties"])[str(name)]; !has {
				return fmt.Sprintf("required[%d]: property is not defined", i)
			}
		}
		return ""
	})},
	{"tools stay", "BerriAI/litellm#24712: UnsupportedParamsError; Anthropic, Bedrock", func(c *ModelCall) string {
		if c.hasCalls() && len(c.tools()) == 0 {
			return "tools= must be specified when messages contain tool calls"
		}
		return ""
	}},
	{"fields of the request", "Gemini: Unknown name; Mistral: extra_forbidden; Fireworks: Extra inputs are not permitted", func(c *ModelCall) string {
		if unknown := unknownFields(c.Body, append(slices.Clip(c.endpoint.Fields), requestFields...)...); len(unknown) > 0 {
			return fmt.Sprintf("Unknown name %q: Cannot find field.", unknown[0])
		}
		return ""
	}},
	{"tool_choice", "Z.ai: 1210 without tools; LM Studio: no object", func(c *ModelCall) string {
		if v, has := c.Body["tool_choice"]; has && (v != "none" || len(c.tools()) == 0) {
			return "tool_choice is not supported here"
		}
		return ""
	}},
	{"nothing of others", "Groq: property 'reasoning_content' is unsupported; Mistral: extra_forbidden; Gemini: invalid signature", checkForeignFields},
	{"what came goes back", "DeepSeek, Kimi, OpenRouter, Gemini: reasoning of calls goes back as it came", checkEchoes},
}...)

// checkAnswered checks that tool messages answer each call exactly once, right after the message of the call and in
// the order of the calls.
func checkAnswered(c *ModelCall) string {
	var open []string
	seen := map[string]bool{}
	for i, m := range c.Messages {
		if role(m) == "tool" {
			if len(open) == 0 || str(m["tool_call_id"]) != open[0] {
				return fmt.Sprintf("messages[%d]: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.", i)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			break
		}
		for _, call := range toolCalls(m) {
			id := str(call["id"])
			if id == "" || seen[id] {
				return fmt.Sprintf("messages[%d]: Duplicate value for 'tool_call_id' of %q", i, id)
			}
			seen[id] = true
			open = append(open, id)
		}
	}
	if len(open) > 0 {
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: " + strings.Join(open, ", ")
	}
	return ""
}

// checkForeignFields refuses extra fields of messages and calls that this server did not send, except those in
// WithCalls and WithCall of the endpoint.
func checkForeignFields(c *ModelCall) string {
	return each(func(c *ModelCall, _ int, m map[string]any) string {
		own := echo{}
		for _, call := range toolCalls(m) {
			s, _ := c.sent.lookup(call)
			own.unchecked = own.unchecked || s.unchecked
			if own.message == nil {
				own.message = s.message
			}
			for name, value := range call {
				if !slices.Contains(callFields, name) && s.call[name] == nil && !s.unchecked && !allows(c.endpoint.WithCall, name, value) {
					return fmt.Sprintf("property 'tool_calls.%s' is unsupported", name)
				}
			}
		}
		for name, value := range m {
			if !slices.Contains(messageFields, name) && own.message[name] == nil && !own.unchecked && !allows(c.endpoint.WithCalls, name, value) {
				return fmt.Sprintf("property '%s' is unsupported", name)
			}
		}
		return ""
	})(c)
}

// allows reports whether fields contains name with this value.
func allows(fields map[string]any, name string, value any) bool {
	want, ok := fields[name]
	return ok && equalJSON(want, value)
}

// checkEchoes checks that the reasoning and signatures that this server sent with a call are sent back unchanged.
func checkEchoes(c *ModelCall) string {
	return each(func(c *ModelCall, _ int, m map[string]any) string {
		for _, call := range toolCalls(m) {
			s, own := c.sent.lookup(call)
			content := str(m["content"])
			switch {
			case !own || s.unchecked:
				continue
			case s.thoughts != "" && strings.HasPrefix(content, s.thoughts) != c.endpoint.ThoughtsBack:
				return "the thoughts that the content began with must be passed back to MiniMax, and to nobody else"
			case c.endpoint.NotBoth && content != "":
				continue
			}
			for name, want := range s.message {
				if got := m[name]; !equalJSON(got, want) {
					return fmt.Sprintf("the `%s` of this message must be passed back to the API", name)
				}
			}
			for name, want := range s.call {
				if got := call[name]; !equalJSON(got, want) {
					return fmt.Sprintf("the `%s` of this call must be passed back to the API", name)
				}
			}
		}
		return ""
	})(c)
}

// equalJSON reports whether a and b marshal to the same JSON.
func equalJSON(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
