package agent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/spend"
	"chatvault/tools"
)

// TestAccountOfABudget names what was changed and what is left.
func TestAccountOfABudget(t *testing.T) {
	var many []string
	for i := range 14 {
		many = append(many, fmt.Sprint("created ", i, ".md"))
	}
	for _, c := range []struct {
		changes []string
		tasks   []tools.TaskItem
		want    string
	}{
		{nil, nil, "Nothing was changed."},
		{[]string{"created a.md", "edited b.md"}, nil, "Done so far: created a.md, edited b.md."},
		{nil, []tools.TaskItem{{Text: "Read", Done: true}, {Text: "Write"}, {Text: "Check"}}, "Nothing was changed. Left: Write, Check."},
		{[]string{"created a.md"}, []tools.TaskItem{{Text: "Read", Done: true}}, "Done so far: created a.md."},
		{many, nil, "Done so far: " + strings.Join(many[:10], ", ") + " and 4 more."},
	} {
		r := &run{box: fakeBox{changes: func() []string { return c.changes }}, tasks: c.tasks}
		if got := r.account(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestBudgetHoldsForGoalChecks: a turn that used the budget up with its last call is not
// followed by a check, which would be one call too many. A check counts, with its price.
func TestBudgetHoldsForGoalChecks(t *testing.T) {
	used := llm.Usage{PromptTokens: 900, CompletionTokens: 100}
	price := func(string) (spend.Price, bool) { return spend.Price{Input: 1, Output: 1}, true }
	for budget, checks := range map[int]int{1000: 0, 1001: 1} {
		root := state(t)
		h, m := toward(t, root, []reply{withUsage(used, say("a step"))}, []reply{withUsage(used, say("MET: it is done"))}, func(o *Options) {
			o.Budget = spend.Budget{Tokens: budget, Price: price}
		})
		if _, err := h.SetGoal("all notes are tidy"); err != nil {
			t.Fatal(err)
		}
		h.send("all notes are tidy")
		if checks == 0 {
			h.goal(event.GoalPaused)
		} else {
			h.goal(event.GoalMet)
		}
		h.stop()
		if n := len(m.checks.calls()); n != checks {
			t.Errorf("%d checks with a budget of %d", n, budget)
		}
		if d := loadedUsage(t, root).Days[time.Now().Format(time.DateOnly)]; d.Calls != 1+checks || d.Cost != 0.001*float64(d.Calls) {
			t.Errorf("counted %+v", d)
		}
	}
}

// TestBudgetWithoutAPrice: that a bound in dollars cannot be held is said, once for each provider.
func TestBudgetWithoutAPrice(t *testing.T) {
	h, _ := toward(t, state(t), []reply{say("One."), say("Two.")}, []reply{hang}, func(o *Options) { o.Budget = spend.Budget{USD: 1} })
	for i, text := range []string{"a", "b"} {
		h.send(text)
		told := ""
		h.until(func(e event.Event) bool {
			if n, ok := e.(event.Notice); ok {
				told += n.Text
			}
			_, done := e.(event.TurnFinished)
			return done
		})
		if want := i == 0; strings.Contains(told, "budget_usd cannot be enforced") != want || strings.Contains(told, `[prices."fake"]`) != want {
			t.Errorf("turn %d: %q", i, told)
		}
	}
}
