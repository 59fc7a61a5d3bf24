package agent

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/internal/atomicfile"
)

func entry(id string, minute int) inbox.Entry {
	when := time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC)
	return inbox.Entry{Inbound: event.Inbound{ID: id, Text: "text of " + id, Source: event.SourceDirect, Time: when}, Owner: "1-dead"}
}

func saved(t *testing.T, b *inbox.Box, entries ...inbox.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := b.Save(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNotesOfStoppedTurns(t *testing.T) {
	root := state(t)
	note := func(text string, changes ...string) {
		t.Helper()
		if err := changeNotes(root, func(n *notes) { n.add(history.Stop{Text: text, Changes: changes}) }); err != nil {
			t.Fatal(err)
		}
	}
	note("first", "edited a.md")
	note(strings.Repeat("long ", 20_000))
	n, err := loadNotes(root)
	got := history.Stops(n.Stops, history.RoomIn(1<<20), nil)
	if err != nil || len(got) != 2 || got[0] != "The user stopped an earlier request (“first”). It had already done this: edited a.md." ||
		!strings.HasPrefix(got[1], "The user stopped the previous request (“long long") || !strings.Contains(got[1], "characters left out …]") || !strings.HasSuffix(got[1], "”). It had changed nothing.") {
		t.Errorf("%q, %v", got, err)
	}
	for i := range 8 {
		note(fmt.Sprint(i))
	}
	n, _ = loadNotes(root)
	if len(n.Stops) != maxStops || n.Stops[0].Text != "first" || n.Stops[4].Text != "7" {
		t.Errorf("kept %+v", n.Stops)
	}
	for i := range 8 {
		note(fmt.Sprint("change ", i), "x")
	}
	if n, _ = loadNotes(root); len(n.Stops) != maxStops || n.Stops[0].Text != "change 3" {
		t.Errorf("kept %+v", n.Stops)
	}

	// What makes no sense is set aside, and noting works on.
	if err := root.WriteFile(notesFile, []byte(`{"schema":`), 0o600); err != nil {
		t.Fatal(err)
	}
	note("after")
	if n, err := loadNotes(root); err != nil || len(n.Stops) != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	if aside, _ := filepath.Glob(filepath.Join(root.Name(), notesFile+".corrupt-*")); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
	if temps, _ := filepath.Glob(filepath.Join(root.Name(), atomicfile.TempPrefix+"*")); len(temps) > 0 {
		t.Errorf("left: %v", temps)
	}
}
