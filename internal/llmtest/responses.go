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

// readResponses reads a request of the Responses API in the words of chat completions: what the assistant
// said and the calls after that are one message.
func readResponses(rec *Request) error {
	body := rec.fields
	c := newChat(body, "max_output_tokens")
	rec.Chat = c
	c.ToolChoice = body["tool_choice"]
	if instructions := str(body["instructions"]); instructions != "" {
		c.Messages = append(c.Messages, Message{Role: "system", Content: Content(instructions)})
	}
	for _, it := range list(body["input"]) {
		it := object(it)
		n := len(c.Messages)
		switch str(it["type"]) {
		case "function_call":
			if n == 0 || c.Messages[n-1].Role != "assistant" {
				c.Messages = append(c.Messages, Message{Role: "assistant"})
				n++
			}
			call := callSent(str(it["call_id"]), str(it["name"]), str(it["arguments"]))
			c.Messages[n-1].ToolCalls = append(c.Messages[n-1].ToolCalls, call)
		case "function_call_output":
			c.Messages = append(c.Messages, Message{Role: "tool", Content: shownIn(it["output"]), ToolCallID: str(it["call_id"])})
		case "message", "":
			c.Messages = append(c.Messages, Message{Role: role(it), Content: shownIn(it["content"])})
		}
	}
	for _, t := range list(body["tools"]) {
		c.Tools = append(c.Tools, offered(object(t), "parameters"))
	}
	return nil
}

// itemFields are those of an item of the input, by its type, beside the type itself.
var itemFields = map[string][]string{
	"message": {"role", "content", "phase"}, "function_call": {"call_id", "name", "arguments"},
	"function_call_output": {"call_id", "output"}, "reasoning": {"id", "summary", "content", "encrypted_content"},
}

var (
	responsesFields = []string{"model", "instructions", "input", "tools", "tool_choice", "reasoning", "include", "max_output_tokens", "prompt_cache_key", "store", "stream"}
	reasoner        = regexp.MustCompile(`^(o[134]|gpt-[56])`)
	toolName        = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	chatty          = regexp.MustCompile(`-chat`)
	levels          = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
)

// modelLevels are the efforts of OpenAI's models, the first that fits: openai/openai-openapi:openapi.yaml,
// ReasoningEffort, and the pages of the models.
var modelLevels = []struct {
	models *regexp.Regexp
	levels []string
}{
	{regexp.MustCompile(`^gpt-5\.1($|-20)`), []string{"none", "low", "medium", "high"}},
	{regexp.MustCompile(`^gpt-5\.[2-5]($|-20)`), []string{"none", "low", "medium", "high", "xhigh"}},
	{regexp.MustCompile(`^gpt-5($|-mini|-nano|-20)`), []string{"minimal", "low", "medium", "high"}},
	{regexp.MustCompile(`^o[134]`), []string{"low", "medium", "high"}},
}

// badEffort says what is wrong with an effort; empty: the model has it.
func badEffort(model, effort string) string {
	known := levels
	for _, m := range modelLevels {
		if m.models.MatchString(model) {
			known = m.levels
			break
		}
	}
	if slices.Contains(known, effort) {
		return ""
	}
	return fmt.Sprintf("Unsupported value: '%s' is not supported with the '%s' model. Supported values are: '%s'.", effort, model, strings.Join(known, "', '"))
}

