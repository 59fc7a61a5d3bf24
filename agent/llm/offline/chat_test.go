package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm/offline"
)

// kitchen is a small vault for the stories below.
func kitchen() map[string]string {
	return map[string]string{
		"Recipes/Nectarine tart.md": "---\ntags: [recipe, baking]\n---\n# Nectarine tart\n\nFor [[Karin Holt|Karin]]'s birthday; peaches work too.\n\n## Ingredients\n\n- 220 g flour\n- 5 ripe nectarines\n\n## Method\n\n1. Bake for 35 minutes at 175 °C.\n",
		"Recipes/Rye bread.md":      "# Rye bread\n\nFeed the starter the evening before.\n",
		"People/Lena Brandt.md":     "# Lena Brandt\n\nPlays the organ.\n\n- [ ] Return her metronome\n",
		"People/Lena Okafor.md":     "# Lena Okafor\n\nCoordinates the flood wardens.\n",
		"Projects/Heron/Heron.md":   "# Heron\n\nMeasures the river level. The price is 320. The price may fall.\n\n## Tasks\n\n- [x] Choose the radio\n- [ ] Write the guide (due 2026-11-18)\n- [ ] Agree a price (due 2026-12-11) #money\n",
		"Projects/Heron/Budget.md":  "# Budget\n\nSee [[Heron]].\n",
		"Projects/Garden.md":        "# Garden\n\n- tomatoes\n- chard\n",
		"Daily/2026-11-20.md":       "# Friday\n\nRan five kilometres without pain.\n",
		"Home.md":                   "# Home\n\nThe way in.",
	}
}

// step of a story: what is said, the tool calls it leads to, and what the answer holds.
type storyStep struct {
	say    string
	calls  string // joined with "; "; "*" for any
	answer []string
	not    []string
}

func tell(t *testing.T, c *chat, steps []storyStep) {
	t.Helper()
	for _, s := range steps {
		got := c.say(s.say)
		if calls := strings.Join(c.calls, "; "); s.calls != "*" && calls != s.calls {
			t.Errorf("%q\n called %s\n   want %s", s.say, calls, s.calls)
		}
		for _, want := range s.answer {
			if !strings.Contains(got, want) {
				t.Errorf("%q: the answer lacks %q:\n%s", s.say, want, got)
			}
		}
		for _, no := range s.not {
			if strings.Contains(got, no) {
				t.Errorf("%q: the answer holds %q:\n%s", s.say, no, got)
			}
		}
	}
}

func TestQuestionsAreAnsweredFromTheNotesWithCitations(t *testing.T) {
	c := newChat(t, kitchen())
	answer := c.say("what was that dessert with stone fruit?")
	cited := offline.Citations(answer)
	if len(cited) == 0 || cited[0].Path != "Recipes/Nectarine tart.md" || cited[0].Line == 0 || cited[0].Note != "Nectarine tart" {
		t.Fatalf("cited %+v in\n%s", cited, answer)
	}
	if len(c.calls) == 0 || c.calls[0] != "read_file Recipes/Nectarine tart.md" {
		t.Errorf("called %v", c.calls)
	}
	if got, want := strings.Count(answer, "[["), len(cited); got != want {
		t.Errorf("%d double brackets for %d citations:\n%s", got, want, answer)
	}
	tell(t, c, []storyStep{
		{"when did I run without pain?", "*", []string{"Ran five kilometres", "[[2026-11-20]] (Daily/2026-11-20.md:3)"}, nil},
		{"what do I know about zeppelins?", "", []string{"Nothing in your notes"}, []string{"[["}},
		{"Karins birthday", "*", []string{"For Karin's birthday"}, []string{"Holt"}},
	})
}

