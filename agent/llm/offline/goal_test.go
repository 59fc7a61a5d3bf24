package offline_test

import (
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// account is what the agent tells of a goal: the goal, then of each turn what was asked, the
// calls and what was said, then what was changed.
func account(goal string, turns [][3]string, changed string) string {
	quoted := func(s string) string { return "> " + strings.ReplaceAll(s, "\n", "\n> ") }
	var b strings.Builder
	b.WriteString("Goal:\n" + quoted(goal) + "\n\nTurns that worked toward it so far: 1. The newest come last.\n")
	for i, t := range turns {
		b.WriteString("\nTurn " + string(rune('1'+i)) + "\nAsked:\n" + quoted(t[0]) + "\n")
		if t[1] == "" {
			b.WriteString("Tools: none.\n")
		} else {
			b.WriteString("Tools:\n- " + strings.ReplaceAll(t[1], "; ", "\n- ") + "\n")
		}
		b.WriteString("The agent said:\n" + quoted(t[2]) + "\n")
	}
	if changed == "" {
		return b.String() + "\nNothing was changed."
	}
	return b.String() + "\nChanged since the goal was set or resumed:\n- " + strings.ReplaceAll(changed, "; ", "\n- ")
}

func TestAGoalIsMetByWhatWasDone(t *testing.T) {
	const fromNotes = "From your notes:\n\n> Lotte Falk, born 5 December 1935 in Lübeck.\n\n— [[Gran]] (People/Gran.md:6)"
	c := newChat(t, rigged())
	for _, k := range []struct {
		goal, tools, said, changed string
		want                       string // what the answer begins with
	}{
		{"move Knee to Archive", "move_file Health/Knee.md → Archive/Knee.md: moved", "Moved “Knee”.", "moved Health/Knee.md → Archive/Knee.md", "MET: moved Health/Knee.md → Archive/Knee.md"},
		{"move Knee to Archive", "", "I will move it at once.", "", "NOT MET: “move Knee to Archive” is not done"},
		{"move Knee to Archive", "", "Moved it.", "moved Health/Knee.md → Projects/Knee.md", "NOT MET"},
		{"move Knee to Archive", "move_file Health/Knee.md: failed (denied)", "I did not move “Knee”: you denied it.", "", "NOT MET: “move Knee to Archive” is not done: move_file Health/Knee.md failed (denied)"},
		{"delete Knee and Gran", "", "", "deleted Health/Knee.md; deleted People/Gran.md", "MET"},
		{"delete Knee and Gran", "", "", "deleted Health/Knee.md", "NOT MET: of “delete Knee and Gran”, “Gran” is not done"},
		{"delete Karin and Milo", "", "", "deleted People/Karin and Milo.md", "MET"},
		{"move Oma to Archive", "", "", "moved People/Gran.md → Archive/Gran.md", "MET"},
		{"create a note Tea in Projects with leaves", "", "", "created Projects/Tea.md", "MET"},
		{"create a note Tea in the Projects folder with leaves", "", "", "created Tea.md", "NOT MET"},
		{"make a folder New, then delete Gran", "", "", "created folder New; deleted People/Gran.md", "MET"},
		{"make a folder New, then delete Gran", "", "", "created folder New", "NOT MET: “delete Gran”"},
		{"rename Knee to Leg", "", "", "moved Health/Knee.md → Health/Leg.md", "MET"},
		{"add milk to Knee", "", "Added to [[Knee]] (Health/Knee.md:8):\n\n> - milk", "edited Health/Knee.md", "MET: edited Health/Knee.md"},
		{"add milk to Knee", "", "Added to [[Knee]] (Health/Knee.md:8):\n\n> - eggs", "edited Health/Knee.md", "NOT MET"},
		{"add milk to today's note", "", "Created [[2026-11-21]] with “milk”.", "created Daily/2026-11-21.md", "MET"},
		{`replace "old" with "new" in Knee and add milk to Knee`, "", "Replaced “old” with “new” in [[Knee]].", "edited Health/Knee.md", "NOT MET: “add milk to Knee”"},
		{"mark fit the spindle as done", "", "Done: “Fit the spindle” is ticked off in [[Bike rebuild]].", "edited Projects/Bike rebuild.md", "MET"},
		{"where was Lotte born?", "read_file People/Gran.md: 6 lines", fromNotes, "", "MET: “where was Lotte born?” is answered from Gran"},
		{"find out where Lotte was born", "read_file People/Gran.md: 6 lines", fromNotes, "", "MET"},
		{"where was Lotte born?", "", "Nothing in your notes seems to answer “where was Lotte born”. Perhaps [[Gran]] (People/Gran.md:6) is of use.", "", "NOT MET: the notes do not answer"},
		{"where was Lotte born?", "", "I found nothing that says exactly that. The closest:\n\n> x\n\n— [[Gran]] (People/Gran.md:6)", "", "NOT MET"},
		{"show Knee", "read_file Health/Knee.md: 7 lines", "[[Knee]] (Health/Knee.md:1)\n\n# Knee", "", "MET"},
		{"list all recipes", "list_files **/*.md in Recipes/: 3 items", "3 notes in `Recipes/`, newest first:\n\n- [[Rye bread]] (Recipes/Rye bread.md)", "", "MET"},
		{"which tasks are open?", "list_tasks open: no tasks", "There are no open tasks.", "", "MET"},
		{"every note in the Inbox is filed", "", "3 notes in `Inbox/`", "", "UNKNOWN: the offline engine cannot judge"},
		{"translate Knee to French", "", "I did not understand that.", "", "UNKNOWN: the offline engine does not understand"},
	} {
		text := account(k.goal, [][3]string{{k.goal, k.tools, k.said}}, k.changed)
		got := c.stream(llm.Request{Purpose: llm.PurposeGoalCheck, Messages: []llm.Message{{Role: llm.RoleSystem, Content: "You decide."}, {Role: llm.RoleUser, Content: text}}})
		if !strings.HasPrefix(got.Text, k.want) || strings.Contains(got.Text, "\n") || len(got.ToolCalls) > 0 {
			t.Errorf("%q, %q, %q:\n%s", k.goal, k.said, k.changed, got.Text)
		}
	}
	// an answer to something else is none to the goal; one to "go on" is
	for asked, want := range map[string]string{"who plays the organ?": "NOT MET", "Keep working toward the goal. Not met yet: x": "MET"} {
		text := account("where was Lotte born?", [][3]string{{"where was Lotte born?", "", "Nothing in your notes answers that."}, {asked, "read_file x", fromNotes}}, "")
		if got := c.stream(llm.Request{Purpose: llm.PurposeGoalCheck, Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}}); !strings.HasPrefix(got.Text, want) {
			t.Errorf("%q: %s", asked, got.Text)
		}
	}
	if got := c.stream(llm.Request{Purpose: llm.PurposeGoalCheck, Messages: []llm.Message{{Role: llm.RoleUser, Content: "?"}}}); !strings.HasPrefix(got.Text, "UNKNOWN: I could not read") {
		t.Error(got.Text)
	}
}

