package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// spoke makes a conversation of n turns that has ended, the ids of which begin with a letter.
func spoke(t *testing.T, m *Manager, letter string, n int, from time.Time) string {
	t.Helper()
	id := ""
	for i := range n {
		c, _ := say(t, m, turn(fmt.Sprintf("%s%d", letter, i+1), from.Add(time.Duration(i)*time.Minute)))
		id = c.ID
	}
	if _, err := m.End(from.Add(time.Hour), "new"); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestContinue(t *testing.T) {
	dir := memory(t)
	root := openRoot(t, dir)
	m := NewManager(root, Options{IdleTimeout: 30 * time.Minute})
	fence := spoke(t, m, "f", 12, noon)
	if err := m.SetTitle(fence, "The fence", "It is to be a metre high."); err != nil {
		t.Fatal(err)
	}
	other, _ := say(t, m, turn("o1", at(90)))
	before, err := os.ReadFile(filepath.Join(dir, file(fence)))
	if err != nil {
		t.Fatal(err)
	}

	c, ended, err := m.Continue(fence[:len(fence)-2], at(100))
	if err != nil || ended == nil || ended.ID != other.ID || ended.Ended.IsZero() {
		t.Fatal(c, ended, err)
	}
	for _, p := range []*Manager{m, NewManager(root, Options{})} {
		a := active(t, p)
		x := a.Continues
		if a.ID != c.ID || len(a.Turns) != 0 || x == nil || x.ID != fence || x.Name != "The fence" || x.Summary != "It is to be a metre high." ||
			ids(&Conversation{Turns: x.Turns}) != "f3 f4 f5 f6 f7 f8 f9 f10 f11 f12" || x.Omitted != 2 || x.Older != "" || !x.Ended.Equal(noon.Add(time.Hour)) {
			t.Fatalf("%+v", x)
		}
		if e := a.Entry(); e.Continues != fence || e.Name() != "The fence" || e.Turns != 0 {
			t.Errorf("%+v", e)
		}
		if a.Has("f12") {
			t.Error("what was carried counts as answered here")
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, file(fence))); err != nil || string(after) != string(before) {
		t.Error("the one that is continued has changed", err)
	}
	if _, _, err := m.Continue(c.ID, at(101)); !errors.Is(err, ErrGoesOn) {
		t.Error(err)
	}
	if _, _, err := m.Continue("2099", at(101)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}

	// It does not end by idleness before something was said in it.
	if b, idle, err := m.Begin("", at(3000)); err != nil || idle != nil || b.ID != c.ID {
		t.Fatal(b, idle, err)
	}
	say(t, m, turn("g1", at(3000)))

	// What one carries of one that carried something itself, and what is left when that is removed.
	if _, err := m.End(at(3001), "new"); err != nil {
		t.Fatal(err)
	}
	d, _, err := m.Continue(c.ID, at(3002))
	if err != nil {
		t.Fatal(err)
	}
	if x := d.Continues; x.Name != "question g1" || ids(&Conversation{Turns: x.Turns}) != "f4 f5 f6 f7 f8 f9 f10 f11 f12 g1" || x.Omitted != 3 || x.Older != "It is to be a metre high." {
		t.Errorf("%+v", x)
	}
	for _, id := range []string{fence, c.ID} {
		if err := m.Delete(id); err != nil {
			t.Fatal(err)
		}
	}
	if a := active(t, m); a.ID != d.ID || len(a.Continues.Turns) != 10 {
		t.Errorf("%+v", a)
	}

	// Nothing was said in it: it leaves nothing.
	if ended, err := m.End(at(3003), "new"); ended != nil || err != nil {
		t.Error(ended, err)
	}
	if list, err := m.List(); err != nil || len(list) != 1 || list[0].ID != other.ID {
		t.Error(list, err)
	}
	if _, err := os.Stat(filepath.Join(dir, file(d.ID))); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What cannot be continued.
func TestContinueRefuses(t *testing.T) {
	dir := memory(t)
	m := NewManager(openRoot(t, dir), Options{})
	write := func(id, lines string) {
		if err := os.WriteFile(filepath.Join(dir, file(id)), []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := spoke(t, m, "a", 1, noon)
	write("empty", `{"type":"conversation","schema":1,"id":"empty","time":"2026-03-02T12:00:00Z"}`+"\n"+`{"type":"ended","time":"2026-03-02T13:00:00Z"}`+"\n")
	write("later", `{"type":"conversation","schema":9,"id":"later","time":"2026-03-02T12:00:00Z"}`+"\n"+`{"type":"ended","time":"2026-03-02T13:00:00Z"}`+"\n")
	for id, want := range map[string]string{"empty": "nothing to continue", "later": "written by a later version"} {
		if c, ended, err := m.Continue(id, at(200)); err == nil || c != nil || ended != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %v %v", id, c, ended, err)
		}
	}

	// Where its file cannot be written nothing is active, and what ended has ended.
	say(t, m, turn("b", at(100)))
	if os.Getuid() == 0 {
		return // may write everywhere
	}
	if err := os.Chmod(filepath.Join(dir, folder), 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, folder), 0o700) })
	if c, ended, err := m.Continue(id, at(200)); err == nil || c != nil || ended == nil {
		t.Error(c, ended, err)
	}
}