func TestReadingAndLists(t *testing.T) {
	tell(t, newChat(t, kitchen()), []storyStep{
		{"show me nectarin tart", "read_file Recipes/Nectarine tart.md", []string{"[[Nectarine tart]] (Recipes/Nectarine tart.md:1)", "220 g flour"}, nil},
		{"summarise it", "read_file Recipes/Nectarine tart.md", []string{"In short, [[Nectarine tart]]"}, nil},
		{"what's in the Recipes folder?", "", []string{"2 notes in `Recipes/`", "[[Rye bread]] (Recipes/Rye bread.md)"}, nil},
		{"list notes in Recepies", "", []string{"2 notes"}, nil},
		{"list notes in Nowhere", "", []string{"There is no folder “Nowhere”", "`Recipes/`"}, nil},
		{"how many notes are in Projects?", "", []string{"3 notes"}, nil},
		{"notes tagged baking", "", []string{"1 note with #baking", "Nectarine tart"}, nil},
		{"list tags", "", []string{"#recipe (1)"}, nil},
		{"what links to Heron?", "get_links Projects/Heron/Heron.md backlinks", []string{"[[Budget]] (Projects/Heron/Budget.md:3)"}, nil},
		{"outline of Nectarine tart", "read_file Recipes/Nectarine tart.md", []string{"[[Nectarine tart]] (Recipes/Nectarine tart.md)", "- Nectarine tart (line 4)\n  - Ingredients (line 8)\n  - Method (line 13)"}, nil},
		{"which links are broken?", "get_links unresolved", []string{"These links lead to no note", "- Karin Holt: 1 note (Recipes/Nectarine tart.md)"}, nil},
		{"show orphan notes", "get_links orphans", []string{"No other note links to these", "[["}, nil},
		{`search for "starter"`, "search_files \"starter\"", []string{"[[Rye bread]] (Recipes/Rye bread.md:3)"}, nil},
		{"open Xylophon", "", []string{"Nothing in your notes"}, nil},
		{"open the note Xylophon", "", []string{"no note called “Xylophon”"}, nil},
		{"what did I do yesterday?", "read_file Daily/2026-11-20.md", []string{"Ran five kilometres"}, nil},
	})
}

func TestRecentNotes(t *testing.T) {
	c := newChat(t, kitchen())
	old := testNow.AddDate(0, 0, -30)
	for _, p := range []string{"Home.md", "Projects/Garden.md"} {
		if err := os.Chtimes(filepath.Join(c.dir, p), old, old); err != nil {
			t.Fatal(err)
		}
	}
	today := testNow
	for _, p := range []string{"Recipes/Rye bread.md", "People/Lena Brandt.md", "People/Lena Okafor.md", "Projects/Heron/Heron.md", "Projects/Heron/Budget.md", "Daily/2026-11-20.md", "Recipes/Nectarine tart.md"} {
		if err := os.Chtimes(filepath.Join(c.dir, p), today, today); err != nil {
			t.Fatal(err)
		}
	}
	tell(t, c, []storyStep{
		{"what did I change this week?", "", []string{"7 notes changed this week", "Rye bread"}, []string{"[[Garden]]", "[[Home]]"}},
		{"what did I change last month?", "", []string{"2 notes changed last month", "[[Garden]]"}, []string{"Rye"}},
		{"what did I change in 2024?", "", []string{"No note was changed in 2024"}, nil},
		{"last 3 notes", "", []string{"Changed last"}, []string{"[[Garden]]"}},
	})
}

func TestTasks(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"open tasks", "*", []string{"3 open tasks, in 2 notes", "- [ ] Return her metronome", "- [ ] Write the guide"}, []string{"Choose the radio"}},
		{"tasks in Heron", "*", []string{"2 open tasks in `Projects/Heron/`"}, []string{"metronome"}},
		{"tasks in Lena Brandt", "list_tasks open in People/Lena Brandt.md", []string{"1 open task"}, nil},
		{"done tasks", "*", []string{"1 done task", "- [x] Choose the radio"}, nil},
		{"overdue tasks", "*", []string{"Write the guide"}, []string{"Agree a price"}},
		{"tasks tagged #money", "*", []string{"Agree a price"}, []string{"Write the guide"}},
		{`mark "return the metronome" as done`, "*", []string{"Shall I?"}, []string{"is ticked off"}},
		{"no", "", []string{"nothing was changed"}, nil},
		{`mark "return the metronome" as done in Lena Brandt`, "*", []string{"ticked off in [[Lena Brandt]] (People/Lena Brandt.md:5)"}, nil},
		{"tick off painting the fence", "*", []string{"Nothing was changed"}, nil},
	})
	if got := c.file("People/Lena Brandt.md"); !strings.Contains(got, "- [x] Return her metronome") {
		t.Error(got)
	}
}

