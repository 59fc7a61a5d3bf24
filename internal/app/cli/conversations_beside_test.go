//go:build unix

package cli

import (
	"strings"
	"syscall"
	"testing"

	"chatvault/internal/llmtest"
)

// TestDeleteDuringATurn checks that a conversation open elsewhere is not deleted, that others are, and that the open
// one's answer is still recorded.
func TestDeleteDuringATurn(t *testing.T) {
	vault := newVault(t)
	for _, question := range []string{"one", "two"} {
		if out, e, status := ends(t, vault, []llmtest.Step{llmtest.Reply("Answered.")}, "ask", question); status != 0 {
			t.Fatalf("%s%s", out, e)
		}
	}
	asking := run(t, vault, hangs, "ask", "-c", "--json", "three")
	r := asking.until(`"text_delta"`)
	if _, e, status := ends(t, vault, nil, "conversations", "delete", "--yes", "active"); status != 1 || !strings.Contains(e, "is the active conversation") {
		t.Errorf("status %d: %s", status, e)
	}
	if out, e, status := ends(t, vault, nil, "conversations", "clear", "--yes"); status != 0 || out != "Deleted 1 conversation.\n" {
		t.Errorf("status %d: %s%s", status, out, e)
	}
	asking.signal(syscall.SIGINT)
	asking.exits(r)
	if out, e, status := ends(t, vault, []llmtest.Step{llmtest.Reply("Go on.")}, "ask", "-c", "four"); status != 0 {
		t.Fatalf("%s%s", out, e)
	}
	if out, _, _ := ends(t, vault, nil, "conversations", "list"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "2 turns  two") {
		t.Errorf("list: %s", out)
	}
}
