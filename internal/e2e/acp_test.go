package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

func allow(string, map[string]any) string { return "allow-once" }

// The events of a turn reach the editor as the protocol defines them. A change is shown in full and waits for consent.
func TestACPTurn(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning("They want it sweeter."), llmtest.Text("I look."), llmtest.Call("read_file", map[string]any{"path": "Jam.md", "start_line": 2}),
			llmtest.Call("task_list", map[string]any{"items": []any{map[string]any{"text": "look", "done": true}, map[string]any{"text": "sweeten", "done": false}}}), llmtest.Usage(100, 20)),
		llmtest.Say(llmtest.Call("send_message", map[string]any{"message": "One moment."}), llmtest.Call("edit_file", map[string]any{"path": "Jam.md", "old_text": "plums", "new_text": "sweet plums"})),
		llmtest.Say(llmtest.Call("write_file", map[string]any{"path": "Sub/New.md", "content": "new\n"})),
		llmtest.Reply("It is sweeter now.", llmtest.Expect(`any message contains "Created file"`)),
	)
	h := newAskHome(t, map[string]string{"Jam.md": "# Jam\nplums\nsugar\n", ".obsidian/app.json": "{}"})
	e := h.editor(t, editorWith{srv: srv, decide: allow})
	session := e.open(filepath.Join(h.vault, ".obsidian")) // a folder in the vault
	if got := e.prompt(session, "make it sweeter"); got != "end_turn" {
		t.Errorf("it stopped for %q", got)
	}
	if got := h.note(t, "Jam.md"); got != "# Jam\nsweet plums\nsugar\n" {
		t.Errorf("Jam.md: %q", got)
	}
	if got := e.texts("agent_thought_chunk"); got != "They want it sweeter." {
		t.Errorf("thoughts: %q", got)
	}
	if got := e.texts("agent_message_chunk"); !strings.HasPrefix(got, "I look.") || !strings.Contains(got, "\n\n> One moment.") || !strings.HasSuffix(got, "It is sweeter now.") {
		t.Errorf("messages: %q", got)
	}
	if got := e.kinds()[0]; got != "available_commands_update" {
		t.Errorf("first came %s", got)
	}
	jam, _ := json.Marshal(filepath.Join(h.vault, "Jam.md"))
	calls, updates := e.all("tool_call"), e.all("tool_call_update")
	for _, want := range []string{
		`"title":"Reading Jam.md:2-"`, `"kind":"read"`, `"locations":[{"line":2,"path":` + string(jam) + `}]`, `"title":"Editing Jam.md"`, `"kind":"edit"`, `"status":"in_progress"`,
		`{"newText":"# Jam\nsweet plums\nsugar\n","oldText":"# Jam\nplums\nsugar\n","path":` + string(jam) + `,"type":"diff"}`, `"status":"completed"`,
		`{"newText":"new\n","path":"` + filepath.Join(h.vault, "Sub", "New.md") + `","type":"diff"}`,
	} {
		if !strings.Contains(calls+updates, want) {
			t.Errorf("no %s in\n%s\n%s", want, calls, updates)
		}
	}
	if strings.Contains(calls, "send_message") || strings.Contains(calls, "Task") {
		t.Errorf("what only speaks is told as a call: %s", calls)
	}
	if got := e.all("plan"); !strings.Contains(got, `{"content":"look","priority":"medium","status":"completed"},{"content":"sweeten","priority":"medium","status":"in_progress"}`) {
		t.Errorf("plan: %s", got)
	}
	if len(e.asked) != 2 {
		t.Fatalf("asked %d times", len(e.asked))
	}
	var kinds []string
	for _, o := range e.asked[0]["options"].([]any) {
		kinds = append(kinds, fmt.Sprint(o.(map[string]any)["kind"]))
	}
	if !slices.Equal(kinds, []string{"allow_once", "allow_always", "reject_once", "reject_always"}) {
		t.Errorf("options: %v", kinds)
	}
	asked, _ := json.Marshal(e.asked[0]["toolCall"])
	for _, want := range []string{`"title":"Edit Jam.md"`, `"newText":"# Jam\nsweet plums\nsugar\n"`, `approval = writes`} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("no %s in %s", want, asked)
		}
	}
	if !strings.Contains(calls, fmt.Sprintf(`"toolCallId":%q`, e.asked[0]["toolCall"].(map[string]any)["toolCallId"])) {
		t.Errorf("asked about %s, a call that was not told of", asked)
	}
	if took := e.leave(); took > 10*time.Second {
		t.Errorf("it ended after %v", took)
	}
}

