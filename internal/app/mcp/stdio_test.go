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

// TestNewestRevision: without a handshake, each result has the type and server that the revision of 2026-07-28 wants, and
// nothing may be cached for others.
func TestNewestRevision(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A ü.md": "a\n", ".smarthole/commands/tidy.md": "Tidy\n"})
	open(t, dir, "", Options{}) // makes the state folder
	agree(t, dir)
	s := open(t, dir, `approval = "writes"`, Options{Version: "1"})
	write, read, end, _ := piped(t, s)
	defer end()
	id := 0
	request := func(method, params string) map[string]any {
		id++
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
		write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, meta, params))
		m := read()
		result, ok := m["result"].(map[string]any)
		if !ok {
			t.Fatalf("%s: %v", method, m)
		}
		return result
	}
	const edit = `,"name":"write_file","arguments":{"path":"B.md","content":"b"}`
	for _, row := range []struct{ method, params, kind string }{
		{"server/discover", "", "complete"},
		{"tools/list", "", "complete"},
		{"resources/list", "", "complete"},
		{"resources/templates/list", "", "complete"},
		{"resources/read", `,"uri":"vault:///A ü.md"`, "complete"},
		{"prompts/list", "", "complete"},
		{"prompts/get", `,"name":"tidy","arguments":{"text":"all"}`, "complete"},
		{"completion/complete", `,"ref":{"type":"ref/resource","uri":"vault:///{+path}"},"argument":{"name":"path","value":"A"}`, "complete"},
		{"tools/call", `,"name":"read_file","arguments":{"path":"A ü.md"}`, "complete"},
		{"tools/call", `,"name":"read_file","arguments":{"path":"none"}`, "complete"},
		{"tools/call", edit, "input_required"},
	} {
		r := request(row.method, row.params)
		meta, _ := r["_meta"].(map[string]any)
		info, _ := meta["io.modelcontextprotocol/serverInfo"].(map[string]any)
		if r["resultType"] != row.kind || info["name"] != "chatvault" {
			t.Errorf("%s: %v", row.method, r)
		}
		if scope, cacheable := r["cacheScope"]; cacheable && scope != "private" {
			t.Errorf("%s may be cached: %v", row.method, scope)
		}
		if row.kind == "input_required" {
			again := fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{"consent":{"action":"accept","content":{"answer":"Allow once"}}}`, edit, r["requestState"])
			if r := request(row.method, again); r["resultType"] != "complete" || r["isError"] == true {
				t.Errorf("allowed: %v", r)
			}
		}
	}
}

// TestOlderRevisions: clients of all older revisions are answered in theirs.
func TestOlderRevisions(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A ü.md": "a\n"})
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		write, read, end, _ := piped(t, open(t, dir, "", Options{Version: "1"}))
		write(strings.Replace(initialize, "2025-06-18", version, 1))
		if r, _ := read()["result"].(map[string]any); r == nil || r["protocolVersion"] != version {
			t.Errorf("%s: %v", version, r)
		}
		write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		write(`{"jsonrpc":"2.0","id":"read","method":"resources/read","params":{"uri":"vault:///A ü.md"}}`)
		if r, _ := read()["result"].(map[string]any); r == nil || r["resultType"] != nil {
			t.Errorf("%s: %v", version, r)
		}
		end()
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
	kept := home.KeepJournal(v, func(text string) { t.Error(text) })
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
	text := mustCall(t, c, "changes", nil)
	if strings.Contains(text, "private question") || !strings.Contains(text, `"source":"chat"`) {
		t.Errorf("%s", text)
	}
	if !strings.Contains(text, `"title":"probe: append_file A.md"`) {
		t.Errorf("the client's own changes: %s", text)
	}
}
