package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// editor is a handwritten client of the protocol that started `chatvault acp`.
type editor struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Closer

	// decide returns the ID of the option that answers a request for consent; empty leaves it open.
	decide func(title string, params map[string]any) string
	// buffer returns the editor's text of a file; ok is false if it refuses.
	buffer func(path string) (text string, ok bool)

	ended chan struct{} // closed when nothing more comes

	mu      sync.Mutex
	more    *sync.Cond
	last    int
	answers map[int]map[string]any
	updates []map[string]any // as they came
	asked   []map[string]any // requests for consent
	read    []string         // files that were asked for
	lines   []string         // all that came
	gone    bool
	deaf    bool // it reads nothing more of what comes
}

// editorWith are an editor's options beside the home folder.
type editorWith struct {
	srv    *llmtest.Server // nil: the embedded engine answers
	env    []string
	args   []string
	fs     bool
	buffer func(path string) (string, bool)
	decide func(title string, params map[string]any) string
}

func (h askHome) editor(t testing.TB, w editorWith) *editor {
	t.Helper()
	env := []string{
		"HOME=" + h.dir, "XDG_CONFIG_HOME=" + h.dir + "/c", "XDG_STATE_HOME=" + h.dir + "/s", "XDG_DATA_HOME=" + h.dir + "/d", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
	}
	args := append([]string{"acp"}, w.args...)
	if w.srv != nil {
		env = append(env, "OPENAI_BASE_URL="+w.srv.URL(), "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model")
	} else {
		args = append(args, "--offline")
	}
	e := &editor{t: t, cmd: exec.Command(chatvault(t), args...), answers: map[int]map[string]any{}, ended: make(chan struct{}), decide: w.decide, buffer: w.buffer}
	e.more = sync.NewCond(&e.mu)
	e.cmd.Env = ptytest.Env(append(env, w.env...)...)
	e.cmd.Dir = h.dir
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if e.out = out; e.cmd.Start() != nil {
		t.Fatal("the agent does not start")
	}
	go e.listen(out)
	t.Cleanup(e.kill)
	can := map[string]any{"fs": map[string]any{"readTextFile": w.fs}}
	got := e.call("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": can})
	if got["protocolVersion"] != 1.0 {
		t.Fatalf("initialize: %v", got)
	}
	return e
}

// listen handles messages until the connection ends.
func (e *editor) listen(out io.Reader) {
	defer close(e.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
			e.t.Errorf("no message of the protocol: %q", lines.Text())
			continue
		}
		e.mu.Lock()
		e.lines = append(e.lines, lines.Text())
		params, _ := m["params"].(map[string]any)
		switch m["method"] {
		case "session/update":
			e.updates = append(e.updates, params["update"].(map[string]any))
		case "session/request_permission":
			e.asked = append(e.asked, params)
			go e.consent(m["id"], params)
		case "fs/read_text_file":
			e.read = append(e.read, fmt.Sprint(params["path"]))
			go e.hold(m["id"], fmt.Sprint(params["path"]))
		case nil:
			e.answers[int(m["id"].(float64))] = m
		}
		e.more.Broadcast()
		for e.deaf {
			e.more.Wait()
		}
		e.mu.Unlock()
	}
	e.mu.Lock()
	e.gone = true
	e.more.Broadcast()
	e.mu.Unlock()
}

func (e *editor) consent(id any, params map[string]any) {
	if e.decide == nil {
		return
	}
	call := params["toolCall"].(map[string]any)
	if option := e.decide(fmt.Sprint(call["title"]), params); option != "" {
		e.write(map[string]any{"id": id, "result": map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}})
	}
}

func (e *editor) hold(id any, path string) {
	if e.buffer != nil {
		if text, ok := e.buffer(path); ok {
			e.write(map[string]any{"id": id, "result": map[string]any{"content": text}})
			return
		}
	}
	e.write(map[string]any{"id": id, "error": map[string]any{"code": -32002, "message": "Resource not found"}})
}

func (e *editor) write(messages ...map[string]any) {
	var lines []byte
	for _, m := range messages {
		m["jsonrpc"] = "2.0"
		line, err := json.Marshal(m)
		if err != nil {
			e.t.Error(err)
			return
		}
		lines = append(append(lines, line...), '\n')
	}
	_, _ = e.in.Write(lines) // that the agent is gone is seen elsewhere
}