// Each call that was announced to the editor is also reported as finished, even if the turn stops before it runs, and
// is announced once.
func TestACPCallsOfStoppedTurns(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Call("write_file", map[string]any{"path": "a.md", "content": "x"}), llmtest.Call("write_file", map[string]any{"path": "b.md", "content": "x"})),
		llmtest.Say(llmtest.Call("read_file", map[string]any{"path": "Home.md"}), llmtest.Call("read_file", map[string]any{"path": "Two.md"})),
		llmtest.Reply("Read."),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "Two.md": "two\n"})
	e := h.editor(t, editorWith{srv: srv, decide: func(string, map[string]any) string { return "reject-and-stop" }})
	session := e.open(h.vault)
	if got := e.prompt(session, "write both"); got != "cancelled" {
		t.Errorf("it stopped for %q", got)
	}
	if got := e.prompt(session, "read both"); got != "end_turn" {
		t.Errorf("it stopped for %q", got)
	}
	told, last := map[string]int{}, map[string]string{}
	for _, u := range e.updates {
		id, status := fmt.Sprint(u["toolCallId"]), fmt.Sprint(u["status"])
		switch u["sessionUpdate"] {
		case "tool_call":
			told[id]++
			last[id] = status
		case "tool_call_update":
			last[id] = status
		}
	}
	if len(told) != 3 { // the second change was not begun
		t.Errorf("told of %v", told)
	}
	for id, n := range told {
		if n != 1 || last[id] != "failed" && last[id] != "completed" {
			t.Errorf("%s: told of %d times, and is %s", id, n, last[id])
		}
	}
}

// A refusal reaches the model, and one that stops ends the turn. What is allowed for the conversation is not asked
// again. The user's settings and the mode determine which changes are asked about.
func TestACPConsent(t *testing.T) {
	t.Parallel()
	write := func(name string) llmtest.Step {
		return llmtest.ToolCall("write_file", map[string]any{"path": name, "content": "x\n"})
	}
	for _, c := range []struct {
		name   string
		steps  []llmtest.Step
		env    []string
		mode   string
		decide string
		reason string
		asked  int
		notes  []string
	}{
		{"reject", []llmtest.Step{write("a.md"), llmtest.Reply("Then not.", llmtest.Expect(`tool result contains "denied this change"`))}, nil, "", "reject", "end_turn", 1, nil},
		{"reject and stop", []llmtest.Step{write("a.md"), llmtest.Say(llmtest.Hang())}, nil, "", "reject-and-stop", "cancelled", 1, nil},
		{"for the conversation", []llmtest.Step{write("a.md"), write("b.md"), llmtest.Reply("Done.")}, nil, "", "allow-conversation", "end_turn", 1, []string{"a.md", "b.md"}},
		{"an option there is not", []llmtest.Step{write("a.md"), llmtest.Reply("Then not.")}, nil, "", "sudo", "end_turn", 1, nil},
		{"autonomous", []llmtest.Step{write("a.md"), llmtest.Reply("Done.")}, nil, "auto", "", "end_turn", 0, []string{"a.md"}},
		{"the user's setting", []llmtest.Step{write("a.md"), llmtest.Reply("Done.")}, []string{"CHATVAULT_APPROVAL=off"}, "", "", "end_turn", 0, []string{"a.md"}},
		{"stricter than the setting", []llmtest.Step{write("a.md"), llmtest.Reply("Done.")}, []string{"CHATVAULT_APPROVAL=off"}, "ask", "reject", "end_turn", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
			e := h.editor(t, editorWith{srv: llmtest.New(t, c.steps...), env: c.env, decide: func(string, map[string]any) string { return c.decide }})
			session := e.open(h.vault)
			if c.mode != "" {
				e.call("session/set_mode", map[string]any{"sessionId": session, "modeId": c.mode})
			}
			if got := e.prompt(session, "write"); got != c.reason {
				t.Errorf("it stopped for %q, want %q", got, c.reason)
			}
			if len(e.asked) != c.asked {
				t.Errorf("asked %d times", len(e.asked))
			}
			var notes []string
			for _, name := range []string{"a.md", "b.md"} {
				if _, err := os.Stat(filepath.Join(h.vault, name)); err == nil {
					notes = append(notes, name)
				}
			}
			if !slices.Equal(notes, c.notes) {
				t.Errorf("there are %v", notes)
			}
		})
	}
}

