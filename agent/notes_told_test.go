package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent/pending"
)

// Whoever comes upon notes that make no sense first, at start or in the background, the user is
// told of it once, by the next turn.
func TestInvalidMemoryIsReported(t *testing.T) {
	for _, backlog := range []bool{false, true} {
		root := state(t)
		if err := os.WriteFile(filepath.Join(root.Name(), pending.File), []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
		k := lookingBack(t, root, []reply{say("Seen.")}, func(o *Options) { o.CatchUp, o.LeaveGoal = backlog, backlog })
		k.settled()
		k.ask("one")
		k.ask("two")
		if got := k.notices(); len(got) != 1 || !strings.HasPrefix(got[0], "state.json was invalid and was set aside as ") || !strings.Contains(got[0], "/state.json.corrupt-") {
			t.Errorf("told %q", got)
		}
	}
}
