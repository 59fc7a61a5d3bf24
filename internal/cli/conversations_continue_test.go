package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/conversation"
	"chatvault/internal/session/home"
)

// Lists, pages and exports name the conversation that one continues, as the chat does, even after that was deleted.
func TestContinuedInPrint(t *testing.T) {
	vault := fences(t, 12)
	out, errText, status := told(t, vault, false, "", "continue", "last")
	if status != 0 || out != "Continued: “The fence” (2026-11-20 09:00, 12 turns)\nContinue it: chatvault ask -c \"…\"\n" {
		t.Fatal(out, errText, status)
	}
	list := func() string {
		t.Helper()
		out, errText, status := told(t, vault, false, "", "list")
		if status != 0 || errText != "" {
			t.Error(errText, status)
		}
		return out
	}
	if got := list(); !strings.HasPrefix(got, "* ") || !strings.Contains(got, "   0 turns  The fence [continues "+talkID+"]\n  "+talkID) {
		t.Errorf("list:\n%s", got)
	}
	for i := range 2 {
		show, _, _ := told(t, vault, false, "", "show", "active")
		note, _, _ := told(t, vault, false, "", "export", "active")
		data, _, _ := told(t, vault, false, "", "show", "active", "--json")
		deleted := ""
		if i == 1 {
			deleted = "; the conversation has since been deleted, so there is no more of it"
		}
		for name, text := range map[string]string{"show": show, "export": note} {
			for _, want := range []string{
				"fence question 2?", "fence answer 11.", "Continues “The fence” of 2026-11-20 10:00. The last 10 turns of 12 were carried over" + deleted + ".", "It is to be a metre high.",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is not in\n%s", name, want, text)
				}
			}
			if strings.Contains(text, "fence question 1?") {
				t.Errorf("%s shows what was not carried:\n%s", name, text)
			}
		}
		if !strings.Contains(note, "\ncontinues: \""+talkID+"\"\n---\n") {
			t.Errorf("front matter:\n%.300s", note)
		}
		var d struct {
			Active    bool
			Turns     []conversation.Turn
			Continues struct {
				conversation.Continuation
				Deleted bool
			}
		}
		if err := json.Unmarshal([]byte(data), &d); err != nil || !d.Active || len(d.Turns) != 0 || d.Continues.ID != talkID || len(d.Continues.Turns) != 10 || d.Continues.Deleted != (i == 1) {
			t.Errorf("%v %+v", err, d)
		}
		lines, _, _ := told(t, vault, false, "", "list", "--json")
		if !strings.Contains(lines, `"continues":"`+talkID+`"`) {
			t.Errorf("list --json: %s", lines)
		}
		if i == 0 {
			if out, errText, status := told(t, vault, false, "", "delete", talkID, "--yes"); status != 0 {
				t.Fatal(out, errText)
			}
		}
	}
	if got := list(); strings.Contains(got, "continues") {
		t.Errorf("it names what is gone:\n%s", got)
	}
	if out, _, status := told(t, vault, false, "", "search", "fence", "answer", "7"); status != 0 || !strings.Contains(out, "fence answer 7.") {
		t.Errorf("what was carried is not found: %s", out)
	}
}

func TestContinueRefusals(t *testing.T) {
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