// A cancel ends the turn at any time: while the model answers, while consent is pending, immediately after the prompt.
func TestACPCancel(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("It beg"), llmtest.Flush(), llmtest.Hang(), llmtest.When(`user contains "answer"`)),
		llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}, llmtest.When(`user contains "write"`)),
		llmtest.Reply("Here I am.", llmtest.When(`user contains "after"`)), // whose context may quote the one before
		llmtest.Say(llmtest.Hang(), llmtest.When(`user contains "at once"`), llmtest.Forever()),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	cancel := map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": session}}
	stops := func(id int) {
		t.Helper()
		began := time.Now()
		if got := e.answer(id)["result"].(map[string]any)["stopReason"]; got != "cancelled" {
			t.Errorf("it stopped for %v", got)
		}
		t.Logf("stopped after %v", time.Since(began))
	}
	id := e.begin("session/prompt", said(session, "answer"))
	e.hears("It beg")
	e.write(cancel)
	stops(id)
	id = e.begin("session/prompt", said(session, "write"))
	e.until("a request for consent", func() bool { return len(e.asked) == 1 })
	e.write(cancel)
	stops(id)
	for range 20 {
		id, m := e.request("session/prompt", said(session, "at once"))
		e.write(m, cancel)
		stops(id)
	}
	for range 20 { // two prompts that nobody awaits: the first works, the second is refused, the cancel stops the first
		first, m1 := e.request("session/prompt", said(session, "at once"))
		second, m2 := e.request("session/prompt", said(session, "at once"))
		e.write(m1, m2, cancel)
		if e.answer(second)["error"] == nil {
			t.Error("the second prompt was not refused")
		}
		stops(first)
	}
	if got := e.prompt(session, "after all that"); got != "end_turn" {
		t.Errorf("afterwards it stops for %q", got)
	}
	if _, err := os.Stat(filepath.Join(h.vault, "a.md")); err == nil {
		t.Error("the note was written")
	}
}

// A cancel while a command waits for a server, before there is a turn, is answered as one. The command gives a server on
// this machine one second, so a slow machine may need several attempts.
func TestACPCancelsACommand(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan bool), make(chan bool)
	models := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- true:
		case <-answer:
		}
		select {
		case <-r.Context().Done():
		case <-answer:
		}
	}))
	t.Cleanup(models.Close)
	t.Cleanup(func() { close(answer) })
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: llmtest.New(t), env: []string{"OPENAI_BASE_URL=" + models.URL}})
	session := e.open(h.vault)
	var got any
	for range 10 {
		id := e.begin("session/prompt", said(session, "/model"))
		select {
		case <-asked:
		case <-time.After(20 * time.Second):
			t.Fatal("the server was not asked")
		}
		e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": session}})
		if got = e.answer(id)["result"].(map[string]any)["stopReason"]; got == "cancelled" {
			break
		}
	}
	if got != "cancelled" {
		t.Errorf("it stopped for %v", got)
	}
	if got := e.prompt(session, "/help"); got != "end_turn" {
		t.Errorf("the next command stops for %q", got)
	}
}

