package window

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
	"chatvault/internal/base/picture"
	"chatvault/internal/llmtest/historytest"
)

// lines returns the output of read_file for n lines from line first on.
func lines(first, n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d: %s %d\n", first+i, text, first+i)
	}
	return b.String()
}

func rereadable(tool string) bool { return tool != "edit_file" && tool != "delegate" }

func TestShortenedResults(t *testing.T) {
	long := lines(1, 2000, "the text of this line goes on for a while, as lines do, number")
	for _, c := range []struct {
		name, tool, args, result string
		contains                 string
		starts, ends             string
	}{
		{"a note", "read_file", `{"path":"a.md"}`, long, "[… 143,786 of 145,786 characters left out to save room; call read_file again for that part]", "1: the text", "number 2000\n"},
		{"one line", "read_file", `{"path":"a.md"}`, "1: " + strings.Repeat("x", 9000) + "\n[... truncated, showing lines 1-1, total lines in file: 5; continue with start_line=2]", "call read_file again", "1: xx", "continue with start_line=2]"},
		{"a search", "search_files", `{"pattern":"budget"}`, "Found 9 matching file(s):\n" + strings.Repeat("## some/note.md\nLine 1: x\n", 500), "call search_files again for that part]", "Found 9", "Line 1: x\n"},
		{"a change", "edit_file", `{"path":"a.md"}`, strings.Repeat("+ line\n", 2000), "characters left out to save room]", "+ line", "+ line\n"},
		{"a sub-agent", "delegate", `{"task":"t"}`, strings.Repeat("finding\n", 2000), "characters left out to save room]", "finding", "finding\n"},
		{"wide characters", "read_file", `{"path":"ö.md"}`, "1: " + strings.Repeat("同じ", 3000), "of 6,003 characters", "1: 同", "同じ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			messages := historytest.Asked("1", c.tool, c.args, c.result)
			s := Shortener{map[string]int{"1": keptOfResult}, rereadable}
			got := s.Apply(messages)
			text := got[1].Content
			if !utf8.ValidString(text) || len(text) > keptOfResult+600 || len(text) < keptOfResult/2 {
				t.Errorf("%d bytes remain: %q", len(text), text)
			}
			if !strings.Contains(text, c.contains) {
				t.Errorf("%q is missing in %q", c.contains, text)
			}
			if !strings.HasPrefix(text, c.starts) || !strings.HasSuffix(text, c.ends) {
				t.Errorf("head or tail is missing: %q", text)
			}
			if messages[1].Content != c.result {
				t.Error("the history itself was changed")
			}
			if again := s.Apply(got); again[1].Content != text {
				t.Errorf("shortened twice: %q", again[1].Content)
			}
		})
	}
	failed := historytest.Asked("1", "read_file", "{}", strings.Repeat("Error: ", 2000))
	failed[1].IsError = true
	if text := (Shortener{map[string]int{"1": 2000}, rereadable}).Apply(failed)[1].Content; strings.Contains(text, "again") {
		t.Errorf("the note suggests repeating a failed call: %.100q", text)
	}
}

// TestBoundedHistory: for any history and window, the history stays valid; only results are shortened; the untouched
// part is unchanged; results that the model has not seen stay complete as long as others can be shortened; and
// shortening again changes nothing.
func TestBoundedHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := historytest.Histories.Draw(t, "history")
		s := Shortener{map[string]int{}, rereadable}
		total := HistoryTokens(messages)
		low := rapid.IntRange(0, total+10).Draw(t, "low")
		after := s.Earlier(messages, total, low)
		got := s.Apply(messages)
		if n := HistoryTokens(got); n != after || n > total {
			t.Fatalf("%d of %d tokens reported as remaining, actually %d", after, total, n)
		}
		if total <= low && len(s.Kept) > 0 {
			t.Fatalf("%d of %d tokens: shortened %v", total, low, s.Kept)
		}
		checkBounded(t, messages, got, newestStep(messages))
		if after > low { // earlier steps cannot be shortened further
			for i, m := range got[:newestStep(messages)] {
				if m.Role == llm.RoleTool && len(m.Content) > keptOfResult+WorthIt {
					t.Fatalf("%d tokens, wanted %d, and message %d has %d bytes", after, low, i, len(m.Content))
				}
			}
		}
		if s.Earlier(messages, after, low) != after || !slices.EqualFunc(s.Apply(got), got, historytest.EqualMessages) || !slices.EqualFunc(s.Apply(messages), got, historytest.EqualMessages) {
			t.Fatal("shortening again changes the history")
		}
		limit := rapid.IntRange(0, total+10).Draw(t, "limit")
		kept := maps.Clone(s.Kept)
		last := s.All(messages, after, limit)
		end := s.Apply(messages)
		if n := HistoryTokens(end); n != last || n > after || after <= limit && !maps.Equal(kept, s.Kept) {
			t.Fatalf("%d of %d tokens reported as remaining, actually %d; limit %d", last, after, n, limit)
		}
		checkBounded(t, messages, end, len(messages))
		s.Forget(messages)
		if !slices.EqualFunc(s.Apply(messages), end, historytest.EqualMessages) {
			t.Fatal("a call still in the history was forgotten")
		}
		s.Forget(nil)
		if len(s.Kept) > 0 {
			t.Fatalf("a dropped call is remembered: %v", s.Kept)
		}
	})
}

