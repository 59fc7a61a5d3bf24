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

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/tools"
)

// killAt, killDir and killStory tell the test binary, run again, to be the process that dies:
// at which step ("removed 2": the second time), in which state folder, and what it is sent.
const (
	killAt    = "CHATVAULT_TEST_KILL_AT"
	killDir   = "CHATVAULT_TEST_KILL_DIR"
	killStory = "CHATVAULT_TEST_KILL_STORY"
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
	held := []killed{
		{"received 1", "one", "", 0},
		{"started 1", "one two three", "", 0},
		{"begun 1", "one two three", "", 0},
		{"thinking 1", "one two three", "", 0},
		{"changing 1", "one two three", "one", 0},
		{"acting 1", "one two three", "one", 0},
		{"acted 1", "one two three", "one", 1},
		{"thinking 2", "one two three", "one", 1},
		{"notified 1", "one two three", "one", 1},
		{"recorded 1", "two three", "", 1},
		{"removed 1", "two three", "", 1},
		{"begun 2", "two three", "", 1},
		{"acted 2", "two three", "two three", 2},
		{"notified 2", "two three", "two three", 2},
		{"recorded 2", "", "", 2},
		{"removed 2", "", "", 2}, // "two" is removed, "three" is not
		{"removed 3", "", "", 2},
	}
	// The same, but "two" and "three" are sent while the first write runs and fold into the
	// turn at its next step, which writes again.
	folded := []killed{
		{"acted 1", "one", "one", 1}, // before they are sent
		{"folding 1", "one two three", "one", 1},
		{"folded 1", "one two three", "one two", 1},
		{"folding 2", "one two three", "one two", 1},
		{"folded 2", "one two three", "one two three", 1},
		{"thinking 2", "one two three", "one two three", 1},
		{"acting 2", "one two three", "one two three", 1},
		{"acted 2", "one two three", "one two three", 2},
		{"thinking 3", "one two three", "one two three", 2},
		{"notified 1", "one two three", "one two three", 2},
		{"recorded 1", "", "", 2},
		{"removed 1", "", "", 2},
		{"removed 2", "", "", 2},
		{"removed 3", "", "", 2},
	}
	// And "two" and "three" wait when the turn begins: nothing has changed when they fold in,
	// and their entries are marked before the first write.
	early := []killed{
		{"folded 1", "one two three", "", 0},
		{"folded 2", "one two three", "", 0},
		{"changing 1", "one two three", "one two three", 0},
		{"recorded 1", "", "", 1},
		{"removed 2", "", "", 1},
	}
	for name, steps := range map[string][]killed{"held": held, "folded": folded, "early": early} {
		for _, c := range steps {
			t.Run(name+" "+c.step, func(t *testing.T) {
				t.Parallel()
				c.check(t, name)
			})
		}
	}
}

// killed is a step at which a process is killed, and what the next start finds.
type killed struct {
	step    string
	pending string // offered
	ran     string // whose tools may have changed something
	effects int    // what the tools did
}

func (c killed) check(t *testing.T, story string) {
	root := state(t)
	died(t, root.Name(), story, c.step)

	began := time.Now()
	h := start(t, root, box(tool("write_file", false, "Created.")), say("resumed"))
	pending, warnings, err := h.Recover()
	if err != nil || len(warnings) > 0 {
		t.Fatal(warnings, err)
	}
	if d := time.Since(began); d > time.Second {
		t.Errorf("the start took %v", d)
	}
	var texts, ran []string
	for _, e := range pending {
		texts = append(texts, e.Text)
		if e.ToolsRan {
			ran = append(ran, e.Text)
		}
	}
	if got := strings.Join(texts, " "); got != c.pending {
		t.Errorf("offered %q, want %q", got, c.pending)
	}
	if got := strings.Join(ran, " "); got != c.ran {
		t.Errorf("tools ran for %q, want %q", got, c.ran)
	}
	effects, _ := os.ReadFile(filepath.Join(root.Name(), "effects"))
	if n := strings.Count(string(effects), "\n"); n != c.effects {
		t.Errorf("the tools did %d things before the end, want %d", n, c.effects)
	}
	if left, _ := filepath.Glob(filepath.Join(root.Name(), lock.RunFolder, "*.lock")); len(left) != 1 {
		t.Errorf("traces of processes: %v", left)
	}

	for _, e := range pending {
		if err := h.Retry(e.ID); err != nil {
			t.Fatal(err)
		}
		if f := wait[event.TurnFinished](h); f.MessageID != e.ID || f.Response != "resumed" {
			t.Errorf("resumed %+v", f)
		}
	}
	h.send("calm")
	wait[event.TurnFinished](h)
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
}

// died runs a process that is killed at a step.
func died(t *testing.T, dir, story, step string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "-test.run=^TestKilledAtAStep$")
	cmd.Env = append(os.Environ(), killAt+"="+step, killDir+"="+dir, killStory+"="+story)
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
	story := os.Getenv(killStory)
	queued := make(chan struct{}) // closed when all messages are in
	acting := make(chan struct{}) // a token when the tool has run
	at := func(step string) {
		seen[step]++ // of one goroutine each
		if fmt.Sprint(step, " ", seen[step]) == os.Getenv(killAt) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	writer := fakeTool{name: "write_file", call: func(context.Context, json.RawMessage) tools.Result {
		at("acting")
		f, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = f.WriteString("effect\n")
		_ = f.Close()
		at("acted")
		if story == "folded" && seen["acted"] == 1 {
			acting <- struct{}{}
			<-queued
		}
		return tools.Result{Text: "Created."}
	}}
	first := func(r reply) reply {
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			at("thinking")
			r(ctx, req, yield)
		}
	}
	write, done := first(use("write_file", `{}`)), first(say("done"))
	replies := []reply{write, done, write, done}
	if story == "folded" {
		replies = []reply{write, write, done}
	}
	model := &fakeModel{t: t, replies: replies}
	p, err := New(Options{
		Root: root, Vault: root, Agreed: agreeAll, Agent: Agent{Provider: model}, Tools: box(writer), Conversations: conversation.NewManager(root, conversation.Options{}),
		step: func(step string) {
			if step == "received" && seen[step] > 0 {
				return // "two" and "three", while the worker waits
			}
			if step == "started" && story != "folded" {
				<-queued
			}
			at(step)
		},
		Vars: func(context.Context) prompts.Vars { return prompts.Vars{VaultName: "V"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{Processor: p, t: t, root: root, model: model, sub: p.Subscribe()}
	h.send("one")
	wait[event.TurnStarted](h)
	more := h.send
	switch story {
	case "held":
		more = h.hold
	case "folded":
		<-acting
	}
	more("two")
	more("three")
	close(queued)
	wait[event.TurnFinished](h)
	if story == "held" {
		wait[event.TurnFinished](h)
	}
}
