package llmtest

import (
	"context"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// player sends one answer. Its methods report false when the client has left.
type player struct {
	srv  *Server
	w    http.ResponseWriter
	rc   *http.ResponseController
	ctx  context.Context
	step Step
	chat *Chat
	size int // bytes of the request

	started  bool           // the headers are out
	calls    int            // tool calls begun
	said     int            // bytes of text, reasoning and arguments
	finished bool           // a finish part was played
	message  map[string]any // reasoning that came, as it is to come back
	thoughts string         // that came in the content
	wire     string         // bytes that were sent as they are
	raw      bool           // bytes were sent as they are: no automatic end
	usage    *Tokens
	voice    voice // nil: chat completions
	mute     bool  // nothing is sent yet: the answer is not streamed
}

func (p *player) play() bool {
	maps.Copy(p.w.Header(), p.step.Header)
	if p.step.Unframed {
		// net/http reads this as: no chunked encoding, close the connection after the body.
		p.w.Header().Set("Transfer-Encoding", "identity")
	}
	switch {
	case p.step.Raw:
		return p.playRaw()
	case p.voice != nil:
		return p.playVoice()
	case p.step.Plain || !p.chat.Stream:
		return p.playPlain()
	}
	if p.srv.opts.Endpoint.Azure && !p.data(map[string]any{"choices": []any{}, "prompt_filter_results": []any{}}) {
		return false
	}
	defer func() { p.srv.memory.keepBytes(p.wire) }()
	for i, part := range p.step.Parts {
		if part.kind == partReasoning {
			if ok := p.playReasoning(part.text, i); !ok {
				return false
			}
			continue
		}
		ended, ok := p.playPart(part)
		if ended || !ok {
			return ok
		}
	}
	if p.raw {
		return p.send("")
	}
	return p.playEnd()
}

// playRaw sends the step's body under its status.
func (p *player) playRaw() bool {
	body := p.step.Body
	if p.w.Header().Get("Content-Type") == "" {
		kind := "text/plain; charset=utf-8"
		if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
			kind = "application/json"
		}
		p.w.Header().Set("Content-Type", kind)
	}
	for _, part := range p.step.Parts {
		if part.kind == partDelay && !p.sleep(part.wait) {
			return false
		}
	}
	return p.send(body)
}

// playPart plays one part of a stream; ended says that nothing may follow it.
func (p *player) playPart(part Part) (ended, ok bool) {
	switch part.kind {
	case partText:
		return false, p.pieces(part.text, splitWords, func(s string) map[string]any { return map[string]any{"content": s} })
	case partTool:
		return false, p.playCall(part)
	case partDelay:
		return false, p.sleep(part.wait)
	case partGate:
		select {
		case <-part.gate:
			return false, true
		case <-p.ctx.Done():
			return true, false
		}
	case partHang:
		<-p.ctx.Done()
		return true, false
	case partCut, partReset:
		return true, p.drop(part.kind == partReset)
	case partProgress:
		if !p.chat.Progress {
			return false, true
		}
		return false, p.data(map[string]any{
			"choices":         []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": nil}, "finish_reason": nil}},
			"prompt_progress": map[string]any{"total": part.used.Prompt, "cache": 0, "processed": part.used.Completion, "time_ms": 0},
		})
	case partFlush:
		return false, p.send("")
	case partComment:
		return false, p.send(": " + part.text + "\n\n")
	case partWire:
		p.raw = true
		const most = 1 << 20 // of what is looked at for ids
		if len(p.wire) < most {
			p.wire += part.text
		}
		for range max(1, part.repeat) {
			if !p.send(part.text) {
				return false, false
			}
		}
		return false, true
	case partError:
		p.raw = true
		return false, p.send(`data: {"error":` + part.text + "}\n\n")
	case partUsage:
		p.usage = &part.used
	case partFinish:
		p.finished = true
		if part.text == "" {
			p.raw = true
			return false, true
		}
		return false, p.chunk(map[string]any{}, part.text)
	}
	return false, true
}

