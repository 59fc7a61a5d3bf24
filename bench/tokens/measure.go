package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// figures are what the requests come to.
type figures struct {
	System int `json:"system"` // tokens of the system prompt
	Tools  int `json:"tools"`  // tokens of the tools, in JSON as they are sent
	First  int `json:"first"`  // tokens of the first request: system prompt, tools and message
	// Shares of a request's messages and tools that the request after it begins with, byte for byte:
	// of the first call of a turn in the second, of the last of a turn in the first of the next turn.
	WithinTurn   float64 `json:"within_turn"`
	BetweenTurns float64 `json:"between_turns"`
	// The share within a turn in which an MCP server got another tool between the two calls.
	NewTool float64 `json:"new_tool"`
}

// request is a model call as it came.
type request struct {
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

// measure asks two questions: the first makes two calls, the second one. Then it asks one more, of which
// the calls go on until the new tool of a server is among those that the model is offered.
func measure(binary, vault string) (figures, error) {
	kept := recorder{before: 1}
	server := httptest.NewServer(&kept)
	defer server.Close()
	dir, err := os.MkdirTemp("", "tokens")
	if err != nil {
		return figures{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(filepath.Join(dir, "vault"), os.DirFS(vault)); err != nil {
		return figures{}, err
	}
	for _, args := range [][]string{{"What do I have here?"}, {"-c", "And what else?"}} {
		if err := ask(binary, dir, server.URL, args); err != nil {
			return figures{}, err
		}
	}
	calls := kept.calls
	if len(calls) != 3 {
		return figures{}, fmt.Errorf("there were %d model calls, want 3", len(calls))
	}
	f, err := count(calls)
	if err != nil {
		return f, err
	}
	f.NewTool, err = newTool(binary, dir)
	return f, err
}

// maxCalls bounds the calls until a new tool is offered.
const maxCalls = 15

// newTool is the share that the call before a new tool has in the call with it.
func newTool(binary, dir string) (float64, error) {
	tools := newChanging()
	other := httptest.NewServer(tools)
	defer other.Close()
	defer other.CloseClientConnections()
	kept := recorder{before: maxCalls, tools: tools}
	server := httptest.NewServer(&kept)
	defer server.Close()
	settings := fmt.Sprintf("[mcp.bench]\nurl = %q\n", other.URL)
	file := filepath.Join(dir, ".config", "chatvault", "config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(settings), 0o600)); err != nil {
		return 0, err
	}
	if err := ask(binary, dir, server.URL, []string{"What is the weather?"}); err != nil {
		return 0, err
	}
	for i := 1; i < len(kept.calls); i++ {
		if a, b := kept.calls[i-1], kept.calls[i]; !bytes.Equal(a.Tools, b.Tools) {
			return repeated(a, b), nil
		}
	}
	return 0, fmt.Errorf("in %d model calls no new tool was offered", len(kept.calls))
}

// ask has the program answer a question, in a process of its own, with nobody's settings and keys.
func ask(binary, dir, url string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"--vault", filepath.Join(dir, "vault"), "ask"}, args...)...)
	cmd.Env = []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=Europe/Berlin",
		"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=none", "CHATVAULT_MODEL=bench",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("chatvault ask: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// recorder is a server of the chat-completions protocol: it answers the first calls with one of its
// own and keeps them all.
type recorder struct {
	before int       // calls that are answered with one, before the answer
	tools  *changing // gets a tool at the first call, which ends the calls once it is offered; nil: none does

	mu    sync.Mutex
	calls []request
}

// Streamed answers.
const (
	looks   = `{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"list_files","arguments":"{\"max_results\": 5}"}}]},"finish_reason":"tool_calls"}`
	answers = `{"index":0,"delta":{"role":"assistant","content":"Some notes."},"finish_reason":"stop"}`
)

func (k *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var call request
	if err == nil {
		err = json.Unmarshal(body, &call)
	}
	if err != nil || len(call.Messages) == 0 {
		http.Error(w, `{"error":{"message":"no chat completion"}}`, http.StatusNotFound)
		return
	}
	k.mu.Lock()
	if len(call.Tools) > 0 { // else it is for the title of a conversation
		k.calls = append(k.calls, call)
	}
	choice := answers
	if n := len(k.calls); 0 < n && n <= k.before && (k.tools == nil || bytes.Equal(k.calls[0].Tools, call.Tools)) {
		choice = strings.Replace(looks, "call_1", fmt.Sprintf("call_%d", n), 1)
		choice = strings.Replace(choice, `: 5}`, fmt.Sprintf(`: %d}`, 4+n), 1)
		if n == 1 && k.tools != nil {
			k.tools.grows()
		}
	}
	k.mu.Unlock()
	if k.tools != nil {
		time.Sleep(100 * time.Millisecond) // the client is told of the tool by itself
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"bench\",\"choices\":[%s]}\n\ndata: [DONE]\n\n", choice)
}

// count works out the figures of three calls.
func count(calls []request) (f figures, err error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return f, err
	}
	tokens := func(texts ...string) (n int) {
		for _, text := range texts {
			part, countErr := codec.Count(text)
			n, err = n+part, errors.Join(err, countErr)
		}
		return n
	}
	var said []string
	for _, raw := range calls[0].Messages {
		var m struct {
			Content string `json:"content"`
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return f, err
		}
		said = append(said, m.Content)
	}
	f.System, f.Tools = tokens(said[0]), tokens(string(calls[0].Tools))
	f.First = f.Tools + tokens(said...)
	f.WithinTurn, f.BetweenTurns = repeated(calls[0], calls[1]), repeated(calls[1], calls[2])
	return f, err
}

// repeated is the share of a request that the next one begins with. Where tools stand before
// messages, as models are given them, nothing after a change of a tool is repeated.
func repeated(a, b request) float64 {
	x, y := a.prefix(), b.prefix()
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return float64(same) / float64(len(x))
}

// prefix is what a model is given, as one text that may be gone on with.
func (r request) prefix() []byte {
	out := bytes.Clone(r.Tools)
	for _, m := range r.Messages {
		out = append(append(out, '\n'), m...)
	}
	return out
}
