package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// readMessages converts a Messages API request to rec.Chat.
func readMessages(rec *Request) error {
	body := rec.fields
	c := newChat(body, "max_tokens")
	rec.Chat = c
	c.ToolChoice = object(body["tool_choice"])["type"]
	if system := contentOf(body["system"]); system != "" {
		c.Messages = append(c.Messages, Message{Role: "system", Content: system})
	}
	for _, m := range list(body["messages"]) {
		m := object(m)
		out := Message{Role: role(m), Content: Content(str(m["content"]))}
		results := false
		for _, b := range list(m["content"]) {
			b := object(b)
			switch b["type"] {
			case "tool_use":
				out.ToolCalls = append(out.ToolCalls, newCallSent(str(b["id"]), str(b["name"]), document(b["input"])))
			case "tool_result":
				results = true
				c.Messages = append(c.Messages, Message{Role: "tool", Content: contentOf(b["content"]), ToolCallID: str(b["tool_use_id"])})
			default:
				out.Content += contentOf([]any{b})
			}
		}
		if out.Content != "" || len(out.ToolCalls) > 0 || !results && len(list(m["content"])) == 0 {
			c.Messages = append(c.Messages, out)
		}
	}
	for _, t := range list(body["tools"]) {
		c.Tools = append(c.Tools, toolOf(object(t), "input_schema"))
	}
	return nil
}

// messagesFields lists the request fields of the Messages API that a client is expected to use.
var messagesFields = []string{"model", "max_tokens", "thinking", "output_config", "tools", "tool_choice", "system", "messages", "stream"}

var (
	toolUseID       = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	noThinkingModel = regexp.MustCompile(`^claude-3-([05]|[a-z])`)
	budgetModel     = regexp.MustCompile(`^claude-(3|haiku-4|(sonnet|opus)-4-[0125])`)
	efforts         = []string{"low", "medium", "high", "xhigh", "max"}
	thinkingTypes   = []string{"thinking", "redacted_thinking"}
)

