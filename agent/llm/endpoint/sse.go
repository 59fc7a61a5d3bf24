package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"chatvault/agent/llm"
)

// events converts server-sent events (HTML Living Standard, 9.2.6) to lines, a JSON object each. It does no I/O. An
// error sent by the server becomes an *llm.Error.
//
// It is more lenient than the standard: a data line that is complete JSON is passed on without waiting for the empty
// line, and a JSON error without "data:" is understood.
type events struct {
	out     []byte // complete lines
	line    []byte // the incomplete line
	pending []byte // data of the incomplete event
	stray   []byte // lines that are no field; bounded unless doc
	doc     bool   // the body is one JSON document: an error, or an answer that is not streamed
	event   string // its type; may be empty
	total   int    // bytes fed
	emitted bool   // an event came out
	done    bool   // [DONE] came; the rest is ignored
	skipLF  bool   // the last line ended with CR; a following LF belongs to it
	begun   bool   // a byte order mark was removed
	err     error  // the first failure; the rest is ignored
	bounds  bounds
}

// bounds of a response, in bytes.
type bounds struct{ line, response int }

var usual = bounds{llm.MaxLine, llm.MaxResponse}

const maxStray = 64 << 10

// feed adds bytes. An error is final.
func (e *events) feed(b []byte) error {
	if e.total += len(b); e.total > e.bounds.response {
		e.fail(TooLarge("the response is larger than", e.bounds.response))
	}
	for len(b) > 0 && !e.done && e.err == nil {
		if e.skipLF && b[0] == '\n' {
			b = b[1:]
		}
		e.skipLF = false
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			i = len(b)
		}
		if len(e.line)+i > e.bounds.line {
			e.fail(TooLarge("a line of the response is longer than", e.bounds.line))
		}
		e.line = append(e.line, b[:i]...)
		if i < len(b) {
			e.skipLF = b[i] == '\r'
			i++
			e.endLine()
		}
		b = b[i:]
	}
	return e.err
}

func (e *events) fail(err error) { e.err = cmp.Or(e.err, err) }

// finish ends the input.
func (e *events) finish() error {
	if len(e.line) > 0 && !e.done {
		e.endLine()
	}
	e.dispatch()
	if len(e.stray) == 0 || e.done {
		return e.err
	}
	e.fail(errorIn(e.stray))
	switch {
	case e.emitted:
	case json.Valid(e.stray):
		e.emit(compact(e.stray))
	case e.doc:
		e.fail(garbled("the response is incomplete: " + snippet(e.stray)))
	default:
		e.fail(notEndpoint(0, "the answer is not from a model: "+snippet(e.stray)))
	}
	return e.err
}

func (e *events) endLine() {
	line := e.line
	e.line = e.line[:0]
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "data":
		e.data(bytes.TrimSpace(value))
	case "event":
		e.event = string(bytes.TrimSpace(value))
	case "id", "retry":
	case "":
		if len(line) == 0 { // otherwise a comment
			e.dispatch()
		}
	default:
		if e.doc || len(e.stray)+len(line) < maxStray {
			e.stray = append(append(e.stray, line...), '\n')
		}
		if !e.doc { // lines of a document mean nothing alone
			e.fail(errorIn(line))
		}
	}
}

func (e *events) data(v []byte) {
	switch {
	case len(v) == 0:
	case len(e.pending) > 0:
		e.fail(errorIn(v))
		if len(e.pending)+len(v) >= e.bounds.line {
			e.fail(TooLarge("an event of the response is longer than", e.bounds.line))
		}
		e.pending = append(append(e.pending, '\n'), v...)
	case string(v) == "[DONE]":
		e.done = true
	case json.Valid(v):
		e.emit(v)
	default:
		e.pending = append(e.pending[:0], v...)
	}
}

// dispatch ends an event. Its data are pending if they span several lines.
func (e *events) dispatch() {
	data := e.pending
	e.pending = e.pending[:0]
	switch {
	case len(data) == 0:
	case json.Valid(data):
		e.emit(compact(data))
	case e.event == "error":
		e.fail(Failed(data))
	default:
		e.fail(garbled("part of the response is not JSON"))
	}
	e.event = ""
}

