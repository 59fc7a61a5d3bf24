package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// Before the first prompt, the user is asked about an MCP server that the editor names and sees its whole command. It
// starts only after consent. A server that is declined or unusable is reported and not started.
func TestACPServers(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	other, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
	if err := os.WriteFile(filepath.Join(other, "Far.md"), []byte("hello from far away\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The variable's value must arrive literally: it is no command line.
	script := `echo "$GREETING_command" >> "` + started + `"; exec "` + chatvault(t) + `" mcp --vault "` + other + `" --tools read_file`
	program := func(name, script string) map[string]any {
		return map[string]any{"name": name, "command": "sh", "args": []any{"-c", script}, "env": []any{
			map[string]any{"name": "GREETING_command", "value": "echo run"}, map[string]any{"name": "SOME_TOKEN", "value": "s3cret"},
		}}
	}
	declined := filepath.Join(t.TempDir(), "declined")
	servers := []any{
		program("My Other", script), program("declined", "touch "+declined),
		map[string]any{"type": "sse", "name": "old", "url": "https://old.example/sse", "headers": []any{}},
		map[string]any{"type": "http", "name": "bare", "url": "http://bare.example/mcp", "headers": []any{}},
	}
	srv := llmtest.New(t,
		llmtest.Reply("Hello."),
		llmtest.ToolCall("my-other__read_file", map[string]any{"path": "Far.md"}),
		llmtest.Reply("Read.", llmtest.Expect(`any message contains "hello from far away"`)),
		llmtest.Reply("Hello again."),
		llmtest.Reply("Changed."),
	)
	answers := map[string]string{"Start the MCP server my-other": "allow-always", "Start the MCP server declined": "reject"}
	e := h.editor(t, editorWith{srv: srv, decide: func(title string, _ map[string]any) string {
		if answer := answers[title]; answer != "" {
			return answer
		}
		return "allow-once"
	}})
	open := func(e *editor, servers []any) string {
		return fmt.Sprint(e.call("session/new", map[string]any{"cwd": h.vault, "mcpServers": servers})["sessionId"])
	}
	session := open(e, servers)
	e.hears(`MCP server "old" is not used: it speaks SSE`)
	e.hears(`MCP server "bare" is not used: its address would send`)
	e.prompt(session, "/help")
	if _, err := os.Stat(started); err == nil || len(e.asked) != 0 {
		t.Fatal("a server was started, or asked about, before a message needs it")
	}
	if got := e.prompt(session, "hi"); got != "end_turn" {
		t.Errorf("it stopped for %q", got)
	}
	e.hears("The MCP server declined is not used in this session.")
	asked, _ := json.Marshal(e.asked[0]["toolCall"])
	quoted, _ := json.Marshal(fmt.Sprintf(`"sh" "-c" %q`, script))
	for _, want := range []string{strings.Trim(string(quoted), `"`), `GREETING_command=\"echo run\"`, `SOME_TOKEN=(not shown)`} {
		if !strings.Contains(strings.ReplaceAll(string(asked), `\u003e`, ">"), strings.ReplaceAll(want, `\u003e`, ">")) {
			t.Errorf("no %s in %s", want, asked)
		}
	}
	for {
		e.forget()
		e.prompt(session, "/mcp")
		if got := e.texts("agent_message_chunk"); strings.Contains(got, "my-other: ready, 1 tool: read_file") {
			break
		} else if strings.Contains(got, "given up") {
			t.Fatal(got)
		}
	}
	e.prompt(session, "read what is far")
	if len(e.asked) != 3 {
		t.Errorf("asked %d times: of two servers, and a tool", len(e.asked))
	}
	if got, err := os.ReadFile(started); err != nil || string(got) != "echo run\n" {
		t.Errorf("started with %q, %v", got, err)
	}
	if _, err := os.Stat(declined); err == nil {
		t.Error("a declined server was started")
	}
	e.leave()

	// A server that is allowed permanently is not asked about again, as long as it stays the same.
	e = h.editor(t, editorWith{srv: srv, decide: func(string, map[string]any) string { return "reject" }})
	e.prompt(open(e, servers[:1]), "hi again")
	if len(e.asked) != 0 {
		t.Errorf("asked about what was allowed for good: %v", e.asked)
	}
	e.prompt(open(e, []any{program("My Other", script+" ")}), "and now")
	if len(e.asked) != 1 {
		t.Errorf("asked %d times about another command", len(e.asked))
	}
	e.leave()
}

// Canceling a prompt withdraws the question about a server; the next prompt asks again. If the editor disconnects
// meanwhile, consent counts as denied and its prompt is kept.
func TestACPServersCancel(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	started := filepath.Join(t.TempDir(), "started")
	e := h.editor(t, editorWith{srv: llmtest.New(t)})
	session := fmt.Sprint(e.call("session/new", map[string]any{"cwd": h.vault, "mcpServers": []any{
		map[string]any{"name": "slow", "command": "touch", "args": []any{started}, "env": []any{}},
	}})["sessionId"])
	for n := 1; n <= 2; n++ {
		id := e.begin("session/prompt", said(session, "hi"))
		e.until("the question", func() bool { return len(e.asked) == n })
		e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": session}})
		if got := e.answer(id)["result"].(map[string]any)["stopReason"]; got != "cancelled" {
			t.Errorf("it stopped for %v", got)
		}
	}
	e.begin("session/prompt", said(session, "kept"))
	e.until("the question", func() bool { return len(e.asked) == 3 })
	if took := e.leave(); took > 10*time.Second {
		t.Errorf("it ended after %v", took)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("it was started without consent")
	}
	kept := ""
	files, _ := filepath.Glob(filepath.Join(h.state(), "inbox", "*.json"))
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		kept += string(data)
	}
	if !strings.Contains(kept, `"kept"`) {
		t.Errorf("the prompt is not kept: %s", kept)
	}
}

// Disconnecting ends a server that ignores requests to exit within two seconds.
func TestACPServersThatDoNotExit(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	alive := filepath.Join(t.TempDir(), "alive")
	e := h.editor(t, editorWith{srv: llmtest.New(t, llmtest.Reply("Hello.")), decide: allow})
	session := fmt.Sprint(e.call("session/new", map[string]any{"cwd": h.vault, "mcpServers": []any{
		map[string]any{"name": "stubborn", "command": "sh", "args": []any{"-c", `trap "" TERM INT HUP; while :; do echo >> "` + alive + `"; sleep 0.1; done`}, "env": []any{}},
	}})["sessionId"])
	e.prompt(session, "hi")
	size := func() int64 {
		info, err := os.Stat(alive)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for began := time.Now(); size() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 4*patience {
			t.Fatal("the server was not started")
		}
	}
	if took := e.leave(); took > 2*time.Second {
		t.Errorf("it ended after %v", took)
	} else {
		t.Logf("ended after %v", took)
	}
	before := size()
	time.Sleep(500 * time.Millisecond)
	if after := size(); after != before || before == 0 {
		t.Errorf("the server goes on: %d, %d", before, after)
	}
}