// Whatever stands in a conversation, what is carried of it is bounded, holds the last turn, is
// what every line of a file can hold, and leaves the conversation as it is.
func TestCarried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Repeat(rapid.StringOfN(rapid.RuneFrom([]rune("aé😀 \"\n")), 1, 3, -1).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 10, 3000}).Draw(t, "times"))
		})
		c := &Conversation{ID: "c", Ended: noon}
		for i := range rapid.IntRange(1, 14).Draw(t, "turns") {
			x := Turn{ID: fmt.Sprint("t", i), Ended: noon, Messages: []Message{{ID: fmt.Sprint("t", i), Role: RoleUser, Content: text.Draw(t, "said"), Context: "Then."}}}
			for j := range rapid.SampledFrom([]int{0, 0, 0, 1, 40}).Draw(t, "steps") {
				id := fmt.Sprint("c", j)
				args, _ := json.Marshal(map[string]any{"path": "a.md", "content": strings.Repeat("x", 100*j)})
				x.Messages = append(x.Messages, Message{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: id, Name: "write_file", Arguments: string(args)}}},
					Message{Role: RoleTool, ToolCallID: id, Content: strings.Repeat("é", 50*j)})
			}
			x.Messages = append(x.Messages, Message{Role: RoleAssistant, Content: text.Draw(t, "answer")})
			c.Turns = append(c.Turns, x)
		}
		look := func() (sizes []int) {
			for i := range c.Turns {
				for _, m := range c.Turns[i].Messages {
					sizes = append(sizes, len(m.Content), len(m.Context))
					for _, call := range m.ToolCalls {
						sizes = append(sizes, len(call.Arguments))
					}
				}
			}
			return sizes
		}
		was := look()
		x := carriedOf(c)
		if !slices.Equal(look(), was) {
			t.Fatal("the conversation has changed")
		}
		n := len(x.Turns)
		if n == 0 || n > maxCarriedTurns || x.Omitted+n != len(c.Turns) || x.Turns[n-1].ID != c.Turns[len(c.Turns)-1].ID {
			t.Fatalf("%d carried of %d, %d omitted", n, len(c.Turns), x.Omitted)
		}
		size := 0
		for i := range x.Turns {
			size += turnSize(x.Turns[i])
			for _, m := range x.Turns[i].Messages {
				if m.Context != "" || len(m.Content) > maxCarriedText+20 || strings.Contains(m.Content, "\ufffd") {
					t.Fatalf("carried %d bytes: %.100q", len(m.Content), m.Content)
				}
				for _, call := range m.ToolCalls {
					if !strings.HasPrefix(call.Arguments, "{") || !json.Valid([]byte(call.Arguments)) {
						t.Fatalf("arguments %.100q", call.Arguments)
					}
				}
			}
		}
		if size > maxCarriedBytes {
			t.Fatalf("%d bytes are carried", size)
		}
	})
}

