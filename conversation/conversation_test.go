package conversation

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		checks := "300" // twice that for the model, about 4 ms each
		if os.Getenv("CHATVAULT_STRESS") != "" {
			checks = "20000"
		}
		_ = f.Value.Set(checks)
	}
	goleak.VerifyTestMain(m)
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// memory returns a temporary folder in memory, where fsync is cheap, if the system has one.
func memory(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "conversation-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// turn returns a turn of one answered message.
func turn(id string, when time.Time) Turn {
	return Turn{ID: id, Started: when, Ended: when, Provider: "p", Messages: []Message{
		{ID: id, Role: RoleUser, Time: when, Content: "question " + id},
		{Role: RoleAssistant, Time: when, Content: "answer " + id},
	}}
}

// appendTurn begins and records a turn.
func appendTurn(t testing.TB, m *Manager, turn Turn) (c, ended *Conversation) {
	t.Helper()
	c, ended, err := m.Begin("", turn.Started)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Append(c.ID, turn); err != nil {
		t.Fatal(err)
	}
	return c, ended
}

func activeConversation(t testing.TB, m *Manager) *Conversation {
	t.Helper()
	c, err := m.Active()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ids returns the IDs of a conversation's turns, "-" if it has none.
func ids(c *Conversation) string {
	if c == nil {
		return "-"
	}
	var out []string
	for _, t := range c.Turns {
		out = append(out, t.ID)
	}
	return strings.Join(out, " ")
}

func TestHas(t *testing.T) {
	several := turn("a", noon)
	several.Messages = append(several.Messages, Message{ID: "b", Role: RoleUser}, Message{ID: "call", Role: RoleTool})
	failed := turn("c", noon)
	failed.Failed = true
	c := &Conversation{Turns: []Turn{several, failed}}
	for id, want := range map[string]bool{"a": true, "b": true, "c": false, "call": false, "": false, "z": false} {
		if got := c.Has(id); got != want {
			t.Errorf("Has(%q) = %v", id, got)
		}
	}
}

func TestIdle(t *testing.T) {
	asked := turn("a", noon)
	asked.Question = "Which one?"
	future := turn("a", at(600))
	for _, c := range []struct {
		name    string
		turns   []Turn
		after   int // in minutes
		timeout time.Duration
		want    bool
	}{
		{"lately", []Turn{turn("a", noon)}, 30, 30 * time.Minute, false},
		{"long ago", []Turn{turn("a", noon)}, 31, 30 * time.Minute, true},
		{"never", []Turn{turn("a", noon)}, 1000, 0, false},
		{"no messages yet", nil, 1000, 30 * time.Minute, false},
		{"waits for an answer", []Turn{asked}, 1000, 30 * time.Minute, false},
		{"answered", []Turn{asked, turn("b", noon)}, 31, 30 * time.Minute, true},
		{"the clock went back", []Turn{future}, 0, 30 * time.Minute, false},
	} {
		if got := idle(&Conversation{Started: noon, Turns: c.turns}, at(c.after), c.timeout); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestIDsCannotEscapeFolder(t *testing.T) {
	for id, want := range map[string]bool{
		NewID(noon): true, "20260302-120000-0a1b2c3d": true, "": false, "..": false, "a/b": false, `a\b`: false,
		"A": false, "a.b": false, "index.json": false, strings.Repeat("a", 65): false, "ä": false, "a\n": false,
	} {
		if got := validID(id); got != want {
			t.Errorf("validID(%q) = %v", id, got)
		}
	}
	m := NewManager(openRoot(t, t.TempDir()), Options{})
	if err := m.Append("../x", turn("a", noon)); err == nil {
		t.Error("a conversation outside the folder was written")
	}
}

func TestTurnsSurviveRestart(t *testing.T) {
	dir := t.TempDir()
	m := NewManager(openRoot(t, dir), Options{IdleTimeout: 30 * time.Minute})
	first, _ := appendTurn(t, m, turn("a", at(0)))
	if c, ended := appendTurn(t, m, turn("b", at(20))); c.ID != first.ID || ended != nil || ids(c) != "a" {
		t.Errorf("the second turn saw %q of %s, ended %v", ids(c), c.ID, ended)
	}
	m = NewManager(openRoot(t, dir), Options{IdleTimeout: 30 * time.Minute})
	if c := activeConversation(t, m); c.ID != first.ID || ids(c) != "a b" || c.Turns[1].Messages[1].Content != "answer b" || !c.Started.Equal(at(0)) {
		t.Errorf("after a restart: %+v", c)
	}
	second, ended := appendTurn(t, m, turn("c", at(51)))
	if second.ID == first.ID || len(second.Turns) > 0 || ended == nil || ended.ID != first.ID || !ended.Ended.Equal(at(51)) {
		t.Errorf("idle: %+v, ended %+v", second, ended)
	}
	list, err := m.List()
	if err != nil || len(list) != 2 || list[0].ID != first.ID || list[0].Turns != 2 || list[0].Ended.IsZero() || !list[1].Ended.IsZero() {
		t.Errorf("listed: %+v, %v", list, err)
	}
}

func TestTurnRecordedOnce(t *testing.T) {
	m := NewManager(openRoot(t, t.TempDir()), Options{})
	c, _ := appendTurn(t, m, turn("a", noon))
	failed := turn("b", noon)
	failed.Failed, failed.Error = true, "no network"
	for _, r := range []Turn{turn("a", noon), failed, failed, turn("b", noon), turn("b", noon)} {
		if err := m.Append(c.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(activeConversation(t, m)); got != "a b b b" {
		t.Errorf("recorded %q; both failures and one success of b are wanted", got)
	}
}

// TestStoppedTurnLeavesNoConversation: a stopped turn records nothing, so a conversation without other turns does not
// exist.
func TestStoppedTurnLeavesNoConversation(t *testing.T) {
	dir := t.TempDir()
	m := NewManager(openRoot(t, dir), Options{})
	if _, _, err := m.Begin("", noon); err != nil {
		t.Fatal(err)
	}
	if list, err := m.List(); err != nil || len(list) != 0 || activeConversation(t, m) != nil {
		t.Errorf("listed %v, %v", list, err)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, folder)); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
	if c, err := m.End(noon, "new"); c != nil || err != nil {
		t.Errorf("ended %v, %v", c, err)
	}
}

func TestLateTurnDoesNotReopen(t *testing.T) {
	dir := t.TempDir()
	m := NewManager(openRoot(t, dir), Options{})
	c, _ := appendTurn(t, m, turn("a", noon))
	if ended, err := m.End(at(1), "new"); err != nil || ended.ID != c.ID {
		t.Fatal(ended, err)
	}
	if err := m.Append(c.ID, turn("late", at(2))); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Manager{m, NewManager(openRoot(t, dir), Options{})} {
		if got := activeConversation(t, m); got != nil {
			t.Errorf("%s is active again", got.ID)
		}
	}
}

func TestAnswered(t *testing.T) {
	m := NewManager(openRoot(t, t.TempDir()), Options{IdleTimeout: 30 * time.Minute})
	appendTurn(t, m, turn("old", at(0)))
	appendTurn(t, m, turn("now", at(100)))
	for _, c := range []struct {
		id    string
		since int
		want  bool
	}{{"now", 100, true}, {"old", 0, true}, {"old", 50, false}, {"never", 0, false}} {
		if got, err := m.Answered(c.id, at(c.since)); got != c.want || err != nil {
			t.Errorf("Answered(%q, %d) = %v, %v", c.id, c.since, got, err)
		}
	}
	if got := ids(activeConversation(t, m)); got != "now" {
		t.Errorf("active afterwards: %q", got)
	}
}

// TestTwoManagers: each process sees what the other recorded, even if the index is out of date.
func TestTwoManagers(t *testing.T) {
	dir := t.TempDir()
	one, two := NewManager(openRoot(t, dir), Options{}), NewManager(openRoot(t, dir), Options{})
	var want []string
	for i := range 6 {
		m := []*Manager{one, two}[i%2]
		id := fmt.Sprintf("t%d", i)
		stale, err := os.ReadFile(filepath.Join(dir, indexFile))
		appendTurn(t, m, turn(id, at(i)))
		if i%3 == 2 && err == nil { // simulates a crash between writing the file and the index
			if err := os.WriteFile(filepath.Join(dir, indexFile), stale, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, id)
		for _, m := range []*Manager{one, two} {
			if got := ids(activeConversation(t, m)); got != strings.Join(want, " ") {
				t.Errorf("after %s one manager sees %q", id, got)
			}
		}
	}
}

// TestHolds: a turn holds the messages of the user that began it and those folded into it.
func TestHolds(t *testing.T) {
	turn := Turn{ID: "b", Messages: []Message{{ID: "b", Role: RoleUser}, {ID: "t", Role: RoleTool}, {ID: "c", Role: RoleUser}}}
	for message, want := range map[string]bool{"a": false, "b": true, "c": true, "t": false, "": false} {
		if turn.Holds(message) != want {
			t.Errorf("%q: %v", message, !want)
		}
	}
}
