package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/internal/base/terminal/output"
)

// TestACPLeaksNoGoroutine checks that the command ends without leaking goroutines whenever the editor disconnects.
func TestACPLeaksNoGoroutine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Home.md"), []byte("# Home\nneedle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	for i, prompts := range [][]string{{}, {"needle?"}, {"create a note A.md with x"}, {"needle?", "create a note B.md with x", "/help"}} {
		for _, wait := range []bool{true, false} {
			acpOnce(t, dir, prompts, wait)
			if err := goleak.Find(before); err != nil {
				t.Fatalf("script %d, waiting %v: %v", i, wait, err)
			}
		}
	}
}

// acpOnce is an editor with a session per prompt, which disconnects after the answers or, without wait, at once.
func acpOnce(t *testing.T, dir string, prompts []string, wait bool) {
	in, typed := io.Pipe()
	told, out := io.Pipe()
	ended := make(chan int)
	go func() {
		status := Main([]string{"--vault", dir, "--config", os.DevNull, "--offline", "acp"}, Streams{
			In: in, Out: output.New(out, false), Err: output.New(io.Discard, false), LookupEnv: noServers,
		})
		_ = out.Close()
		ended <- status
	}()
	answers := make(chan map[string]any)
	go func() {
		defer close(answers)
		for lines := bufio.NewScanner(told); lines.Scan(); {
			var m map[string]any
			if json.Unmarshal(lines.Bytes(), &m) == nil && m["method"] == nil {
				answers <- m
			}
			if m["method"] == "session/request_permission" {
				_, _ = fmt.Fprintf(typed, `{"jsonrpc":"2.0","id":%v,"result":{"outcome":{"outcome":"selected","optionId":"reject"}}}`+"\n", m["id"])
			}
		}
	}()
	say := func(id int, method string, params any) {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = typed.Write(append(line, '\n'))
	}
	say(1, "initialize", map[string]any{"protocolVersion": 1})
	<-answers
	for i, text := range prompts {
		say(2*i+2, "session/new", map[string]any{"cwd": dir, "mcpServers": []any{}})
		var session any
		for session == nil { // answers to prompts may come first
			m := <-answers
			if m["error"] != nil {
				t.Fatalf("session/new: %v", m["error"])
			}
			if result, ok := m["result"].(map[string]any); ok {
				session = result["sessionId"]
			}
		}
		say(2*i+3, "session/prompt", map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}})
		if wait {
			<-answers
		}
	}
	_ = typed.Close()
	go func() {
		for range answers { // drain
		}
	}()
	select {
	case status := <-ended:
		if status != exitOK {
			t.Errorf("it ended with %d", status)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	_ = told.Close()
}
