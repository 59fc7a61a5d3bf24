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

// figures holds the tokens of a first request, and the shares of requests that the next request repeats.
type figures struct {
	System int `json:"system"` // tokens of the system prompt
	Tools  int `json:"tools"`  // tokens of the tools in their JSON form
	First  int `json:"first"`  // tokens of the first request: system prompt, tools and message
	// Shares (0 to 1) of a request's tools and messages with which the next request begins, byte for byte.
	WithinTurn   float64 `json:"within_turn"`   // first and second call of a turn
	BetweenTurns float64 `json:"between_turns"` // last call of a turn and first call of the next
	NewTool      float64 `json:"new_tool"`      // two calls of a turn, with an MCP server's new tool in the second
}

// request is the body of a model call.
type request struct {
	Messages []json.RawMessage `json:"messages"`
	Tools    json.RawMessage   `json:"tools"`
}

// measure asks three questions in a copy of the vault. The first leads to two model calls and the second to
// one. The third leads to calls until a request includes the new tool of an MCP server.
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

// maxCalls is the limit for model calls while waiting for a new tool.
const maxCalls = 15

// newTool returns the share of a request that the next one repeats if that one includes a new tool.
func newTool(binary, dir string) (float64, error) {
	tools := newGrowingServer()
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

// ask runs chatvault ask in the vault below dir, without the user's settings and keys.
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

// recorder is a chat-completions server that records requests. It answers the first ones with a tool call
// and the others with text.
type recorder struct {
	before int            // number of requests to answer with a tool call
	tools  *growingServer // if not nil, gets a tool at the first request; a request with that tool gets text

	mu    sync.Mutex
	calls []request
}

// Choices in streamed answers.
const (
	toolCallChoice = `{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"list_files","arguments":"{\"max_results\": 5}"}}]},"finish_reason":"tool_calls"}`
	textChoice     = `{"index":0,"delta":{"role":"assistant","content":"Some notes."},"finish_reason":"stop"}`
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
	if len(call.Tools) > 0 { // a request without tools is for a conversation's title
		k.calls = append(k.calls, call)
	}
	choice := textChoice
	if n := len(k.calls); 0 < n && n <= k.before && (k.tools == nil || bytes.Equal(k.calls[0].Tools, call.Tools)) {
		choice = strings.Replace(toolCallChoice, "call_1", fmt.Sprintf("call_%d", n), 1)
		choice = strings.Replace(choice, `: 5}`, fmt.Sprintf(`: %d}`, 4+n), 1)
		if n == 1 && k.tools != nil {
			k.tools.addSecondTool()
		}
	}
	k.mu.Unlock()
	if k.tools != nil {
		time.Sleep(100 * time.Millisecond) // time for the client to receive the notification of the tool
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"bench\",\"choices\":[%s]}\n\ndata: [DONE]\n\n", choice)
}

// count returns the figures of three calls, except NewTool.
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

// repeated returns the share of request a with which request b begins. Models get the tools before the
// messages, so nothing after a changed tool counts.
func repeated(a, b request) float64 {
	x, y := a.prefix(), b.prefix()
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return float64(same) / float64(len(x))
}

// prefix returns the tools and messages in the order in which a model gets them.
func (r request) prefix() []byte {
	out := bytes.Clone(r.Tools)
	for _, m := range r.Messages {
		out = append(append(out, '\n'), m...)
	}
	return out
}