// responsesProblems says what the Responses API refuses of a request.
//
// Sources: openai/openai-openapi:openapi.yaml; the guides at developers.openai.com on reasoning, function
// calling and conversation state; and what is reported of its errors.
func responsesProblems(s *Server, rec *Request) []string {
	body := rec.fields
	var problems []string
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	model := str(body["model"])
	reasons := reasoner.MatchString(model) && !chatty.MatchString(model)
	for _, name := range unknownFields(body, responsesFields...) {
		say("Unknown parameter: '%s'.", name)
	}
	switch {
	case model == "":
		say("you must provide a model parameter")
	case body["store"] != false:
		say("store: nothing is to be stored")
	case !reasons && body["reasoning"] != nil && s.opts.Endpoint.Name == "openai":
		say("Unsupported parameter: 'reasoning.effort' is not supported with this model.")
	case !reasons && body["include"] != nil:
		say("Encrypted content is not supported with this model.")
	}
	if effort, has := object(body["reasoning"])["effort"]; has {
		if wrong := badEffort(model, str(effort)); wrong != "" {
			say("%s", wrong)
		}
	}
	if limit, has := body["max_output_tokens"].(float64); has && limit < 16 {
		say("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %v instead.", limit)
	}
	checkFunctions(body, say)
	w := &itemWalk{server: s, model: model, say: say, seen: map[string]bool{}, answered: map[string]bool{}}
	w.check(list(body["input"]))
	return problems
}

func checkFunctions(body map[string]any, say func(string, ...any)) {
	seen := map[string]bool{}
	for i, t := range list(body["tools"]) {
		t := object(t)
		name, schema := str(t["name"]), object(t["parameters"])
		_, properties := schema["properties"]
		switch {
		case t["type"] != "function" || !toolName.MatchString(name) || seen[name]:
			say("Invalid 'tools[%d].name': string does not match pattern, or is used twice: %q", i, name)
		case schema["type"] != "object" || !properties:
			say("Invalid schema for function '%s': In context=(), object schema missing properties.", name)
		case t["strict"] != false:
			say("Invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", name)
		}
		seen[name] = true
	}
	if choice, has := body["tool_choice"]; has && (len(seen) == 0 || choice != "none" && choice != "auto") {
		say("Tool choice '%v' is only allowed when 'tools' are specified.", choice)
	}
}

// itemWalk walks an input.
type itemWalk struct {
	server         *Server
	model          string
	say            func(string, ...any)
	seen, answered map[string]bool  // ids of calls
	thought        []map[string]any // since the last call
}

func (w *itemWalk) check(input []any) {
	if len(input) == 0 {
		w.say("Missing required parameter: 'input'.")
		return
	}
	spoke := 0
	for i, it := range input {
		if role(object(it)) == "user" {
			spoke = i
		}
	}
	before := ""
	for i, it := range input {
		it := object(it)
		kind := str(it["type"])
		at := fmt.Sprintf("input[%d]", i)
		known, ok := itemFields[kind]
		if !ok {
			w.say("Invalid value: '%s' at '%s.type'.", kind, at)
		}
		for _, field := range unknownFields(it, append(slices.Clip(known), "type")...) {
			w.say("Unknown parameter: '%s.%s'.", at, field)
		}
		if before == "reasoning" && kind != "reasoning" && kind != "function_call" && role(it) != "assistant" {
			w.say("Item of type 'reasoning' was provided without its required following item.")
		}
		w.item(at, kind, it, i > spoke)
		before = kind
	}
	if before == "reasoning" {
		w.say("Item of type 'reasoning' was provided without its required following item.")
	}
	last := object(input[len(input)-1])
	if role(last) == "assistant" {
		w.say("the last word is the assistant's: there is nothing to answer")
	}
	for id := range w.seen {
		if !w.answered[id] {
			w.say("No tool output found for function call %s.", id)
		}
	}
}

func (w *itemWalk) item(at, kind string, it map[string]any, running bool) {
	switch kind {
	case "message":
		if w.parts(at+".content", it["content"]) == "" || !slices.Contains([]string{"user", "assistant"}, role(it)) {
			w.say("%s: a message wants a role and a text", at)
		}
	case "function_call":
		id := str(it["call_id"])
		var arguments map[string]any
		if id == "" || len(id) > 64 || w.seen[id] || !toolName.MatchString(str(it["name"])) || json.Unmarshal([]byte(str(it["arguments"])), &arguments) != nil {
			w.say("Invalid '%s.call_id': empty, longer than 64 or used twice, or a bad name or arguments: %v", at, it)
		}
		w.seen[id] = true
		if want, own := w.server.native.before(id); own && running && (len(want) == 0 || w.server.native.maker(want[0]) == w.model) &&
			len(want)+len(w.thought) > 0 && document(want) != document(w.thought) {
			w.say("%s: the reasoning before this call must be passed back as it came", at)
		}
		w.thought = nil
	case "function_call_output":
		id := str(it["call_id"])
		if !w.seen[id] || w.answered[id] {
			w.say("No tool call found for function call output with call_id %s.", id)
		}
		if w.parts(at+".output", it["output"]) == "" {
			w.say("%s: the output is empty", at)
		}
		w.answered[id] = true
	case "reasoning":
		w.thought = append(w.thought, it)
		if wrong := w.server.native.sealed(sealOf(it), w.model, it); wrong != "" {
			w.say("The encrypted content for item %v could not be verified: %s", it["id"], wrong)
		}
	}
}

