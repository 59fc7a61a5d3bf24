package offline_test

import (
	"cmp"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/tools"
)

// What the agent tells beside the messages of turns that have to do with a plan.
const (
	planning = "This turn is for planning only: no tool can change a note in it."
	revising = planning + " The message above says what should be different about the plan you made before; answer with the whole plan again."
	approved = "The user approved the plan you made before. Carry it out now: all of it, in order, and nothing else."
)

// plan asks for a plan, with the tools that change nothing.
func (c *chat) plan(text, context string) string {
	c.t.Helper()
	c.purpose, c.context = llm.PurposePlan, context
	c.offers = func(_ int, tool string) bool {
		switch tool {
		case "write_file", "edit_file", "move_file", "delete_file", "create_folder":
			return false
		}
		return true
	}
	defer func() { c.purpose, c.offers = llm.PurposeTurn, nil }()
	return c.say(text)
}

// steps are the steps of a plan, one a line.
func steps(plan string) string {
	var out []string
	for line := range strings.SplitSeq(plan, "\n") {
		if n, step, ok := strings.Cut(line, ". "); ok && strings.Trim(n, "0123456789") == "" && n != "" {
			out = append(out, step)
		}
	}
	return strings.Join(out, "\n")
}

func TestAPlanSaysWhatWouldBeDoneAndDoesNothing(t *testing.T) {
	for _, k := range []struct{ say, steps, calls, answer string }{
		{"move Knee to Archive, then delete Garden", "Move [[Knee]] (Health/Knee.md) to `Archive/`\nMove [[Garden]] (Projects/Garden.md) to the trash", "", ""},
		{`create a folder Trips, create a note Rome in Trips with "the forum", then add "- a train" to it and rename it to Roma`, "Create the folder `Trips/`\nCreate [[Rome]] (Trips/Rome.md) with “the forum”\nAdd “- a train” to [[Rome]] (Trips/Rome.md)\nRename [[Rome]] (Trips/Rome.md) to “Roma”", "", ""},
		{"delete the Recipes folder", "Move the folder `Recipes/` with 3 items in it to the trash", "list_files ** in Recipes/", ""},
		{`add "1 lemon" under Ingredients in Nectarine tart`, "Add “1 lemon” to [[Nectarine tart]] (Recipes/Nectarine tart.md), under “Ingredients”", "read_file Recipes/Nectarine tart.md", ""},
		{`replace "price" with "cost" in Heron`, "Replace “price” with “cost” in [[Heron]] (Projects/Heron/Heron.md), 3 times", "read_file Projects/Heron/Heron.md", ""},
		{`replace "zebra" with "horse" in Home`, "", "read_file Home.md", "“zebra” is not in [[Home]] (Home.md); nothing was changed"},
		{"mark fit the spindle as done", "Tick off “Fit the spindle” in [[Bike rebuild]] (Projects/Bike rebuild.md)", "*", ""},
		{"remove chard from Garden", "Remove “- chard” from [[Garden]] (Projects/Garden.md)", "read_file Projects/Garden.md", ""},
		{"rename the Health folder to Body, then show Knee and delete it", "Rename the folder `Health/` to `Body/`\nLook up “show Knee” and answer\nMove [[Knee]] (Body/Knee.md) to the trash", "", ""},
		{"rename Knee to Leg and add 'x' to it", "Rename [[Knee]] (Health/Knee.md) to “Leg”\nAdd “x” to [[Leg]] (Health/Leg.md)", "read_file Health/Knee.md", ""},
		{`add "milk" to Knee, then replace milk with eggs in Knee`, "Add “milk” to [[Knee]] (Health/Knee.md)\nReplace “milk” with “eggs” in [[Knee]] (Health/Knee.md)", "read_file Health/Knee.md", ""},
		{"delete Lena and Zeppelin", "", "", "names no note that I could change"},
		{"delete Lena", "Ask you: There is no note called “Lena”. Which one should I delete? (Lena", "", ""},
		{"create a note called Home", "Ask you: There is already a note [[Home]] (Home.md). What shall I do? (Leave it", "", ""},
		{"delete Xylophon", "", "", "names no note"},
		{"what do I know about Heron?", "Look through your notes for “what do I know about Heron?” and answer from what I find; nothing is changed", "", ""},
		{"translate Knee to French", "", "", "beyond the offline engine"},
		{"make a folder Projects", "", "", "already exists"},
	} {
		c := fullChat(t)
		got := c.plan(k.say, planning)
		if s := steps(got); s != k.steps && (k.steps == "" || !strings.HasPrefix(s, k.steps)) || !strings.HasPrefix(got, map[bool]string{true: "**Plan**, nothing is changed yet:\n", false: "**No plan**: there is nothing to carry out.\n"}[s != ""]) {
			if k.say != "delete Lena and Zeppelin" {
				t.Errorf("%q: steps\n%s\nwant\n%s\n%s", k.say, s, k.steps, got)
			}
		}
		if calls := strings.Join(c.calls, "; "); k.calls != "*" && calls != k.calls {
			t.Errorf("%q: called %s\n want %s", k.say, calls, k.calls)
		}
		if !strings.Contains(got, k.answer) || c.question != "" {
			t.Errorf("%q: lacks %q: %s%s", k.say, k.answer, got, c.question)
		}
	}
}

