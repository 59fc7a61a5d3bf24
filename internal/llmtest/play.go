package llmtest

import (
	"context"
	"encoding/json"
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

	started  bool // the headers are out
	calls    int  // tool calls begun
	said     int  // bytes of text, reasoning and arguments
	finished bool // a finish part was played
	raw      bool // bytes were sent as they are: no automatic end
	usage    *Tokens
}

func (p *player) play() bool {
	for name, values := range p.step.Header {
		p.w.Header()[name] = values
	}
	if p.step.Unframed {
		// net/http reads this as: no chunked encoding, close the connection after the body.
		p.w.Header().Set("Transfer-Encoding", "identity")
	}
	switch {
	case p.step.Raw:
		return p.playRaw()
	case p.step.Plain || !p.chat.Stream:
		return p.playPlain()
	}
	for _, part := range p.step.Parts {
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
	case partReasoning:
		return false, p.pieces(part.text, splitWords, func(s string) map[string]any { return map[string]any{"reasoning_content": s} })
	case partTool:
		return false, p.playCall(part)
	case partDelay:
		return false, p.sleep(part.wait)
	case partHang:
		<-p.ctx.Done()
		return true, false
	case partCut, partReset:
		return true, p.drop(part.kind == partReset)
	case partFlush:
		return false, p.send("")
	case partComment:
		return false, p.send(": " + part.text + "\n\n")
	case partWire:
		p.raw = true
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

func (p *player) playCall(part Part) bool {
	id := part.id
	if id == "" {
		id = p.srv.callID()
	}
	index := p.calls
	p.calls++
	delta := func(call map[string]any) map[string]any {
		call["index"] = index
		return map[string]any{"tool_calls": []any{call}}
	}
	head := map[string]any{"id": id, "type": "function", "function": map[string]any{"name": part.name, "arguments": ""}}
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
	if !p.finished && !p.chunk(map[string]any{}, p.finishReason()) {
		return false
	}
	if u := p.tokens(); u != nil && p.chat.StreamOptions != nil && p.chat.StreamOptions.IncludeUsage {
		if !p.data(map[string]any{"choices": []any{}, "usage": u}) {
			return false
		}
	}
	return p.send("data: [DONE]\n\n")
}

func (p *player) finishReason() string {
	if p.calls > 0 {
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
				id = p.srv.callID()
			}
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
