package cli

import (
	"bytes"
	"strings"
	"testing"

	"chatvault/internal/base/terminal/output"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// If an undo is refused, the turn suggested instead can be undone.
func TestSuggestedUndo(t *testing.T) {
	made := []journal.Change{{Op: "create", Path: "a.md", State: journal.Done}}
	turn := func(id, source string, changes ...journal.Change) journal.Turn {
		return journal.Turn{Origin: journal.Origin{Turn: id, Source: source}, Changes: changes}
	}
	r := &records{
		turns: []journal.Turn{
			turn("last", "chat", made...),
			turn("own", journal.SourceOwn, made...),
			turn("failed", "chat", journal.Change{Op: "create", Path: "b.md", State: journal.Failed}),
			turn("first", "chat", made...),
		},
	}
	var said bytes.Buffer
	u := vault.Undone{Turn: r.turns[0], Refused: []vault.Refusal{{Path: "a.md", Why: "a.md changed."}}}
	if err := r.printUndone(Streams{Err: output.New(&said, false)}, u, "undo", nil); err == nil {
		t.Error("an undo that was refused went well")
	}
	if want := "undo the turn before it: chatvault undo first\n"; !strings.HasSuffix(said.String(), want) {
		t.Errorf("%s, want %s", &said, want)
	}
}