func TestAnApprovedPlanIsCarriedOutAsItSays(t *testing.T) {
	c := fullChat(t)
	c.say("show Gran")
	got := c.plan(`delete the Recipes folder, move Knee to Archive, add "x" to it and delete Nectarne`, planning)
	if want := "Move the folder `Recipes/` with 3 items in it to the trash\nMove [[Knee]] (Health/Knee.md) to `Archive/`\nAdd “x” to [[Knee]] (Archive/Knee.md)"; !strings.HasPrefix(steps(got), want) {
		t.Fatalf("the plan is %s", got)
	}
	c.context = approved
	got = c.say("Carry it out")
	if c.question != "" || c.file("Recipes/Rye bread.md") != "" || !strings.Contains(c.file("Archive/Knee.md"), "- x") {
		t.Errorf("called %v: %s%s", c.calls, got, c.question)
	}
	// the plan is for what was asked then, whatever was spoken of since
	c = fullChat(t)
	c.say("show Gran")
	c.plan("delete it", planning)
	c.context = approved
	if c.say("yes"); strings.Join(c.calls, "; ") != "delete_file People/Gran.md" {
		t.Errorf("called %v", c.calls)
	}
	// what the user says meanwhile is no part of the plan, and needs no other consent
	c = fullChat(t)
	c.plan("move Knee to Archive, then move Gran to Archive", planning)
	c.context, c.fold = approved, map[int]string{1: "delete Garden"}
	if c.say("Carry it out"); c.question != "" || c.file("Projects/Garden.md") != "" {
		t.Errorf("called %v, asked %q", c.calls, c.question)
	}
	// nor is it begun anew where the turn that carried it out failed
	c = fullChat(t)
	c.plan(`add "x" to Knee, then move Gran to Archive`, planning)
	c.rounds, c.context = 3, approved
	c.say("Carry it out")
	c.messages[len(c.messages)-1].Content = "(This request failed before it was answered: no network)"
	c.rounds, c.context = 10, approved
	c.say("Carry it out")
	if strings.Count(c.file("Health/Knee.md"), "- x") != 1 || c.file("Archive/Gran.md") == "" {
		t.Errorf("called %v; Knee is %q", c.calls, c.file("Health/Knee.md"))
	}
	// what goes on after a limit is still the plan
	c = fullChat(t)
	c.plan("move Knee to Archive, then move Gran to Archive", planning)
	c.rounds, c.context = 1, approved
	c.say("Carry it out")
	c.rounds = 10
	if c.say("continue"); strings.Join(c.calls, "; ") != "move_file People/Gran.md → Archive/Gran.md" {
		t.Errorf("called %v", c.calls)
	}
}

