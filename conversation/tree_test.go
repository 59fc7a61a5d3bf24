package conversation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// withTurns returns a manager with one conversation of the named turns, and its ID.
func withTurns(t testing.TB, turns ...string) (*Manager, string) {
	t.Helper()
	m := NewManager(openRoot(t, memory(t)), Options{})
	m.now = func() time.Time { return at(100) }
	var id string
	for i, name := range turns {
		c, _ := appendTurn(t, m, turn(name, at(i)))
		id = c.ID
	}
	return m, id
}

func get(t testing.TB, m *Manager, id string) *Conversation {
	t.Helper()
	c, err := m.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// shape formats a conversation as "turns | fork>turns ...", the newest branch first.
func shape(c *Conversation) string {
	s := ids(c) + " |"
	for _, b := range c.Branches() {
		s += " " + b.Fork + ">" + strings.ReplaceAll(ids(&Conversation{Turns: b.Turns}), " ", ",")
	}
	return s
}

// restarted returns the manager of another process on the same vault.
func restarted(t testing.TB, m *Manager) *Manager {
	t.Helper()
	n := NewManager(openRoot(t, m.store.root.Name()), m.opt)
	n.now = m.now
	return n
}

func TestForkAndSwitch(t *testing.T) {
	m, id := withTurns(t, "a", "b", "c")
	minute := 10
	do := func(what string, err error, want string) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, m := range []*Manager{m, restarted(t, m)} {
			if got := shape(get(t, m, id)); got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
	}
	add := func(name string) error { minute++; return m.Append(id, turn(name, at(minute))) }
	do("said", nil, "a b c |")
	do("fork", m.Fork(id, "b"), "a | a>b,c")
	do("the new b", add("b2"), "a b2 | a>b,c")
	do("go on", add("d2"), "a b2 d2 | a>b,c")
	do("switch", m.Switch(id, "c"), "a b c | a>b2,d2")
	do("go on there", add("e"), "a b c e | a>b2,d2")
	do("fork the end", m.Fork(id, "e"), "a b c | c>e a>b2,d2")
	do("another end", add("f"), "a b c f | c>e a>b2,d2")
	do("fork the beginning", m.Fork(id, "a"), " | >a,b,c,f >a,b,c,e >a,b2,d2")
	do("switch from nothing", m.Switch(id, "d2"), "a b2 d2 | a>b,c,f a>b,c,e")
}

func TestForkRefuses(t *testing.T) {
	m, id := withTurns(t, "a", "b")
	if err := m.Fork(id, "b"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"no turn":                   m.Fork(id, "z"),
		"a turn of a branch":        m.Fork(id, "b"),
		"no branch":                 m.Switch(id, "z"),
		"a turn that ends none":     m.Switch(id, "a"),
		"no conversation":           m.Fork("20260101-000000-00000000", "a"),
		"no conversation to switch": m.Switch("20260101-000000-00000000", "a"),
		"no id":                     m.Fork("../x", "a"),
	} {
		if err == nil {
			t.Errorf("%s: taken", what)
		}
		if missing := strings.HasPrefix(what, "no conversation"); errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := m.End(at(5), "new"); err != nil {
		t.Fatal(err)
	}
	if err := m.Fork(id, "a"); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("forked although ended: %v", err)
	}
	if got := shape(get(t, m, id)); got != "a | a>b" {
		t.Error(got)
	}
}

// TestForkOfFailedMessage: all attempts at a message share an ID and are archived together. Of two branches that end
// with the same message, each can be selected.
func TestForkOfFailedMessage(t *testing.T) {
	m, id := withTurns(t, "a")
	failed := func(name string, minute int) Turn {
		x := turn(name, at(minute))
		x.Failed, x.Error = true, "no network"
		return x
	}
	for _, x := range []Turn{failed("x", 1), failed("x", 2)} {
		if err := m.Append(id, x); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Fork(id, "x"); err != nil {
		t.Fatal(err)
	}
	if got := shape(get(t, m, id)); got != "a | a>x,x" {
		t.Fatal(got)
	}
	if err := m.Append(id, turn("x", at(3))); err != nil {
		t.Fatal(err)
	}
	if err := m.Fork(id, "x"); err != nil {
		t.Fatal(err)
	}
	branches := get(t, m, id).Branches()
	if len(branches) != 2 || branches[0].ID == branches[1].ID {
		t.Fatalf("%+v", branches)
	}
	for _, b := range branches {
		if err := m.Switch(id, b.ID); err != nil {
			t.Fatal(err)
		}
		c := get(t, restarted(t, m), id)
		if got := ids(c); got != "a "+ids(&Conversation{Turns: b.Turns}) || !c.Turns[len(c.Turns)-1].Ended.Equal(b.Ended) {
			t.Errorf("switched to %s: %s", b.ID, got)
		}
		if err := m.Fork(id, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if !get(t, m, id).Has("x") {
		t.Error("a question answered on a branch is not reported as answered")
	}
	if answered, err := m.Answered("x", at(0)); err != nil || !answered {
		t.Errorf("answered %v, %v", answered, err)
	}
	if err := m.Append(id, turn("x", at(9))); err != nil || len(get(t, m, id).Turns) != 1 {
		t.Errorf("recorded again: %v", err)
	}
}

// TestHeadRecords checks the written head records and the reading of edited ones.
func TestHeadRecords(t *testing.T) {
	m, id := withTurns(t, "a", "b")
	if err := m.Fork(id, "b"); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(m.store.root.Name(), file(id))
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(string(data), `{"type":"head","turn":"a","time":"2026-03-02T13:40:00Z"}`+"\n") {
		t.Fatalf("%s%v", data, err)
	}
	for line, want := range map[string]string{
		`{"type":"head","turn":"b"}`:           "a b |",
		`{"turn":"b","type":"head"}`:           "a b |",
		`{"type":"head","turn":""}`:            " | >a,b",
		`{"type":"head"}`:                      " | >a,b",
		`{"type":"head","turn":"z"}`:           "a | a>b", // its line is unreadable, so the head does not move
		`{"type":"head","turn":"b","nth":7}`:   "a b |",
		`{"type":"head","turn":"b","nth":-7}`:  "a b |",
		`{"type":"head","turn":{"id":"b"}}`:    "a | a>b",
		`{"type":"head","turn":"b","time":"x"`: "a | a>b",
	} {
		if err := os.WriteFile(name, append(data[:len(data):len(data)], line+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := shape(get(t, m, id)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestCompactionOfBranch: a compaction does not apply to a path without its last turn, and applies again when that
// turn is back on the active path.
func TestCompactionOfBranch(t *testing.T) {
	m, id := withTurns(t, "a", "b", "c")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		for _, m := range []*Manager{m, restarted(t, m)} {
			if got := compacted(get(t, m, id)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	must(m.Compact(id, Compaction{Through: "a", Summary: "S1", Time: at(10)}))
	must(m.Compact(id, Compaction{Through: "c", Summary: "S2", Time: at(10)}))
	check("S2:a,b,c ")
	must(m.Fork(id, "b"))
	check("S1:a ")
	must(m.Append(id, turn("d", at(11))))
	check("S1:a d")
	must(m.Switch(id, "c"))
	check("S2:a,b,c ")
	must(m.Fork(id, "a"))
	check("")
	if c := get(t, m, id); c.Compaction != nil {
		t.Errorf("the compaction covers nothing: %+v", c.Compaction)
	}
}

// TestForkIsActivity: a conversation that was just forked is not idle, however old its last turn is, even if its
// active path is empty.
func TestForkIsActivity(t *testing.T) {
	m, id := withTurns(t, "a", "b")
	m.opt.IdleTimeout = 30 * time.Minute
	for _, edited := range []string{"b", "a"} {
		if err := m.Fork(id, edited); err != nil { // at 100
			t.Fatal(err)
		}
		if c, ended, err := restarted(t, m).Begin("", at(101)); err != nil || c.ID != id || ended != nil {
			t.Errorf("%s edited: %v, ended %v, %v", edited, c, ended, err)
		}
	}
	if _, ended, err := m.Begin("", at(200)); err != nil || ended == nil || ended.ID != id {
		t.Errorf("not idle in the end: %v, %v", ended, err)
	}
}

// TestClonesAreIndependent: clones do not change when the original is appended to or forked.
func TestClonesAreIndependent(t *testing.T) {
	m, id := withTurns(t, "a", "b")
	before := get(t, m, id)
	want := shape(before)
	if err := m.Append(id, turn("c", at(5))); err != nil {
		t.Fatal(err)
	}
	before.Turns = append(before.Turns, turn("mine", at(6)))
	if got := shape(get(t, m, id)); got != "a b c |" {
		t.Errorf("the original contains a turn appended to its clone: %s", got)
	}
	before.Turns = before.Turns[:2]
	if err := m.Fork(id, "a"); err != nil {
		t.Fatal(err)
	}
	if got := shape(before); got != want {
		t.Errorf("%s, was %s", got, want)
	}
}

// TestNoTurnIsLost: with any lines torn, damaged or missing, every turn with an intact line is on the active path or
// a branch, once.
func TestNoTurnIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Conversation{ID: "20260302-120000-00000000", Started: noon}
		records := []record{head(c)}
		n := rapid.IntRange(1, 15).Draw(t, "records")
		for i := range n {
			var r record
			switch leaves := c.tree.leaves(); {
			case i > 0 && rapid.IntRange(0, 3).Draw(t, "move") == 0:
				r = c.headRecord(rapid.IntRange(0, len(c.tree.nodes)).Draw(t, "to"), at(i))
			case len(leaves) > 0 && rapid.Bool().Draw(t, "switch"):
				r = c.headRecord(rapid.SampledFrom(leaves).Draw(t, "leaf"), at(i))
			default:
				x := turn(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "id"), at(i))
				x.Failed = true // repeats an ID
				if rapid.Bool().Draw(t, "answered") {
					x = turn(string(rune('a'+i)), at(i))
				}
				r = record{Type: "turn", Time: at(i), Turn: &x}
			}
			c.apply(r)
			records = append(records, r)
		}
		whole, err := encode(records)
		if err != nil {
			t.Fatal(err)
		}
		if d, bad, err := parse(c.ID, whole); err != nil || shape(d) != shape(c) || len(bad) > 0 {
			t.Fatalf("read back as %q, was %q", shape(d), shape(c))
		}
		lines := strings.Split(strings.TrimSuffix(string(whole), "\n"), "\n")
		want := map[time.Time]bool{}
		for i, r := range records {
			switch rapid.SampledFrom([]string{"whole", "whole", "whole", "torn", "spoilt", "gone"}).Draw(t, "line") {
			case "torn":
				lines[i] = lines[i][:rapid.IntRange(0, len(lines[i])-1).Draw(t, "cut")]
			case "spoilt":
				lines[i] = "\x00" + lines[i][1:]
			case "gone":
				lines[i] = ""
			default:
				if r.Turn != nil {
					want[r.Turn.Ended] = true
				}
			}
		}
		d, _, err := parse(c.ID, []byte(strings.Join(lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		got := map[time.Time]bool{}
		note := func(turns []Turn) {
			for _, x := range turns {
				got[x.Ended] = true
			}
		}
		note(d.Turns)
		for _, b := range d.Branches() {
			note(b.Turns)
			if b.leaf == 0 {
				t.Fatalf("branch %q cannot be switched to", b.ID)
			}
		}
		if len(got) != len(want) || len(d.tree.nodes) != len(want) {
			t.Fatalf("%d turns are reachable, of %d intact lines; %s", len(got), len(want), shape(d))
		}
		for w := range want {
			if !got[w] {
				t.Fatalf("the turn with ID %v is lost in %s", w, shape(d))
			}
		}
	})
}