// Sessions do not wait for each other's consent, and neither does another process.
func TestACPSessions(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}, llmtest.When(`user contains "write"`)),
		llmtest.Reply("Second.", llmtest.When(`user contains "papaya"`)),
		llmtest.Reply("Third.", llmtest.When(`user contains "third"`), llmtest.Expect(`all messages not contains "papaya"`)),
		llmtest.Reply("Written.", llmtest.When(`tool result contains "Created"`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	decided := make(chan string)
	e := h.editor(t, editorWith{srv: srv, decide: func(string, map[string]any) string { return <-decided }})
	one, two := e.open(h.vault), e.open(h.vault)
	id := e.begin("session/prompt", said(one, "write"))
	e.until("a request for consent", func() bool { return len(e.asked) == 1 })
	if got := e.prompt(two, "papaya"); got != "end_turn" {
		t.Errorf("the second session stopped for %q", got)
	}
	other := h.editor(t, editorWith{srv: srv})
	if got := other.prompt(other.open(h.vault), "third"); got != "end_turn" {
		t.Errorf("the other process stopped for %q", got)
	}
	if got := e.refused("session/prompt", said(one, "more")); !strings.Contains(got, "another prompt") {
		t.Errorf("a prompt beside another: %s", got)
	}
	if got := other.refused("session/load", map[string]any{"sessionId": two, "cwd": h.vault, "mcpServers": []any{}}); !strings.Contains(got, "open in another window") {
		t.Errorf("a session that is open elsewhere: %s", got)
	}
	decided <- "allow-once"
	if got := e.answer(id)["result"].(map[string]any)["stopReason"]; got != "end_turn" {
		t.Errorf("the first session stopped for %v", got)
	}
	if got := h.note(t, "a.md"); got != "x" {
		t.Errorf("a.md: %q", got)
	}
}

// A killed agent loses no prompt. The session is restored with its messages, offers the unfinished prompt, and
// continues.
func TestACPResumesAfterKill(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}),
		llmtest.Reply("It is a home."),
		llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Finished after all.", llmtest.Expect(`user contains "second question"`), llmtest.Expect(`all messages contains "It is a home."`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	e.prompt(session, "first question")
	e.begin("session/prompt", said(session, "second question"))
	e.hears("Hm")
	e.kill()

	e = h.editor(t, editorWith{srv: srv})
	if list := e.call("session/list", map[string]any{})["sessions"].([]any); len(list) != 0 {
		t.Errorf("sessions of no folder: %v", list)
	}
	list := e.call("session/list", map[string]any{"cwd": h.vault})["sessions"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["sessionId"] != session || list[0].(map[string]any)["title"] != "first question" {
		t.Fatalf("sessions: %v", list)
	}
	if got := e.refused("session/load", map[string]any{"sessionId": "20200101-000000-00000000", "cwd": h.vault, "mcpServers": []any{}}); !strings.Contains(got, "no session") {
		t.Errorf("a session there is not: %s", got)
	}
	defer func() {
		if list := e.call("session/list", map[string]any{})["sessions"].([]any); len(list) != 1 {
			t.Errorf("sessions of the vault that is open: %v", list)
		}
	}()
	e.call("session/load", map[string]any{"sessionId": session, "cwd": h.vault, "mcpServers": []any{map[string]any{"type": "sse", "name": "weather", "url": "https://weather.example", "headers": []any{}}}})
	if got := e.texts("user_message_chunk"); got != "first question" {
		t.Errorf("replayed: %q", got)
	}
	e.until("the offer", func() bool {
		return strings.Contains(strings.Join(e.lines, ""), "/retry sends the last one tried again")
	})
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "It is a home.") || !strings.Contains(got, "second question") || !strings.Contains(got, `MCP server "weather" is not used`) {
		t.Errorf("replayed: %q", got)
	}
	if got := e.all("tool_call"); !strings.Contains(got, `"title":"Reading Home.md"`) {
		t.Errorf("replayed calls: %s", got)
	}
	if got := e.prompt(session, "/retry"); got != "end_turn" {
		t.Errorf("/retry stopped for %q", got)
	}
	if got := e.texts("agent_message_chunk"); !strings.HasSuffix(got, "Finished after all.") {
		t.Errorf("answered: %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(h.state(), "inbox", "*.json")); err != nil || len(left) > 0 {
		t.Errorf("left in the inbox: %v, %v", left, err)
	}
}

