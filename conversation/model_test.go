package conversation

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// modelled is what should be stored of a conversation.
type modelled struct {
	turns   string
	last    time.Time
	ended   bool
	pending bool
}

// TestAgainstAModel drives two processes' managers through messages, failures, stops,
// questions, ends, time jumps, restarts, torn lines and damage to the index, and compares what
// is stored with a small model after each.
func TestAgainstAModel(t *testing.T) {
	const timeout = 30 * time.Minute
	base := memory(t)
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(base, fmt.Sprint(runs))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = root.Close(); _ = os.RemoveAll(dir) }()

		now := noon
		fresh := func() *Manager { return NewManager(root, Options{IdleTimeout: timeout}) }
		managers := []*Manager{fresh(), fresh()}
		var all []*modelled // in order of their making
		var open *modelled
		turns := 0
		pick := func() *Manager { return managers[rapid.IntRange(0, 1).Draw(t, "process")] }
		begin := func(m *Manager) *Conversation {
			if open != nil && open.turns != "" && !open.pending && now.Sub(open.last) > timeout {
				open.ended = true
				open = nil
			}
			c, _, err := m.Begin(now)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if open != nil {
				want = open.turns
			}
			if got := ids(c); got != want {
				t.Fatalf("the turn sees %q, want %q", got, want)
			}
			return c
		}
		message := func(change func(*Turn)) {
			m := pick()
			c := begin(m)
			turns++
			turn := turn(fmt.Sprintf("t%d", turns), now)
			change(&turn)
			if err := m.Append(c.ID, turn); err != nil {
				t.Fatal(err)
			}
			if open == nil {
				open = &modelled{}
				all = append(all, open)
			} else {
				open.turns += " "
			}
			open.turns += turn.ID
			open.last, open.pending = now, turn.Question != ""
		}
		index := filepath.Join(dir, indexFile)
		t.Repeat(map[string]func(*rapid.T){
			"message": func(*rapid.T) { message(func(*Turn) {}) },
			"failure": func(*rapid.T) { message(func(t *Turn) { t.Failed, t.Error = true, "no network" }) },
			"question": func(*rapid.T) {
				message(func(t *Turn) { t.Question = "Which?" })
			},
			"stopped": func(*rapid.T) { begin(pick()) },
			"compaction": func(t *rapid.T) { // changes nothing of what is told here
				if open == nil || open.turns == "" {
					t.Skip()
				}
				m := pick()
				c, err := m.Active()
				if err != nil {
					t.Fatal(err)
				}
				through := c.Turns[rapid.IntRange(0, len(c.Turns)-1).Draw(t, "through")]
				x := Compaction{Through: through.ID, Summary: "up to " + through.ID, Time: now.Add(time.Hour)}
				if err := m.Compact(c.ID, x); err != nil {
					t.Fatal(err)
				}
				for _, m := range managers {
					if c, err := m.Active(); err != nil || c.Compaction == nil || *c.Compaction != x {
						t.Fatalf("compacted %+v, %v", c, err)
					}
				}
			},
			"end": func(t *rapid.T) {
				if _, err := pick().End(now, "new"); err != nil {
					t.Fatal(err)
				}
				if open != nil {
					open.ended, open = true, nil
				}
			},
			"time passes": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(-5, 40).Draw(t, "minutes"))*time.Minute + time.Second)
			},
			"restart": func(t *rapid.T) { managers[rapid.IntRange(0, 1).Draw(t, "which")] = fresh() },
			"index lost": func(*rapid.T) {
				_ = os.Remove(index)
			},
			"index broken": func(t *rapid.T) {
				if data, err := os.ReadFile(index); err == nil {
					data = data[:rapid.IntRange(0, len(data)-2).Draw(t, "cut")]
					if err := os.WriteFile(index, data, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			},
			"turn without index": func(t *rapid.T) { // killed between the two
				before, err := os.ReadFile(index)
				message(func(*Turn) {})
				if err == nil {
					err = os.WriteFile(index, before, 0o600)
				} else {
					err = os.Remove(index)
				}
				if err != nil {
					t.Fatal(err)
				}
			},
			"torn line": func(t *rapid.T) { // killed while appending
				if open == nil {
					t.Skip()
				}
				c, err := managers[0].Active()
				if err != nil || c == nil {
					t.Fatal(c, err)
				}
				f, err := os.OpenFile(filepath.Join(dir, file(c.ID)), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteString(`{"type":"turn","tu`); err != nil {
					t.Fatal(err)
				}
				_ = f.Close()
			},
			"": func(t *rapid.T) {
				for i, m := range managers {
					c, err := m.Active()
					if err != nil {
						t.Fatal(err)
					}
					want := "-"
					if open != nil {
						want = open.turns
					}
					if got := ids(c); got != want {
						t.Fatalf("process %d: active is %q, want %q", i, got, want)
					}
				}
			},
		})
		list, err := managers[0].List()
		if err != nil || len(list) != len(all) {
			t.Fatalf("%d listed, want %d: %v", len(list), len(all), err)
		}
		stored := map[string]bool{}
		for _, e := range list {
			c, err := managers[0].store.load(e.ID)
			if err != nil {
				t.Fatal(err)
			}
			stored[fmt.Sprint(ids(c.Conversation), c.Ended.IsZero())] = true
		}
		for _, c := range all {
			if !stored[fmt.Sprint(c.turns, !c.ended)] {
				t.Fatalf("%q, ended %v, is not stored so: %v", c.turns, c.ended, stored)
			}
		}
	})
}