func TestTheWorkTowardAGoalGoesOn(t *testing.T) {
	const goal = "move Knee to Archive, then move Gran to Archive, then move Garden to Archive"
	toward := func(n string) string { return "Goal (turn " + n + " of 10): “" + goal + "”\nWork toward the goal." }
	const goOn = "Keep working toward the goal. Not met yet: something is missing"
	c := fullChat(t)
	c.rounds, c.context = 1, toward("1")
	c.say(goal)
	c.context = toward("2")
	if c.say(goOn); !strings.Contains(strings.Join(c.calls, "; "), "move_file People/Gran.md → Archive/Gran.md") {
		t.Errorf("called %v", c.calls)
	}
	c.rounds, c.context = 10, toward("3")
	c.say("what is Heron?") // the user's own messages go first
	c.context = toward("4")
	if got := c.say(goOn); !strings.Contains(strings.Join(c.calls, "; "), "move_file Projects/Garden.md → Archive/Garden.md") || strings.Contains(got, "Measures") {
		t.Errorf("called %v: %s", c.calls, got)
	}
	c.context = toward("5")
	if got := c.say(goOn); len(c.calls) > 0 || !strings.Contains(got, "cannot get any further") {
		t.Errorf("called %v: %s", c.calls, got)
	}
	// one that was set in another conversation
	c = fullChat(t)
	c.context = toward("2")
	if c.say(goOn); !strings.Contains(strings.Join(c.calls, "; "), "move_file Health/Knee.md → Archive/Knee.md") {
		t.Errorf("called %v", c.calls)
	}
	c = fullChat(t)
	c.say("show Gran")
	c.context = toward("2")
	if c.say(goOn); !strings.Contains(strings.Join(c.calls, "; "), "move_file Health/Knee.md → Archive/Knee.md") || strings.Contains(strings.Join(c.calls, "; "), "read_file") {
		t.Errorf("after something else called %v", c.calls)
	}
	// a goal nobody told of
	c = fullChat(t)
	c.say("show Gran")
	if got := c.say(goOn); len(c.calls) > 0 || !strings.Contains(got, "cannot get any further") {
		t.Errorf("called %v: %s", c.calls, got)
	}
}