// A summary that stood for older turns is carried where those are not; one made here may stand for
// what was carried, on every path.
func TestContinueAndCompactions(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	for i := range 12 {
		c, _ := say(t, m, turn(fmt.Sprintf("a%d", i+1), at(i)))
		if i == 4 {
			if err := m.Compact(c.ID, Compaction{Through: "a2", Summary: "So far.", Time: at(5)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	old, err := m.End(at(20), "new")
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := m.Continue(old.ID, at(30))
	if err != nil || c.Continues.Older != "So far." || c.Continues.Omitted != 2 || len(c.Recalled()) != 10 {
		t.Fatalf("%+v %v", c.Continues, err)
	}
	recalled := func(want string, compacted int) {
		t.Helper()
		c := active(t, m)
		if got := ids(&Conversation{Turns: c.Recalled()}); got != want || c.Compacted() != compacted {
			t.Errorf("recalled %q and %d compacted, want %q and %d", got, c.Compacted(), want, compacted)
		}
	}
	if err := m.Compact(c.ID, Compaction{Through: "a10", Summary: "More.", Time: at(31)}); err != nil {
		t.Fatal(err)
	}
	recalled("a11 a12", 0)
	say(t, m, turn("b1", at(32)))
	say(t, m, turn("b2", at(33)))
	if err := m.Compact(c.ID, Compaction{Through: "b1", Summary: "All.", Time: at(34)}); err != nil {
		t.Fatal(err)
	}
	recalled("", 1)
	if err := m.Fork(c.ID, "b1"); err != nil {
		t.Fatal(err)
	}
	recalled("a11 a12", 0)
	if err := m.Compact(c.ID, Compaction{Through: "a1", Summary: "No.", Time: at(35)}); err == nil {
		t.Error("compacted what is not there")
	}
}

// What was carried is found where the conversation it is of is no more.
func TestSearchOfWhatWasCarried(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	old := spoke(t, m, "zebra", 2, noon)
	c, _, err := m.Continue(old, at(100))
	if err != nil {
		t.Fatal(err)
	}
	found := func(want ...string) {
		t.Helper()
		hits, err := m.Search(t.Context(), "zebra2", 0)
		if err != nil || len(hits) != len(want) {
			t.Fatalf("%v %v", hits, err)
		}
		for i, h := range hits {
			if h.ID != want[i] || len(h.Excerpts) == 0 || h.Excerpts[0].TurnID != "zebra2" {
				t.Errorf("found %+v", h)
			}
		}
	}
	found(old)
	if err := m.Delete(old); err != nil {
		t.Fatal(err)
	}
	found(c.ID)
}

// A question that is open again as the user went back is waited for from then on.
func TestStaleAfterGoingBack(t *testing.T) {
	m := NewManager(openRoot(t, memory(t)), Options{})
	now := noon
	m.now = func() time.Time { return now }
	asking := turn("a", noon)
	asking.Question = "Which?"
	c, _ := say(t, m, asking)
	say(t, m, turn("b", at(1)))
	now = at(600)
	if err := m.Fork(c.ID, "b"); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		minutes int
		dropped bool
	}{{600, false}, {660, false}, {661, true}, {900, false}} {
		dropped, err := m.DropStale(at(x.minutes), time.Hour)
		if err != nil || (dropped != nil) != x.dropped {
			t.Errorf("after %d minutes: dropped %v, %v", x.minutes, dropped, err)
		}
		if dropped != nil && !dropped.Asked.Equal(noon) {
			t.Errorf("asked at %v", dropped.Asked)
		}
	}
}