func TestWhatThePlanDoesNotSayIsAskedAbout(t *testing.T) {
	c := fullChat(t)
	c.plan("delete the Recipes folder", planning)
	other := newChatOn(t, c)
	other.say("create a note Plum cake in Recipes")
	c.context = approved
	c.say("Carry it out")
	if !strings.Contains(c.question, "The plan you approved does not include this: Move the folder `Recipes/` with 4 items in it to the trash") {
		t.Errorf("called %v, asked %q", c.calls, c.question)
	}
	if got := c.say("no"); !strings.Contains(got, "Not done") || c.file("Recipes/Rye bread.md") == "" {
		t.Error(got)
	}
	// where the plan asks, the user's choice is enough
	c = fullChat(t)
	c.plan("delete Lena", planning)
	c.context = approved
	c.say("Carry it out")
	if len(c.options) != 2 {
		t.Fatalf("asked %q %q", c.question, c.options)
	}
	if got := c.say("1"); !strings.Contains(got, "Deleted “Lena") {
		t.Error(got + c.question)
	}
}

// newChatOn is another chat on the vault of a chat.
func newChatOn(t *testing.T, c *chat) *chat { return openChat(t, c.dir) }

func TestAPlanIsRevised(t *testing.T) {
	knee, garden, gran := "Move [[Knee]] (Health/Knee.md) to `Archive/`", "Move [[Garden]] (Projects/Garden.md) to `Archive/`", "Move [[Gran]] (People/Gran.md) to the trash"
	for _, k := range []struct {
		say   []string
		steps []string
	}{
		{[]string{"without step 2"}, []string{knee, gran}},
		{[]string{"skip the second one"}, []string{knee, gran}},
		{[]string{"leave out 1 and 2"}, []string{gran}},
		{[]string{"leave out Garden"}, []string{knee, gran}},
		{[]string{"keep Gran"}, []string{knee, garden}},
		{[]string{"but not the last step"}, []string{knee, garden}},
		{[]string{"also make a folder New"}, []string{knee, garden, gran, "Create the folder `New/`"}},
		{[]string{"without step 2", "and then make a folder New"}, []string{knee, gran, "Create the folder `New/`"}},
		{[]string{"also make a folder New", "skip step 1"}, []string{garden, gran, "Create the folder `New/`"}},
		{[]string{"make a folder New"}, []string{"Create the folder `New/`"}},
		{[]string{"hm, nicer please"}, []string{knee, garden, gran}},
		{[]string{"without step 9"}, []string{knee, garden, gran}},
	} {
		c := fullChat(t)
		c.plan("move Knee and Garden to Archive, then delete Gran", planning)
		var got string
		for _, say := range k.say {
			got = c.plan(say, revising)
		}
		if s := steps(got); s != strings.Join(k.steps, "\n") {
			t.Errorf("%q: steps\n%s\nwant\n%s\n%s", k.say, s, strings.Join(k.steps, "\n"), got)
		}
		c.context = approved
		c.say("1")
		done := 0
		for _, call := range c.calls {
			if !strings.HasPrefix(call, "task_list") {
				done++
			}
		}
		if done != len(k.steps) || c.question != "" {
			t.Errorf("%q: called %v %s", k.say, c.calls, c.question)
		}
	}
}

