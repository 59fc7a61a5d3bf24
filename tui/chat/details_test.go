package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/text"
	"chatvault/tui/theme"
)

func plain(lines []string) string { return ansi.Strip(strings.Join(lines, "\n")) }

// Streamed reasoning is drawn like complete reasoning, at any width.
func TestStreamedReasoningIsDrawnLikeTheWhole(t *testing.T) {
	env := testEnv(theme.Dark)
	env.Details = true
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "word", "some words ", " ", "\n", "\n\n", "日本語", "é", strings.Repeat("long ", 300), strings.Repeat("endless", 100),
		}), 1, 30).Draw(t, "words")
		grown, whole := NewReasoning(env, noon), NewReasoning(env, noon)
		for i, w := range words {
			grown.Append(w)
			if i%3 == 0 {
				grown.Lines(rapid.IntRange(5, 90).Draw(t, "another width"))
			}
		}
		whole.Append(strings.Join(words, ""))
		width := rapid.IntRange(1, 90).Draw(t, "width")
		for _, r := range []*Reasoning{grown, whole} {
			r.Finish(noon)
		}
		if got, want := grown.Lines(width), whole.Lines(width); !slices.Equal(got, want) {
			t.Fatalf("grown:\n%s\nwhole:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// The drawn reasoning is bounded.
func TestReasoningIsBounded(t *testing.T) {
	env := testEnv(theme.Dark)
	env.Details = true
	r := NewReasoning(env, noon)
	for i := range 40_000 {
		r.Append(fmt.Sprintf("Step %d is considered.\n", i))
	}
	lines := r.Lines(80)
	if len(lines) > maxWholeLines+2 {
		t.Errorf("%d lines are drawn", len(lines))
	}
	if got := plain(lines[len(lines)-1:]); !strings.Contains(got, "more") {
		t.Errorf("it is not said that there is more: %q", got)
	}
	env.Details, env.Frame = false, env.Frame+1
	if got := plain(r.Lines(80)); !strings.HasSuffix(got, " Thinking… 3s") {
		t.Errorf("folded: %q", got)
	}
	least := time.Hour // the fastest frame, since the machine may be busy
	for range 200 {
		env.Frame++
		began := time.Now()
		r.Lines(80)
		least = min(least, time.Since(began))
	}
	if least > 2*time.Millisecond {
		t.Errorf("a frame of folded reasoning takes %v", least)
	}
}

func TestReasoningUnfoldsAndFolds(t *testing.T) {
	env := testEnv(theme.Dark)
	r := NewReasoning(env, noon)
	if got := r.Lines(60); len(got) != 0 {
		t.Errorf("reasoning of no words shows %q", got)
	}
	r.Append("First I look at the tart.\nThen at the ja")
	r.Append("m.")
	r.Finish(noon.Add(12 * time.Second))
	if got := plain(r.Lines(60)); got != "∴ Thought for 12s" {
		t.Errorf("folded: %q", got)
	}
	env.Details = true
	if got := plain(r.Lines(60)); got != "∴ Thought for 12s\n  First I look at the tart.\n  Then at the jam." {
		t.Errorf("unfolded: %q", got)
	}
	env.Details = false
	if got := r.Lines(60); len(got) != 1 {
		t.Errorf("folded again: %q", got)
	}
	r.Withdraw()
	for _, env.Details = range []bool{true, false} {
		if got := r.Lines(60); len(got) != 0 {
			t.Errorf("withdrawn it shows %q", got)
		}
	}
}

func TestAReportIsShownWhole(t *testing.T) {
	env := testEnv(theme.Dark)
	env.Details = true
	d := delegate(env, ToolRunning)
	d.Gave(strings.Repeat("a line of the report\n", 50))
	if n := strings.Count(plain(d.Lines(80)), "a line of the report"); n != 50 {
		t.Errorf("%d of 50 lines of a report are shown", n)
	}
	r := tool(env, ToolDone)
	r.Gave(strings.Repeat("x", maxExcerpt) + "\nand\nmore\n")
	got := plain(r.Lines(80))
	if n := strings.Count(got, "\n"); n != maxResult+2 {
		t.Errorf("a long result takes %d lines", n)
	}
	if !strings.HasSuffix(got, "…") {
		t.Errorf("it is not said what is left out: %q", got[len(got)-40:])
	}
}

// Details show the beginning of a long result; unfolded alone it is shown whole.
func TestALongResultIsShownWholeWhenUnfoldedAlone(t *testing.T) {
	env := testEnv(theme.Dark)
	r := tool(env, ToolDone)
	r.Gave(strings.Repeat("a line\n", 300))
	lines := func() int { return strings.Count(plain(r.Lines(80)), "a line") }
	if lines() != 0 {
		t.Errorf("folded, %d lines are shown", lines())
	}
	env.Details = true
	if lines() != maxResult {
		t.Errorf("in details, %d lines are shown", lines())
	}
	env.Details = false
	r.Flip()
	if lines() != 300 || strings.Contains(plain(r.Lines(80)), "more line") {
		t.Errorf("unfolded, %d lines are shown", lines())
	}
	r.Gave(strings.Repeat("a line\n", maxWholeLines+5))
	if got := plain(r.Lines(80)); strings.Count(got, "a line") != maxWholeLines || !strings.HasSuffix(got, "… 5 more lines") {
		t.Errorf("%d lines are shown of a very long one", lines())
	}
	if raw := r.Raw(); strings.Count(raw, "\n") != maxWholeLines+4 {
		t.Error("not the whole is copied")
	}
	r.Gave(strings.Repeat("x", maxExcerpt+1))
	if !strings.HasSuffix(r.Raw(), "x…") {
		t.Error("what is copied is called the whole")
	}
}

// A sub-agent's steps are counted, and shown when unfolded.
func TestManySteps(t *testing.T) {
	env := testEnv(theme.Dark)
	d := NewTool(env, "delegate")
	d.Start("count", noon)
	if got := plain(d.Lines(80)); strings.Contains(got, "step") {
		t.Errorf("a call without steps shows %q", got)
	}
	for i := range 100 {
		id := fmt.Sprint(i)
		d.StepStarted(id, "read_file", "n"+id+".md", noon)
		d.StepFinished(id, "1 line", false, 0)
	}
	d.StepFinished("unknown", "1 line", false, 0)
	if got := plain(d.Lines(80)); !strings.Contains(got, "└ 100 steps · thinking") {
		t.Errorf("folded: %q", got)
	}
	env.Details = true
	got := plain(d.Lines(80))
	if !strings.Contains(got, "✓ read n0 · 1 line") || !strings.Contains(got, "✓ read n99 · 1 line") {
		t.Errorf("unfolded:\n%s", got)
	}
}

func TestTaskWindow(t *testing.T) {
	tests := []struct{ total, done, limit, from, to int }{
		{5, 0, 6, 0, 5},
		{6, 3, 6, 0, 6},
		{9, 0, 6, 0, 5},
		{9, 2, 6, 2, 7},
		{9, 5, 6, 3, 9},
		{9, 8, 6, 3, 9},
		{9, 9, 6, 0, 5},
		{3, 1, 1, 1, 2},
		{3, 1, 0, 1, 1},
		{0, 0, 6, 0, 0},
	}
	for _, tt := range tests {
		tasks := make([]Task, tt.total)
		for i := range tt.done {
			tasks[i].Done = true
		}
		if from, to := taskWindow(tasks, tt.limit); from != tt.from || to != tt.to {
			t.Errorf("%+v: %d to %d", tt, from, to)
		}
	}
}

// Any list stays within its lines and width and shows the current step.
func TestTaskLinesKeepTheCurrentStepInSight(t *testing.T) {
	env := testEnv(theme.Dark)
	rapid.Check(t, func(t *rapid.T) {
		tasks := make([]Task, rapid.IntRange(0, 20).Draw(t, "tasks"))
		for i := range tasks {
			tasks[i] = Task{fmt.Sprintf("step-%d %s", i, rapid.String().Draw(t, "text")), rapid.Bool().Draw(t, "done")}
		}
		width, limit := rapid.IntRange(12, 90).Draw(t, "width"), rapid.IntRange(1, 8).Draw(t, "limit")
		lines := TaskLines(env, tasks, width, limit)
		if len(lines) > limit {
			t.Fatalf("%d lines of %d", len(lines), limit)
		}
		for _, l := range lines {
			if w := cells.Width(l); w > width {
				t.Fatalf("%d cells of %d: %q", w, width, l)
			}
		}
		if i := firstOpen(tasks); i >= 0 && !strings.Contains(plain(lines), fmt.Sprintf("step-%d", i)) {
			t.Fatalf("step %d is not in sight:\n%s", i, plain(lines))
		}
	})
}

func TestDoing(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		width        int
		want         string
	}{
		{"read_file", "Projects/Alpha.md", 40, "reading Projects/Alpha.md"},
		{"read_file", "Projects/2026/Spring/Alpha.md", 25, "reading Proje…ng/Alpha.md"},
		{"search_files", `"nectarine"`, 40, `searching for "nectarine"`},
		{"search_files", "", 40, "searching"},
		{"unheard_of", "x", 40, "running unheard_of x"},
		{"evil\x1b[2J", "x\ny", 40, "running evil␛[2J x y"},
	} {
		if got := Doing(tt.name, tt.target, tt.width); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.name, tt.target, got, tt.want)
		}
	}
	if got := text.Capital("éclair"); got != "Éclair" || text.Capital("") != "" {
		t.Errorf("a sentence begins %q", got)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1k", 12_449: "12.4k", 99_949: "99.9k", 99_950: "100k", 123_456: "123k", 999_500: "1M", 1_250_000: "1.2M",
	} {
		if got := Count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestASummaryUnfolds(t *testing.T) {
	env := testEnv(theme.Dark)
	c := NewCompaction(env, "We planned **a tart**.", 92_000, 8_000)
	if got := plain(c.Lines(80)); !strings.HasPrefix(got, "── Summarised: 92k → 8k tokens ──") || !strings.HasSuffix(got, "\n· We planned **a tart**.") {
		t.Errorf("folded: %q", got)
	}
	env.Details = true
	if got := plain(c.Lines(80)); !strings.Contains(got, "┊ We planned a tart.") {
		t.Errorf("unfolded: %q", got)
	}
}
