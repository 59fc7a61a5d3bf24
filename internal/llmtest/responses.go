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

// readResponses converts a Responses API request to rec.Chat. An assistant message and the calls after it become
// one Message.
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
			call := newCallSent(str(it["call_id"]), str(it["name"]), str(it["arguments"]))
			c.Messages[n-1].ToolCalls = append(c.Messages[n-1].ToolCalls, call)
		case "function_call_output":
			c.Messages = append(c.Messages, Message{Role: "tool", Content: contentOf(it["output"]), ToolCallID: str(it["call_id"])})
		case "message", "":
			c.Messages = append(c.Messages, Message{Role: role(it), Content: contentOf(it["content"])})
		}
	}
	for _, t := range list(body["tools"]) {
		c.Tools = append(c.Tools, toolOf(object(t), "parameters"))
	}
	return nil
}

// itemFields lists the fields of an input item by its type, without "type".
var itemFields = map[string][]string{
	"message": {"role", "content", "phase"}, "function_call": {"call_id", "name", "arguments"},
	"function_call_output": {"call_id", "output"}, "reasoning": {"id", "summary", "content", "encrypted_content"},
}

var (
	responsesFields = []string{"model", "instructions", "input", "tools", "tool_choice", "reasoning", "include", "max_output_tokens", "prompt_cache_key", "store", "stream", "text"}
	reasoningModel  = regexp.MustCompile(`^(o[134]|gpt-[56])`)
	toolName        = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	chatModel       = regexp.MustCompile(`-chat`)
	effortLevels    = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
)

// modelEfforts lists the reasoning efforts of OpenAI's models; the first matching entry applies. Sources:
// openai/openai-openapi:openapi.yaml, ReasoningEffort, and the model pages.
var modelEfforts = []struct {
	models *regexp.Regexp
	levels []string
}{
	{regexp.MustCompile(`^gpt-5\.1($|-20)`), []string{"none", "low", "medium", "high"}},
	{regexp.MustCompile(`^gpt-5\.[2-5]($|-20)`), []string{"none", "low", "medium", "high", "xhigh"}},
	{regexp.MustCompile(`^gpt-5($|-mini|-nano|-20)`), []string{"minimal", "low", "medium", "high"}},
	{regexp.MustCompile(`^o[134]`), []string{"low", "medium", "high"}},
}