func TestAFolderIsSummarisedNoteByNote(t *testing.T) {
	notes := map[string]string{}
	for i := range 8 {
		notes[fmt.Sprintf("Log/Day %d.md", i)] = fmt.Sprintf("# Day %d\n\nWent for a walk number %d along the canal.\n", i, i)
	}
	c := newChat(t, notes)
	answer := c.say("summarise the Log folder")
	if n := len(offline.Citations(answer)); n != 8 {
		t.Errorf("%d citations:\n%s", n, answer)
	}
}

func TestWriting(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{`create a note called Packing in Travel with "socks and a hat"`, "write_file Travel/Packing.md", []string{"Created [[Packing]] (Travel/Packing.md)"}, nil},
		{"add umbrella to it", "read_file Travel/Packing.md; edit_file Travel/Packing.md", []string{"Added to [[Packing]] (Travel/Packing.md:5)"}, nil},
		{"create a recipe called Plum cake with ingredients flour, plums and sugar", "write_file Recipes/Plum cake.md", []string{"Created [[Plum cake]]"}, nil},
		{"add beans and kale to Garden", "read_file Projects/Garden.md; edit_file Projects/Garden.md", []string{"> - beans\n> - kale"}, nil},
		{"add a task to buy seed to the garden note", "*", []string{"> - [ ] buy seed"}, nil},
		{`add "80 g almonds" to nectarine tart under ingredients`, "*", []string{"under “Ingredients”"}, nil},
		{`add "Serve warm." to Nectarine tart under Serving`, "*", []string{"has no heading “Serving”"}, nil},
		{"1", "*", []string{"a new heading “Serving”"}, nil},
		{`add "first" to today's note`, "daily_note 2026-11-21; write_file Daily/2026-11-21.md", []string{"Created [[2026-11-21]]"}, nil},
		{`add "Second line." to Home`, "*", []string{"Added to [[Home]]"}, nil},
		{`replace "organ" with "piano" in Lena Brandt`, "edit_file People/Lena Brandt.md", []string{"Replaced “organ” with “piano”"}, nil},
		{`replace "COORDINATES" with "Leads" in Lena Okafor`, "edit_file People/Lena Okafor.md; read_file People/Lena Okafor.md; edit_file People/Lena Okafor.md", []string{"Replaced “Coordinates”"}, nil},
		{`replace "zebra" with "horse" in Home`, "*", []string{"is not in", "nothing was changed"}, nil},
		{`remove "chard" from Garden`, "*", []string{"Removed from [[Garden]]"}, nil},
	})
	for p, want := range map[string]string{
		"Travel/Packing.md":         "# Packing\n\nsocks and a hat\n\numbrella\n",
		"Recipes/Plum cake.md":      "# Plum cake\n\n- flour\n- plums\n- sugar\n",
		"Projects/Garden.md":        "# Garden\n\n- tomatoes\n- beans\n- kale\n- [ ] buy seed\n",
		"Home.md":                   "# Home\n\nThe way in.\n\nSecond line.",
		"People/Lena Okafor.md":     "# Lena Okafor\n\nLeads the flood wardens.\n",
		"Daily/2026-11-21.md":       "# 2026-11-21\n\nfirst\n",
		"Recipes/Nectarine tart.md": strings.Replace(kitchen()["Recipes/Nectarine tart.md"], "nectarines\n", "nectarines\n- 80 g almonds\n", 1) + "\n## Serving\n\nServe warm.\n",
	} {
		if got := c.file(p); got != want {
			t.Errorf("%s is\n%q, want\n%q", p, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"make a folder called Archive", "create_folder Archive", []string{"Created the folder `Archive/`"}, nil},
		{"move Garden into it", "move_file Projects/Garden.md → Archive/Garden.md", []string{"[[Garden]] (Archive/Garden.md)"}, nil},
		{"rename it to Old garden", "move_file Archive/Garden.md → Archive/Old garden.md", []string{"[[Old garden]]"}, nil},
		{"delete old gardn", "send_message There is no note called “old gardn”. Do you mean [[Old g…", []string{"[[Old garden]] (Archive/Old garden.md)? Then I would delete it"}, nil},
		{"yes", "delete_file Archive/Old garden.md", []string{"Deleted “Old garden”", "trash"}, nil},
		{"rename the folder People to Friends", "move_file People → Friends", []string{"`Friends/`"}, nil},
		{"delete Nobody", "", []string{"Nothing was changed: no note is called “Nobody”"}, nil},
		{"move Home to Recipes", "move_file Home.md → Recipes/Home.md", nil, nil},
	})
	if c.file("Friends/Lena Brandt.md") == "" || c.file("Recipes/Home.md") == "" || c.file("Archive/Old garden.md") != "" {
		t.Error("the vault is not as told")
	}
}

