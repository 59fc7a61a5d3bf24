package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/conversation"
	"chatvault/internal/app/session/home"
)

// TestContinue goes on with a conversation that ended: it is the active one again.
func TestContinue(t *testing.T) {
	vault := fences(t, 12)
	out, errText, status := told(t, vault, false, "", "continue", "last")
	if status != 0 || out != "Continued: “The fence” (2026-11-20 09:00, 12 turns)\nContinue it: chatvault ask -c \"…\"\n" {
		t.Fatal(out, errText, status)
	}
	if got, errText, _ := told(t, vault, false, "", "list"); !strings.HasPrefix(got, "* 20261120-0900") || strings.Count(got, "\n") != 1 {
		t.Errorf("list:\n%s%s", got, errText)
	}
	data, _, _ := told(t, vault, false, "", "show", "active", "--json")
	var d struct {
		ID     string
		Active bool
		Turns  []conversation.Turn
	}
	if err := json.Unmarshal([]byte(data), &d); err != nil || !d.Active || len(d.Turns) != 12 || d.ID != talkID {
		t.Errorf("%v %+v", err, d)
	}
	if out, errText, status := told(t, vault, false, "", "delete", "active", "--yes"); status != 1 || !strings.Contains(errText, "nothing was deleted") {
		t.Error(out, errText, status)
	}
}

func TestContinueErrors(t *testing.T) {
	empty := newVault(t)
	if out, errText, status := told(t, empty, false, "", "continue", "last"); status != exitFailed || !strings.Contains(errText, "there are no conversations in this vault yet") {
		t.Error(out, errText, status)
	}
	if _, err := os.Stat(filepath.Join(empty, home.InVault)); err == nil {
		t.Error("it made a state folder for nothing")
	}
	vault := keeps(t, func(m *conversation.Manager) {
		if err := m.Append(talkID, talk("t", 0, "one", "two")); err != nil {
			t.Fatal(err)
		}
	})
	for args, want := range map[string]string{
		"active":   talkID + " is the active conversation: chatvault ask -c \"…\" continues it",
		"20990101": `there is no conversation "20990101"`,
		"":         `there is no conversation ""`,
	} {
		if out, errText, status := told(t, vault, false, "", "continue", args); status != exitFailed || !strings.Contains(errText, want) {
			t.Errorf("%q: %s%s %d", args, out, errText, status)
		}
	}
	if _, errText, status := told(t, vault, false, "", "continue"); status != exitUsage || !strings.Contains(errText, "which conversation is to be continued?") {
		t.Error(errText, status)
	}
}
