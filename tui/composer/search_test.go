package composer

import (
	"strings"
	"testing"
)

func remembered(texts ...string) *Model {
	m := newTest()
	m.SetSize(60, 5)
	m.SetHistory(texts)
	return m
}

func TestSearchingTheHistory(t *testing.T) {
	for _, tt := range []struct {
		name string
		keys []string
		want string // expected match
	}{
		{"the newest first", []string{"ctrl+r", "plum"}, "plum jam"},
		{"an earlier one", []string{"ctrl+r", "plum", "ctrl+r"}, "PLUM tart"},
		{"there is no earlier one", []string{"ctrl+r", "plum", "ctrl+r", "ctrl+r", "ctrl+r"}, "PLUM tart"},
		{"and back", []string{"ctrl+r", "plum", "ctrl+r", "down"}, "plum jam"},
		{"letter by letter", []string{"ctrl+r", "t", "a"}, "a cherry tart"},
		{"a letter less", []string{"ctrl+r", "plum", "q", "backspace"}, "plum jam"},
		{"nothing asked", []string{"ctrl+r"}, "plum jam"},
		{"nothing asked, an earlier one", []string{"ctrl+r", "ctrl+r"}, "a cherry tart"},
		{"nothing", []string{"ctrl+r", "quince"}, ""},
		{"from the newest again", []string{"ctrl+r", "plum", "ctrl+r", "ctrl+u", "tart"}, "a cherry tart"},
	} {
		m := remembered("PLUM tart", "a cherry tart", "plum jam", "plum jam")
		press(m, "my draft")
		press(m, tt.keys...)
		if !m.Searching() || m.Value() != "my draft" {
			t.Errorf("%s: searching %v, %q is written", tt.name, m.Searching(), m.Value())
		}
		want := tt.want
		if want == "" {
			want = "No matches"
		}
		if got := screenOf(m); !strings.Contains(got, "⌕ ") || !strings.Contains(got, want) {
			t.Errorf("%s: it shows\n%s", tt.name, got)
		}
		m.TakeFound()
		if want = tt.want; want == "" {
			want = "my draft"
		}
		if m.Value() != want || m.Searching() {
			t.Errorf("%s: %q is taken, want %q", tt.name, m.Value(), want)
		}
	}
}

// Leaving the search restores the draft. An accepted match is a position in the history, from which Down returns to
// the draft.
func TestSearchKeepsTheDraft(t *testing.T) {
	m := remembered("one", "two", "three")
	press(m, "dr", "ctrl+r", "one")
	m.LeaveSearch()
	press(m, "aft")
	if m.Value() != "draft" {
		t.Errorf("after leaving: %q", m.Value())
	}
	press(m, "ctrl+r", "one")
	m.TakeFound()
	press(m, "down")
	if m.Value() != "two" {
		t.Errorf("a later one: %q", m.Value())
	}
	press(m, "down", "down")
	if m.Value() != "draft" {
		t.Errorf("the draft: %q", m.Value())
	}
	press(m, "ctrl+r", "two", "right") // any other key accepts the match and keeps its own effect
	if m.Searching() || m.Value() != "two" {
		t.Errorf("→ takes %q", m.Value())
	}
}

// The match is visible in a long line at any width.
func TestWhatIsFoundIsInSight(t *testing.T) {
	m := remembered(strings.Repeat("界", 100) + " needle " + strings.Repeat("x", 100))
	for _, width := range []int{10, 20, 40, 80} {
		m.SetSize(width, 3)
		m.LeaveSearch()
		press(m, "ctrl+r", "needle")
		for _, line := range strings.Split(screenOf(m), "\n") {
			if len([]rune(line)) > width {
				t.Errorf("%d cells in %d: %q", len([]rune(line)), width, line)
			}
		}
		if width > 10 && !strings.Contains(strings.SplitN(screenOf(m), "\n", 2)[1], "needle") {
			t.Errorf("at %d:\n%s", width, screenOf(m))
		}
	}
}

// The history is loaded in the background: a running search keeps its match, or finds one then.
func TestHistoryComesWhileItIsSearched(t *testing.T) {
	for query, want := range map[string]string{"plum": "plum jam", "cherry": "a cherry tart"} {
		m := newTest()
		m.SetSize(60, 5)
		m.Remember("plum jam")
		m.Search()
		m.lookFor(query)
		m.SetHistory([]string{"PLUM tart", "a cherry tart"})
		if m.TakeFound(); m.Value() != want {
			t.Errorf("%s: %q, want %q", query, m.Value(), want)
		}
	}
}
