package llmtest

import (
	"bytes"
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

	started bool // the headers are out
	part    int  // index of the part that is played
	calls   int  // tool calls begun
	said    int  // bytes of text, reasoning and arguments
	raw     bool // bytes were sent unchanged: no automatic end
	usage   *Tokens
	voice   voice
	mute    bool // the answer is not streamed
}

// voice sends a step in a protocol. Its methods report false when the client has left.
type voice interface {
	begin() bool
	reasoning(text string) bool
	text(text string) bool
	call(id, name, arguments string) bool
	finish(reason string) bool // instead of the one that follows from the step
	fail(err string) bool      // an error in the stream: JSON
	end() bool
	document() any // the whole answer, if it is not streamed
}

func (p *player) play() bool {
	maps.Copy(p.w.Header(), p.step.Header)
	if p.step.Unframed {
		// net/http reads this as: no chunked encoding, close the connection after the body.
		p.w.Header().Set("Transfer-Encoding", "identity")
	}
	if p.step.Raw {
		return p.playRaw()
	}
	p.mute = p.step.Plain || !p.chat.Stream
	p.prepare()
	if !p.voice.begin() {
		return false
	}
	for i, part := range p.step.Parts {
		p.part = i
		if ended, ok := p.playPart(part); ended || !ok {
			return ok
		}
	}
	switch {
	case p.raw && !p.mute:
		return p.send("")
	case p.mute:
		p.mute = false
		p.w.Header().Set("Content-Type", "application/json")
		return p.send(document(p.voice.document()))
	}
	return p.voice.end()
}

// prepare takes the usage, which some protocols report at the beginning, and notes the ids and seals in bytes that
// are sent unchanged.
func (p *player) prepare() {
	const most = 1 << 20 // bytes that are searched
	var wire strings.Builder
	for _, part := range p.step.Parts {
		switch {
		case part.kind == partUsage:
			p.usage = &part.used
		case part.kind == partWire && wire.Len() < most:
			wire.WriteString(part.text)
		}
	}
	p.srv.memory.keepBytes(wire.String())
	p.srv.native.signBytes(p.chat.Model, wire.String())
}

// beginsRaw reports whether the step begins with bytes that are sent unchanged.
func (p *player) beginsRaw() bool {
	return len(p.step.Parts) > 0 && p.step.Parts[0].kind == partWire
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

// playPart plays one part of a step; ended reports that nothing may follow it.
func (p *player) playPart(part Part) (ended, ok bool) {
	switch part.kind {
	case partText:
		return false, p.voice.text(part.text)
	case partReasoning:
		return false, p.voice.reasoning(part.text)
	case partTool:
		id := part.id
		if id == "" {
			id = p.srv.callID(part.name)
		}
		p.calls++
		return false, p.voice.call(id, part.name, part.text)
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
	case partFinish:
		p.raw = p.raw || part.text == ""
		return false, p.voice.finish(part.text)
	}
	if p.mute {
		return false, true
	}
	switch part.kind {
	case partProgress:
		if p.chat.Progress {
			return false, p.data(map[string]any{
				"choices":         []any{map[string]any{"index": 0, "delta": map[string]any{"role": "assistant", "content": nil}, "finish_reason": nil}},
				"prompt_progress": map[string]any{"total": part.used.Prompt, "cache": 0, "processed": part.used.Completion, "time_ms": 0},
			})
		}
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
	case partError:
		p.raw = true
		return false, p.voice.fail(part.text)
	}
	return false, true
}

// inPieces sends a text in pieces with the step's pace between them.
func (p *player) inPieces(text string, split func(string) []string, say func(string) bool) bool {
	if p.step.Split > 0 {
		split = func(s string) []string { return splitRunes(s, p.step.Split) }
	}
	p.said += len(text)
	for _, piece := range split(text) {
		if !say(piece) || !p.sleep(p.step.Pace) {
			return false
		}
	}
	return true
}

// event sends an event by its type.
func (p *player) event(kind string, doc map[string]any) bool {
	doc["type"] = kind
	if p.mute {
		return p.ctx.Err() == nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(doc) // of maps, strings and numbers: cannot fail
	return p.send("event: " + kind + "\ndata: " + strings.TrimSpace(b.String()) + "\n\n")
}

// data sends a chunk of a chat completion.
func (p *player) data(doc map[string]any) bool {
	doc["id"], doc["object"], doc["created"], doc["model"] = "chatcmpl-test", "chat.completion.chunk", 1, p.chat.Model
	return p.send("data: " + document(doc) + "\n\n")
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

func splitWords(s string) []string { return strings.SplitAfter(s, " ") }

func shortPieces(s string) []string {
	const runes = 12
	return splitRunes(s, runes)
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
