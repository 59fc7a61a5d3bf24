package e2e

import (
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// A message that is too long is rejected, and the connection stays open.
func TestACPTooLong(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Plums.md": "# Plums\n\nPlum jam needs sugar.\n"})
	e := h.editor(t, editorWith{})
	session := e.open(h.vault)
	if got := e.refused("session/prompt", said(session, strings.Repeat("long ", 3<<20))); !strings.Contains(got, "too long") {
		t.Errorf("refused with %q", got)
	}
	if got := e.prompt(session, "what does plum jam need?"); got != "end_turn" || !strings.Contains(e.texts("agent_message_chunk"), "sugar") {
		t.Errorf("afterwards: %s, %q", got, e.texts("agent_message_chunk"))
	}
	if took := e.leave(); e.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended with %v after %v", e.cmd.ProcessState, took)
	}
}

// An agent whose output is closed exits, and is not killed by writing to it.
func TestACPClosedOutput(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("It beg"), llmtest.Flush(), llmtest.Hang()))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	e.begin("session/prompt", said(e.open(h.vault), "answer"))
	e.hears("It beg")
	if err := e.out.Close(); err != nil {
		t.Fatal(err)
	}
	<-e.ended
	e.begin("session/list", map[string]any{}) // the answer finds nobody
	ended := make(chan error, 1)
	go func() { ended <- e.cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(4 * patience):
		t.Fatal("it goes on with nobody there")
	}
}

// The end of the input ends an agent that is blocked writing its output.
func TestACPBlockedOutput(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(llmtest.Text(strings.Repeat("word ", 200_000)), llmtest.Flush(), llmtest.Hang()))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	e.deafen(true)
	defer e.deafen(false)
	e.begin("session/prompt", said(session, "answer"))
	if !srv.AwaitRequests(1, patience) {
		t.Fatal("the model is not asked")
	}
	time.Sleep(300 * time.Millisecond) // the pipe is full by then
	began := time.Now()
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = e.cmd.Wait() // its status is not what is asked here
		close(ended)
	}()
	select {
	case <-ended:
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it ended after %v", took)
		}
	case <-time.After(4 * patience):
		t.Fatal("it goes on")
	}
}
