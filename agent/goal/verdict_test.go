package goal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/agent/event"
)

func TestParseVerdict(t *testing.T) {
	met := func(why string) Verdict { return Verdict{Met: true, Why: why} }
	not := func(why string) Verdict { return Verdict{Why: why} }
	unknown := func(why string) Verdict { return Verdict{Unknown: true, Why: why} }
	for text, want := range map[string]Verdict{
		"MET: all notes have tags":                        met("all notes have tags"),
		"NOT MET: two notes are left":                     not("two notes are left"),
		"Met":                                             met(""),
		"not met.":                                        not(""),
		"**MET** — every folder has an index":             met("every folder has an index"),
		"**NOT MET:** one is missing":                     not("one is missing"),
		"# Verdict: NOT MET\n\nThe index is missing.":     not(""),
		"`NOT_MET` - x":                                   not("x"),
		"UNMET, since a.md is empty":                      not("since a.md is empty"),
		"Not yet met: b.md":                               not("b.md"),
		"NOT MET because b.md is empty":                   not("because b.md is empty"),
		"Let me see.\nTwo of three are done.\nNOT MET: c": not("c"),
		"```\nMET: yes\n```":                              met("yes"),
		"> - MET: quoted":                                 met("quoted"),
		"MET: a\nMET: b":                                  met("a"),
		"UNKNOWN: it is a matter of taste":                unknown("it is a matter of taste"),
		"**Cannot judge** — of taste":                     unknown("of taste"),
		"MET: 5 of 5 recipes have tags":                   met("5 of 5 recipes have tags"),
		"The goal is MET.":                                met(""),
		"The goal is NOT MET: a":                          not("a"),
		"Goal status: MET":                                met(""),
		"The goal is not met.":                            not(""),
		"Final verdict: NOT MET: x":                       not("x"),
		// Neither verdict, or both.
		"":                                       unknown(""),
		"   \n```\n```":                          unknown(""),
		"I am not sure.":                         unknown(""),
		"Metadata: added to all notes":           unknown(""),
		"METADATA was added":                     unknown(""),
		"Met the person in the first note":       unknown(""),
		"MET: a\nNOT MET: b":                     unknown(""),
		"UNKNOWN: a\nNOT MET: b":                 unknown(""),
		"Unknown is the date of a.md":            unknown(""),
		"The goal is met if all notes have tags": unknown(""),
		"The goal is MET if all notes have tags": unknown(""),
		`{"met": "perhaps"}`:                     unknown(""),
		`{"met": 1`:                              unknown(""),
		`{"done": true}`:                         unknown(""),
	} {
		if got := ParseVerdict(text); got != want {
			t.Errorf("parseVerdict(%q) = %+v, want %+v", text, got, want)
		}
	}
}

// TestParseVerdictOfAnyText: no text causes a panic, and the reason is short and valid UTF-8.
func TestParseVerdictOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{"MET", "NOT MET", "met", ":", "\n", "{", "}", `"met"`, "true", "**", "```", " ", "-"}),
			rapid.String(),
		), 0, 30).Draw(t, "parts")
		v := ParseVerdict(strings.Join(parts, ""))
		if v.Unknown && v.Met {
			t.Fatalf("unknown, but %+v", v)
		}
		if n := utf8.RuneCountInString(v.Why); n > maxWhy {
			t.Fatalf("a reason of %d characters", n)
		}
	})
	if v := ParseVerdict("NOT MET: " + strings.Repeat("ä", 10_000)); utf8.RuneCountInString(v.Why) != maxWhy || v.Unknown {
		t.Errorf("a long reason: %d characters", utf8.RuneCountInString(v.Why))
	}
	if v := ParseVerdict(strings.Repeat("{", 100_000) + "\nMET"); !v.Met {
		t.Error("the verdict after many braces is not found")
	}
}

// TestGoalWithoutVerdict: a check without a verdict pauses the goal at once with its reason, as more turns would not help.
func TestGoalWithoutVerdict(t *testing.T) {
	g := New("make it beautiful", 10, midday)
	g = g.AfterTurn(TurnEnd{Reason: event.StopCompleted, Worked: true}, midday)
	g = g.AfterCheck(ParseVerdict("UNKNOWN: it is a matter of taste"), midday)
	if g.Status != event.GoalPaused || g.Failed || g.Turns != 1 || g.Why != "it cannot be judged whether it is met: it is a matter of taste" {
		t.Errorf("%+v", g.Goal)
	}
}