func TestSeveralRequestsInOneMessage(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{
			`create a note Packing in Travel with "socks", then add "call Ana" to Rye bread and move Garden to Archive`,
			"write_file Travel/Packing.md; read_file Recipes/Rye bread.md; edit_file Recipes/Rye bread.md; move_file Projects/Garden.md → Archive/Garden.md",
			[]string{"Created [[Packing]]", "Added to [[Rye bread]]", "Moved “Garden”"},
			nil,
		},
		{
			"create a folder Trips, create a note called Rome in Trips with “See the forum”, add a task to book a train to it, rename it to Roma",
			"*",
			[]string{"Created the folder", "Created [[Rome]]", "Renamed “Rome” to [[Roma]] (Trips/Roma.md)"},
			nil,
		},
	})
	if got, want := c.file("Trips/Roma.md"), "# Rome\n\nSee the forum\n\n- [ ] book a train\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheLimitOfRoundsIsSaidAndContinueGoesOn(t *testing.T) {
	c := newChat(t, kitchen())
	c.rounds = 2
	tell(t, c, []storyStep{
		{"move Garden to Archive, move Home to Archive, delete Rye bread, make a folder called New", "*", []string{"Moved “Garden”", "- make a folder called New", "Say **continue**"}, []string{"Created the folder"}},
		{"continue", "*", []string{"Created the folder `New/`", "Deleted “Rye bread”"}, []string{"Moved"}},
		{"continue", "", []string{"Nothing is left"}, nil},
	})
	if c.file("Archive/Garden.md") == "" || c.file("Recipes/Rye bread.md") != "" {
		t.Error("not all was done")
	}
}

func TestAmbiguousNamesAreAsked(t *testing.T) {
	for answer, want := range map[string][]string{
		"the second":          {"*"},
		"2":                   {"*"},
		"Okafor":              {"People/Lena Okafor.md"},
		"lena brandt":         {"People/Lena Brandt.md"},
		"the one with okafor": {"People/Lena Okafor.md"},
		"both":                {"People/Lena Brandt.md", "People/Lena Okafor.md"},
		"neither":             nil,
		"cancel":              nil,
	} {
		c := newChat(t, kitchen())
		q := c.say("show Lena")
		if c.question == "" || !strings.Contains(q, "1. **Lena") || !strings.Contains(q, "2. **Lena") {
			t.Fatalf("no question: %s", q)
		}
		second := strings.Split(strings.Split(q, "2. **")[1], "**")[0]
		got := c.say(answer)
		var read []string
		for _, call := range c.calls {
			read = append(read, strings.TrimPrefix(call, "read_file "))
		}
		slices.Sort(read)
		if len(want) == 1 && want[0] == "*" {
			want = []string{"People/" + second + ".md"}
		}
		if !slices.Equal(read, want) {
			t.Errorf("%q: read %v, want %v: %s", answer, read, want, got)
		}
	}
}

