package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// hostileServer makes the test binary run as a misbehaving MCP server. The variable names a file with the kind of
// misbehavior, "" for none. The server ignores SIGTERM and the end of its input, starts a process in its own group and
// one in a session of its own, and writes their IDs and its actions next to the file.
const hostileServer = "CHATVAULT_TEST_HOSTILE"

func serveHostile(file string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	kind, _ := os.ReadFile(file)
	log, err := os.OpenFile(file+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, "pid", os.Getpid())
	for _, alone := range []bool{false, true} {
		c := exec.Command("sleep", "600")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: alone}
		if err := c.Start(); err != nil {
			panic(err)
		}
		fmt.Fprintln(log, "pid", c.Process.Pid)
	}
	h := &hostile{kind: strings.TrimSpace(string(kind)), log: log}
	if h.kind == "mute" {
		select {}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) == nil && m.Method != "" {
			h.take(m.Method, m.ID)
		}
	}
	select {}
}

type hostile struct {
	kind string
	log  *os.File

	mu    sync.Mutex
	lists int
}

func (h *hostile) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	data, _ := json.Marshal(m)
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = os.Stdout.Write(append(data, '\n'))
}

func (h *hostile) take(method string, id json.RawMessage) {
	answer := func(result map[string]any) { h.write(map[string]any{"id": id, "result": result}) }
	word, rest, _ := strings.Cut(h.kind, " ")
	n, _ := strconv.Atoi(rest)
	switch {
	case id == nil && method == "notifications/initialized" && word == "announces":
		go func() {
			for {
				h.write(map[string]any{"method": "notifications/tools/list_changed"})
				time.Sleep(time.Millisecond)
			}
		}()
	case id == nil:
	case method == "initialize":
		answer(map[string]any{
			"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{"listChanged": true}},
			"serverInfo": map[string]any{"name": "hostile", "version": "1"},
		})
	case method == "tools/list":
		h.lists++
		fmt.Fprintln(h.log, "listed", h.lists)
		tools := []any{map[string]any{"name": "do", "description": "Does it.", "inputSchema": map[string]any{"type": "object"}}}
		for i := range n {
			if word != "announces" && word != "offers" {
				break
			}
			round := h.lists
			if word == "offers" {
				round = 1
			}
			tools = append(tools, map[string]any{
				"name": fmt.Sprintf("t%d-%d", round, i), "description": strings.Repeat("Long words that fill. ", 90), "inputSchema": map[string]any{"type": "object"},
			})
		}
		list := map[string]any{"tools": tools}
		if word == "pages" { // which are empty, but for the first
			list["nextCursor"] = fmt.Sprint(h.lists)
			if h.lists > 1 {
				list["tools"] = []any{}
			}
		}
		answer(list)
	case method == "tools/call":
		fmt.Fprintln(h.log, "called")
		switch word {
		case "asks":
			for i := range n {
				h.write(map[string]any{"id": fmt.Sprint("q", i), "method": "elicitation/create", "params": map[string]any{
					"message": "Which town?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{"town": map[string]any{"type": "string"}}},
				}})
			}
		case "hangs":
			select {}
		default:
			answer(map[string]any{"content": []any{map[string]any{"type": "text", "text": "done"}}})
		}
	default:
		h.write(map[string]any{"id": id, "error": map[string]any{"code": -32601, "message": "no such method"}})
	}
}

// badServer is a home folder with a hostile server in its configuration.
type badServer struct {
	askHome
	file string
}

func newBadServer(t *testing.T, kind, settings string) badServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := badServer{newAskHome(t, map[string]string{"Home.md": "# Home\n"}), filepath.Join(t.TempDir(), "kind")}
	h.be(t, kind)
	config := filepath.Join(h.dir, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s\n[mcp.hostile]\ncommand = %q\nenv = {%s = %q}\n", settings, self, hostileServer, h.file)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range h.pids(t) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return h
}

