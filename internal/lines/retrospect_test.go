package lines

import (
	"bytes"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// The proposal of a review is saved only by the second command, after it was shown.
func TestLinesAcceptAProposal(t *testing.T) {
	var out bytes.Buffer
	written := 0
	l := &lines{print: &linePrinter{out: &out}}
	l.event(event.Retrospected{Content: "All went well.", Architecture: "Tarts go into Recipes."})
	for i, want := range []string{"+Tarts go into Recipes.\nType /retrospect accept again to write it.", "Written to config.toml", "No review proposes anything"} {
		l.acceptProposal(proposing{written: &written})
		if !strings.Contains(out.String(), want) || written != min(i, 1) {
			t.Errorf("step %d: %q, written %d times", i, out.String(), written)
		}
	}
}

// proposing are settings for which a change can be proposed.
type proposing struct {
	written *int
}

func (p proposing) Architecture(text string) (session.SettingChange, error) {
	return session.SettingChange{Path: "config.toml", Diff: "+" + text, Apply: func() error { *p.written++; return nil }}, nil
}