// partFields are those of a part, by its type, beside the type itself.
var partFields = map[string][]string{"input_text": {"text"}, "input_image": {"image_url", "detail"}, "input_file": {"filename", "file_data"}}

// parts is what a content says, a text or parts of it.
func (w *itemWalk) parts(at string, content any) string {
	said := strings.TrimSpace(str(content))
	for i, p := range list(content) {
		p := object(p)
		at := fmt.Sprintf("%s[%d]", at, i)
		known, ok := partFields[str(p["type"])]
		if !ok {
			w.say("Invalid value: '%v'. Supported values are: 'input_text', 'input_image' and 'input_file'.", p["type"])
		}
		for _, field := range unknownFields(p, append(slices.Clip(known), "type")...) {
			w.say("Unknown parameter: '%s.%s'.", at, field)
		}
		s, wrong, shown := shownBy(p)
		switch {
		case shown && wrong != "":
			w.say("%s: %s", at, wrong)
		case shown && p["type"] == "input_file" && str(p["filename"]) == "":
			w.say("Missing required parameter: '%s.filename'.", at)
		case !shown && strings.TrimSpace(str(p["text"])) == "":
			w.say("%s: the text is empty", at)
		}
		said += s.text + str(p["text"])
	}
	return said
}

// responsesVoice says a step as the Responses API does.
type responsesVoice struct {
	ownVoice
	sealed bool // reasoning is asked for encrypted
	output []any
	seq    int
}

func newResponsesVoice(p *player, rec *Request) voice {
	body := rec.fields
	v := &responsesVoice{ownVoice: ownVoice{player: p}, sealed: slices.Contains(list(body["include"]), any("reasoning.encrypted_content"))}
	add := func(of ...any) {
		for _, b := range of {
			v.pieces = append(v.pieces, piece{document(b), true}) // each place may be found again
		}
	}
	add(p.chat.Model + str(body["prompt_cache_key"]))
	add(list(body["tools"])...)
	add(body["instructions"])
	add(list(body["input"])...)
	return v
}

func (v *responsesVoice) say(kind string, doc map[string]any) bool {
	doc["sequence_number"] = v.seq
	v.seq++
	return v.event(kind, doc)
}

func (v *responsesVoice) used() map[string]any {
	t, _ := v.tokens()
	return map[string]any{
		"input_tokens": t.Prompt, "input_tokens_details": map[string]any{"cached_tokens": t.Cached},
		"output_tokens": t.Completion, "output_tokens_details": map[string]any{"reasoning_tokens": t.Reasoning}, "total_tokens": t.Prompt + t.Completion,
	}
}

func (v *responsesVoice) response(status string) map[string]any {
	doc := map[string]any{
		"id": "resp_test", "object": "response", "created_at": 1, "model": v.chat.Model, "status": status, "error": nil,
		"incomplete_details": nil, "output": v.output, "usage": nil, "store": false,
	}
	if v.output == nil {
		doc["output"] = []any{}
	}
	return doc
}

func (v *responsesVoice) begin() bool {
	return v.beginsRaw() || v.say("response.created", map[string]any{"response": v.response("in_progress")}) &&
		v.say("response.in_progress", map[string]any{"response": v.response("in_progress")})
}

