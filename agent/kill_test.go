//go:build unix

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// killAt and killDir tell the test binary, run again, to be the process that dies: at which
// step ("removed 2": the second time), and in which state folder.
const (
	killAt  = "CHATVAULT_TEST_KILL_AT"
	killDir = "CHATVAULT_TEST_KILL_DIR"
)

// TestKilledAtAStep kills a process with SIGKILL at each step of the pipeline. The next start
// takes less than a second, loses no message, offers what was not answered and only that, knows
// whether tools ran, and answers each message once.
func TestKilledAtAStep(t *testing.T) {
	if os.Getenv(killAt) != "" {
		dieAtAStep(t)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	// The process is sent "one", and while its turn runs "two" and "three", which are held for
	// the next turn, and taken together there. Each turn writes once.
	for _, c := range []struct {
		step    string
		pending string // offered at the next start
		ran     bool   // its tools may have changed something
		effects int    // what the tools did
		second  bool   // in the second turn
	}{
		{"received 1", "one", false, 0, false},
		{"locked 1", "one two three", false, 0, false},
		{"begun 1", "one two three", false, 0, false},
		{"thinking 1", "one two three", false, 0, false},
		{"changing 1", "one two three", true, 0, false},
		{"acting 1", "one two three", true, 0, false},
		{"acted 1", "one two three", true, 1, false},
		{"thinking 2", "one two three", true, 1, false},
		{"notified 1", "one two three", true, 1, false},
		{"recorded 1", "two three", false, 1, false},
		{"removed 1", "two three", false, 1, false},
		{"begun 2", "two three", false, 1, true},
		{"acted 2", "two three", true, 2, true},
		{"notified 2", "two three", true, 2, true},
		{"recorded 2", "", false, 2, true},
		{"removed 2", "", false, 2, true}, // "two" is removed, "three" is not
		{"removed 3", "", false, 2, true},
	} {
		t.Run(c.step, func(t *testing.T) {
			t.Parallel()
			root := state(t)
			died(t, root.Name(), c.step)

			began := time.Now()
			h := start(t, root, box(tool("write_file", false, "Created.")), say("resumed"))
			pending, warnings, err := h.Recover()
			if err != nil || len(warnings) > 0 {
				t.Fatal(warnings, err)
			}
			if d := time.Since(began); d > time.Second {
				t.Errorf("the start took %v", d)
			}
			var texts []string
			for _, e := range pending {
				texts = append(texts, e.Text)
				if ran := c.ran && (c.second || e.Text == "one"); e.ToolsRan != ran {
					t.Errorf("tools ran for %q: %v", e.Text, e.ToolsRan)
				}
			}
			if got := strings.Join(texts, " "); got != c.pending {
				t.Errorf("offered %q, want %q", got, c.pending)
			}
			effects, _ := os.ReadFile(filepath.Join(root.Name(), "effects"))
			if n := strings.Count(string(effects), "\n"); n != c.effects {
				t.Errorf("the tools did %d things before the end, want %d", n, c.effects)
			}
			if left, _ := filepath.Glob(filepath.Join(root.Name(), runFolder, "*.lock")); len(left) != 1 {
				t.Errorf("traces of processes: %v", left)
			}

			for _, e := range pending {
				if err := h.Retry(e.ID); err != nil {
					t.Fatal(err)
				}
				if f := wait[TurnFinished](h); f.MessageID != e.ID || f.Response != "resumed" {
					t.Errorf("resumed %+v", f)
				}
			}
			h.send("calm")
			wait[TurnFinished](h)
			if ids := h.inboxIDs(); len(ids) > 0 {
				t.Errorf("inbox: %v", ids)
			}
			var answered []string
			for _, turn := range h.turns() {
				for _, m := range turn.Messages {
					if m.Role == conversation.RoleUser && !turn.Failed {
						answered = append(answered, m.Content)
					}
				}
			}
			want := []string{"one", "two", "three", "calm"}
			if c.pending == "one" { // the others were never sent
				want = []string{"one", "calm"}
			}
			if !slices.Equal(answered, want) {
				t.Errorf("answered %v", answered)
			}
		})
	}
}

// died runs a process that is killed at a step.
func died(t *testing.T, dir, step string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^TestKilledAtAStep$")
	cmd.Env = append(os.Environ(), killAt+"="+step, killDir+"="+dir)
	out, _ := cmd.CombinedOutput()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL || ctx.Err() != nil {
		t.Fatalf("the process was not killed at %q: %v\n%s", step, cmd.ProcessState, out)
	}
}

func dieAtAStep(t *testing.T) {
	dir := os.Getenv(killDir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	queued := make(chan struct{}) // closed when all messages are in
	at := func(step string) {
		seen[step]++ // of one goroutine each
		if fmt.Sprint(step, " ", seen[step]) == os.Getenv(killAt) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	write := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		at("acting")
		f, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = f.WriteString("effect\n")
		_ = f.Close()
		at("acted")
		return tools.Result{Text: "Created."}
	}}
	first := func(r reply) reply {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			at("thinking")
			r(ctx, req, yield)
		}
	}
	model := &fakeModel{t: t, replies: []reply{first(use("write_file", `{}`)), first(say("done")), first(use("write_file", `{}`)), first(say("done"))}}
	p, err := New(Options{
		Root: root, Provider: model, Tools: box(write), Conversations: conversation.NewManager(root, conversation.Options{}),
		step: func(step string) {
			if step == "received" && seen[step] > 0 {
				return // "two" and "three", while the worker waits
			}
			if step == "locked" {
				<-queued
			}
			at(step)
		},
		Vars: func(context.Context) PromptVars { return PromptVars{VaultName: "V"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: model, sub: p.Subscribe()}
	h.send("one")
	wait[TurnStarted](h)
	h.hold("two")
	h.hold("three")
	close(queued)
	wait[TurnFinished](h)
	wait[TurnFinished](h)
}