// playReasoning sends reasoning the way the endpoint does. It is the ith part of its step.
func (p *player) playReasoning(text string, i int) bool {
	e := p.srv.opts.Endpoint
	keep := func(name string, value any) {
		if p.message == nil {
			p.message = map[string]any{}
		}
		p.message[name] = value
	}
	switch e.Reasoning {
	case "":
		return true
	case "content":
		p.thoughts = "<think>\n" + text + "\n</think>"
		return p.pieces(p.thoughts+"\n\n", splitWords, func(s string) map[string]any { return map[string]any{"content": s} })
	case "reasoning_details":
		detail := func(name string, value any) map[string]any {
			return map[string]any{"type": "reasoning.text", "format": "anthropic-claude-v1", "index": i, name: value}
		}
		ok := p.pieces(text, splitWords, func(s string) map[string]any {
			return map[string]any{"content": "", "reasoning": s, "reasoning_details": []any{detail("text", s)}}
		})
		signature := "RXJv+/" + p.srv.native.seal()
		if !ok || !p.chunk(map[string]any{"content": "", "reasoning_details": []any{detail("signature", signature)}}, "") {
			return false
		}
		whole := detail("text", text)
		whole["signature"] = signature
		before, _ := p.message["reasoning"].(string)
		keep("reasoning", before+text)
		keep("reasoning_details", append(list(p.message["reasoning_details"]), whole))
		return true
	}
	before, _ := p.message[e.Reasoning].(string)
	if !e.Keeps {
		keep(e.Reasoning, before+text)
	}
	return p.pieces(text, splitWords, func(s string) map[string]any { return map[string]any{e.Reasoning: s} })
}

func (p *player) playCall(part Part) bool {
	e := p.srv.opts.Endpoint
	id := part.id
	if id == "" {
		id = p.srv.callID(part.name)
	}
	index := p.calls
	p.calls++
	delta := func(call map[string]any) map[string]any {
		if !e.NoIndex {
			call["index"] = index
		}
		return map[string]any{"tool_calls": []any{call}}
	}
	head := map[string]any{"id": id, "type": "function", "function": map[string]any{"name": part.name, "arguments": ""}}
	own := said{message: p.message, thoughts: p.thoughts}
	if e.Signs != nil && index == 0 {
		own.call = e.Signs(p.srv.callNumber())
		maps.Copy(head, own.call)
	}
	p.srv.memory.keep(id, own)
	if e.Whole {
		head["function"] = map[string]any{"name": part.name, "arguments": part.text}
		p.said += len(part.text)
		return p.chunk(delta(head), "") && p.sleep(p.step.Pace)
	}
	if !p.chunk(delta(head), "") {
		return false
	}
	const runes = 12
	return p.pieces(part.text, func(s string) []string { return splitRunes(s, runes) }, func(s string) map[string]any {
		return delta(map[string]any{"function": map[string]any{"arguments": s}})
	})
}

// playEnd sends what a good endpoint ends with: finish reason, usage, [DONE].
func (p *player) playEnd() bool {
	last := p.srv.opts.Endpoint.UsageLast
	if !p.finished && !last && !p.chunk(map[string]any{}, p.finishReason()) {
		return false
	}
	if !p.finished && last {
		choice := map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": ""}, "finish_reason": p.finishReason()}
		doc := map[string]any{"choices": []any{choice}}
		if u := p.tokens(); u != nil {
			doc["usage"] = u
		}
		return p.data(doc) && p.send("data: [DONE]\n\n")
	}
	if u := p.tokens(); u != nil && p.chat.StreamOptions != nil && p.chat.StreamOptions.IncludeUsage {
		if !p.data(map[string]any{"choices": []any{}, "usage": u}) {
			return false
		}
	}
	return p.send("data: [DONE]\n\n")
}

func (p *player) finishReason() string {
	if p.calls > 0 && !p.srv.opts.Endpoint.Stops {
		return "tool_calls"
	}
	return "stop"
}