func TestAQuestionMayBeLeftForAnotherRequest(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"delete Lena", "*", []string{"Which one should I delete?"}, nil},
		{"what is in the Recipes folder?", "", []string{"2 notes"}, nil},
		{"delete Lena", "*", []string{"Which one"}, nil},
		{"purple", "*", []string{"did not catch"}, nil},
		{"1", "*", []string{"Deleted “Lena"}, nil},
	})
}

func TestDestructionIsConfirmed(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"delete the Recipes folder", "*", []string{"not empty", "2 items", "(yes / no)"}, nil},
		{"no", "", []string{"nothing was changed"}, nil},
		{"delete the Recipes folder", "*", []string{"(yes / no)"}, nil},
		{"hm", "*", []string{"yes or no"}, nil},
		{"yes please", "delete_file Recipes", []string{"Deleted `Recipes/`"}, nil},
		{"create a note called Home with “new text”", "*", []string{"already a note [[Home]]"}, nil},
		{"3", "*", []string{"Added to [[Home]]"}, nil},
		{"create a note called Home with “other text”", "*", []string{"already a note"}, nil},
		{"leave it", "", []string{"nothing was changed"}, nil},
		{`replace "price" with "cost" in Heron`, "*", []string{"3 times", "times", "(yes / no)"}, nil},
		{"yes", "*", []string{"3 times"}, nil},
	})
	if got, want := c.file("Home.md"), "# Home\n\nThe way in.\n\nnew text"; got != want {
		t.Errorf("Home is %q", got)
	}
	if c.file("Recipes/Rye bread.md") != "" {
		t.Error("the folder is still there")
	}
}

func TestTextForAMissingNoteIsAskedAbout(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"add milk to Shopping", "*", []string{"no note called “Shopping”", "Create a new note"}, nil},
		{"1", "write_file Shopping.md", []string{"Created [[Shopping]]"}, nil},
	})
	if got := c.file("Shopping.md"); got != "# Shopping\n\nmilk\n" {
		t.Errorf("%q", got)
	}
}

func TestToolErrorsAreSaid(t *testing.T) {
	c := newChat(t, kitchen())
	if got := c.say(`create a note called ".secret" with x`); c.file(".secret.md") != "" {
		t.Errorf("a hidden file was made: %s", got)
	}
	if err := os.Chmod(filepath.Join(c.dir, "People"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(c.dir, "People"), 0o755) })
	if os.Getuid() != 0 { // root writes anywhere
		tell(t, c, []storyStep{{`replace "organ" with "x" in Lena Brandt`, "*", []string{"could not change"}, nil}})
	}
	tell(t, c, []storyStep{{"move Home to .obsidian", "*", []string{"could not move", "protected"}, nil}})
}

func TestTalk(t *testing.T) {
	c := newChat(t, kitchen())
	tell(t, c, []storyStep{
		{"help", "", []string{"not a language model", "For instance", "what do I know about"}, nil},
		{"are you an AI?", "", []string{"not a language model"}, nil},
		{"hello", "", []string{"Hello"}, nil},
		{"thanks!", "", []string{"welcome"}, nil},
		{"continue", "", []string{"Nothing is left"}, nil},
	})
	if n := strings.Count(c.say("hello"), "\n- *"); n != 3 {
		t.Errorf("%d examples", n)
	}
	c.now = time.Time{} // a message without a time is understood too
	tell(t, c, []storyStep{{"show Home", "read_file Home.md", nil, nil}})
}