// A session that was killed in its first turn is listed, loaded, and offers its prompt. If /retry is the first prompt
// of a session, the user is asked about its MCP servers too.
func TestACPResumesAFirstPrompt(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Finished after all.", llmtest.Expect(`user contains "first question"`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	e.begin("session/prompt", said(session, "first question"))
	e.hears("Hm")
	e.kill()

	e = h.editor(t, editorWith{srv: srv, decide: func(string, map[string]any) string { return "reject" }})
	list := e.call("session/list", map[string]any{"cwd": h.vault})["sessions"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["sessionId"] != session || list[0].(map[string]any)["title"] != "first question" {
		t.Fatalf("sessions: %v", list)
	}
	servers := []any{map[string]any{"name": "other", "command": "true", "args": []any{}, "env": []any{}}}
	e.call("session/load", map[string]any{"sessionId": session, "cwd": h.vault, "mcpServers": servers})
	e.hears("/retry sends the last one tried again")
	if got := e.prompt(session, "/retry"); got != "end_turn" {
		t.Errorf("/retry stopped for %q", got)
	}
	if got := e.texts("agent_message_chunk"); !strings.HasSuffix(got, "Finished after all.") {
		t.Errorf("answered: %q", got)
	}
	if len(e.asked) != 1 {
		t.Errorf("asked about servers: %v", e.asked)
	}
	if list := e.call("session/list", map[string]any{"cwd": h.vault})["sessions"].([]any); len(list) != 1 {
		t.Errorf("sessions: %v", list)
	}
}

// The editor can continue an ended conversation from the terminal, under the editor's session ID.
func TestACPContinuesATerminalConversation(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("In the terminal."), llmtest.Reply("Another."),
		llmtest.Reply("In the editor.", llmtest.Expect(`all messages contains "In the terminal."`)),
		llmtest.Reply("Once more.", llmtest.Expect(`all messages contains "In the editor."`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	for _, question := range []string{"where am I?", "and now?"} {
		if code := h.run(t, srv, nil, "ask", question).Wait(patience); code != 0 {
			t.Fatalf("ask ended with %d", code)
		}
	}
	e := h.editor(t, editorWith{srv: srv})
	list := e.call("session/list", map[string]any{"cwd": h.vault})["sessions"].([]any)
	if len(list) != 2 {
		t.Fatalf("sessions: %v", list)
	}
	session := fmt.Sprint(list[1].(map[string]any)["sessionId"])
	load := map[string]any{"sessionId": session, "cwd": h.vault, "mcpServers": []any{}}
	e.call("session/load", load)
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "In the terminal.") {
		t.Errorf("replayed: %q", got)
	}
	e.prompt(session, "go on")
	e.leave()
	e = h.editor(t, editorWith{srv: srv})
	e.call("session/load", load)
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "In the terminal.") || !strings.Contains(got, "In the editor.") {
		t.Errorf("replayed: %q", got)
	}
	e.prompt(session, "and on")
}

// If the editor disconnects while consent is pending, it counts as denied, and its prompt is kept.
func TestACPDisconnect(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	e.begin("session/prompt", said(e.open(h.vault), "write"))
	e.until("a request for consent", func() bool { return len(e.asked) == 1 })
	t.Logf("ended after %v", e.leave())
	if _, err := os.Stat(filepath.Join(h.vault, "a.md")); err == nil {
		t.Error("the note was written")
	}
	if left, err := filepath.Glob(filepath.Join(h.state(), "inbox", "*.json")); err != nil || len(left) != 1 {
		t.Errorf("in the inbox: %v, %v", left, err)
	}
}

// The agent reads the editor's unsaved text and does not change a note with unsaved changes. The editor is not asked
// for files that the agent may not read.
func TestACPUnsaved(t *testing.T) {
	t.Parallel()
	edit := func(from, to string) llmtest.Option {
		return llmtest.Call("edit_file", map[string]any{"path": "Jam.md", "old_text": from, "new_text": to})
	}
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Call("read_file", map[string]any{"path": "Jam.md"}), llmtest.Call("read_file", map[string]any{"path": ".obsidian/app.json"})),
		llmtest.Say(edit("typed", "mine"), llmtest.Expect(`all messages contains "2: typed"`)),
		llmtest.Reply("Save it first.", llmtest.Expect(`tool result contains "is unsaved in the editor; save it first"`)),
		llmtest.Say(edit("plums", "pears")),
		llmtest.Reply("Done."),
	)
	h := newAskHome(t, map[string]string{"Jam.md": "# Jam\nplums\n", ".obsidian/app.json": "{}"})
	held := "# Jam\ntyped\n"
	e := h.editor(t, editorWith{srv: srv, fs: true, decide: allow, buffer: func(path string) (string, bool) { return held, path == filepath.Join(h.vault, "Jam.md") }})
	session := e.open(h.vault)
	e.prompt(session, "change it")
	if got := h.note(t, "Jam.md"); got != "# Jam\nplums\n" || len(e.asked) != 0 {
		t.Errorf("Jam.md: %q, asked %d times", got, len(e.asked))
	}
	held = "# Jam\nplums\n"
	e.prompt(session, "I saved it")
	if got := h.note(t, "Jam.md"); got != "# Jam\npears\n" || len(e.asked) != 1 {
		t.Errorf("Jam.md: %q, asked %d times", got, len(e.asked))
	}
	held = "# Jam\npears\nand more\n"
	e.prompt(session, "/undo")
	e.hears("is unsaved in the editor; save it first")
	if got := h.note(t, "Jam.md"); got != "# Jam\npears\n" {
		t.Errorf("undone over what is unsaved: %q", got)
	}
	held = "# Jam\npears\n"
	e.prompt(session, "/undo")
	if got := h.note(t, "Jam.md"); got != "# Jam\nplums\n" {
		t.Errorf("not undone: %q", got)
	}
	for _, path := range e.read {
		if path != filepath.Join(h.vault, "Jam.md") {
			t.Errorf("the editor was asked for %s", path)
		}
	}
}