// be sets the kind of servers started from now on.
func (h badServer) be(t *testing.T, kind string) {
	t.Helper()
	if err := os.WriteFile(h.file, []byte(kind), 0o600); err != nil {
		t.Fatal(err)
	}
}

// log returns the servers' actions.
func (h badServer) log(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(h.file + ".log")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

func (h badServer) await(t *testing.T, what string, times int) {
	t.Helper()
	for began := time.Now(); strings.Count(h.log(t), what) < times; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("the server did not come to %q: %s", what, h.log(t))
		}
	}
}

func (h badServer) pids(t *testing.T) (pids []int) {
	for line := range strings.Lines(h.log(t)) {
		if word, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// none fails the test if a process of the servers is left.
func (h badServer) none(t *testing.T) {
	t.Helper()
	all := h.pids(t)
	if len(all) < 3 {
		t.Errorf("the server was not started: %s", h.log(t))
	}
	deadline := time.Now().Add(time.Second) // a process killed on a busy machine takes a moment to end
	for i, pid := range all {
		for {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			if time.Now().After(deadline) {
				t.Errorf("process %d of the server is left: %s", i%3, stat)
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// allow allows the server's tool permanently.
func (h badServer) allow(t *testing.T) {
	t.Helper()
	kind, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	h.be(t, "")
	srv := llmtest.New(t, llmtest.ToolCall("hostile__do", map[string]any{}), llmtest.Reply("Done."))
	x := h.run(t, srv, nil, "--accessible")
	x.WaitFor("You:", patience)
	x.Type("go\n")
	x.WaitFor("Allow this?", patience)
	time.Sleep(600 * time.Millisecond) // what comes unasked takes no answer in its first half second
	x.Type("f\n")
	x.WaitFor("Assistant: Done.", patience)
	x.Send("\x04")
	x.Wait(patience)
	h.be(t, string(kind))
}

// endTime is how long the program may take to exit, on a busy machine.
const endTime = 3 * time.Second

// A signal ends the program at once in every front-end, whatever an MCP server keeps it waiting for, and leaves no
// process of the server.
func TestEveryFrontEndExitsAtOnce(t *testing.T) {
	t.Parallel()
	endings := map[string]func(x *ptytest.Terminal){
		"SIGTERM": func(x *ptytest.Terminal) { x.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(x *ptytest.Terminal) { x.Signal(syscall.SIGHUP) },
		"SIGTERM twice": func(x *ptytest.Terminal) {
			x.Signal(syscall.SIGTERM)
			time.Sleep(300 * time.Millisecond)
			x.Signal(syscall.SIGTERM)
		},
		"closed": func(x *ptytest.Terminal) { x.Hangup() },
		"ctrl+c": func(x *ptytest.Terminal) {
			x.Send("\x03")
			time.Sleep(300 * time.Millisecond)
			x.Send("\x03")
		},
	}
	fronts := map[string][]string{"chat": nil, "lines": {"--accessible"}, "ask": {"ask", "go"}}
	for _, tt := range []struct{ front, kind, ending string }{
		{"chat", "asks 1", "SIGTERM"},
		{"chat", "asks 1", "ctrl+c"},
		{"chat", "asks 50", "SIGHUP"},
		{"chat", "asks 50", "closed"},
		{"chat", "hangs", "SIGTERM twice"},
		{"lines", "hangs", "SIGTERM twice"},
		{"ask", "hangs", "SIGTERM twice"},
		{"chat", "hangs", "closed"},
		{"chat", "hangs", "ctrl+c"},
		{"chat", "mute", "SIGTERM"},
		{"chat", "consent", "closed"},
		{"lines", "asks 1", "SIGHUP"},
		{"lines", "asks 1", "closed"},
		{"lines", "asks 50", "ctrl+c"},
		{"lines", "asks 50", "SIGTERM"},
		{"lines", "hangs", "SIGTERM"},
		{"lines", "mute", "ctrl+c"},
		{"lines", "consent", "SIGHUP"},
		{"ask", "asks 1", "SIGTERM"},
		{"ask", "asks 1", "closed"},
		{"ask", "asks 50", "ctrl+c"},
		{"ask", "asks 50", "SIGHUP"},
		{"ask", "hangs", "SIGHUP"},
		{"ask", "mute", "closed"},
		{"ask", "consent", "SIGTERM"},
	} {
		t.Run(tt.front+" "+tt.kind+" "+tt.ending, func(t *testing.T) {
			if testing.Short() && tt.kind != "asks 1" {
				t.Skip("the others in full runs")
			}
			t.Parallel()
			h := newBadServer(t, tt.kind, "")
			if tt.kind != "mute" && tt.kind != "consent" {
				h.allow(t)
			}
			before := strings.Count(h.log(t), "pid")
			srv := llmtest.New(t, llmtest.ToolCall("hostile__do", map[string]any{}), llmtest.Reply("Done."))
			x := h.run(t, srv, nil, fronts[tt.front]...)
			switch tt.front {
			case "chat":
				x.WaitFor("Ask about your notes", patience)
				x.Type("go")
				x.Press("enter")
			case "lines":
				x.WaitFor("You:", patience)
				x.Type("go\n")
			}
			switch tt.kind {
			case "mute":
				h.await(t, "pid", before+3)
			case "consent":
				x.WaitFor("hostile__do", patience)
			case "hangs":
				h.await(t, "called", 2)
			default:
				x.WaitFor("Which town?", patience)
			}
			time.Sleep(700 * time.Millisecond) // what comes unasked takes no key in its first half second
			began := time.Now()
			endings[tt.ending](x)
			x.Wait(patience)
			if took := time.Since(began); took > endTime {
				t.Errorf("it ended after %v\n%s", took, x.Screen())
			}
			h.none(t)
		})
	}
}

// Questions of an MCP server end with an input that is a pipe, whenever they come, and with an editor that disconnects.
func TestFrontEndsExitWithTheirInput(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"asks 1", "asks 50"} {
		t.Run("lines "+kind, func(t *testing.T) {
			t.Parallel()
			h := newBadServer(t, kind, "")
			h.allow(t)
			srv := llmtest.New(t, llmtest.ToolCall("hostile__do", map[string]any{}), llmtest.Reply("Done."))
			c := exec.Command(chatvault(t), "--vault", h.vault, "--accessible")
			c.Env = ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "CHATVAULT_KEYRING=off",
				"OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model")
			c.Stdin = strings.NewReader("go\n")
			var out strings.Builder
			c.Stdout = &out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { defer close(ended); _ = c.Wait() }()
			h.await(t, "called", 2)
			// The server never answers its call, which a signal ends. Its questions are over by then.
			time.Sleep(time.Second)
			_ = c.Process.Signal(syscall.SIGTERM)
			select {
			case <-ended:
			case <-time.After(endTime):
				_ = c.Process.Kill()
				<-ended
				t.Errorf("it goes on\n%s", out.String())
			}
			if !strings.Contains(out.String(), "Which town?") {
				t.Errorf("nothing was asked:\n%s", out.String())
			}
			h.none(t)
		})
	}
	for _, kind := range []string{"hangs", "mute", "consent"} {
		t.Run("acp "+kind, func(t *testing.T) {
			t.Parallel()
			h := newBadServer(t, kind, "")
			if kind == "hangs" {
				h.allow(t)
			}
			before := strings.Count(h.log(t), "pid")
			srv := llmtest.New(t, llmtest.ToolCall("hostile__do", map[string]any{}), llmtest.Reply("Done."))
			e := h.editor(t, editorWith{srv: srv})
			session := e.open(h.vault)
			e.begin("session/prompt", said(session, "go"))
			switch kind {
			case "mute":
				h.await(t, "pid", before+3)
			case "consent":
				e.until("the question", func() bool { return len(e.asked) > 0 })
			default:
				h.await(t, "called", 2)
			}
			if took := e.leave(); took > endTime {
				t.Errorf("it ended after %v", took)
			}
			h.none(t)
		})
	}
}