// messagesProblems returns the errors that the Messages API has for a request.
//
// Sources: the documentation at platform.claude.com; anthropics/claude-code#7929, #59812, #10627, #40075;
// home-assistant/core#147760; UKGovernmentBEIS/inspect_ai#3722; ax-llm/ax#517.
func messagesProblems(s *Server, rec *Request) []string {
	body := rec.fields
	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if rec.Header.Get("Anthropic-Version") == "" {
		report("anthropic-version: header is required")
	}
	if s.opts.APIKey != "" && rec.Header.Get("X-Api-Key") == "" {
		report("x-api-key header is required")
	}
	for _, name := range unknownFields(body, messagesFields...) {
		report("%s: Extra inputs are not permitted", name)
	}
	model := str(body["model"])
	if limit, ok := body["max_tokens"].(float64); !ok || limit < 1 {
		report("max_tokens: Field required")
	}
	checkThinking(body, model, report)
	checkMessagesTools(body, report)
	m := &messageChecker{server: s, model: model, report: report, seen: map[string]bool{}}
	m.check(list(body["messages"]))
	if th := object(body["thinking"]); th["type"] == "enabled" {
		m.checkThinkingFirst(list(body["messages"]))
	}
	if n := countCacheControl(body); n > 4 {
		report("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	if len(m.seen) > 0 && len(list(body["tools"])) == 0 {
		report("Requests which include `tool_use` or `tool_result` blocks must define tools.")
	}
	return problems
}

func checkThinking(body map[string]any, model string, report func(string, ...any)) {
	th := object(body["thinking"])
	limit, _ := body["max_tokens"].(float64)
	adaptive := strings.HasPrefix(model, "claude-") && !budgetModel.MatchString(model)
	switch budget, _ := th["budget_tokens"].(float64); {
	case th == nil:
	case th["type"] == "enabled" && adaptive:
		report("thinking.enabled.budget_tokens is not supported by this model; use adaptive")
	case th["type"] == "enabled" && (budget < 1024 || budget >= limit):
		report("thinking.enabled.budget_tokens: must be at least 1024 and less than max_tokens")
	case th["type"] == "enabled" && noThinkingModel.MatchString(model):
		report("thinking: '%s' does not support thinking", model)
	case th["type"] == "adaptive" && !adaptive:
		report("adaptive thinking is not supported on this model")
	case th["type"] != "enabled" && th["budget_tokens"] != nil:
		report("thinking.budget_tokens: Extra inputs are not permitted")
	case !slices.Contains([]any{"enabled", "adaptive", "disabled"}, th["type"]):
		report("thinking.type: unknown %v", th["type"])
	}
	out := object(body["output_config"])
	if effort, has := out["effort"]; has && (!adaptive || !slices.Contains(efforts, str(effort))) {
		report("output_config.effort: %q is not supported by this model", effort)
	}
	if format, has := out["format"]; has {
		if wrong := checkFormat(object(format)); wrong != "" {
			report("output_config.format: %s", wrong)
		}
	}
	if choice := object(body["tool_choice"]); th != nil && th["type"] != "disabled" && choice != nil && choice["type"] != "auto" && choice["type"] != "none" {
		report("Thinking may not be enabled when tool_choice forces tool use.")
	}
}

func checkMessagesTools(body map[string]any, report func(string, ...any)) {
	seen := map[string]bool{}
	for i, t := range list(body["tools"]) {
		t := object(t)
		name, schema := str(t["name"]), object(t["input_schema"])
		switch {
		case seen[name]:
			report("tools: Tool names must be unique.")
		case !toolName.MatchString(name):
			report("tools.%d.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", i)
		case schema["type"] != "object":
			report("tools.%d.input_schema.type: Field required", i)
		}
		seen[name] = true
		for _, union := range []string{"oneOf", "anyOf", "allOf"} {
			if schema[union] != nil {
				report("tools.%d.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", i)
			}
		}
		for _, field := range unknownFields(t, "name", "description", "input_schema", "cache_control") {
			report("tools.%d.%s: Extra inputs are not permitted", i, field)
		}
	}
	if _, has := body["tool_choice"]; has && len(seen) == 0 {
		report("tool_choice may only be specified while providing tools")
	}
}

// blockFields lists the fields of a content block by its type, without "type" and "cache_control".
var blockFields = map[string][]string{
	"text": {"text"}, "tool_use": {"id", "name", "input"}, "tool_result": {"tool_use_id", "content", "is_error"},
	"image": {"source"}, "document": {"source", "title"},
	"thinking": {"thinking", "signature"}, "redacted_thinking": {"data"},
}

// messageChecker checks the messages of a Messages API request.
type messageChecker struct {
	server      *Server
	model       string
	report      func(string, ...any)
	seen        map[string]bool // ids of the calls so far
	open        []string        // ids of the calls in the previous message, which need results
	currentTurn bool            // the message follows the last user message with text
	images      int             // number of images and documents so far
	widest      int             // longest image side in pixels
}

func (m *messageChecker) check(messages []any) {
	before, spoke := "", 0
	for i, msg := range messages {
		if slices.ContainsFunc(list(object(msg)["content"]), func(b any) bool { return object(b)["type"] == "text" }) && role(object(msg)) == "user" {
			spoke = i
		}
	}
	for i, msg := range messages {
		m.currentTurn = i > spoke
		msg := object(msg)
		r, content := role(msg), list(msg["content"])
		at := fmt.Sprintf("messages.%d", i)
		switch {
		case r != "user" && r != "assistant":
			m.report("%s.role: Input should be 'user' or 'assistant'", at)
		case r == before:
			m.report("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", r)
		case i == 0 && r != "user":
			m.report("messages: first message must use the \"user\" role")
		case len(content) == 0:
			m.report("%s: all messages must have non-empty content", at)
		}
		for _, field := range unknownFields(msg, "role", "content") {
			m.report("%s.%s: Extra inputs are not permitted", at, field)
		}
		before = r
		m.blocks(at, r, content)
	}
	if m.images > manyImages && m.widest > manyMaxSide {
		m.report("At least one of the image dimensions exceed max allowed size for many-image requests: %d pixels", manyMaxSide)
	}
	if before == "assistant" {
		m.report("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
}

func (m *messageChecker) blocks(at, r string, content []any) {
	waits := m.open
	m.open = nil
	past := false // a block other than a tool_result has come
	var thought []map[string]any
	for j, b := range content {
		b := object(b)
		at, kind := fmt.Sprintf("%s.content.%d", at, j), str(b["type"])
		m.fields(at, kind, b)
		switch kind {
		case "text":
			past = true
			if strings.TrimSpace(str(b["text"])) == "" {
				m.report("%s: text content blocks must contain non-whitespace text", at)
			}
		case "image", "document":
			past = true
			m.checkMedia(at, r, b)
		case "tool_use":
			id := str(b["id"])
			if r != "assistant" || m.seen[id] || !toolUseID.MatchString(id) || !toolName.MatchString(str(b["name"])) || object(b["input"]) == nil {
				m.report("%s: `tool_use` ids must be unique, its name a tool's, its input an object, its role the assistant's", at)
			}
			m.seen[id] = true
			m.open = append(m.open, id)
			if want, own := m.server.native.reasoningBefore(id); own && m.currentTurn {
				m.checkReasoning(at, want, thought)
			}
			thought = nil
		case "tool_result":
			waits = m.toolResult(at, r, b, waits, past)
		case "thinking", "redacted_thinking":
			plain := withoutCacheControl(b)
			thought = append(thought, plain)
			if wrong := m.server.native.checkSeal(sealOf(plain), m.model, plain); r != "assistant" || wrong != "" {
				m.report("%s: Invalid `signature` in `%s` block: %s", at, kind, wrong)
			}
			if b["cache_control"] != nil {
				m.report("%s: cache_control cannot be set for thinking blocks", at)
			}
		}
	}
	if len(waits) > 0 {
		m.report("%s: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", at, strings.Join(waits, ", "))
	}
}

// toolResult checks a tool_result block. waits holds the ids of the calls that need a result; past reports whether
// another kind of block precedes it. toolResult returns the ids that still need a result.
func (m *messageChecker) toolResult(at, r string, b map[string]any, waits []string, past bool) []string {
	id := str(b["tool_use_id"])
	k := slices.Index(waits, id)
	if r != "user" || past || k < 0 {
		m.report("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message, and come first.", at, id)
	} else {
		waits = slices.Delete(slices.Clone(waits), k, k+1)
	}
	var text Content
	if err := text.UnmarshalJSON([]byte(document(b["content"]))); err != nil || strings.TrimSpace(string(text)) == "" {
		m.report("%s: text content blocks must contain non-whitespace text", at)
	}
	for k, part := range list(b["content"]) {
		if part := object(part); part["type"] != "text" {
			at := fmt.Sprintf("%s.content.%d", at, k)
			m.fields(at, str(part["type"]), part)
			m.checkMedia(at, r, part)
		}
	}
	return waits
}

// checkMedia checks an image or document block.
func (m *messageChecker) checkMedia(at, r string, b map[string]any) {
	_, w, h, wrong := inspectSource(b)
	if r != "user" {
		wrong = "only the user may show one"
	}
	if wrong != "" {
		m.report("%s.%s.source: %s", at, b["type"], wrong)
	}
	m.images++
	m.widest = max(m.widest, w, h)
}

// fields checks the field names of a block.
func (m *messageChecker) fields(at, kind string, b map[string]any) {
	known, ok := blockFields[kind]
	if !ok {
		m.report("%s.type: unknown %q", at, kind)
		return
	}
	for _, field := range unknownFields(withoutCacheControl(b), append(slices.Clip(known), "type")...) {
		m.report("%s.%s: Extra inputs are not permitted", at, field)
	}
	if c, has := b["cache_control"]; has && object(c)["type"] != "ephemeral" {
		m.report("%s.cache_control.type: Input should be 'ephemeral'", at)
	}
}

// checkReasoning checks that the reasoning before a call is unchanged. Reasoning of another model is exempt.
func (m *messageChecker) checkReasoning(at string, want, got []map[string]any) {
	if len(want) > 0 && m.server.native.modelOf(want[0]) != m.model {
		return
	}
	if len(want)+len(got) > 0 && document(want) != document(got) {
		m.report("%s: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", at)
	}
}

// checkThinkingFirst checks that, with a thinking budget, the assistant messages since the last user text start with
// a thinking block.
func (m *messageChecker) checkThinkingFirst(messages []any) {
	for i, msg := range slices.Backward(messages) {
		content := list(object(msg)["content"])
		if len(content) == 0 {
			return
		}
		kind := str(object(content[0])["type"])
		switch {
		case role(object(msg)) == "user" && kind != "tool_result":
			return
		case role(object(msg)) == "assistant" && !slices.Contains(thinkingTypes, kind):
			m.report("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.", i, kind)
		}
	}
}

// withoutCacheControl returns a copy of block without cache_control.
func withoutCacheControl(block map[string]any) map[string]any {
	plain := maps.Clone(block)
	delete(plain, "cache_control")
	return plain
}

// countCacheControl returns the number of cache_control fields in v at any depth.
func countCacheControl(v any) (n int) {
	for _, e := range list(v) {
		n += countCacheControl(e)
	}
	for name, e := range object(v) {
		if name == "cache_control" {
			n++
		} else {
			n += countCacheControl(e)
		}
	}
	return n
}

// messagesVoice encodes a step as an answer of the Messages API.
type messagesVoice struct {
	nativeVoice
	content []map[string]any
}

func newMessagesVoice(p *player, rec *Request) voice {
	body := rec.fields
	v := &messagesVoice{nativeVoice: nativeVoice{player: p}}
	add := func(of ...any) {
		for _, b := range of {
			text := document(b)
			if o := object(b); o != nil {
				text = document(withoutCacheControl(o))
			}
			v.pieces = append(v.pieces, piece{text, countCacheControl(b) > 0})
		}
	}
	add(p.chat.Model)
	add(list(body["tools"])...)
	add(list(body["system"])...)
	add(document(body["thinking"]) + document(body["tool_choice"]))
	for _, m := range list(body["messages"]) {
		add(role(object(m)))
		add(list(object(m)["content"])...)
	}
	return v
}

func (v *messagesVoice) used() map[string]any {
	t, written := v.tokens()
	return map[string]any{
		"input_tokens": max(0, t.Prompt-t.Cached-written), "cache_read_input_tokens": t.Cached,
		"cache_creation_input_tokens": written, "output_tokens": t.Completion,
	}
}

func (v *messagesVoice) begin() bool {
	if v.beginsRaw() {
		return true
	}
	u := v.used()
	u["output_tokens"] = 1
	return v.event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "model": v.chat.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": u,
	}}) && v.event("ping", map[string]any{})
}

