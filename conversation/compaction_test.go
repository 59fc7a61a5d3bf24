package conversation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// compacted formats a conversation as "SUMMARY:covered turns" followed by the turns after it.
func compacted(c *Conversation) string {
	if c.Compaction == nil {
		return ids(c)
	}
	n := c.Compacted()
	var covered, rest []string
	for i, t := range c.Turns {
		if i < n {
			covered = append(covered, t.ID)
		} else {
			rest = append(rest, t.ID)
		}
	}
	return c.Compaction.Summary + ":" + strings.Join(covered, ",") + " " + strings.Join(rest, " ")
}

// TestCompactionSurvives: a summary survives restarts, other processes, later turns and later compactions.
func TestCompactionSurvives(t *testing.T) {
	dir, id, _ := writeConversation(t)
	m := NewManager(openRoot(t, dir), Options{})
	other := NewManager(openRoot(t, dir), Options{})
	check := func(want string) {
		t.Helper()
		for i, m := range []*Manager{m, other, NewManager(openRoot(t, dir), Options{})} {
			if c := activeConversation(t, m); c == nil || compacted(c) != want || c.ID != id {
				t.Errorf("manager %d: %+v, want %q", i, c, want)
			}
		}
	}
	if err := m.Compact(id, Compaction{Through: "b", Summary: "S1", Time: at(10)}); err != nil {
		t.Fatal(err)
	}
	check("S1:a,b c")
	appendTurn(t, m, turn("d", at(11)))
	check("S1:a,b c d")
	if err := other.Compact(id, Compaction{Through: "d", Summary: "S2", Time: at(12)}); err != nil {
		t.Fatal(err)
	}
	check("S2:a,b,c,d ")
	appendTurn(t, other, turn("e", at(13)))
	check("S2:a,b,c,d e")
	if _, err := m.End(at(14), "new"); err != nil {
		t.Fatal(err)
	}
	if c := activeConversation(t, other); c != nil {
		t.Errorf("still active: %+v", c)
	}
}

// TestCompactionOfFailedTurn: a turn that retries a failed one reuses its ID and is not covered by a summary made
// before the retry.
func TestCompactionOfFailedTurn(t *testing.T) {
	dir, id, _ := writeConversation(t)
	m := NewManager(openRoot(t, dir), Options{})
	failed := turn("x", at(5))
	failed.Failed, failed.Error = true, "no network"
	appendTurn(t, m, failed)
	if err := m.Compact(id, Compaction{Through: "x", Summary: "S", Time: at(6)}); err != nil {
		t.Fatal(err)
	}
	appendTurn(t, m, turn("x", at(7)))
	if got, want := compacted(activeConversation(t, NewManager(openRoot(t, dir), Options{}))), "S:a,b,c,x x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCompactRefuses(t *testing.T) {
	dir, id, _ := writeConversation(t)
	m := NewManager(openRoot(t, dir), Options{})
	before, err := os.ReadFile(filepath.Join(dir, file(id)))
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"no summary":         m.Compact(id, Compaction{Through: "b", Summary: " \n", Time: at(10)}),
		"no such turn":       m.Compact(id, Compaction{Through: "z", Summary: "S", Time: at(10)}),
		"a turn after it":    m.Compact(id, Compaction{Through: "c", Summary: "S", Time: at(-60)}),
		"no conversation":    m.Compact("20260101-000000-00000000", Compaction{Through: "b", Summary: "S", Time: at(10)}),
		"no conversation id": m.Compact("../x", Compaction{Through: "b", Summary: "S", Time: at(10)}),
	} {
		if err == nil {
			t.Errorf("%s: taken", what)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, file(id))); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
	if got := compacted(activeConversation(t, m)); got != "a b c" {
		t.Error(got)
	}
}

// TestDamagedCompaction: an invalid line is set aside and every turn still loads. If the last covered turn is
// missing, the summary is not used.
func TestDamagedCompaction(t *testing.T) {
	dir, id, data := writeConversation(t)
	for line, want := range map[string]string{
		`{"type":"compaction","time":"2026-03-02T12:10:00Z"}`:                                            "a b c",
		`{"type":"compaction","compaction":{"through":"","summary":"S","time":"2026-03-02T13:00:00Z"}}`:  "a b c",
		`{"type":"compaction","compaction":{"through":"b","summary":"","time":"2026-03-02T13:00:00Z"}}`:  "a b c",
		`{"type":"compaction","compaction":{"through":"b","summary":"S","time":"2026-03-02T13:0`:         "a b c",
		`{"type":"compaction","compaction":{"through":"z","summary":"S","time":"2026-03-02T13:00:00Z"}}`: "a b c",
		`{"type":"compaction","compaction":{"through":"b","summary":"S","time":"2026-03-02T13:00:00Z"}}`: "S:a,b c",
	} {
		if err := os.WriteFile(filepath.Join(dir, file(id)), append(bytes.Clone(data), line+"\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		var warned []string
		m := NewManager(openRoot(t, dir), Options{Warn: func(s string) { warned = append(warned, s) }})
		if got := compacted(activeConversation(t, m)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if bad := want == "a b c" && !strings.Contains(line, `"z"`); bad != (len(warned) > 0) {
			t.Errorf("%s: warned %q", line, warned)
		}
	}
}
