package offline_test

import (
	"strings"
	"testing"

	"chatvault/agent/llm"
)

const rulesBefore = "You look back.\n\n# Where things go in this vault\n"

const rulesAfter = "\n\n# A better text for that\nThis text is what the agent is told."

func TestALookBackTellsWhatWasDone(t *testing.T) {
	c := newChat(t, rigged())
	talk := "User: when was Gran born?\n" + granAnswer + `
User: move Knee to Archive
Result of move_file: Moved "Health/Knee.md" to "Archive/Knee.md".
Assistant: Moved it.
User: delete Home
Failure of delete_file: Error: The user denied this change and said: not that one Nothing was changed.
Assistant: I did not delete it.
User: delete Lena
Assistant: Two notes fit “Lena”. Which one should I delete? (Or say “cancel”.)`
	got := aside(c, llm.PurposeRetrospection, rulesBefore+"Recipes are in Recipes/."+rulesAfter, talk)
	for _, want := range []string{
		"**Asked**\n\n- “when was Gran born?”\n- “move Knee to Archive”\n- “delete Home”\n- “delete Lena”",
		"**Found**\n\n- “when was Gran born?”: Lotte Falk, born 5 December 1935. — [[Gran]] (People/Gran.md:6)",
		"**Changed**\n\n- Moved \"Health/Knee.md\" to \"Archive/Knee.md\".",
		"**Failed or denied**\n\n- delete_file: you denied it, and said not that one",
		"**Open**: the last question has no answer",
		"no language model",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "information_architecture") {
		t.Errorf("proposes without a reason:\n%s", got)
	}
	got = aside(c, llm.PurposeRetrospection, "", "")
	for _, want := range []string{"Nothing was asked.", "Nothing in the vault was changed.", "Nothing that the transcript shows."} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestALookBackProposesOnlyWhatTheUserSaid(t *testing.T) {
	c := newChat(t, rigged())
	for _, k := range []struct {
		said, current string
		want          string // of the text that is proposed; empty: none
	}{
		{"create a note Tart in Recipes. From now on, put desserts in Recipes/Sweet.", "Recipes are in Recipes/.", "Recipes are in Recipes/.\n- From now on, put desserts in Recipes/Sweet."},
		{"meeting notes always go into Meetings/", "Nothing is written down yet.", "- Meeting notes always go into Meetings/."},
		{"always put plans in [[Plans]]", "# Mine\n```\nA/\n```", "# Mine\n```\nA/\n```\n- Always put plans in Plans."},
		{"Recipes belong in Food", "- recipes belong in food.", ""}, // it says so already
		{"do recipes always go in Food?", "x", ""},
		{"create a note Tart in Recipes", "x", ""},
		{"move Knee to Archive, then move Gran to Archive", "x", ""},
		{`add “recipes always go in Food” to Home`, "x", ""},
		{"I always go to bed early", "x", ""},
	} {
		got := aside(c, llm.PurposeRetrospection, rulesBefore+k.current+rulesAfter, "User: "+k.said+"\nAssistant: Done.\n  meeting notes always go into Here")
		_, block, ok := strings.Cut(got, "information_architecture\n")
		text := block
		if i := strings.LastIndex(block, "\n```"); i >= 0 {
			text = block[:i]
		}
		if ok != (k.want != "") || text != k.want {
			t.Errorf("%q: proposes %q, want %q", k.said, text, k.want)
		}
	}
	// where the prompt was replaced by one that does not show the text, it cannot be kept
	if got := aside(c, llm.PurposeRetrospection, "Look back.", "User: recipes always go in Food"); strings.Contains(got, "```") {
		t.Error(got)
	}
}
