package acp

import (
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// What failed with an error of several lines is offered in one.
func TestOfferedInALine(t *testing.T) {
	got := offered([]session.Unfinished{{Message: event.Inbound{Text: "hi\nthere"}, LastError: "Nothing answers.\nReason: refused\nNext: look."}})
	if first, _, _ := strings.Cut(got, "\n"); first != "Not finished: “hi” (Nothing answers)" {
		t.Errorf("%q", got)
	}
}
