package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestOutdated(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	days := func(n int) time.Time { return now.AddDate(0, 0, -n) }
	units := map[string]int64{"u": 100, "v": 50, "shared": 1000}
	turns := []pruneCandidate{
		{last: days(40), bytes: 10, files: []string{"u", "shared"}},
		{last: days(35), bytes: 10, pinned: true},
		{last: days(20), bytes: 10, files: []string{"v"}},
		{last: days(1), bytes: 10, files: []string{"shared"}},
	}
	for what, test := range map[string]struct {
		l    Limits
		want []int
	}{
		"no limits":              {Limits{}, nil},
		"by age":                 {Limits{Age: 30 * 24 * time.Hour}, []int{0}},
		"all fits":               {Limits{Bytes: 1190}, nil},
		"the oldest goes":        {Limits{Bytes: 1189}, []int{0}},
		"and the next":           {Limits{Bytes: 1079}, []int{0, 2}},
		"and all that may":       {Limits{Bytes: 1}, []int{0, 2, 3}},
		"by age and by the size": {Limits{Age: 10 * 24 * time.Hour, Bytes: 1190}, []int{0, 2}},
	} {
		if got := selectOutdated(turns, units, now, test.l); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", what, got, test.want)
		}
	}
}

// TestOutdatedProperty: the remaining turns are within the limits or must not be removed, and no turn is removed for
// its size while an older removable one remains.
func TestOutdatedProperty(t *testing.T) {
	now := time.Now()
	rapid.Check(t, func(rt *rapid.T) {
		units := map[string]int64{}
		for i := range 6 {
			units[fmt.Sprint(i)] = rapid.Int64Range(0, 100).Draw(rt, "unit")
		}
		var turns []pruneCandidate
		for range rapid.IntRange(0, 8).Draw(rt, "turns") {
			a := pruneCandidate{last: now.Add(-rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(rapid.Int64Range(0, 100).Draw(t, "age")) }).Draw(rt, "age")), bytes: rapid.Int64Range(1, 50).Draw(rt, "bytes"), pinned: rapid.IntRange(0, 4).Draw(rt, "keeps") == 0}
			a.files = slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.SampledFrom([]string{"0", "1", "2", "3", "4", "5"}), 0, 3).Draw(rt, "units"))))
			turns = append(turns, a)
		}
		slices.SortStableFunc(turns, func(a, b pruneCandidate) int { return a.last.Compare(b.last) })
		l := Limits{Age: time.Duration(rapid.Int64Range(0, 100).Draw(rt, "limit")), Bytes: rapid.Int64Range(0, 400).Draw(rt, "bytes limit")}
		gone := selectOutdated(turns, units, now, l)
		total, used, stays := int64(0), map[string]bool{}, false
		for i, a := range turns {
			if slices.Contains(gone, i) {
				if a.pinned {
					rt.Fatalf("%d went", i)
				}
				if old := l.Age > 0 && now.Sub(a.last) > l.Age; !old && stays {
					rt.Fatalf("%d went by its size, and an older one stayed", i)
				}
				continue
			}
			stays = stays || !a.pinned
			total += a.bytes
			for _, u := range a.files {
				if !used[u] {
					used[u] = true
					total += units[u]
				}
			}
			if !a.pinned && l.Age > 0 && now.Sub(a.last) > l.Age {
				rt.Fatalf("%d is too old and stayed", i)
			}
		}
		if stays && l.Bytes > 0 && total > l.Bytes {
			rt.Fatalf("%d bytes stay, %d may", total, l.Bytes)
		}
	})
}

// TestPrune: old turns are removed with the contents that only they need, and turns in progress remain.
func TestPrune(t *testing.T) {
	dir := stateFolder(t)
	j, _ := journalIn(t, dir)
	keepChange(t, j, Origin{Turn: "old"}, overwrite("a.md", "only old", "shared"), "only old", "shared")
	var many []string
	for i := range 10 {
		many = append(many, fmt.Sprint("packed ", i))
	}
	keepChange(t, j, Origin{Turn: "old"}, overwrite("b.md", many[0], many[1]), many...)
	keepChange(t, j, Origin{Turn: "runs"}, overwrite("a.md", "runs", "runs on"), "runs", "runs on")
	keepChange(t, j, Origin{Turn: "new"}, overwrite("a.md", "shared", "new"), "shared", "new")
	for _, id := range []string{"old", "new"} {
		if err := j.EndTurn(id); err != nil {
			t.Fatal(err)
		}
	}
	temp := filepath.Join(dir, folderName, objectsName, packsName, ".chatvault-tmp-0123")
	if err := os.WriteFile(temp, []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := j.Prune(time.Now(), Limits{Age: time.Hour, Bytes: 1 << 20}); err != nil || p.Turns != 0 || p.Bytes != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Error("what a crash left is there")
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
		data, err := other.Object(Print([]byte(text)))
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
	keepChange(t, j, Origin{Turn: "runs"}, overwrite("a.md", "runs on", "and on"), "runs on", "and on")
	if p, err := other.Prune(time.Now().Add(9*time.Hour), Limits{Age: time.Hour}); err != nil || p.Turns != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if turns := turnsOf(t, other); len(turns) != 1 || len(turns[0].Changes) != 2 {
		t.Errorf("%+v", turns)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, folderName, objectsName, packsName)); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