// emit passes on a JSON value without line ends.
func (e *events) emit(v []byte) {
	if e.event == "error" {
		e.fail(Failed(v))
	}
	e.fail(errorIn(v))
	switch {
	case e.err != nil, string(v) == "null":
	case v[0] != '{':
		e.fail(garbled("part of the response is not a JSON object"))
	default:
		e.emitted = true
		e.out = append(append(e.out, v...), '\n')
	}
}

// eventReader reads the events of a response body. It stops at the known end.
type eventReader struct {
	io.ReadCloser // the body
	call          *Call

	events events
	begun  bool // the document has begun
	buf    []byte
	gather readPace
	err    error // returned after events.out
}

// next returns the next event, or io.EOF. It is valid until the next call.
func (r *eventReader) next() ([]byte, error) {
	for {
		if event, rest, ok := bytes.Cut(r.events.out, []byte("\n")); ok {
			r.events.out = rest
			return event, nil
		}
		switch {
		case r.events.done:
			return nil, io.EOF
		case r.err != nil:
			return nil, r.err
		}
		if r.call.flush(); r.call.err != nil { // flush before waiting
			return nil, r.call.err
		}
		if !r.call.watch.ending {
			time.Sleep(r.gather.due(time.Now()))
		}
		n, err := r.Read(r.buf)
		r.gather.took(n, time.Now())
		if r.events.doc && !r.begun && len(bytes.TrimSpace(r.buf[:n])) > 0 { // blanks before it mean that it is being generated
			r.begun = true
			r.call.watch.progress()
		}
		if fed := r.events.feed(r.buf[:n]); fed != nil {
			r.err = fed
			continue
		}
		if err == io.EOF { //nolint:errorlint // a Reader returns io.EOF itself
			r.err = cmp.Or(r.events.finish(), io.EOF)
		} else if err != nil {
			r.err = err
		}
	}
}

// Close lets the connection be reused if the body ends right after [DONE].
func (r *eventReader) Close() error {
	if r.events.done {
		r.call.watch.drain(r)
	}
	return r.ReadCloser.Close()
}

func compact(v []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, v) // it is valid: cannot fail
	return b.Bytes()
}

// TooLarge returns the error for a part of an answer that exceeds a bound in bytes.
func TooLarge(what string, bound int) *llm.Error {
	return &llm.Error{Kind: llm.KindInvalidRequest, Reason: llm.ReasonTooLarge, Message: fmt.Sprintf("%s %d MiB", what, bound>>20)}
}

// garbled returns the error for a damaged answer; a retry may help.
func garbled(what string) *llm.Error {
	return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonBroken, Message: what}
}

// If tokens come one by one, most processor time goes into waking up for each. A long slow stream is therefore read in
// batches every gatherTime, still fast enough to look smooth. The first tokens, short answers, the end of an answer and
// fast streams are read at once.
const (
	gatherTime  = 50 * time.Millisecond
	gatherAfter = 8       // reads
	gatherBelow = 2 << 10 // bytes of the last read
)

// Streams faster than any model are slowed down, so that the processor stays free for other work, such as Esc.
const (
	floodPace  = 8 << 20 // bytes a second
	floodBurst = 2 << 20 // bytes before the limit applies
)

// readPace determines when a stream is read next.
type readPace struct {
	reads int
	last  int // bytes of the last read
	at    time.Time
	ahead int // bytes above floodPace
}

// due returns the wait before the next read.
func (g *readPace) due(now time.Time) time.Duration {
	if over := g.ahead - floodBurst; over > 0 {
		wait := time.Duration(over) * time.Second / floodPace
		return min(max(wait-now.Sub(g.at), 0), gatherTime)
	}
	if g.reads < gatherAfter || g.last >= gatherBelow {
		return 0
	}
	return min(max(gatherTime-now.Sub(g.at), 0), gatherTime)
}

// took records a read.
func (g *readPace) took(n int, now time.Time) {
	g.reads++
	if !g.at.IsZero() {
		passed := min(max(now.Sub(g.at), 0), time.Second)
		g.ahead = max(g.ahead-int(passed*floodPace/time.Second), 0)
	}
	g.ahead += n
	g.last, g.at = n, now
}