// Files of the vault that the editor mentions are attached as they are in the vault. A file outside remains text and is
// not opened. A private file is left out, and the editor shows that.
func TestACPMentions(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("Read.",
		llmtest.Expect(`user contains "Compare @\"My jam.md\" with @Home.md and [other](file:///nowhere/other.md)"`),
		llmtest.Expect(`all messages contains "1: plum jam"`), llmtest.Expect(`all messages contains "1: # Home"`),
		llmtest.Expect(`all messages contains "given from outside"`), llmtest.Expect(`all messages not contains "my secret"`), llmtest.Expect(`all messages not contains "do not open"`)),
		llmtest.Reply("Read again.", llmtest.Expect(`user contains "@Home.md This is open.\n\n@[[Home]] again"`)),
		llmtest.Say(llmtest.Finish("refusal")))
	h := newAskHome(t, map[string]string{"My jam.md": "plum jam\n", "Home.md": "# Home\n", "Diary/a.md": "my secret\n"})
	if err := os.MkdirAll(filepath.Join(h.dir, "c", "chatvault"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "c", "chatvault", "config.toml"), []byte("private = [\"Diary/**\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(h.dir, "outside.md")
	if err := os.WriteFile(outside, []byte("do not open"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name, path string) map[string]any {
		return map[string]any{"type": "resource_link", "name": name, "uri": "file://" + strings.ReplaceAll(path, " ", "%20")}
	}
	resource := func(path, text string) map[string]any {
		return map[string]any{"type": "resource", "resource": map[string]any{"uri": "file://" + path, "text": text, "mimeType": "text/markdown"}}
	}
	text := func(s string) map[string]any { return map[string]any{"type": "text", "text": s} }
	e := h.editor(t, editorWith{srv: srv})
	got := e.call("session/prompt", map[string]any{"sessionId": e.open(h.vault), "prompt": []any{
		text("Compare "), link("My jam.md", filepath.Join(h.vault, "My jam.md")), text(" with"), resource(filepath.Join(h.vault, "Home.md"), "# Home\n"),
		text(" and "), link("other", "/nowhere/other.md"), text(", "), link("outside", outside), resource(outside, "given from outside"), resource(filepath.Join(h.vault, "Diary", "a.md"), "my secret"),
	}})
	if got["stopReason"] != "end_turn" {
		t.Errorf("it stopped for %v", got)
	}
	e.hears("Diary/a.md” was not attached: the agent may not read it")
	again := e.open(h.vault) // as Obsidian's plugin has it: what is mentioned first, and then the text
	got = e.call("session/prompt", map[string]any{"sessionId": again, "prompt": []any{resource(filepath.Join(h.vault, "Home.md"), "# Home\n"), text("This is open."), text("@[[Home]] again")}})
	if got["stopReason"] != "end_turn" {
		t.Errorf("it stopped for %v", got)
	}
	if got := e.prompt(again, "read @Diary/a.md"); got != "refusal" {
		t.Errorf("a refusal stops for %q", got)
	}
	e.hears("“Diary/a.md” was not attached: it is private")
	e.hears("The model refused to answer this.")
	if got := e.prompt(again, "/mcp"); got != "end_turn" {
		t.Errorf("it stopped for %v", got)
	}
	e.hears("Add one as a table [mcp.NAME]")
}

// A question from the agent ends its turn, and the next prompt is the answer. A plan changes nothing before it is
// approved.
func TestACPQuestions(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which jam?", "options": []any{"plum", "fig"}}),
		llmtest.Reply("Fig it is.", llmtest.Expect(`user contains "fig"`), llmtest.Expect(`user not contains "opened the note"`)),
		llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}),
		llmtest.Reply("1. Write a.md"),
		llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}),
		llmtest.Reply("Carried out."),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv, decide: allow})
	session := e.open(h.vault)
	if got := e.prompt(session, "make jam"); got != "end_turn" {
		t.Errorf("a question stops for %q", got)
	}
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "Which jam?") || !strings.Contains(got, "2. fig") {
		t.Errorf("asked: %q", got)
	}
	open := map[string]any{"type": "text", "text": "The user has opened the note Home."} // as Obsidian's plugin has it
	e.call("session/prompt", map[string]any{"sessionId": session, "prompt": []any{open, map[string]any{"type": "text", "text": "@[[Home]]\n2"}}})
	e.call("session/set_mode", map[string]any{"sessionId": session, "modeId": "plan"})
	e.prompt(session, "write a.md")
	if _, err := os.Stat(filepath.Join(h.vault, "a.md")); err == nil || len(e.asked) != 0 {
		t.Error("something was changed while planning")
	}
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "Carry out this plan?") {
		t.Errorf("asked: %q", got)
	}
	e.prompt(session, "1")
	if got := h.note(t, "a.md"); got != "x" || len(e.asked) != 0 { // what an approved plan makes is agreed to, but for what takes much away
		t.Errorf("a.md: %q, asked %d times", got, len(e.asked))
	}
}

