package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

// lines is a file as read_file gives it, from line first on.
func lines(first, n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d: %s %d\n", first+i, text, first+i)
	}
	return b.String()
}

// asked is a call and its result.
func asked(id, tool, args, result string) []llm.Message {
	return []llm.Message{
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Name: tool, Arguments: args}}},
		{Role: llm.RoleTool, ToolCallID: id, ToolName: tool, Content: result},
	}
}

func rereadable(tool string) bool { return tool != "edit_file" && tool != "delegate" }

func TestShortenedResults(t *testing.T) {
	long := lines(1, 2000, "the text of this line goes on for a while, as lines do, number")
	for _, c := range []struct {
		name, tool, args, result string
		says                     []string
		starts, ends             string
	}{
		{
			"a note", "read_file", `{"path":"a.md"}`, long,
			[]string{"[… 143,890 of 145,786 characters left out to save room; call read_file again with {", `"path":"a.md"`, `"start_line":22`, `"end_line":1994`},
			"1: the text", "number 2000\n",
		},
		{"a part of a note", "read_file", `{"path":"a.md","start_line":500,"end_line":900}`, lines(500, 401, "a line that is neither long nor short, number"), []string{`"start_line":52`, `"end_line":89`}, "500: a", "number 900\n"},
		{"one line", "read_file", `{"path":"a.md"}`, "1: " + strings.Repeat("x", 9000) + "\n[... truncated, showing lines 1-1, total lines in file: 5; continue with start_line=2]", []string{`"start_line":1`}, "1: xx", "continue with start_line=2]"},
		{"a search", "search_files", `{"pattern":"budget"}`, "Found 9 matching file(s):\n" + strings.Repeat("## some/note.md\nLine 1: x\n", 500), []string{`call search_files again with {"pattern":"budget"} to see them]`}, "Found 9", "Line 1: x\n"},
		{"long arguments", "search_files", `{"pattern":"` + strings.Repeat("b", 300) + `"}`, strings.Repeat("hit\n", 3000), []string{"call search_files again with the same arguments to see them]"}, "hit", "hit\n"},
		{"no arguments", "list_files", "{}", strings.Repeat("[file] a.md\n", 1000), []string{"call list_files again with the same arguments"}, "[file]", "a.md\n"},
		{"a change", "edit_file", `{"path":"a.md"}`, strings.Repeat("+ line\n", 2000), []string{"characters left out to save room]"}, "+ line", "+ line\n"},
		{"a sub-agent", "delegate", `{"task":"t"}`, strings.Repeat("finding\n", 2000), []string{"characters left out to save room]"}, "finding", "finding\n"},
		{"wide characters", "read_file", `{"path":"ö.md"}`, "1: " + strings.Repeat("同じ", 3000), []string{"of 6,003 characters", `{"path":"ö.md","start_line":1}`}, "1: 同", "同じ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			messages := asked("1", c.tool, c.args, c.result)
			s := shortener{map[string]int{"1": keptOfResult}, rereadable}
			got := s.apply(messages)
			text := got[1].Content
			if !utf8.ValidString(text) || len(text) > keptOfResult+600 || len(text) < keptOfResult/2 {
				t.Errorf("%d bytes remain: %q", len(text), text)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in %q", want, text)
				}
			}
			if !strings.HasPrefix(text, c.starts) || !strings.HasSuffix(text, c.ends) {
				t.Errorf("head or tail is missing: %q", text)
			}
			if messages[1].Content != c.result {
				t.Error("the history itself was changed")
			}
			if again := s.apply(got); again[1].Content != text {
				t.Errorf("shortened twice: %q", again[1].Content)
			}
			// What the note says to call is a call that can be made.
			if _, args, ok := strings.Cut(text, " again with {"); ok {
				args, _, _ = strings.Cut(args, "} to see")
				if !json.Valid([]byte("{" + args + "}")) {
					t.Errorf("arguments {%s}", args)
				}
			}
		})
	}
	failed := asked("1", "read_file", "{}", strings.Repeat("Error: ", 2000))
	failed[1].IsError = true
	if text := (shortener{map[string]int{"1": 2000}, rereadable}).apply(failed)[1].Content; strings.Contains(text, "again") {
		t.Errorf("a failed call is to be repeated: %.100q", text)
	}
}