// block sends a content block: its start, the deltas and its end. whole is the complete block.
func (v *messagesVoice) block(start, whole map[string]any, deltas func(send func(map[string]any) bool) bool) bool {
	index := len(v.content)
	v.content = append(v.content, whole)
	send := func(d map[string]any) bool {
		return v.event("content_block_delta", map[string]any{"index": index, "delta": d})
	}
	return v.event("content_block_start", map[string]any{"index": index, "content_block": start}) && deltas(send) &&
		v.event("content_block_stop", map[string]any{"index": index})
}

func (v *messagesVoice) reasoning(text string) bool {
	seal := v.srv.native.newSeal()
	if hidden, ok := strings.CutPrefix(text, "REDACTED "); ok {
		whole := map[string]any{"type": "redacted_thinking", "data": seal}
		v.addReasoning(seal, whole)
		v.outputBytes += len(hidden)
		return v.block(whole, whole, func(func(map[string]any) bool) bool { return true })
	}
	whole := map[string]any{"type": "thinking", "thinking": text, "signature": seal}
	v.addReasoning(seal, whole)
	return v.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, whole, func(send func(map[string]any) bool) bool {
		return v.inPieces(text, splitWords, func(s string) bool { return send(map[string]any{"type": "thinking_delta", "thinking": s}) }) &&
			send(map[string]any{"type": "signature_delta", "signature": seal})
	})
}