// item sends one, what is in it by deltas.
func (v *responsesVoice) item(start, whole map[string]any, within func(at map[string]any) bool) bool {
	index := len(v.output)
	v.output = append(v.output, whole)
	return v.say("response.output_item.added", map[string]any{"output_index": index, "item": start}) &&
		within(map[string]any{"output_index": index, "item_id": whole["id"]}) &&
		v.say("response.output_item.done", map[string]any{"output_index": index, "item": whole})
}

func with(at map[string]any, more map[string]any) map[string]any {
	out := maps.Clone(at)
	maps.Copy(out, more)
	return out
}

func (v *responsesVoice) reasoning(text string) bool {
	seal := v.srv.native.seal()
	id := fmt.Sprintf("rs_%d", len(v.output))
	back := map[string]any{"type": "reasoning", "id": id, "summary": []any{map[string]any{"type": "summary_text", "text": text}}}
	if v.sealed {
		back["encrypted_content"] = seal
		v.thinks(seal, back)
	}
	whole := with(back, map[string]any{"status": nil})
	start := map[string]any{"type": "reasoning", "id": id, "summary": []any{}}
	return v.item(start, whole, func(at map[string]any) bool {
		at["summary_index"] = 0
		return v.say("response.reasoning_summary_part.added", with(at, map[string]any{"part": map[string]any{"type": "summary_text", "text": ""}})) &&
			v.inPieces(text, splitWords, func(s string) bool {
				return v.say("response.reasoning_summary_text.delta", with(at, map[string]any{"delta": s}))
			}) &&
			v.say("response.reasoning_summary_text.done", with(at, map[string]any{"text": text}))
	})
}

func (v *responsesVoice) text(text string) bool {
	id := fmt.Sprintf("msg_%d", len(v.output))
	message := func(status string, content ...any) map[string]any {
		return map[string]any{"type": "message", "id": id, "role": "assistant", "status": status, "content": append([]any{}, content...)}
	}
	part := map[string]any{"type": "output_text", "text": text, "annotations": []any{}}
	return v.item(message("in_progress"), message("completed", part), func(at map[string]any) bool {
		at["content_index"] = 0
		return v.say("response.content_part.added", with(at, map[string]any{"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}})) &&
			v.inPieces(text, splitWords, func(s string) bool { return v.say("response.output_text.delta", with(at, map[string]any{"delta": s})) }) &&
			v.say("response.output_text.done", with(at, map[string]any{"text": text}))
	})
}

func (v *responsesVoice) call(id, name, arguments string) bool {
	v.called(id)
	item := func(status, arguments string) map[string]any {
		return map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", v.calls), "call_id": id, "name": name, "arguments": arguments, "status": status}
	}
	return v.item(item("in_progress", ""), item("completed", arguments), func(at map[string]any) bool {
		return v.inPieces(arguments, shortPieces, func(s string) bool {
			return v.say("response.function_call_arguments.delta", with(at, map[string]any{"delta": s}))
		}) && v.say("response.function_call_arguments.done", with(at, map[string]any{"arguments": arguments}))
	})
}

func (v *responsesVoice) fail(err string) bool {
	var e map[string]any
	_ = json.Unmarshal([]byte(err), &e) // a step's own
	doc := v.response("failed")
	doc["error"] = map[string]any{"code": cmp.Or(str(e["code"]), "server_error"), "message": e["message"]}
	return v.say("response.failed", map[string]any{"response": doc})
}

// whole is the response as it ended.
func (v *responsesVoice) whole() map[string]any {
	doc := v.response("completed")
	if reason := cmp.Or(map[string]string{"length": "max_output_tokens"}[v.stop], v.stop); v.stopped && reason != "stop" && reason != "tool_calls" {
		doc["status"], doc["incomplete_details"] = "incomplete", map[string]any{"reason": reason}
	}
	doc["usage"] = v.used()
	return doc
}

func (v *responsesVoice) end() bool {
	doc := v.whole()
	return v.say("response."+str(doc["status"]), map[string]any{"response": doc})
}

func (v *responsesVoice) document() any { return v.whole() }
