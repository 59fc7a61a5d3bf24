package offline_test

import (
	"strings"
	"testing"

	"chatvault/agent/llm"
)

func TestOneVerbForSeveralRequests(t *testing.T) {
	home := rigged()["Home.md"]
	for _, k := range []struct{ say, calls string }{
		{"move Knee to Archive and Home to Projects", "move_file Health/Knee.md → Archive/Knee.md; move_file Home.md → Projects/Home.md"},
		{"rename Knee to Leg and Home to House", "move_file Health/Knee.md → Health/Leg.md; move_file Home.md → House.md"},
		{"move Knee, Gran to Archive and Home to Projects", "move_file Health/Knee.md → Archive/Knee.md; move_file People/Gran.md → Archive/Gran.md; move_file Home.md → Projects/Home.md"},
		{"create a note Pancakes in Recipes and then a note Waffles in Recipes with the text eggs and milk", "write_file Recipes/Pancakes.md; write_file Recipes/Waffles.md"},
		{"create notes A, B and C", "write_file A.md; write_file B.md; write_file C.md"},
		{"create notes A and B in Projects", "write_file Projects/A.md; write_file Projects/B.md"},
		{"create folders A and B", "create_folder A; create_folder B"},
		{"create a note called Bread and butter", "write_file Bread and butter.md"},
		{`add "milk" to Home and "eggs" to Knee`, "read_file Home.md; edit_file Home.md; read_file Health/Knee.md; edit_file Health/Knee.md"},
		{"first create a folder Archive, then move Home.md there", "create_folder Archive; move_file Home.md → Archive/Home.md"},
	} {
		c := newChat(t, rigged())
		if answer := c.say(k.say); strings.Join(c.calls, "; ") != k.calls {
			t.Errorf("%q called %v\nwant %s\n%s", k.say, c.calls, k.calls, answer)
		}
	}
	holds(t, []after{
		{[]string{`in Home replace "way" with "road" and "in" with "out"`}, "Home.md", strings.Replace(home, "way in", "road out", 1)},
		{[]string{`replace "way" with "road" and "in" with "out" in Home`}, "Home.md", strings.Replace(home, "way in", "road out", 1)},
		{[]string{`remove "The" and "in" from Home`}, "Home.md", "# Home\n\n way."},
	})
}

// What is not understood as a whole is not done in part: it is searched for, or asked about.
func TestWhatIsNotUnderstoodAsAWholeChangesNothing(t *testing.T) {
	for _, say := range []string{
		"move Knee to Archive and Home", "move Knee to Archive unless it is there",
		"add milk to Home and eggs to Knee", "add a summary of Knee to Home", "add the tasks of Bike rebuild to Home",
		`search for "heron" and add what you find to Home`, "add my open tasks to Home", "add tags a and b to Home",
		"create a note X in A and then B", "create notes A, B and C with some text",
		"delete Recipes except Nectarine tart", "delete Recipes but not Rye bread", "delete everything in Recipes but Nectarine tart", "delete Knee if it is empty",
		"find notes about the boiler and delete them", "list notes in Recipes and delete them", "open Knee and rename it",
		"creat a noet named Foo wiht bar", "tidy my notes", "save the tart as a pdf", "organise my recipes",
		"delete Gran, then translate Knee to French",
		"create a note about pancakes in Recipes with flour, then link it from Home",
	} {
		c := newChat(t, rigged())
		answer := c.say(say)
		if !strings.Contains(strings.ToLower(answer), "nothing was changed") {
			t.Errorf("%q: %s", say, answer)
		}
		for _, call := range c.calls {
			if !strings.HasPrefix(call, "read_file") && !strings.HasPrefix(call, "send_message") {
				t.Errorf("%q called %v", say, c.calls)
			}
		}
	}
	tell(t, newChat(t, rigged()), []storyStep{
		{"delete Gran, then translate Knee to French", "*", []string{"Shall I do only the rest: “delete Gran”?"}, nil},
		{"yes", "delete_file People/Gran.md", []string{"Deleted “Gran”"}, nil},
	})
}

