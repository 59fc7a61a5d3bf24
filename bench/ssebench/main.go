// Command ssebench is a scripted OpenAI-compatible chat-completions server. It uses only the standard
// library.
//
//	ssebench -addr 127.0.0.1:8099 -tokens 5000 -rate 0 -first 0ms -script answer.md -tools 2
//
// POST /v1/chat/completions with "stream": true returns SSE chunks: the text of -script, or a generated
// Markdown answer, split into -tokens pieces and sent at -rate tokens per second (zero means no delay),
// the first one after -first. With -tools K, the first K requests of a conversation, counted by its tool
// messages, get a fragmented call of -toolname with -toolargs instead. With "stream": false the answer is
// a single JSON object. The request headers X-Tokens and X-Rate override the flags.
//
// GET /v1/models lists one model. GET /stats returns the numbers of requests and chunks so far.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

var (
	addr     = flag.String("addr", "127.0.0.1:8099", "")
	tokens   = flag.Int("tokens", 5000, "")
	rate     = flag.Float64("rate", 0, "tokens/s, 0 = flat out")
	first    = flag.Duration("first", 0, "delay before the first token")
	script   = flag.String("script", "", "file with the answer text")
	tools    = flag.Int("tools", 0, "tool calls before the answer")
	toolname = flag.String("toolname", "search_files", "")
	toolargs = flag.String("toolargs", `{"pattern":"quick","path":"."}`, "")
	batch    = flag.Int("batch", 1, "chunks per flush when -rate 0")
)
var reqs, chunks atomic.Int64

// Answer returns a deterministic Markdown answer of n bytes.
func Answer(n int) string {
	parts := []string{
		"## Section heading %d\n\nThe quick brown fox **jumps** over the *lazy* dog, see [[Note %d]] and `code` for more about it, with enough words to wrap once or twice at width one hundred.\n\n",
		"- first item %d of a list with some words\n- second item [link](https://example.com/%d) here\n  - nested item\n\n",
		"```go\nfunc f%d() error {\n\tfor i := 0; i < %d; i++ {\n\t\tfmt.Println(i)\n\t}\n\treturn nil\n}\n```\n\n",
		"> A quotation number %d that goes on for a while, %d words.\n\n",
		"| a %d | b |\n|---|---|\n| one | two %d |\n| three | four |\n\n",
		"1. Ordered item %d\n2. Another one with more text %d\n\n",
	}
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, parts[i%len(parts)], i, i)
	}
	return b.String()[:n]
}

func split(s string, n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		a, z := i*len(s)/n, (i+1)*len(s)/n
		for a > 0 && a < len(s) && s[a]&0xc0 == 0x80 {
			a++
		}
		for z < len(s) && s[z]&0xc0 == 0x80 {
			z++
		}
		if z > a {
			out = append(out, s[a:z])
		}
	}
	return out
}

func main() {
	flag.Parse()
	text := Answer(4 * *tokens)
	if *script != "" {
		b, err := os.ReadFile(*script)
		if err != nil {
			panic(err)
		}
		text = string(b)
	}
	http.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"bench","object":"model"}]}`)
	})
	http.HandleFunc("/stats", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"requests":%d,"chunks":%d}`, reqs.Load(), chunks.Load())
	})
	http.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		reqs.Add(1)
		var q struct {
			Stream   bool
			Model    string
			Messages []struct{ Role string }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, rt, txt := *tokens, *rate, text
		if v := r.Header.Get("X-Tokens"); v != "" {
			n, _ = strconv.Atoi(v)
			txt = Answer(4 * n)
		}
		if v := r.Header.Get("X-Rate"); v != "" {
			rt, _ = strconv.ParseFloat(v, 64)
		}
		done := 0
		for _, m := range q.Messages {
			if m.Role == "tool" {
				done++
			}
		}
		if !q.Stream {
			json.NewEncoder(w).Encode(map[string]any{"id": "c1", "object": "chat.completion", "model": q.Model, "choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": txt}}}})
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fl := w.(http.Flusher)
		time.Sleep(*first)
		now := time.Now().Unix()
		send := func(delta any, fin any) {
			d, _ := json.Marshal(delta)
			f, _ := json.Marshal(fin)
			fmt.Fprintf(w, "data: {\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":%d,\"model\":\"bench\",\"system_fingerprint\":\"fp_x\",\"choices\":[{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":%s}]}\n\n", now, d, f)
			chunks.Add(1)
		}
		send(map[string]string{"role": "assistant", "content": ""}, nil)
		fl.Flush()
		if done < *tools {
			type fn map[string]any
			send(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": fmt.Sprintf("call_%d", done), "type": "function", "function": fn{"name": *toolname, "arguments": ""}}}}, nil)
			for _, p := range split(*toolargs, 6) {
				send(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "function": fn{"arguments": p}}}}, nil)
				fl.Flush()
			}
			send(map[string]any{}, "tool_calls")
		} else {
			t0 := time.Now()
			for i, p := range split(txt, n) {
				if rt > 0 {
					time.Sleep(time.Until(t0.Add(time.Duration(float64(i) / rt * 1e9))))
				}
				send(map[string]string{"content": p}, nil)
				if rt > 0 || (i+1)%*batch == 0 {
					fl.Flush()
				}
				if r.Context().Err() != nil {
					return
				}
			}
			send(map[string]any{}, "stop")
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
		fl.Flush()
	})
	fmt.Println("listening on", *addr)
	if err := http.ListenAndServe(*addr, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
