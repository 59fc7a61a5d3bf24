package llmtest

import (
	"cmp"
	"maps"
)

// chatVoice encodes a step as a chat completion with the peculiarities of the server's Endpoint.
type chatVoice struct {
	*player
	e *Endpoint

	finished bool           // the step set a finish reason
	message  map[string]any // reasoning fields that the client must send back
	thoughts string         // reasoning that was sent in the content

	// Parts of an answer that is not streamed.
	content, reasons, stop string
	toolCalls              []any
}

func newChatVoice(p *player, _ *Request) voice {
	return &chatVoice{player: p, e: p.srv.opts.Endpoint}
}

func (v *chatVoice) begin() bool {
	return v.buffered || !v.e.Azure || v.data(map[string]any{"choices": []any{}, "prompt_filter_results": []any{}})
}

// chunk sends a delta. An empty finish is sent as null.
func (v *chatVoice) chunk(delta map[string]any, finish string) bool {
	if !v.started {
		delta["role"] = "assistant"
	}
	if v.e.Comments && !v.send(": PROCESSING\n\n") {
		return false
	}
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	return v.data(map[string]any{"choices": []any{choice}})
}

func (v *chatVoice) pieces(text string, split func(string) []string, delta func(string) map[string]any) bool {
	return v.inPieces(text, split, func(s string) bool { return v.chunk(delta(s), "") })
}

func (v *chatVoice) text(text string) bool {
	if v.buffered {
		v.content += text
		v.outputBytes += len(text)
		return true
	}
	return v.pieces(text, splitWords, func(s string) map[string]any { return map[string]any{"content": s} })
}

func (v *chatVoice) reasoning(text string) bool {
	if v.buffered {
		v.reasons += text
		v.outputBytes += len(text)
		return true
	}
	switch v.e.Reasoning {
	case "":
		return true
	case "content":
		v.thoughts = "<think>\n" + text + "\n</think>"
		return v.text(v.thoughts + "\n\n")
	case "reasoning_details":
		return v.details(text)
	}
	if !v.e.Keeps {
		v.setEcho(v.e.Reasoning, str(v.message[v.e.Reasoning])+text)
	}
	return v.pieces(text, splitWords, func(s string) map[string]any { return map[string]any{v.e.Reasoning: s} })
}

// setEcho sets a field that the client must send back with the message.
func (v *chatVoice) setEcho(name string, value any) {
	if v.message == nil {
		v.message = map[string]any{}
	}
	v.message[name] = value
}

// details sends reasoning as reasoning_details with a signature, as OpenRouter does.
func (v *chatVoice) details(text string) bool {
	detail := func(name string, value any) map[string]any {
		return map[string]any{"type": "reasoning.text", "format": "anthropic-claude-v1", "index": v.part, name: value}
	}
	ok := v.pieces(text, splitWords, func(s string) map[string]any {
		return map[string]any{"content": "", "reasoning": s, "reasoning_details": []any{detail("text", s)}}
	})
	signature := "RXJv+/" + v.srv.native.newSeal()
	if !ok || !v.chunk(map[string]any{"content": "", "reasoning_details": []any{detail("signature", signature)}}, "") {
		return false
	}
	whole := detail("text", text)
	whole["signature"] = signature
	v.setEcho("reasoning", str(v.message["reasoning"])+text)
	v.setEcho("reasoning_details", append(list(v.message["reasoning_details"]), whole))
	return true
}

func (v *chatVoice) call(id, name, arguments string) bool {
	function := map[string]any{"name": name, "arguments": arguments}
	head := map[string]any{"id": id, "type": "function", "function": function}
	if v.buffered {
		v.srv.memory.record(id, echo{unchecked: true})
		v.toolCalls = append(v.toolCalls, head)
		return true
	}
	index := v.calls - 1
	delta := func(call map[string]any) map[string]any {
		if !v.e.NoIndex {
			call["index"] = index
		}
		return map[string]any{"tool_calls": []any{call}}
	}
	own := echo{message: v.message, thoughts: v.thoughts}
	if v.e.Signs != nil && index == 0 {
		own.call = v.e.Signs(v.srv.callNumber())
		maps.Copy(head, own.call)
	}
	v.srv.memory.record(id, own)
	if v.e.Whole {
		v.outputBytes += len(arguments)
		return v.chunk(delta(head), "") && v.sleep(v.step.Pace)
	}
	function["arguments"] = ""
	return v.chunk(delta(head), "") && v.pieces(arguments, shortPieces, func(s string) map[string]any {
		return delta(map[string]any{"function": map[string]any{"arguments": s}})
	})
}

func (v *chatVoice) finish(reason string) bool {
	v.finished, v.stop = true, reason
	return reason == "" || v.buffered || v.chunk(map[string]any{}, reason)
}

func (v *chatVoice) fail(err string) bool { return v.send(`data: {"error":` + err + "}\n\n") }

// end sends the finish reason unless the step set one, the usage if requested, and [DONE].
func (v *chatVoice) end() bool {
	usage := v.tokens()
	asked := v.chat.StreamOptions != nil && v.chat.StreamOptions.IncludeUsage
	ok := true
	switch {
	case !v.finished && v.e.UsageLast:
		choice := map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": ""}, "finish_reason": v.reason()}
		doc := map[string]any{"choices": []any{choice}}
		if usage != nil {
			doc["usage"] = usage
		}
		return v.data(doc) && v.send("data: [DONE]\n\n")
	case !v.finished:
		ok = v.chunk(map[string]any{}, v.reason())
	}
	if ok && usage != nil && asked {
		ok = v.data(map[string]any{"choices": []any{}, "usage": usage})
	}
	return ok && v.send("data: [DONE]\n\n")
}

func (v *chatVoice) reason() string {
	if v.calls > 0 && !v.e.Stops {
		return "tool_calls"
	}
	return "stop"
}

// tokens returns the usage object: the step's usage, or else an estimate at four bytes a token. It returns nil if
// the step reports no usage.
func (v *chatVoice) tokens() map[string]any {
	t := Tokens{Prompt: v.size/4 + 1, Completion: v.outputBytes/4 + 1}
	if v.usage != nil {
		t = *v.usage
	}
	if t.Prompt < 0 {
		return nil
	}
	u := map[string]any{"prompt_tokens": t.Prompt, "completion_tokens": t.Completion, "total_tokens": t.Prompt + t.Completion}
	if t.Cached > 0 {
		u["prompt_tokens_details"] = map[string]any{"cached_tokens": t.Cached}
	}
	if t.Reasoning > 0 {
		u["completion_tokens_details"] = map[string]any{"reasoning_tokens": t.Reasoning}
	}
	if t.Cost != nil {
		u["cost"] = *t.Cost
	}
	return u
}

func (v *chatVoice) document() any {
	message := map[string]any{"role": "assistant", "content": v.content}
	if v.reasons != "" {
		message["reasoning_content"] = v.reasons
	}
	if len(v.toolCalls) > 0 {
		message["tool_calls"] = v.toolCalls
	}
	doc := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": v.chat.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": cmp.Or(v.stop, v.reason())}},
	}
	if u := v.tokens(); u != nil {
		doc["usage"] = u
	}
	return doc
}
