package llmtest

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

//go:embed testdata/stream_faults.json
var faultsJSON []byte

// Fault is a row of the corpus of stream faults: the behavior of a server and the expected outcome.
type Fault struct {
	ID       string            `json:"id"`
	Group    string            `json:"group"`
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Wire     []WireStep        `json:"wire"`
	Required string            `json:"required"` // expected behavior, as prose
	Pass     string            `json:"pass"`     // pass criterion, as prose
	Retry    bool              `json:"retry"`    // whether the client must retry the call

	Names *strings.Replacer `json:"-"` // replaces the illustrative tool names in the bytes; nil keeps them
}

// WireStep is one action of the server of a Fault.
type WireStep struct {
	Write   string `json:"w"`
	Repeat  int    `json:"repeat"`   // number of times that Write is sent; zero means once
	SleepMS int    `json:"sleep_ms"` // pause in milliseconds
	Close   string `json:"close"`    // "fin" or "rst"; empty does not close the connection
	Note    string `json:"note"`     // prose, for rows that literal bytes cannot describe
}

// Faults returns the rows of the corpus.
func Faults() ([]Fault, error) {
	var all []Fault
	if err := json.Unmarshal(faultsJSON, &all); err != nil {
		return nil, fmt.Errorf("llmtest: corpus of stream faults: %w", err)
	}
	return all, nil
}

// Chunking is a way to split the bytes of an answer into writes.
type Chunking string

// The chunkings that each Fault is tested with.
const (
	Whole  Chunking = "whole"
	ByLine Chunking = "by line"
	ByByte Chunking = "by byte"
)

// Chunkings lists all chunkings.
var Chunkings = []Chunking{Whole, ByLine, ByByte}

// Step returns the row as a script step with its pauses multiplied by scale. ok is false if the
// row is not about the answer to a single model call but about, say, name resolution, a proxy or
// a sequence of calls.
func (f Fault) Step(c Chunking, scale float64) (step Step, ok bool) {
	s := Step{Status: f.Status, Unframed: true}
	for name, value := range f.Headers {
		WithHeader(name, value)(&s)
	}
	wire := f.Wire
	if len(wire) > 0 && wire[0].Note != "" {
		made, known := f.fromNote()
		if !known {
			return Step{}, false
		}
		wire = append(made, wire[1:]...)
		if f.ID == "gzip-truncated" {
			s.Header.Set("Content-Encoding", "gzip")
		}
	}
	if f.Names != nil {
		wire = slices.Clone(wire)
		for i := range wire {
			wire[i].Write = f.Names.Replace(wire[i].Write)
		}
	}
	if f.Status >= http.StatusMultipleChoices {
		s.Raw = true
		for _, w := range wire {
			s.Body += w.Write
		}
		return s, true
	}
	for i, w := range wire {
		switch {
		case w.Close == "rst":
			Reset()(&s)
		case w.Close == "fin" && i == 0:
			Cut()(&s)
		case w.Close == "fin": // the body has no length, so it ends with the connection
		case w.SleepMS > 0:
			Delay(time.Duration(float64(w.SleepMS) * scale * float64(time.Millisecond)))(&s)
		default:
			const unrolled = 1000 // writes beyond it only add size and share one Part
			for range min(unrolled, max(1, w.Repeat)) {
				Bytes(w.Write)(&s)
			}
			if w.Repeat > unrolled {
				add(Part{kind: partWire, text: w.Write, repeat: w.Repeat - unrolled})(&s)
			}
		}
	}
	s.Parts = rechunk(s.Parts, c)
	return s, true
}

// fromNote generates the bytes of a row that only describes them. It reports whether the row is known.
func (f Fault) fromNote() ([]WireStep, bool) {
	const done = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
	call := func(i int, args string) WireStep {
		return WireStep{Write: "data: " + document(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{
			"tool_calls": []any{map[string]any{"index": i, "id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{
				"name": "write_note", "arguments": args,
			}}},
		}}}}) + "\n\n"}
	}
	switch f.ID {
	case "gzip-truncated":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		for i := range 40 {
			_, _ = fmt.Fprintf(z, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi %d\"}}]}\n\n", i*i*7919)
		}
		_, _ = z.Write([]byte(done))
		_ = z.Close() // writes to memory do not fail
		return []WireStep{{Write: string(b.Bytes()[:b.Len()/2])}}, true
	case "tool-args-deep":
		return []WireStep{call(0, strings.Repeat("[", 100_000)), {Write: done}}, true
	case "tool-parallel-32":
		var wire []WireStep
		for i := range 32 {
			wire = append(wire, call(i, document(map[string]any{"path": "a.md", "content": fmt.Sprint(i)})))
		}
		return append(wire, WireStep{Write: done}), true
	case "doom-text":
		block := document(strings.Repeat("I will look into the note now. ", 7)[:200])
		line := `data: {"choices":[{"index":0,"delta":{"content":` + block + "}}]}\n\n"
		return []WireStep{{Write: line, Repeat: 10}, {Write: strings.ReplaceAll(done, "tool_calls", "stop")}}, true
	}
	return nil, false
}

// document returns v as JSON.
func document(v any) string {
	b, _ := json.Marshal(v) // maps and strings always marshal
	return string(b)
}

// rechunk splits the raw bytes of parts by c. After the first 8 KiB of an answer it uses chunks of
// 4 KiB, which bounds the number of writes for rows of hundreds of megabytes.
func rechunk(parts []Part, c Chunking) []Part {
	const fine, coarse = 8 << 10, 4 << 10
	var out []Part
	sent := 0
	for _, p := range parts {
		if p.kind != partWire || p.repeat > 0 {
			out = append(out, p)
			continue
		}
		if c == Whole {
			if n := len(out); n > 0 && out[n-1].kind == partWire {
				out[n-1].text += p.text
			} else {
				out = append(out, p)
			}
			continue
		}
		for rest := p.text; rest != ""; {
			n := 1
			switch {
			case sent >= fine:
				n = coarse
			case c == ByLine:
				n = len(rest)
				if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
					n = i + 1
				}
			}
			n = min(n, len(rest))
			out = append(out, Part{kind: partWire, text: rest[:n]})
			rest, sent = rest[n:], sent+n
		}
	}
	return out
}
