package smallmodel

import (
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/tools"
)

func TestQuery(t *testing.T) {
	for question, want := range map[string]string{
		"Which notes are in the category Places? Just the names.": "Which notes are in the category Places?",
		"Who has my spare key?":                                   "Who has my spare key?",
		"List all notes in the folder Journal.":                   "List all notes in the folder Journal",
	} {
		if got := Query(question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestLookups(t *testing.T) {
	for message, want := range map[string][2]string{
		`Find the recipes tagged sweet and make a note "Sweet things" with a link to each of them`:     {"Find the recipes tagged sweet", ""},
		`Count the open tasks in the Gran note and write "Gran: N open tasks" into today's daily note`: {"Count the open tasks in the Gran note", ""},
		"move every note with the tag unfinished to Reading/Paused":                                    {"", "list all notes with the tag unfinished"},
		"set status to done in all notes tagged heron":                                                 {"", "list all notes tagged heron"},
		"add the tag food to all notes in Recipes.":                                                    {"", "list all notes in Recipes"},
		"tick all tasks in Gran": {"", ""},
		"add milk to the note Shopping, and all the notes I sang to Concert": {"", ""},
	} {
		first, each := Lookups(message)
		if got := [2]string{strings.Join(first, "; "), each}; got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestNotEach(t *testing.T) {
	for answer, want := range map[string]string{
		"There are no notes with #x. Say *list tags* to see those there are.": "Nothing was changed. There are no notes with #x.",
		"":                                     "Nothing was changed: it is not clear which notes",
		"2 notes with #x:\n\n- [[A]] (A.md)\n": "Nothing was changed: these are more than 16 notes",
		"1 note with #x:\n\n- [[A]] (A.md)\n":  "",
	} {
		got := NotEach(answer, len(Listed(answer)))
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
}

func TestForEach(t *testing.T) {
	call := llm.ToolCall{ID: "a", Name: "move_file", Arguments: `{"source":"Moby-Dick","folder":"Paused"}`}
	got := ForEach(call, []string{"Books/Emma.md", "Books/Moby-Dick.md"})
	if len(got) != 2 || got[0].Arguments != `{"folder":"Paused","source":"Books/Emma.md"}` || got[0].ID == got[1].ID {
		t.Errorf("%+v", got)
	}
	if got := ForEach(call, []string{"Books/Emma.md", "Books/Ulysses.md"}); got != nil {
		t.Errorf("lookup of another note: %+v", got)
	}
}

func TestSpelled(t *testing.T) {
	listed, created := []string{"Recipes/Tart.md", "Recipes/Fudge.md"}, []string{"Travel/Packing.md"}
	for part, want := range map[string]string{
		"make a note with a link to each of them":                                            "- [[Tart]]\n- [[Fudge]]\n",
		"make a note that says they are sweet":                                               "",
		"Create a note Packing in Travel with the tasks passport, charger and umbrella, and": "- [ ] passport\n- [ ] charger\n- [ ] umbrella\n",
		"create a note Bees with the points queens, drones, and workers.":                    "- queens\n- drones\n- workers\n",
		"link it at the end of the Lisbon note.":                                             "[[Packing]]",
		"add the task buy milk and bread":                                                    "",
		"make a note with the lines of the poem":                                             "",
	} {
		if got := spelled(part, listed, created); got != want {
			t.Errorf("%q: %q, want %q", part, got, want)
		}
	}
}

func TestTitles(t *testing.T) {
	for message, want := range map[string]string{
		"Create a note Packing in Travel with the tasks passport and charger":      "Packing",
		"make a new note Compost in Projects that says: Turn it every two weeks.":  "Compost",
		`Find the recipes tagged sweet and make a note "Sweet things" with a link`: "Sweet things",
		"start a note called How to fish: bring bait":                              "How|How to fish",
		"Erstelle eine Notiz Einkauf mit Milch":                                    "Einkauf",
		"create a new note in the folder Projects named Bees":                      "Bees",
		"new note Bees in the Old Letters folder":                                  "Bees",
		"make a note called Life in Lisbon":                                        "Life|Life in Lisbon",
		"make a note called How to travel":                                         "How|How to travel",
		"write down that the bees are back":                                        "",
	} {
		if got := strings.Join(titles(message, []string{"Travel", "Projects", "Home/Old Letters"}), "|"); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for message, want := range map[string]string{
		"Benenne die Notiz Bike rebuild in Dawes tourer um":     "Dawes tourer",
		"Move Braiding Sweetgrass into a folder called Archive": "Archive",
		"move it to Reading/Paused.":                            "Reading/Paused",
		"rename Kyoto to Kyoto City":                            "Kyoto City",
		"add the tag spring to Balcony garden":                  "spring",
	} {
		if got := said(message, "Bike rebuild", "Kyoto"); !slices.Contains(got, want) || slices.Contains(got, want+" um") || slices.Contains(got, "Bike rebuild in Dawes tourer") {
			t.Errorf("%q: %q, want %q among them", message, got, want)
		}
	}
	if got := said(`rename the note "Knee" to "Right knee"`, "Knee"); !slices.Equal(got, []string{"Right knee"}) {
		t.Errorf("of quotations: %q", got)
	}
}

func TestGreets(t *testing.T) {
	for message, want := range map[string]bool{
		"Guten Morgen!": true, "ありがとう、助かりました": true, "merci beaucoup": true, "thanks!": true, "谢谢你": true,
		"Hi, when is the concert?": false, "Dankesbrief an Oma": false, "どうして試験がある?": false, "high water marks": false,
	} {
		if got := Greets(message); got != want {
			t.Errorf("%q: %v, want %v", message, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	note := func(path, text string) Found { return Found{Passages: []Passage{{Path: path, Text: text, Full: text}}} }
	c := Choices(note("Projects/Bike rebuild.md", "x\n"), "Benenne die Notiz Bike rebuild in Dawes tourer um")
	if got := c[tools.OfNewNames]; !slices.Contains(got, "Dawes tourer") || slices.Contains(got, "Benenne die Notiz") {
		t.Errorf("new names %q", got)
	}
	for message, want := range map[string]string{`rename the note "Knee" to "Right knee"`: "Right knee", `rename “Knee” to Left knee`: "Left knee"} {
		c = Choices(note("Knee.md", "x\n"), message)
		if got := c[tools.OfNewNames]; !slices.Contains(got, want) || slices.Contains(got, "to") {
			t.Errorf("%s: new names %q", message, got)
		}
	}
	c = Choices(note("Catan.md", "x\n"), "move the note Catan to a folder Games")
	if got := c[tools.OfPlaces]; !slices.Equal(got, []string{"Games"}) {
		t.Errorf("places %q", got)
	}
	c = Choices(note("Film.md", "---\nlast: 2020\nrating: 3\n---\n"), "watched Film again, set last to 2024-01-05")
	if got := c[tools.OfKeys]; !slices.Equal(got, []string{"last"}) {
		t.Errorf("keys %q", got)
	}
}
