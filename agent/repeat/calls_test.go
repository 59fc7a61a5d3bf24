package repeat

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// play feeds a detector the steps of a script: "A=1" is call A with result 1, "A!1" one that failed with 1. It
// returns what the detector reported.
func play(steps string) (reports []string) {
	d := NewCalls()
	for _, s := range strings.Fields(steps) {
		reports = append(reports, d.Add(Step{Tool: "tool", Args: s[:1], Result: s[2:], IsError: s[1] == '!'}))
	}
	return reports
}

func TestLoopDetector(t *testing.T) {
	for _, c := range []struct {
		steps  string
		at     int    // the first step at which it reports a loop, from 1; 0 means never
		report string // part of the report
	}{
		{"A=1 A=1", 0, ""},
		{"A=1 A=1 A=1", 3, "3 times"},
		{"A=1 A=1 B=2 A=1", 0, ""},
		{"A=1 A=2 A=3 A=4 A=5", 0, ""}, // polling with changing results
		{"A=1 B=2 A=1 B=2 A=1 B=2", 6, "2 calls"},
		{"A=1 B=2 C=3 A=1 B=2 C=3 A=1 B=2 C=3", 9, "3 calls"},
		{"A=1 B=2 C=3 D=4 A=1 B=2 C=3 D=4 A=1 B=2 C=3 D=4", 12, "4 calls"},
		{"A=1 B=2 C=3 D=4 E=5 A=1 B=2 C=3 D=4 E=5 A=1 B=2 C=3 D=4 E=5", 0, ""},
		{"A=1 B=2 A=1 B=2 A=9 B=2 A=1 B=2", 0, ""}, // a new result in the third round
		{"A!1 B!2 C!3 D!4", 0, ""},
		{"A!1 B!2 C!3 D!4 E!5", 5, "5 times in a row"},
		{"A!1 B!2 C!3 D=4 E!5 F!6", 0, ""},
		{"A!1 A!1 A!1", 3, "same call"},
	} {
		first := 0
		reports := play(c.steps)
		for i, s := range reports {
			if s != "" {
				first = i + 1
				break
			}
		}
		if first != c.at {
			t.Errorf("%s: reported at %d, want %d", c.steps, first, c.at)
		} else if c.at > 0 && !strings.Contains(reports[c.at-1], c.report) {
			t.Errorf("%s: reported %q", c.steps, reports[c.at-1])
		}
	}
}

// TestLoopDetectorSparesProgress: a turn in which every call has a new result is never reported.
func TestLoopDetectorSparesProgress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewCalls()
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			s := Step{Tool: "t", Args: rapid.StringMatching("[ab]").Draw(t, "args"), Result: strings.Repeat("x", i)}
			if reports := d.Add(s); reports != "" {
				t.Fatalf("step %d: %s", i, reports)
			}
		}
	})
}

// TestLoopDetectorFindsEveryLoop: a cycle is found within a few rounds, whatever preceded it.
func TestLoopDetectorFindsEveryLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := NewCalls()
		step := func(label string) Step {
			return Step{Tool: "t", Args: rapid.StringMatching("[a-d]").Draw(t, label), Result: rapid.StringMatching("[a-d]").Draw(t, label), IsError: rapid.Bool().Draw(t, label)}
		}
		for range rapid.IntRange(0, 20).Draw(t, "before") {
			d.Add(step("before"))
		}
		var cycle []Step
		for range rapid.IntRange(1, maxPeriod).Draw(t, "period") {
			cycle = append(cycle, step("cycle"))
		}
		for range callRepeats + 1 {
			for _, s := range cycle {
				if d.Add(s) != "" {
					return
				}
			}
		}
		t.Fatal("the cycle was not detected")
	})
}
