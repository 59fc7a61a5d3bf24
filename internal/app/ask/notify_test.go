package ask

import (
	"strings"
	"testing"
)

func TestNotification(t *testing.T) {
	for status, want := range map[int]string{
		0: "answered", 1: "failed", 2: "not started", 3: "a question is waiting", 4: "a change was refused", 5: "not finished", 130: "stopped", 143: "stopped",
	} {
		if summary, body := (Notification{Status: status, Vault: "Notes"}).lines(); summary != "chatvault: "+want || body != "Notes" {
			t.Errorf("%d: %q, %q", status, summary, body)
		}
	}
	// A vault's name or an answer cannot inject markup or escapes of notify-send or the terminal.
	hostile := "<img src=x>&amp;\\074b\\076\x1b[31m\u202e\nline " + strings.Repeat("long ", 100)
	summary, body := Notification{Vault: hostile, Said: hostile}.lines()
	if strings.ContainsAny(body, "<>\\\x1b\u202e") || strings.Count(body, "\n") != 1 || !strings.Contains(body, "&lt;img src=x&gt;&amp;amp;") {
		t.Errorf("%q", body)
	}
	if summary != "chatvault: answered" || len(body) > 2*len(hostile) {
		t.Errorf("%q, %q", summary, body)
	}
}