// A prompt that sets a goal ends when the goal is met, however many turns it takes, or when it is canceled between two
// turns.
func TestACPGoals(t *testing.T) {
	t.Parallel()
	const check = `system contains "An agent is working toward a goal"`
	gate := make(chan struct{})
	srv := llmtest.New(t,
		llmtest.Reply("One line.", llmtest.When(`user contains "two lines"`)),
		llmtest.Reply("NOT MET: it is one line", llmtest.When(check)),
		llmtest.Reply("And another.", llmtest.When(`user contains "it is one line"`)),
		llmtest.Reply("MET: there are two", llmtest.When(check)),
		llmtest.Reply("Begun.", llmtest.When(`user contains "for ever"`)),
		llmtest.Say(llmtest.Gate(gate), llmtest.Text("NOT MET: it goes on"), llmtest.When(check)),
	)
	defer close(gate)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	if got := e.prompt(session, "/goal write two lines"); got != "end_turn" {
		t.Errorf("it stopped for %q", got)
	}
	if got := e.texts("agent_message_chunk"); !strings.Contains(got, "One line.") || !strings.Contains(got, "And another.") {
		t.Errorf("said: %q", got)
	}
	id := e.begin("session/prompt", said(session, "/goal go on for ever"))
	if !srv.AwaitRequests(6, patience) {
		t.Fatal("the goal is not checked")
	}
	e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": session}})
	if got := e.answer(id)["result"].(map[string]any)["stopReason"]; got != "cancelled" {
		t.Errorf("it stopped for %v", got)
	}
}

