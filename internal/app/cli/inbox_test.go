//go:build unix

package cli

import (
	"io"
	"strings"
	"syscall"
	"testing"

	"chatvault/internal/llmtest"
)

// ends runs a command to its end.
func ends(t *testing.T, vault string, steps []llmtest.Step, args ...string) (out, err string, status int) {
	t.Helper()
	p := run(t, vault, steps, args...)
	data, _ := io.ReadAll(p.out)
	_ = p.Wait() // the status is checked
	return string(data), p.stderr.String(), p.ProcessState.ExitCode()
}

// TestInboxOfARunningProcess checks that a message of another running process is shown as running and left alone, and
// can be retried after that has exited.
func TestInboxOfARunningProcess(t *testing.T) {
	vault := newVault(t)
	asking := run(t, vault, hangs, "ask", "--json", "do it")
	r := asking.until(`"text_delta"`)

	out, _, status := ends(t, vault, nil, "inbox", "list")
	if !strings.Contains(out, "do it") || !strings.Contains(out, "with another running chatvault process") || status != 0 {
		t.Errorf("list: %s, status %d", out, status)
	}
	id, _, _ := strings.Cut(out, " ")
	if _, e, status := ends(t, vault, nil, "inbox", "retry"); !strings.Contains(e, "left to it") || status != 0 {
		t.Errorf("retry all: %s, status %d", e, status)
	}
	for _, command := range []string{"retry", "drop"} {
		if _, e, status := ends(t, vault, nil, "inbox", command, id); !strings.Contains(e, "belongs to another chatvault that is running") || status != 1 {
			t.Errorf("%s: %s, status %d", command, e, status)
		}
	}

	asking.signal(syscall.SIGKILL)
	asking.exits(r)
	if out, _, _ := ends(t, vault, nil, "inbox", "list"); !strings.Contains(out, "cut short as chatvault ended") {
		t.Errorf("list after its end: %s", out)
	}
	out, e, status := ends(t, vault, []llmtest.Step{llmtest.Reply("Done.")}, "inbox", "retry")
	if out != "Done.\n" || status != 0 {
		t.Errorf("retry: %q, %s, status %d", out, e, status)
	}
	if got := kept(t, vault); got != "" {
		t.Errorf("kept %s", got)
	}
}

// TestInterruptStopsRetryOfAll checks that Ctrl+C does not continue with the next message.
func TestInterruptStopsRetryOfAll(t *testing.T) {
	vault := newVault(t)
	for _, text := range []string{"one", "two"} {
		p := run(t, vault, hangs, "ask", "--json", text)
		r := p.until(`"text_delta"`)
		p.signal(syscall.SIGKILL)
		p.exits(r)
	}
	p := run(t, vault, []llmtest.Step{llmtest.Reply("line\n", llmtest.Hang()), llmtest.Reply("again\n")}, "inbox", "retry")
	r := p.until("line")
	p.signal(syscall.SIGINT)
	if _, status := p.exits(r); status != 130 || strings.Contains(p.stderr.String(), "two") {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	if got := kept(t, vault); strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("kept %s", got)
	}
}
