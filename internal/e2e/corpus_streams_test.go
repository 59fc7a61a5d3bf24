package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/llmtest"
)

// streamNames maps the corpus's names of tools.
var streamNames = strings.NewReplacer("read_note", "read_file", "write_note", "write_file", "list_notes", "list_files", "delete_note", "delete_file", `"name":"note"`, `"name":"file"`)

// streamRuns gives, for rows that call tools, how many calls run and how many are answered with an error.
var streamRuns = map[string][2]int{
	"tool-no-index-two": {2, 0}, "tool-index-always-0": {2, 0}, "tool-summary-duplicate": {1, 0}, "tool-name-split": {1, 0},
	"tool-empty-id": {1, 0}, "tool-args-object": {1, 0}, "tool-index-string": {1, 0}, "tool-args-empty": {1, 0}, "tool-finish-stop": {1, 0},
	"tool-parallel-32": {16, 16}, "tool-args-double-object": {0, 1}, "tool-args-dup-keys": {0, 1}, "tool-args-wrong-types": {0, 1},
	"tool-args-deep": {0, 1}, "tool-name-control-chars": {0, 1}, "tool-length-cut": {0, 1}, "tool-length-reported-as-tool_calls": {0, 1},
}

// streamsElsewhere are rows that need more than one call, and where they are tested.
var streamsElsewhere = map[string]string{
	"doom-cycle-ABAB": "agent.TestDoomCycle", "dns-timeout": "agent.TestNetworkFaults", "tls-handshake-eof": "agent.TestNetworkFaults",
	"http-to-https-port": "agent.TestNetworkFaults", "proxy-407": "agent.TestNetworkFaults", "offline-then-back": "agent.TestOfflineThenBack",
}

// TestStreamFaultsByAsk sends the corpus of stream faults to the real binary over HTTP. `ask` answers or fails as the
// row requires, with the required number of requests, keeps the message if it failed, runs only the required calls, and
// answers the next message. The short form has the rows that are not retried, line by line, and two that are.
func TestStreamFaultsByAsk(t *testing.T) {
	t.Parallel()
	faults, err := llmtest.Faults()
	if err != nil {
		t.Fatal(err)
	}
	again := map[string]bool{"eof-mid-tool-args": true, "http-503": true}
	slots := make(chan struct{}, 12) // they wait more than they work
	var running sync.WaitGroup
	defer running.Wait()
	tried := map[string]bool{}
	for _, retried := range []bool{true, false} { // the long ones first
		for _, f := range faults {
			if f.Retry != retried || !stressed() && retried && !again[f.ID] && f.ID != "finish-stop-empty" {
				continue
			}
			f.Names = streamNames
			for _, c := range llmtest.Chunkings {
				if c != llmtest.ByLine && !stressed() {
					continue
				}
				step, ok := f.Step(c, 0.01)
				if !ok {
					if streamsElsewhere[f.ID] == "" {
						t.Errorf("%s is tried nowhere", f.ID)
					}
					continue
				}
				tried[f.ID] = true
				run := newStreamRun(t, f, c, step)
				running.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					run.play()
				})
			}
		}
	}
	if least := 45; len(tried) < least {
		t.Errorf("only %d rows were tried", len(tried))
	}
	t.Logf("%d rows", len(tried))
}

// streamRun plays a single row.
type streamRun struct {
	t     *testing.T
	f     llmtest.Fault
	name  string
	home  askHome
	first *llmtest.Server
	next  *llmtest.Server
	ask   *exec.Cmd
	again *exec.Cmd
	calls int
}

// attempts returns the number of requests that a row requires for its first call.
func attempts(f llmtest.Fault) int {
	switch {
	case f.ID == "finish-stop-empty": // one nudge, which is no retry
		return 2
	case f.Retry:
		return 4
	}
	return 1
}