// TestReadBetween: what the note names is exactly what is missing.
func TestReadBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, n := rapid.IntRange(1, 5000).Draw(t, "first"), rapid.IntRange(150, 600).Draw(t, "lines")
		text := lines(first, n, strings.Repeat("word ", rapid.IntRange(4, 30).Draw(t, "words")))
		keep := rapid.SampledFrom([]int{800, 2000, 4000}).Draw(t, "keep")
		var args struct {
			Start int `json:"start_line"`
			End   int `json:"end_line"`
		}
		short := shorten(text, keep, func(before, after string) string {
			s, ok := readBetween(`{"path":"a.md","start_line":1,"end_line":2}`, before, after)
			if !ok || json.Unmarshal([]byte(s), &args) != nil {
				t.Fatalf("%q between %q and %q", s, before, after)
			}
			return s
		})
		for i := first; i < first+n; i++ {
			there := strings.Contains("\n"+short, fmt.Sprintf("\n%d: word", i))
			if missing := args.Start <= i && i <= args.End; missing == there {
				t.Fatalf("line %d: there %v, named as missing %v (%d-%d)", i, there, missing, args.Start, args.End)
			}
		}
	})
}

// histories draws valid histories: turns of questions, steps with calls and results of all
// sizes, messages that were folded in, and at the end either a question or the newest step.
var histories = rapid.Custom(func(t *rapid.T) []llm.Message {
	id := 0
	step := func() []llm.Message {
		n := rapid.IntRange(1, 3).Draw(t, "calls")
		call := llm.Message{Role: llm.RoleAssistant, Content: rapid.SampledFrom([]string{"", "Looking."}).Draw(t, "says")}
		out := []llm.Message{{}}
		for range n {
			id++
			c := llm.ToolCall{ID: fmt.Sprint(id), Name: rapid.SampledFrom([]string{"read_file", "search_files", "edit_file", "delegate"}).Draw(t, "tool"), Arguments: `{"path":"a.md"}`}
			call.ToolCalls = append(call.ToolCalls, c)
			size := rapid.SampledFrom([]int{1, 100, 3000, 3500, 9000, 60_000}).Draw(t, "size")
			text := rapid.SampledFrom([]string{"12: text\n", "x", "同じ", "é\n"}).Draw(t, "text")
			out = append(out, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: strings.Repeat(text, size/len(text)+1), IsError: rapid.Bool().Draw(t, "failed")})
		}
		out[0] = call
		return out
	}
	out := []llm.Message{{Role: llm.RoleSystem, Content: "You are."}}
	for range rapid.IntRange(0, 3).Draw(t, "turns") {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: strings.Repeat("Question. ", rapid.IntRange(1, 3000).Draw(t, "question"))})
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			out = append(out, step()...)
		}
		out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "Answer."})
	}
	out = append(out, llm.Message{Role: llm.RoleUser, Content: "Now this."})
	for range rapid.IntRange(0, 4).Draw(t, "steps of the turn") {
		out = append(out, step()...)
		if rapid.IntRange(0, 4).Draw(t, "folded") == 0 {
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "And that."})
		}
	}
	return out
})

