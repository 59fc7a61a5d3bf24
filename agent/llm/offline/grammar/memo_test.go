package grammar_test

import (
	"fmt"
	"testing"
	"time"

	"chatvault/agent/llm/offline/grammar"
)

// TestWhatIsRememberedCannotBeChanged: commands are the caller's own, also of a text that was
// parsed before, and what they mean depends on the time.
func TestWhatIsRememberedCannotBeChanged(t *testing.T) {
	const text = "add the list to Home, then show Gran"
	want := fmt.Sprintf("%+v", grammar.Parse(text, now))
	first := grammar.Parse(text, now)
	if len(first) != 2 || len(first[0].Others) == 0 {
		t.Fatalf("%+v", first)
	}
	first[0].Note = "other"
	for i := range first[0].Others {
		first[0].Others[i].Note = "other"
	}
	_ = append(first[:1], first[0])
	if got := fmt.Sprintf("%+v", grammar.Parse(text, now)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	a, b := grammar.Parse("notes from yesterday", now), grammar.Parse("notes from yesterday", now.Add(24*time.Hour))
	if a[0].When.From.Equal(b[0].When.From) {
		t.Error("yesterday is always the same day")
	}
	for i := range 150 { // more than are remembered
		name := fmt.Sprintf("Note%d", i)
		if got := grammar.Parse("show "+name, now); len(got) != 1 || got[0].Note != name {
			t.Fatalf("%d: %+v", i, got)
		}
	}
}