// Commands run without a model. A failure states its cause and a fix.
func TestACPCommands(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "a.md", "content": "x"}), llmtest.Reply("Done."),
		llmtest.Fail(401, `{"error":{"message":"bad key"}}`),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv, decide: allow})
	session := e.open(h.vault)
	e.prompt(session, "write")
	e.forget()
	if e.prompt(session, "/changes 1"); !strings.Contains(e.texts("agent_message_chunk"), "/changes undo 1 reverts it") {
		t.Errorf("one turn's changes: %q", e.texts("agent_message_chunk"))
	}
	for typed, want := range map[string]string{
		"/help": "/undo", "/changes": "created a.md", "/model": "The model is", "/cost": "This conversation", "/inbox": "no unfinished messages", "/settings approval": "It can be off",
		"/nope": "There is no command /nope", "/goal": "goal", "/trust": "brings nothing", "/undo": "Undid",
	} {
		e.forget()
		if got := e.prompt(session, typed); got != "end_turn" || !strings.Contains(e.texts("agent_message_chunk"), want) {
			t.Errorf("%s: %s, %q", typed, got, e.texts("agent_message_chunk"))
		}
	}
	if got := e.refused("session/prompt", said(session, "fails")); !strings.Contains(got, "API key is missing or invalid") || !strings.Contains(got, "/retry") {
		t.Errorf("an error: %q", got)
	}
	empty := t.TempDir()
	if got := e.refused("session/new", map[string]any{"cwd": empty, "mcpServers": []any{}}); !strings.Contains(got, "holds no notes") {
		t.Errorf("a folder without notes: %q", got)
	}
	if got := e.refused("session/set_mode", map[string]any{"sessionId": session, "modeId": "yolo"}); got == "" {
		t.Error("a mode there is not was taken")
	}
	if got := e.refused("session/prompt", said("nobody", "x")); !strings.Contains(got, "no open session") {
		t.Errorf("a session there is not: %q", got)
	}
	e.call("session/close", map[string]any{"sessionId": session})
	if got := e.refused("session/prompt", said(session, "x")); !strings.Contains(got, "no open session") {
		t.Errorf("a closed session: %q", got)
	}
}

// A prompt that summarizes the conversation ends with the summary and can be canceled.
func TestACPCompact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("It goes on and on. ", 200)
	srv := llmtest.New(t,
		llmtest.Reply(long), llmtest.Reply(long), llmtest.Reply(long), llmtest.Reply(long),
		llmtest.Say(llmtest.Hang()),
		llmtest.Reply("They spoke at length."),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	for n := range 4 {
		e.prompt(session, fmt.Sprintf("question %d", n))
	}
	id := e.begin("session/prompt", said(session, "/compact"))
	if !srv.AwaitRequests(5, patience) {
		t.Fatal("nothing is summarised")
	}
	e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": session}})
	if got := e.answer(id)["result"].(map[string]any)["stopReason"]; got != "cancelled" {
		t.Errorf("it stopped for %v", got)
	}
	if got := e.prompt(session, "/compact"); got != "end_turn" || !strings.Contains(e.texts("agent_message_chunk"), "were summarised for the model") {
		t.Errorf("%s, %q", got, e.texts("agent_message_chunk"))
	}
}