func checkBounded(t *rapid.T, before, after []llm.Message, untouched int) {
	if f := historytest.Faults(after); len(f) > 0 {
		t.Fatalf("invalid history: %v", f)
	}
	if len(after) != len(before) {
		t.Fatalf("%d messages of %d", len(after), len(before))
	}
	for i, m := range after {
		was := before[i]
		switch {
		case m.Content == was.Content:
		case m.Role != llm.RoleTool:
			t.Fatalf("message %d (%s) changed", i, m.Role)
		case untouched < len(after) && i >= untouched:
			t.Fatalf("message %d is of the newest step and changed", i)
		case len(m.Content) >= len(was.Content) || MessageTokens(m) >= MessageTokens(was) || !utf8.ValidString(m.Content):
			t.Fatalf("message %d grew from %d to %d bytes", i, len(was.Content), len(m.Content))
		}
		m.Content = was.Content
		if !historytest.EqualMessages(m, was) {
			t.Fatalf("message %d: more than its content changed", i)
		}
	}
}

// TestCoarseSteps: during a turn, messages already sent change only when the high-water mark is passed, and shortened
// results keep their bytes from then on, so that prompt caches hold.
func TestCoarseSteps(t *testing.T) {
	room := RoomIn(20_000)
	s := Shortener{map[string]int{}, rereadable}
	messages := []llm.Message{{Role: llm.RoleSystem, Content: "You are."}, {Role: llm.RoleUser, Content: "Read them all."}}
	var sent []llm.Message
	changes, steps := 0, 15
	for i := range steps {
		messages = append(messages, historytest.Asked(fmt.Sprint(i), "read_file", fmt.Sprintf(`{"path":"%d.md"}`, i), lines(1, 500, "a line"))...)
		total := HistoryTokens(s.Apply(messages))
		before := len(s.Kept)
		if total > room.Shorten {
			s.Earlier(messages, total, room.Shortened)
		} else if !slices.EqualFunc(s.Apply(messages)[:len(sent)], sent, historytest.EqualMessages) {
			t.Fatalf("step %d: sent messages changed below the high-water mark", i)
		}
		now := s.Apply(messages)
		if len(s.Kept) > before {
			changes++
		}
		for j := range sent {
			if sent[j].Content != messages[j].Content && sent[j].Content != now[j].Content {
				t.Fatalf("step %d: the short form of message %d changed", i, j)
			}
		}
		sent = now
	}
	if changes < 2 || changes > steps/3 {
		t.Errorf("%d changes of sent messages in %d steps", changes, steps)
	}
}

func TestNewestStep(t *testing.T) {
	system, user, answer := llm.Message{Role: llm.RoleSystem}, llm.Message{Role: llm.RoleUser}, llm.Message{Role: llm.RoleAssistant}
	step := historytest.Asked("1", "read_file", "{}", "x")
	for name, c := range map[string]struct {
		messages []llm.Message
		want     int
	}{
		"nothing":       {nil, 0},
		"a question":    {[]llm.Message{system, user}, 2},
		"a step":        {slices.Concat([]llm.Message{system, user}, step), 2},
		"two steps":     {slices.Concat([]llm.Message{system, user}, step, step), 4},
		"folded":        {slices.Concat([]llm.Message{system, user}, step, []llm.Message{user}), 2},
		"the next turn": {slices.Concat([]llm.Message{system, user}, step, []llm.Message{answer, user}), 6},
		"after a pause": {slices.Concat([]llm.Message{system, user}, step, []llm.Message{answer}), 5},
	} {
		if got := newestStep(c.messages); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestMediaDropped: media from answered messages are dropped first, the oldest first, and the task's last; each is
// named.
func TestMediaDropped(t *testing.T) {
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	media := func(name string) []llm.Media {
		return []llm.Media{{Info: picture.Info{Kind: "PNG", Type: picture.PNG, Tokens: 1500, Hash: name}, Name: name}}
	}
	step := historytest.Asked("1", "read_file", `{"path":"b.png"}`, strings.Repeat("long ", 2000))
	step[1].Media = media("b.png")
	messages := slices.Concat([]llm.Message{{Role: llm.RoleSystem, Content: "You are."}, {Role: llm.RoleUser, Time: at, Content: "look", Media: media("a.png")}}, step,
		[]llm.Message{{Role: llm.RoleAssistant, Content: "Seen."}, {Role: llm.RoleUser, Time: at.Add(time.Hour), Content: "again", Media: media("a.png")}})
	shown := func(s Shortener) (names string) {
		for _, m := range s.Apply(messages) {
			for _, x := range m.Media {
				if x.Why == "" {
					names += x.Name + " "
				} else if !strings.Contains(x.Unshown(), x.Name) || !strings.Contains(x.Unshown(), "read_file shows it again") {
					t.Errorf("%q", x.Unshown())
				}
			}
		}
		return strings.TrimSpace(names)
	}
	s := Shortener{map[string]int{}, rereadable}
	total := HistoryTokens(messages)
	if total < 3*1500+2500 {
		t.Fatalf("pictures are not counted: %d", total)
	}
	for _, c := range []struct {
		below int
		want  string
		whole bool
	}{{0, "a.png b.png a.png", true}, {100, "b.png a.png", true}, {1600, "a.png", true}, {4000, "a.png", false}} {
		got := s.Earlier(messages, HistoryTokens(s.Apply(messages)), total-c.below)
		if now := HistoryTokens(s.Apply(messages)); shown(s) != c.want || got != now || (len(s.Apply(messages)[3].Content) == len(messages[3].Content)) != c.whole {
			t.Errorf("%d less: %q remains, %d reported as %d", c.below, shown(s), now, got)
		}
	}
	if got := s.All(messages, HistoryTokens(s.Apply(messages)), 10); shown(s) != "" || got != HistoryTokens(s.Apply(messages)) {
		t.Errorf("%q stays", shown(s))
	}
	s.Forget(messages[5:])
	if len(s.Kept) != 1 || shown(s) != "a.png b.png" {
		t.Errorf("%v", s.Kept)
	}
}