func (v *messagesVoice) text(text string) bool {
	return v.block(map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text", "text": text}, func(send func(map[string]any) bool) bool {
		return v.inPieces(text, splitWords, func(s string) bool { return send(map[string]any{"type": "text_delta", "text": s}) })
	})
}

func (v *messagesVoice) call(id, name, arguments string) bool {
	v.attachReasoning(id)
	whole := map[string]any{"type": "tool_use", "id": id, "name": name, "input": json.RawMessage(arguments)}
	if !json.Valid([]byte(arguments)) {
		whole["input"] = map[string]any{}
	}
	return v.block(map[string]any{"type": "tool_use", "id": id, "name": name, "input": map[string]any{}}, whole, func(send func(map[string]any) bool) bool {
		return send(map[string]any{"type": "input_json_delta", "partial_json": ""}) &&
			v.inPieces(arguments, shortPieces, func(s string) bool { return send(map[string]any{"type": "input_json_delta", "partial_json": s}) })
	})
}

func (v *messagesVoice) fail(err string) bool {
	var e map[string]any
	_ = json.Unmarshal([]byte(err), &e) // err comes from StreamError
	if e["type"] == nil {
		e["type"] = "api_error"
	}
	return v.event("error", map[string]any{"error": e})
}

// reason returns the stop_reason of the answer.
func (v *messagesVoice) reason() string {
	switch {
	case v.stopped:
		return cmp.Or(map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}[v.stop], v.stop)
	case v.calls > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (v *messagesVoice) end() bool {
	delta := map[string]any{"stop_reason": v.reason(), "stop_sequence": nil}
	return v.event("message_delta", map[string]any{"delta": delta, "usage": v.used()}) && v.event("message_stop", map[string]any{})
}

func (v *messagesVoice) document() any {
	return map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "model": v.chat.Model, "content": v.content,
		"stop_reason": v.reason(), "stop_sequence": nil, "usage": v.used(),
	}
}