// TestBoundedHistory: whatever the history and the room, it stays valid, nothing but results
// changes, nothing grows, what is under the mark stays as it is, results the model has not seen
// stay whole as long as others can go, and doing it again changes no byte.
func TestBoundedHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := histories.Draw(t, "history")
		s := shortener{map[string]int{}, rereadable}
		total := historyTokens(messages)
		low := rapid.IntRange(0, total+10).Draw(t, "low")
		after := s.earlier(messages, total, low)
		got := s.apply(messages)
		if n := historyTokens(got); n != after || n > total {
			t.Fatalf("%d tokens were said to remain of %d, %d do", after, total, n)
		}
		if total <= low && len(s.kept) > 0 {
			t.Fatalf("%d of %d tokens: shortened %v", total, low, s.kept)
		}
		checkBounded(t, messages, got, newestStep(messages))
		if after > low { // nothing more of earlier steps can go
			for i, m := range got[:newestStep(messages)] {
				if m.Role == llm.RoleTool && len(m.Content) > keptOfResult+worthIt {
					t.Fatalf("%d tokens, wanted %d, and message %d has %d bytes", after, low, i, len(m.Content))
				}
			}
		}
		if s.earlier(messages, after, low) != after || !slices.EqualFunc(s.apply(got), got, equalMessages) || !slices.EqualFunc(s.apply(messages), got, equalMessages) {
			t.Fatal("doing it again changes something")
		}
		limit := rapid.IntRange(0, total+10).Draw(t, "limit")
		kept := maps.Clone(s.kept)
		last := s.newest(messages, after, limit)
		end := s.apply(messages)
		if n := historyTokens(end); n != last || n > after || after <= limit && !maps.Equal(kept, s.kept) {
			t.Fatalf("%d tokens were said to remain of %d, %d do; limit %d", last, after, n, limit)
		}
		checkBounded(t, messages, end, len(messages))
		s.forget(messages)
		if !slices.EqualFunc(s.apply(messages), end, equalMessages) {
			t.Fatal("what is still there was forgotten")
		}
		s.forget(nil)
		if len(s.kept) > 0 {
			t.Fatalf("what is gone is remembered: %v", s.kept)
		}
	})
}

func equalMessages(a, b llm.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.Context == b.Context && a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls)
}

func checkBounded(t *rapid.T, before, after []llm.Message, untouched int) {
	if f := faults(after); len(f) > 0 {
		t.Fatalf("no valid history: %v", f)
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
		case len(m.Content) >= len(was.Content) || messageTokens(m) >= messageTokens(was) || !utf8.ValidString(m.Content):
			t.Fatalf("message %d grew from %d to %d bytes", i, len(was.Content), len(m.Content))
		}
		m.Content = was.Content
		if !equalMessages(m, was) {
			t.Fatalf("message %d: more than its content changed", i)
		}
	}
}

// TestCoarseSteps: while a turn goes on, what was sent before changes only when the high-water
// mark is passed, and what was shortened has the same bytes ever after.
func TestCoarseSteps(t *testing.T) {
	room := roomIn(20_000)
	s := shortener{map[string]int{}, rereadable}
	messages := []llm.Message{{Role: llm.RoleSystem, Content: "You are."}, {Role: llm.RoleUser, Content: "Read them all."}}
	var sent []llm.Message
	changes, steps := 0, 15
	for i := range steps {
		messages = append(messages, asked(fmt.Sprint(i), "read_file", fmt.Sprintf(`{"path":"%d.md"}`, i), lines(1, 500, "a line"))...)
		total := historyTokens(s.apply(messages))
		before := len(s.kept)
		if total > room.shorten {
			s.earlier(messages, total, room.shortened)
		} else if !slices.EqualFunc(s.apply(messages)[:len(sent)], sent, equalMessages) {
			t.Fatalf("step %d: what was sent before changed under the mark", i)
		}
		now := s.apply(messages)
		if len(s.kept) > before {
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
		t.Errorf("%d changes of what was sent in %d steps", changes, steps)
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		sizes  []int
		recent int
		want   int
	}{
		{nil, 100, 0},
		{[]int{10, 10, 10}, 100, 0},
		{[]int{10, 10, 10}, 25, 1},
		{[]int{10, 10, 10}, 0, 3},
		{[]int{10, 200, 10}, 100, 2},
		{[]int{10, 10, 200}, 100, 3}, // none newer than one that does not fit stays
	} {
		if got := older(c.sizes, c.recent); got != c.want {
			t.Errorf("%v with room for %d: %d, want %d", c.sizes, c.recent, got, c.want)
		}
	}
}

func TestNewestStep(t *testing.T) {
	system, user, answer := llm.Message{Role: llm.RoleSystem}, llm.Message{Role: llm.RoleUser}, llm.Message{Role: llm.RoleAssistant}
	step := asked("1", "read_file", "{}", "x")
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
