package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/tools"
	"chatvault/vault"
)

// piped serves a client that writes lines itself, and returns functions to write a line and to read one.
func piped(t *testing.T, s *Server) (write func(string), read func() map[string]any, end func(), ended chan error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended = make(chan error, 1)
	go func() {
		ended <- s.Serve(context.Background(), inR, outW)
		_ = outW.Close()
	}()
	t.Cleanup(func() { _, _ = inW.Close(), outR.Close() })
	lines := bufio.NewScanner(outR)
	lines.Buffer(nil, 32<<20)
	return func(line string) { fmt.Fprintln(inW, line) }, func() (m map[string]any) {
		if !lines.Scan() {
			return nil
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Errorf("no protocol: %q", lines.Text())
		}
		return m
	}, func() { _ = inW.Close() }, ended
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// TestEndOfInputEndsServer: the end of the input ends the server, even while it waits for a user who never answers.
func TestEndOfInputEndsServer(t *testing.T) {
	s := open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), `approval = "writes"`, Options{})
	write, read, end, ended := piped(t, s)
	write(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	read()
	write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete_file","arguments":{"path":"A.md"}}}`)
	if m := read(); m["method"] != "elicitation/create" {
		t.Fatalf("%v", m)
	}
	began := time.Now()
	end()
	go func() {
		for read() != nil { // skip the remaining output
		}
	}()
	select {
	case err := <-ended:
		t.Logf("it ended %s after its input, %v", time.Since(began).Round(time.Millisecond), err)
	case <-time.After(20 * time.Second): // two seconds on an idle machine
		t.Fatal("the server continues without input")
	}
}

// TestPendingRequestsAreAnswered: requests received before the end of the input are answered.
func TestPendingRequestsAreAnswered(t *testing.T) {
	s := open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), "", Options{})
	var in strings.Builder
	fmt.Fprintln(&in, initialize)
	for i := range 50 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"A.md"}}}`+"\n", i+2)
	}
	var out strings.Builder
	if err := s.Serve(context.Background(), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 51 {
		t.Errorf("%d answers", n)
	}
}

// TestChatTitlesAreHidden: clients see that the chat made a change, but not the request that it was for.
func TestChatTitlesAreHidden(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "a\n"})
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := home.KeepJournal(v, config.Defaults(), func(text string) { t.Error(text) })
	chat := tools.WithRequest(context.Background(), tools.Request{Turn: "20200101-000000-00000000", Source: "chat", Title: "my private question"})
	if r := tools.NewRegistry(v, tools.Options{}).Turn(nil).Call(chat, "append_file", json.RawMessage(`{"path":"A.md","content":"asked for"}`)); r.IsError {
		t.Fatal(r.Text)
	}
	if err := errors.Join(v.History.EndTurn("20200101-000000-00000000"), kept.Close(), v.Close()); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, "", Options{})
	c := connect(t, s, "probe", nil)
	mustCall(t, c, "append_file", map[string]any{"path": "A.md", "content": "more"})
	for _, text := range []string{mustCall(t, c, "get_note_history", map[string]any{"path": "A.md"}), mustCall(t, c, "changes", nil)} {
		if strings.Contains(text, "private question") || !strings.Contains(text, ", chat") {
			t.Errorf("%s", text)
		}
	}
	if text := mustCall(t, c, "get_note_history", map[string]any{"path": "A.md"}); !strings.Contains(text, "“probe: append_file A.md”") {
		t.Errorf("the client's own changes: %s", text)
	}
}