// tokens is the usage to report: as scripted, else four bytes a token; nil reports none.
func (p *player) tokens() map[string]any {
	t := Tokens{Prompt: p.size/4 + 1, Completion: p.said/4 + 1}
	if p.usage != nil {
		t = *p.usage
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

// playPlain sends the whole answer as one JSON document.
func (p *player) playPlain() bool {
	var text, reasoning, finish string
	calls := []any{}
	for _, part := range p.step.Parts {
		switch part.kind {
		case partText:
			text += part.text
		case partReasoning:
			reasoning += part.text
		case partTool:
			id := part.id
			if id == "" {
				id = p.srv.callID(part.name)
			}
			p.srv.memory.keep(id, said{unchecked: true})
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": part.name, "arguments": part.text}})
		case partFinish:
			finish = part.text
		case partUsage:
			p.usage = &part.used
		case partDelay:
			if !p.sleep(part.wait) {
				return false
			}
		case partHang:
			<-p.ctx.Done()
			return false
		case partCut, partReset:
			return p.drop(part.kind == partReset)
		}
	}
	p.calls, p.said = len(calls), len(text)+len(reasoning)
	if finish == "" {
		finish = p.finishReason()
	}
	message := map[string]any{"role": "assistant", "content": text}
	if reasoning != "" {
		message["reasoning_content"] = reasoning
	}
	if len(calls) > 0 {
		message["tool_calls"] = calls
	}
	doc := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": p.chat.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}
	if u := p.tokens(); u != nil {
		doc["usage"] = u
	}
	b, _ := json.Marshal(doc)
	p.w.Header().Set("Content-Type", "application/json")
	return p.send(string(b))
}

// pieces streams text in pieces with the step's pace between them.
func (p *player) pieces(text string, split func(string) []string, delta func(string) map[string]any) bool {
	if p.step.Split > 0 {
		split = func(s string) []string { return splitRunes(s, p.step.Split) }
	}
	p.said += len(text)
	for _, piece := range split(text) {
		if !p.chunk(delta(piece), "") || !p.sleep(p.step.Pace) {
			return false
		}
	}
	return true
}

func (p *player) chunk(delta map[string]any, finish string) bool {
	if !p.started {
		delta["role"] = "assistant"
	}
	if p.srv.opts.Endpoint.Comments && !p.send(": PROCESSING\n\n") {
		return false
	}
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	return p.data(map[string]any{"choices": []any{choice}})
}

func (p *player) data(doc map[string]any) bool {
	doc["id"], doc["object"], doc["created"], doc["model"] = "chatcmpl-test", "chat.completion.chunk", 1, p.chat.Model
	b, _ := json.Marshal(doc) // of maps, strings and numbers: cannot fail
	return p.send("data: " + string(b) + "\n\n")
}

// send writes and flushes, the headers first where they are not out yet.
func (p *player) send(s string) bool {
	if !p.started {
		p.started = true
		if p.w.Header().Get("Content-Type") == "" {
			p.w.Header().Set("Content-Type", "text/event-stream")
		}
		if p.step.Status != 0 {
			p.w.WriteHeader(p.step.Status)
		}
	}
	if _, err := p.w.Write([]byte(s)); err != nil {
		return false
	}
	return p.rc.Flush() == nil
}

func (p *player) sleep(d time.Duration) bool {
	if d <= 0 {
		return p.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// drop closes the connection under the answer, by RST where reset.
func (p *player) drop(reset bool) bool {
	conn, _, err := p.rc.Hijack()
	if err != nil {
		return false
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
	return true
}

// splitWords cuts after each run of white space.
func splitWords(s string) []string {
	return strings.SplitAfter(s, " ")
}

func splitRunes(s string, n int) []string {
	var all []string
	for s != "" {
		end := 0
		for i := 0; i < n && end < len(s); i++ {
			_, size := utf8.DecodeRuneInString(s[end:])
			end += size
		}
		all = append(all, s[:end])
		s = s[end:]
	}
	return all
}
