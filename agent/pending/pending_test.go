package pending

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent/history"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile/statetest"
)

func TestNotesOfStoppedTurns(t *testing.T) {
	root := statetest.Root(t)
	note := func(text string, changes ...string) {
		t.Helper()
		if err := Change(root, func(n *Notes) { n.AddStop(history.Stop{Text: text, Changes: changes}) }); err != nil {
			t.Fatal(err)
		}
	}
	note("first", "edited a.md")
	note(history.StopOf(strings.Repeat("long ", 20_000), nil, "", nil).Text)
	n, err := Load(root)
	got := history.Stops(n.Stops, nil)
	if err != nil || len(got) != 2 || got[0] != "The user stopped an earlier request (“first”). It had already done this: edited a.md." ||
		!strings.HasPrefix(got[1], "The user stopped the previous request (“long long") || !strings.Contains(got[1], "characters left out …]") || !strings.HasSuffix(got[1], "”). It had changed nothing.") {
		t.Errorf("%q, %v", got, err)
	}
	for i := range 8 {
		note(fmt.Sprint(i))
	}
	n, _ = Load(root)
	if len(n.Stops) != maxStops || n.Stops[0].Text != "3" || n.Stops[4].Text != "7" {
		t.Errorf("kept %+v", n.Stops)
	}
	for i := range 8 {
		note(fmt.Sprint("change ", i), "x")
	}
	if n, _ = Load(root); len(n.Stops) != maxStops || n.Stops[0].Text != "change 3" {
		t.Errorf("kept %+v", n.Stops)
	}

	// An invalid file is set aside, and recording continues.
	if err := root.WriteFile(File, []byte(`{"schema":`), 0o600); err != nil {
		t.Fatal(err)
	}
	note("after")
	if n, err := Load(root); err != nil || len(n.Stops) != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	if aside, _ := filepath.Glob(filepath.Join(root.Name(), File+".corrupt-*")); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
	if temps, _ := filepath.Glob(filepath.Join(root.Name(), atomicfile.TempPrefix+"*")); len(temps) > 0 {
		t.Errorf("left: %v", temps)
	}
}