// checkEffort returns the error for a reasoning effort, or "" if the model supports it.
func checkEffort(model, effort string) string {
	known := effortLevels
	for _, m := range modelEfforts {
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

// responsesProblems returns the errors that the Responses API has for a request.
//
// Sources: openai/openai-openapi:openapi.yaml; the guides at developers.openai.com on reasoning, function
// calling and conversation state; and public reports of its errors.
func responsesProblems(s *Server, rec *Request) []string {
	body := rec.fields
	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	model := str(body["model"])
	reasons := reasoningModel.MatchString(model) && !chatModel.MatchString(model)
	for _, name := range unknownFields(body, responsesFields...) {
		report("Unknown parameter: '%s'.", name)
	}
	switch {
	case model == "":
		report("you must provide a model parameter")
	case body["store"] != false:
		report("store: nothing is to be stored")
	case !reasons && body["reasoning"] != nil && s.opts.Endpoint.Name == "openai":
		report("Unsupported parameter: 'reasoning.effort' is not supported with this model.")
	case !reasons && body["include"] != nil:
		report("Encrypted content is not supported with this model.")
	}
	if effort, has := object(body["reasoning"])["effort"]; has {
		if wrong := checkEffort(model, str(effort)); wrong != "" {
			report("%s", wrong)
		}
	}
	if limit, has := body["max_output_tokens"].(float64); has && limit < 16 {
		report("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %v instead.", limit)
	}
	if text, has := body["text"]; has {
		if wrong := checkFormat(object(object(text)["format"])); wrong != "" {
			report("Invalid schema for response_format 'reply': %s", wrong)
		}
	}
	checkFunctions(body, report)
	w := &inputChecker{server: s, model: model, report: report, seen: map[string]bool{}, answered: map[string]bool{}}
	w.check(list(body["input"]))
	return problems
}

func checkFunctions(body map[string]any, report func(string, ...any)) {
	seen := map[string]bool{}
	for i, t := range list(body["tools"]) {
		t := object(t)
		name, schema := str(t["name"]), object(t["parameters"])
		_, properties := schema["properties"]
		switch {
		case t["type"] != "function" || !toolName.MatchString(name) || seen[name]:
			report("Invalid 'tools[%d].name': string does not match pattern, or is used twice: %q", i, name)
		case schema["type"] != "object" || !properties:
			report("Invalid schema for function '%s': In context=(), object schema missing properties.", name)
		case t["strict"] != false:
			report("Invalid schema for function '%s': In context=(), 'additionalProperties' is required to be supplied and to be false.", name)
		}
		seen[name] = true
	}
	if choice, has := body["tool_choice"]; has && (len(seen) == 0 || choice != "none" && choice != "auto") {
		report("Tool choice '%v' is only allowed when 'tools' are specified.", choice)
	}
}

// inputChecker checks the input of a Responses API request.
type inputChecker struct {
	server         *Server
	model          string
	report         func(string, ...any)
	seen, answered map[string]bool  // by call id
	reasoning      []map[string]any // reasoning items since the last call
}

func (w *inputChecker) check(input []any) {
	if len(input) == 0 {
		w.report("Missing required parameter: 'input'.")
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
			w.report("Invalid value: '%s' at '%s.type'.", kind, at)
		}
		for _, field := range unknownFields(it, append(slices.Clip(known), "type")...) {
			w.report("Unknown parameter: '%s.%s'.", at, field)
		}
		if before == "reasoning" && kind != "reasoning" && kind != "function_call" && role(it) != "assistant" {
			w.report("Item of type 'reasoning' was provided without its required following item.")
		}
		w.item(at, kind, it, i > spoke)
		before = kind
	}
	if before == "reasoning" {
		w.report("Item of type 'reasoning' was provided without its required following item.")
	}
	last := object(input[len(input)-1])
	if role(last) == "assistant" {
		w.report("the last word is the assistant's: there is nothing to answer")
	}
	for id := range w.seen {
		if !w.answered[id] {
			w.report("No tool output found for function call %s.", id)
		}
	}
}

func (w *inputChecker) item(at, kind string, it map[string]any, running bool) {
	switch kind {
	case "message":
		if w.parts(at+".content", it["content"]) == "" || !slices.Contains([]string{"user", "assistant"}, role(it)) {
			w.report("%s: a message wants a role and a text", at)
		}
	case "function_call":
		id := str(it["call_id"])
		var arguments map[string]any
		if id == "" || len(id) > 64 || w.seen[id] || !toolName.MatchString(str(it["name"])) || json.Unmarshal([]byte(str(it["arguments"])), &arguments) != nil {
			w.report("Invalid '%s.call_id': empty, longer than 64 or used twice, or a bad name or arguments: %v", at, it)
		}
		w.seen[id] = true
		if want, own := w.server.native.reasoningBefore(id); own && running && (len(want) == 0 || w.server.native.modelOf(want[0]) == w.model) &&
			len(want)+len(w.reasoning) > 0 && document(want) != document(w.reasoning) {
			w.report("%s: the reasoning before this call must be passed back as it came", at)
		}
		w.reasoning = nil
	case "function_call_output":
		id := str(it["call_id"])
		if !w.seen[id] || w.answered[id] {
			w.report("No tool call found for function call output with call_id %s.", id)
		}
		if w.parts(at+".output", it["output"]) == "" {
			w.report("%s: the output is empty", at)
		}
		w.answered[id] = true
	case "reasoning":
		w.reasoning = append(w.reasoning, it)
		if wrong := w.server.native.checkSeal(sealOf(it), w.model, it); wrong != "" {
			w.report("The encrypted content for item %v could not be verified: %s", it["id"], wrong)
		}
	}
}

// partFields lists the fields of a content part by its type, without "type".
var partFields = map[string][]string{"input_text": {"text"}, "input_image": {"image_url", "detail"}, "input_file": {"filename", "file_data"}}

// parts checks a content value, a string or an array of parts, and returns its text with placeholders for images
// and files.
func (w *inputChecker) parts(at string, content any) string {
	said := strings.TrimSpace(str(content))
	for i, p := range list(content) {
		p := object(p)
		at := fmt.Sprintf("%s[%d]", at, i)
		known, ok := partFields[str(p["type"])]
		if !ok {
			w.report("Invalid value: '%v'. Supported values are: 'input_text', 'input_image' and 'input_file'.", p["type"])
		}
		for _, field := range unknownFields(p, append(slices.Clip(known), "type")...) {
			w.report("Unknown parameter: '%s.%s'.", at, field)
		}
		s, wrong, shown := inspectPart(p)
		switch {
		case shown && wrong != "":
			w.report("%s: %s", at, wrong)
		case shown && p["type"] == "input_file" && str(p["filename"]) == "":
			w.report("Missing required parameter: '%s.filename'.", at)
		case !shown && strings.TrimSpace(str(p["text"])) == "":
			w.report("%s: the text is empty", at)
		}
		said += s.text + str(p["text"])
	}
	return said
}

// responsesVoice encodes a step as an answer of the Responses API.
type responsesVoice struct {
	nativeVoice
	encrypted bool  // the request includes reasoning.encrypted_content
	output    []any // complete output items
	seq       int   // next sequence_number
}

func newResponsesVoice(p *player, rec *Request) voice {
	body := rec.fields
	v := &responsesVoice{nativeVoice: nativeVoice{player: p}, encrypted: slices.Contains(list(body["include"]), any("reasoning.encrypted_content"))}
	add := func(of ...any) {
		for _, b := range of {
			v.pieces = append(v.pieces, piece{document(b), true}) // any prefix may be reused
		}
	}
	add(p.chat.Model + str(body["prompt_cache_key"]))
	add(list(body["tools"])...)
	add(body["instructions"])
	add(list(body["input"])...)
	return v
}

// emit sends an event with the next sequence number.
func (v *responsesVoice) emit(kind string, doc map[string]any) bool {
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
	return v.beginsRaw() || v.emit("response.created", map[string]any{"response": v.response("in_progress")}) &&
		v.emit("response.in_progress", map[string]any{"response": v.response("in_progress")})
}

// item sends an output item: its start, the events sent by within and its end. whole is the complete item.
func (v *responsesVoice) item(start, whole map[string]any, within func(at map[string]any) bool) bool {
	index := len(v.output)
	v.output = append(v.output, whole)
	return v.emit("response.output_item.added", map[string]any{"output_index": index, "item": start}) &&
		within(map[string]any{"output_index": index, "item_id": whole["id"]}) &&
		v.emit("response.output_item.done", map[string]any{"output_index": index, "item": whole})
}

// with returns a copy of at with the entries of more.
func with(at map[string]any, more map[string]any) map[string]any {
	out := maps.Clone(at)
	maps.Copy(out, more)
	return out
}

func (v *responsesVoice) reasoning(text string) bool {
	seal := v.srv.native.newSeal()
	id := fmt.Sprintf("rs_%d", len(v.output))
	back := map[string]any{"type": "reasoning", "id": id, "summary": []any{map[string]any{"type": "summary_text", "text": text}}}
	if v.encrypted {
		back["encrypted_content"] = seal
		v.addReasoning(seal, back)
	}
	whole := with(back, map[string]any{"status": nil})
	start := map[string]any{"type": "reasoning", "id": id, "summary": []any{}}
	return v.item(start, whole, func(at map[string]any) bool {
		at["summary_index"] = 0
		return v.emit("response.reasoning_summary_part.added", with(at, map[string]any{"part": map[string]any{"type": "summary_text", "text": ""}})) &&
			v.inPieces(text, splitWords, func(s string) bool {
				return v.emit("response.reasoning_summary_text.delta", with(at, map[string]any{"delta": s}))
			}) &&
			v.emit("response.reasoning_summary_text.done", with(at, map[string]any{"text": text}))
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
		return v.emit("response.content_part.added", with(at, map[string]any{"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}})) &&
			v.inPieces(text, splitWords, func(s string) bool { return v.emit("response.output_text.delta", with(at, map[string]any{"delta": s})) }) &&
			v.emit("response.output_text.done", with(at, map[string]any{"text": text}))
	})
}

func (v *responsesVoice) call(id, name, arguments string) bool {
	v.attachReasoning(id)
	item := func(status, arguments string) map[string]any {
		return map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", v.calls), "call_id": id, "name": name, "arguments": arguments, "status": status}
	}
	return v.item(item("in_progress", ""), item("completed", arguments), func(at map[string]any) bool {
		return v.inPieces(arguments, shortPieces, func(s string) bool {
			return v.emit("response.function_call_arguments.delta", with(at, map[string]any{"delta": s}))
		}) && v.emit("response.function_call_arguments.done", with(at, map[string]any{"arguments": arguments}))
	})
}

func (v *responsesVoice) fail(err string) bool {
	var e map[string]any
	_ = json.Unmarshal([]byte(err), &e) // err comes from StreamError
	doc := v.response("failed")
	doc["error"] = map[string]any{"code": cmp.Or(str(e["code"]), "server_error"), "message": e["message"]}
	return v.emit("response.failed", map[string]any{"response": doc})
}

// final returns the complete response object.
func (v *responsesVoice) final() map[string]any {
	doc := v.response("completed")
	if reason := cmp.Or(map[string]string{"length": "max_output_tokens"}[v.stop], v.stop); v.stopped && reason != "stop" && reason != "tool_calls" {
		doc["status"], doc["incomplete_details"] = "incomplete", map[string]any{"reason": reason}
	}
	doc["usage"] = v.used()
	return doc
}

func (v *responsesVoice) end() bool {
	doc := v.final()
	return v.emit("response."+str(doc["status"]), map[string]any{"response": doc})
}

func (v *responsesVoice) document() any { return v.final() }