func newStreamRun(t *testing.T, f llmtest.Fault, c llmtest.Chunking, step llmtest.Step) *streamRun {
	t.Helper()
	r := &streamRun{t: t, f: f, name: f.ID + "/" + string(c), calls: attempts(f)}
	r.home = newAskHome(t, map[string]string{"a.md": "# A\n", "b.md": "# B\n", "notes/a.md": "# C\n"})
	step.Times = r.calls
	steps := []llmtest.Step{step}
	if _, tools := streamRuns[f.ID]; tools {
		steps = append(steps, llmtest.Reply("done"))
		r.calls++
	}
	r.first = llmtest.New(t, steps...)
	r.next = llmtest.New(t, llmtest.Reply("Still here."))
	settings := "approval = \"off\"\nprompt = \"full\"\n"
	if f.ID == "silent-forever" || f.ID == "slow-first-byte-90s" {
		settings += "first_byte_timeout_seconds = 2\n"
	}
	if f.ID == "idle-mid-stream" {
		settings += "stall_timeout_seconds = 1\n"
	}
	for _, cmd := range []struct {
		to  **exec.Cmd
		srv *llmtest.Server
	}{{&r.ask, r.first}, {&r.again, r.next}} {
		*cmd.to = command(t, r.home.vault, append(provider(cmd.srv), "XDG_STATE_HOME="+r.home.dir+"/s"), "ask", "--json", "Read the notes.")
		dir := filepath.Join((*cmd.to).Dir, "c", "chatvault")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *streamRun) wrong(format string, args ...any) {
	r.t.Errorf("%s (%s): %s", r.name, r.f.Pass, fmt.Sprintf(format, args...))
}

// askEvent is the last line of ask --json, as far as the test needs it.
type askEvent struct {
	Type, Response, Code, Message string
}

func (r *streamRun) play() {
	var stderr bytes.Buffer
	r.ask.Stderr = &stderr
	out, err := r.ask.Output()
	if r.ask.ProcessState == nil {
		r.wrong("%v", err)
		return
	}
	status := r.ask.ProcessState.ExitCode()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var last askEvent
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		r.wrong("the last line: %v: %.300s", err, lines[len(lines)-1])
	}
	calls := 0
	for _, q := range r.first.AllRequests() {
		if strings.HasSuffix(q.Path, "/chat/completions") { // the server is asked what it serves as well
			calls++
		}
	}
	if calls != r.calls {
		r.wrong("%d requests, want %d", calls, r.calls)
	}
	if strings.Contains(string(out)+stderr.String(), "sk-SECRET") {
		r.wrong("a key is shown")
	}
	runs, tools := streamRuns[r.f.ID]
	failed := r.f.Retry && r.f.ID != "finish-stop-empty" || r.f.Status >= 300 || r.f.ID == "html-200" || r.f.ID == "line-400MB"
	answered := 0
	if r.f.ID == "finish-stop-empty" || r.f.ID == "finish-length-text" {
		answered = 5
	}
	kept := r.kept()
	switch {
	case failed:
		if status != 1 || last.Type != "error" || last.Message == "" || len(kept) != 1 {
			r.wrong("exit status %d, %+v, %d messages in the inbox", status, last, len(kept))
		}
	case status != answered || last.Type != "turn_finished" || len(kept) != 0:
		r.wrong("exit status %d, %+v, %d messages in the inbox; %s", status, last, len(kept), &stderr)
	case tools:
		r.checkRuns(runs, last)
	case r.f.ID == "tool-text-form":
		if !strings.Contains(last.Response, "delete_note") && !strings.Contains(last.Response, "delete_file") {
			r.wrong("%.200q", last.Response)
		}
	case r.f.ID == "finish-stop-empty":
	case r.f.ID == "doom-text": // ten repeats may be meant
	case last.Response != "hi":
		r.wrong("the answer is %.200q", last.Response)
	}
	r.checkNotes(runs[0])
	if out, err := r.again.Output(); err != nil || !bytes.Contains(out, []byte("Still here.")) {
		r.wrong("the next message: %v: %.300s", err, out)
	}
}

// kept returns the messages in the inbox.
func (r *streamRun) kept() []string {
	files, err := filepath.Glob(filepath.Join(r.home.state(), "inbox", "*.json"))
	if err != nil {
		r.wrong("%v", err)
	}
	return files
}

func (r *streamRun) checkRuns(want [2]int, last askEvent) {
	requests := r.first.Requests()
	var chat llmtest.Chat
	if err := json.Unmarshal(requests[len(requests)-1].Body, &chat); err != nil {
		r.wrong("%v", err)
	}
	var got [2]int
	for _, m := range chat.Messages {
		switch {
		case m.Role != "tool":
		case strings.HasPrefix(string(m.Content), "Error: "):
			got[1]++
		default:
			got[0]++
		}
	}
	if got != want || last.Response != "done" {
		r.wrong("%v calls ran and were refused, want %v; the answer %.100q", got, want, last.Response)
	}
}

// checkNotes checks that only the calls that ran changed the vault.
func (r *streamRun) checkNotes(ran int) {
	want := map[string]string{"a.md": "# A\n", "b.md": "# B\n", "notes/a.md": "# C\n"}
	if r.f.ID == "tool-parallel-32" && ran == 16 {
		want["a.md"] = "15"
	}
	got := map[string]string{}
	err := filepath.WalkDir(r.home.vault, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.home.vault, path)
		if e.IsDir() && strings.HasPrefix(rel, ".") && rel != "." {
			return filepath.SkipDir
		}
		if !e.IsDir() {
			data, err := os.ReadFile(path)
			got[filepath.ToSlash(rel)] = string(data)
			return err
		}
		return nil
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		r.wrong("the vault holds %.200q (%v)", got, err)
	}
}
