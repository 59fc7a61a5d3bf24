package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPruneBySize: the oldest turns are removed until the rest fits.
func TestPruneBySize(t *testing.T) {
	j, _ := journalIn(t, stateFolder(t))
	for _, id := range []string{"a", "b", "c"} {
		addChange(t, j, Origin{Turn: id}, Change{Op: "x", Path: "x"}, strings.Repeat(id, 1000))
		if err := j.EndTurn(id); err != nil {
			t.Fatal(err)
		}
	}
	u, err := j.Usage()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		bytes int64
		stay  int
	}{{u.Bytes, 3}, {u.Bytes - 1, 2}, {1, 0}} {
		if _, err := j.Prune(time.Now(), Limits{Bytes: test.bytes}); err != nil {
			t.Fatal(err)
		}
		if turns := turnsOf(t, j); len(turns) != test.stay || test.stay > 0 && turns[0].Turn != "c" {
			t.Errorf("%d bytes: %+v", test.bytes, turns)
		}
	}
}

// TestPrune: old turns are removed with the contents that no other turn needs, and turns in progress remain.
func TestPrune(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	addChange(t, j, Origin{Turn: "old"}, overwrite("a.md", "only old", "shared"), "only old", "shared")
	var many []string
	for i := range 10 {
		many = append(many, fmt.Sprint("packed ", i))
	}
	addChange(t, j, Origin{Turn: "old"}, overwrite("b.md", many[0], many[1]), many...)
	addChange(t, j, Origin{Turn: "runs"}, overwrite("a.md", "runs", "runs on"), "runs", "runs on")
	addChange(t, j, Origin{Turn: "new"}, overwrite("a.md", "shared", "new"), "shared", "new")
	for _, id := range []string{"old", "new"} {
		if err := j.EndTurn(id); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := j.Prune(time.Now(), Limits{Age: time.Hour, Bytes: 1 << 20}); err != nil || p.Turns != 0 || p.Bytes != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if time.Since(j.LastPruned()) > time.Minute {
		t.Error(j.LastPruned())
	}
	other, _ := journalIn(t, dir) // another process prunes
	newest := turnsOf(t, j)[0].Last()
	p, err := other.Prune(newest.Add(time.Second), Limits{Age: time.Second + newest.Sub(turnsOf(t, j)[2].Last())/2})
	if err != nil || p.Turns != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	there := func(text string) bool {
		data, err := other.Content(Print([]byte(text)))
		return err == nil && string(data) == text
	}
	for text, want := range map[string]bool{"only old": false, "packed 0": false, "packed 9": false, "shared": true, "new": true, "runs": true} {
		if there(text) != want {
			t.Errorf("%q is there: %v", text, !want)
		}
	}
	for _, j := range []*Journal{j, other} {
		if turns := turnsOf(t, j); len(turns) != 2 {
			t.Errorf("%+v", turns)
		}
	}
	addChange(t, j, Origin{Turn: "runs"}, overwrite("a.md", "runs on", "and on"), "runs on", "and on")
	if p, err := other.Prune(time.Now().Add(9*time.Hour), Limits{Age: time.Hour}); err != nil || p.Turns != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if turns := turnsOf(t, other); len(turns) != 1 || len(turns[0].Changes) != 2 {
		t.Errorf("%+v", turns)
	}
}

// TestLastIgnoresDamagedTime: a turn whose change has lost its time is not pruned as old.
func TestLastIgnoresDamagedTime(t *testing.T) {
	began := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	turn := Turn{Began: began, Changes: []Change{{Seq: 1}}}
	if got := turn.Last(); !got.Equal(began) {
		t.Errorf("%v", got)
	}
}
