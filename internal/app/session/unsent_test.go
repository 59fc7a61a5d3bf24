package session

import (
	"testing"

	"chatvault/agent/event"
)

// TestUnsent checks that a draft already in the inbox is not offered again.
func TestUnsent(t *testing.T) {
	pending := []Unfinished{{Message: event.Inbound{Text: "a long job"}}}
	for draft, want := range map[string]string{"a long job\n": "", "a long job and more": "a long job and more", "": "", "other": "other"} {
		if got := unsentDraft(draft, pending); got != want {
			t.Errorf("%q: %q, want %q", draft, got, want)
		}
	}
}