func TestTextInQuotesIsWrittenAsItIs(t *testing.T) {
	garden := rigged()["Projects/Garden.md"]
	bike := rigged()["Projects/Bike rebuild.md"]
	holds(t, []after{
		{[]string{`append "bread and butter" to Garden`}, "Projects/Garden.md", garden + "- bread and butter\n"},
		{[]string{`append “eggs, milk and bread” to Garden`}, "Projects/Garden.md", garden + "- eggs, milk and bread\n"},
		{[]string{"append bread and butter to Garden"}, "Projects/Garden.md", garden + "- bread\n- butter\n"},
		{[]string{`add a task "buy bread and butter" to Bike rebuild`}, "Projects/Bike rebuild.md", bike + "- [ ] buy bread and butter\n"},
		{[]string{"save this: the wifi password is hunter2"}, "The wifi password is hunter2.md", ""},
		{[]string{"save this: the wifi password is hunter2", "yes"}, "The wifi password is hunter2.md", "# The wifi password is hunter2\n\nthe wifi password is hunter2\n"},
	})
}

func TestWhatIsRemovedIsWhatWasNamed(t *testing.T) {
	knee := rigged()["Health/Knee.md"]
	tart := rigged()["Recipes/Nectarine tart.md"]
	holds(t, []after{
		{[]string{`remove "3" from Knee`}, "Health/Knee.md", strings.Replace(knee, "ran 3 km", "ran km", 1)},
		{[]string{"remove the line about ran from Knee"}, "Health/Knee.md", strings.Replace(knee, "- ran 3 km\n", "", 1)},
		{[]string{"remove ran from Knee"}, "Health/Knee.md", knee},
		{[]string{"remove ran from Knee", "2"}, "Health/Knee.md", strings.Replace(knee, "ran 3", "3", 1)},
		{[]string{"remove ran from Knee", "1"}, "Health/Knee.md", strings.Replace(knee, "- ran 3 km\n", "", 1)},
		{[]string{"remove baking from Nectarine tart"}, "Recipes/Nectarine tart.md", strings.Replace(tart, "[recipe, baking]", "[recipe]", 1)},
		{[]string{`remove "recipe" from Nectarine tart`}, "Recipes/Nectarine tart.md", strings.Replace(tart, "[recipe, baking]", "[baking]", 1)},
		{[]string{"remove chard from Garden"}, "Projects/Garden.md", "# Garden\n\n- tomatoes\n"},
	})
	tell(t, newChat(t, rigged()), []storyStep{
		{`remove "3" from Knee`, "*", []string{"Removed “3” from [[Knee]]", "now reads:\n\n> - ran km"}, nil},
	})
}

func TestTheDailyNoteIsNotItsTemplate(t *testing.T) {
	const template = "# {{date}}\n"
	for _, say := range []string{"add buy milk to my daily note", "add buy milk to the daily note", "add buy milk to my journal page", "append buy milk to today's daily note"} {
		notes := rigged()
		notes["Templates/Daily note.md"] = template
		c := newChat(t, notes)
		answer := c.say(say)
		if c.file("Templates/Daily note.md") != template || !strings.Contains(c.file("Daily/2026-11-21.md"), "buy milk") {
			t.Errorf("%q called %v\n%s", say, c.calls, answer)
		}
	}
	notes := rigged()
	notes["Journal.md"] = "# Journal\n"
	c := newChat(t, notes)
	if c.say("add “buy milk” to my journal"); !strings.Contains(c.file("Journal.md"), "buy milk") {
		t.Errorf("called %v", c.calls)
	}
}

func TestAGoalThatNobodyCanJudgeIsSaidToBeSo(t *testing.T) {
	c := newChat(t, rigged())
	for _, goal := range []string{"every recipe has a tag", "translate Knee to French"} {
		text := account(goal, [][3]string{{goal, "", "x"}}, "")
		got := c.stream(llm.Request{Purpose: llm.PurposeGoalCheck, Messages: []llm.Message{{Role: llm.RoleUser, Content: text}}})
		if !strings.HasPrefix(got.Text, "UNKNOWN: the offline engine ") {
			t.Errorf("%q: %s", goal, got.Text)
		}
	}
}
