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

// player sends one answer. Its methods return false if the client has disconnected.
type player struct {
	srv  *Server
	w    http.ResponseWriter
	rc   *http.ResponseController
	ctx  context.Context
	step Step
	chat *Chat
	size int // length of the request in bytes

	started     bool    // the headers were sent
	part        int     // index of the current part
	calls       int     // tool calls begun
	outputBytes int     // bytes of text, reasoning and arguments sent
	raw         bool    // raw bytes were sent, so no end is added
	usage       *Tokens // usage set by the step; nil means an estimate
	voice       voice
	buffered    bool // the answer is not streamed
}

// voice encodes and sends a step in a protocol. Its methods return false if the client has disconnected.
type voice interface {
	begin() bool
	reasoning(text string) bool
	text(text string) bool
	call(id, name, arguments string) bool
	finish(reason string) bool // overrides the automatic finish reason
	fail(err string) bool      // sends an error, a JSON object, in the stream
	end() bool
	document() any // returns the complete answer, for calls that are not streamed
}

// play sends the answer of the step.
func (p *player) play() bool {
	maps.Copy(p.w.Header(), p.step.Header)
	if p.step.Unframed {
		// net/http then sends no chunked encoding and closes the connection after the body.
		p.w.Header().Set("Transfer-Encoding", "identity")
	}
	if p.step.Raw {
		return p.playRaw()
	}
	p.buffered = p.step.Plain || !p.chat.Stream
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
	case p.raw && !p.buffered:
		return p.send("")
	case p.buffered:
		p.buffered = false
		p.w.Header().Set("Content-Type", "application/json")
		return p.send(document(p.voice.document()))
	}
	return p.voice.end()
}

// prepare sets the usage, which some protocols report at the beginning, and records the ids and seals in raw bytes.
func (p *player) prepare() {
	const most = 1 << 20 // bytes to search
	var wire strings.Builder
	for _, part := range p.step.Parts {
		switch {
		case part.kind == partUsage:
			p.usage = &part.used
		case part.kind == partWire && wire.Len() < most:
			wire.WriteString(part.text)
		}
	}
	p.srv.memory.recordIDsIn(wire.String())
	p.srv.native.recordSealsIn(p.chat.Model, wire.String())
}

// beginsRaw reports whether the step begins with raw bytes.
func (p *player) beginsRaw() bool {
	return len(p.step.Parts) > 0 && p.step.Parts[0].kind == partWire
}

// playRaw sends the step's Body with its Status, after the step's delays.
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

// playPart sends one part of a step. ended reports whether the answer ends with this part.
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
	if p.buffered {
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

// inPieces splits a text, by the step's Split if set, and passes each piece to send. It pauses after each by the
// step's Pace.
func (p *player) inPieces(text string, split func(string) []string, send func(string) bool) bool {
	if p.step.Split > 0 {
		split = func(s string) []string { return splitRunes(s, p.step.Split) }
	}
	p.outputBytes += len(text)
	for _, piece := range split(text) {
		if !send(piece) || !p.sleep(p.step.Pace) {
			return false
		}
	}
	return true
}

// event sends an SSE event of a type.
func (p *player) event(kind string, doc map[string]any) bool {
	doc["type"] = kind
	if p.buffered {
		return p.ctx.Err() == nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(doc) // maps, strings and numbers always encode
	return p.send("event: " + kind + "\ndata: " + strings.TrimSpace(b.String()) + "\n\n")
}

// data sends a chunk of a chat completion. It adds the common fields to doc.
func (p *player) data(doc map[string]any) bool {
	doc["id"], doc["object"], doc["created"], doc["model"] = "chatcmpl-test", "chat.completion.chunk", 1, p.chat.Model
	return p.send("data: " + document(doc) + "\n\n")
}

// send writes and flushes s, after the headers if they were not sent yet.
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

// sleep pauses for d or until the client disconnects.
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

// drop closes the connection in the middle of the answer, with RST if reset is set.
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

// splitRunes splits s into pieces of n runes.
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
