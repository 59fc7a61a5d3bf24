package ask

import (
	"strings"
	"testing"
)

func TestNotify(t *testing.T) {
	for status, want := range map[int]Notification{
		0:   {"chatvault: answered", "Notes"},
		1:   {"chatvault: failed", "Notes\nchatvault inbox list shows whether the message was kept."},
		2:   {"chatvault: not started", "Notes\nThe command or the configuration is wrong."},
		3:   {"chatvault: a question is waiting", "Notes\nAnswer with: chatvault ask -c \"…\""},
		4:   {"chatvault: a change was refused", "Notes\nNobody was there to give consent."},
		5:   {"chatvault: not finished", "Notes\nContinue with: chatvault ask -c \"continue\""},
		130: {"chatvault: stopped", "Notes"},
		143: {"chatvault: stopped", "Notes"},
	} {
		if got := Notify(status, "Notes", ""); got != want {
			t.Errorf("%d: %+v", status, got)
		}
	}
	// A vault's name or an answer cannot inject markup, escapes of notify-send or of a terminal.
	hostile := "<img src=x>&amp;\\074b\\076\x1b[31m\u202e\nline " + strings.Repeat("long ", 100)
	got := Notify(0, hostile, hostile)
	if strings.ContainsAny(got.Body, "<>\\\x1b\u202e") || strings.Count(got.Body, "\n") != 1 || !strings.Contains(got.Body, "&lt;img src=x&gt;&amp;amp;") {
		t.Errorf("%q", got.Body)
	}
	if got.Summary != "chatvault: answered" || len(got.Body) > 5*len(hostile) {
		t.Errorf("%+v", got)
	}
}