func TestAPlanIsNotCarriedOutUnasked(t *testing.T) {
	for _, word := range []string{"continue", "weiter", "carry on"} {
		c := fullChat(t)
		c.plan("delete Gran", planning)
		if c.say(word); len(c.calls) > 0 || c.file("People/Gran.md") == "" {
			t.Errorf("%q: called %v", word, c.calls)
		}
	}
	// a new plan is no revision of the one before
	c := fullChat(t)
	c.plan("delete Gran", planning)
	if got := steps(c.plan("move Knee to Archive", planning)); got != "Move [[Knee]] (Health/Knee.md) to `Archive/`" {
		t.Error(got)
	}
	// something else, in place of the plan
	c.context = "The user does not want you to carry out the plan you made before."
	if got := c.say("show Gran"); !strings.Contains(got, "Lotte") || len(c.calls) != 1 {
		t.Errorf("called %v: %s", c.calls, got)
	}
	// a plan of a model's is not followed, only what was asked is, and each change is asked about
	c = fullChat(t)
	c.messages = append(c.messages,
		llm.Message{Role: llm.RoleUser, Content: "delete Gran", Context: planning},
		llm.Message{Role: llm.RoleAssistant, Content: "1. Delete People/Gran.md"},
	)
	c.context = approved
	if c.say("Carry it out"); c.file("People/Gran.md") == "" || !strings.Contains(c.question, "does not include this") {
		t.Errorf("called %v, asked %q", c.calls, c.question)
	}
}

func TestAPlanGoesOnAfterALimit(t *testing.T) {
	c := fullChat(t)
	c.rounds = 1
	got := c.plan("add 'a' to Knee, add 'b' to Garden", planning)
	if s := steps(got); s != "Add “a” to [[Knee]] (Health/Knee.md)" || !strings.Contains(got, "could not look any further") {
		t.Errorf("%s", got)
	}
	c.rounds = 10
	if s := steps(c.plan("continue", planning)); s != "Add “a” to [[Knee]] (Health/Knee.md)\nAdd “b” to [[Garden]] (Projects/Garden.md)" {
		t.Error(s)
	}
}

func TestADeniedStepOfAPlanIsToldAndTheRestIsDone(t *testing.T) {
	c := newChat(t, rigged())
	c.full = true
	c.plan("delete Gran, then move Knee to Archive", planning)
	c.deny = func(p tools.Proposal) error {
		if p.Kind == tools.ChangeDelete {
			return &tools.Denied{Note: "not her"}
		}
		return nil
	}
	c.context = approved
	if got := c.say("Carry it out"); !strings.Contains(got, "I did not delete “Gran”: you denied it, and said “not her”") || !strings.Contains(got, "Moved “Knee”") {
		t.Error(got)
	}
}

// TestAPlanOfTheDailyNote: two additions to a day's note that Obsidian's settings put elsewhere are
// planned, and carried out as planned.
func TestAPlanOfTheDailyNote(t *testing.T) {
	notes := kitchen()
	notes[".obsidian/daily-notes.json"] = `{"folder": "Journal", "format": "YYYY-MM-DD ddd"}`
	c := newChat(t, notes)
	c.full = true
	got := steps(c.plan(`add "one" to today's note, then add "two" to today's note`, planning))
	const want = "Create [[2026-11-21 Sat]] (Journal/2026-11-21 Sat.md) with “one”\nAdd “two” to [[2026-11-21 Sat]] (Journal/2026-11-21 Sat.md)"
	if got != want {
		t.Fatalf("steps\n%s\nwant\n%s", got, want)
	}
	if c.file("Journal/2026-11-21 Sat.md") != "" {
		t.Error("planning changed the vault")
	}
	c.context = approved
	c.say("1")
	if got := c.file("Journal/2026-11-21 Sat.md"); got != "one\n\ntwo\n" || c.question != "" {
		t.Errorf("the note holds %q, asked %q, called %v", got, c.question, c.calls)
	}
}

// The same folders are told in the same order each time.
func TestAPlanTellsFoldersInOrder(t *testing.T) {
	c := fullChat(t)
	want := ""
	for range 8 {
		got := c.plan("tidy up the folders Recipes, Projects, People and Health", planning)
		if want = cmp.Or(want, got); got != want || strings.Count(got, "\nIn `") != 4 {
			t.Fatalf("a plan says\n%s\nand then\n%s", want, got)
		}
	}
}