// request returns a request with a new ID.
func (e *editor) request(method string, params map[string]any) (id int, m map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	return e.last, map[string]any{"id": e.last, "method": method, "params": params}
}

// begin sends a request.
func (e *editor) begin(method string, params map[string]any) (id int) {
	id, m := e.request(method, params)
	e.write(m)
	return id
}

// until waits until the received messages satisfy a condition.
func (e *editor) until(what string, holds func() bool) {
	e.t.Helper()
	late := time.AfterFunc(4*patience, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.gone = true
		e.more.Broadcast()
	})
	defer late.Stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !holds() {
		if e.gone {
			e.t.Fatalf("%s did not come:\n%s", what, strings.Join(e.lines, "\n"))
		}
		e.more.Wait()
	}
}

// answer waits for the response to a request.
func (e *editor) answer(id int) map[string]any {
	e.t.Helper()
	var m map[string]any
	e.until(fmt.Sprintf("the answer to request %d", id), func() bool {
		m = e.answers[id]
		return m != nil
	})
	return m
}

// call sends a request and waits for its result.
func (e *editor) call(method string, params map[string]any) map[string]any {
	e.t.Helper()
	m := e.answer(e.begin(method, params))
	result, ok := m["result"].(map[string]any)
	if !ok {
		e.t.Fatalf("%s: %v", method, m)
	}
	return result
}

// refused returns the error of a request that must fail.
func (e *editor) refused(method string, params map[string]any) string {
	e.t.Helper()
	m := e.answer(e.begin(method, params))
	refusal, ok := m["error"].(map[string]any)
	if !ok {
		e.t.Fatalf("%s: %v", method, m)
	}
	return fmt.Sprint(refusal["message"])
}

// open begins a session in a folder and returns its ID.
func (e *editor) open(cwd string) (session string) {
	e.t.Helper()
	return fmt.Sprint(e.call("session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}})["sessionId"])
}

// said returns the parameters of a prompt with one text.
func said(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// prompt sends a text and returns the stop reason of its turn.
func (e *editor) prompt(session, text string) string {
	e.t.Helper()
	return fmt.Sprint(e.call("session/prompt", said(session, text))["stopReason"])
}

// hears waits for a text of the agent.
func (e *editor) hears(text string) {
	e.t.Helper()
	e.until(fmt.Sprintf("%q", text), func() bool { return strings.Contains(e.textsLocked("agent_message_chunk"), text) })
}

// texts returns the joined texts of the updates of a kind.
func (e *editor) texts(kind string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.textsLocked(kind)
}

func (e *editor) textsLocked(kind string) string {
	var b strings.Builder
	for _, u := range e.updates {
		if content, ok := u["content"].(map[string]any); ok && u["sessionUpdate"] == kind {
			fmt.Fprint(&b, content["text"])
		}
	}
	return b.String()
}

// kinds returns the kinds of the updates, without repetitions in a row.
func (e *editor) kinds() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, u := range e.updates {
		if kind := fmt.Sprint(u["sessionUpdate"]); len(out) == 0 || out[len(out)-1] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// all returns the updates of a kind as JSON.
func (e *editor) all(kind string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for _, u := range e.updates {
		if u["sessionUpdate"] == kind {
			line, _ := json.Marshal(u) // it came as JSON
			lines = append(lines, string(line))
		}
	}
	return strings.Join(lines, "\n")
}

// forget removes the updates so far.
func (e *editor) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = nil
}

// deafen makes the editor stop reading after the next message, or read again.
func (e *editor) deafen(deaf bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deaf = deaf
	e.more.Broadcast()
}

// leave disconnects and returns how long the agent took to exit.
func (e *editor) leave() time.Duration {
	e.t.Helper()
	began := time.Now()
	_ = e.in.Close()
	select {
	case <-e.ended:
	case <-time.After(4 * patience):
		e.t.Fatal("the agent goes on without an editor")
	}
	_ = e.cmd.Wait()
	return time.Since(began)
}

func (e *editor) kill() {
	_ = e.cmd.Process.Kill()
	<-e.ended
	_ = e.cmd.Wait()
	_ = e.in.Close()
}
