package printed

import (
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// TestErrorOnOneLine: a multi-line error is shown on one line.
func TestErrorOnOneLine(t *testing.T) {
	var got []string
	v := Views{Print: func(b Block) { got = append(got, b.Head) }}
	v.Offer([]session.Unfinished{{Message: event.Inbound{Text: "hi\nthere"}, LastError: "Nothing answers.\nReason: refused\nNext: look."}})
	if first := strings.Join(got, "|"); first != "Not finished: “hi” (Nothing answers)" {
		t.Errorf("%q", got)
	}
}
