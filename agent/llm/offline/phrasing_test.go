package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm/offline"
)

// rigged is the vault of the phrasings: notes with headings, tasks and lists.
func rigged() map[string]string {
	notes := kitchen()
	notes["Projects/Bike rebuild.md"] = "# Bike rebuild\n\nA 1984 tourer.\n\n## Done\n\n- Frame stripped\n\n## Tasks\n\n- [ ] Fit the spindle\n"
	notes["Recipes/Quick kimchi.md"] = "# Quick kimchi\n\nCabbage and patience.\n"
	notes["Health/Knee.md"] = "# Knee\n\nBetter since August.\n\n## Log\n\n- ran 3 km\n"
	notes["People/Gran.md"] = "---\naliases: [Oma]\n---\n# Gran\n\nLotte Falk, born 5 December 1935 in Lübeck.\n"
	notes["People/Karin and Milo.md"] = "# Karin and Milo\n\nMy sister and her son.\n"
	notes["Travel/Lisbon, October 2026.md"] = "# Lisbon, October 2026\n\nFour days of tiles.\n"
	return notes
}

// after is what a note holds after a message, each in a vault of its own.
type after struct {
	say  []string
	note string
	want string // the text of the note: all of it, or with a leading "…" its end
}

func holds(t *testing.T, cases []after) {
	t.Helper()
	for _, k := range cases {
		c := newChat(t, rigged())
		var last string
		for _, say := range k.say {
			last = c.say(say)
		}
		got := c.file(k.note)
		if end, ok := strings.CutPrefix(k.want, "…"); ok && !strings.HasSuffix(got, end) || !ok && got != k.want {
			t.Errorf("%q: %s is\n%q\nwant\n%q\nanswer: %s", k.say, k.note, got, k.want, last)
		}
	}
}

func TestTextGoesUnderItsHeadingInWhateverOrderItIsSaid(t *testing.T) {
	tart := strings.Replace(kitchen()["Recipes/Nectarine tart.md"], "nectarines\n", "nectarines\n- 1 lemon\n", 1)
	for _, say := range []string{
		`add "1 lemon" under Ingredients in Nectarine tart`,
		`add "1 lemon" under the heading Ingredients in Nectarine tart`,
		`add "1 lemon" to Nectarine tart under Ingredients`,
		`add "1 lemon" to Nectarine tart under the heading "Ingredients"`,
		`add "1 lemon" to Nectarine tart in the Ingredients section`,
		`add "1 lemon" to the Ingredients section of Nectarine tart`,
		`add "1 lemon" in section Ingredients of Nectarine tart`,
		`add 1 lemon to the ingredients section of the nectarine tart`,
		`add 1 lemon under ingredients in nectarine tart`,
		`under Ingredients in Nectarine tart, add "1 lemon"`,
		`in Nectarine tart, add "1 lemon" under Ingredients`,
		`in the Ingredients section of Nectarine tart add 1 lemon`,
		`add to Nectarine tart under Ingredients: 1 lemon`,
		`add under Ingredients in Nectarine tart: 1 lemon`,
		`put "1 lemon" below Ingredients in Nectarine tart please`,
	} {
		holds(t, []after{{[]string{say}, "Recipes/Nectarine tart.md", tart}})
	}
	holds(t, []after{{[]string{`add "Serve." to Nectarine tart under Method`}, "Recipes/Nectarine tart.md", "…175 °C.\n2. Serve.\n"}})
	bike := rigged()["Projects/Bike rebuild.md"]
	holds(t, []after{
		{[]string{`add "oil chain" under Next steps in Bike rebuild`}, "Projects/Bike rebuild.md", bike},
		{[]string{`add "oil chain" under Next steps in Bike rebuild`, "1"}, "Projects/Bike rebuild.md", bike + "\n## Next steps\n\noil chain\n"},
		{[]string{`add "oil chain" under Next steps in Bike rebuild`, "2"}, "Projects/Bike rebuild.md", strings.Replace(bike, "stripped\n", "stripped\n- oil chain\n", 1)},
		{[]string{`add "oil chain" under Next steps in Bike rebuild`, "cancel"}, "Projects/Bike rebuild.md", bike},
		{[]string{`add "oil chain" under a new heading Next steps in Bike rebuild`}, "Projects/Bike rebuild.md", bike + "\n## Next steps\n\noil chain\n"},
		{[]string{`add sweep under the stairs to Bike rebuild`, "5"}, "Projects/Bike rebuild.md", bike + "- [ ] sweep under the stairs\n"},
	})
}

func TestTextThatComesWithAMessageIsTakenAsItIs(t *testing.T) {
	const log = "5099457 Say how many faults\nf412275 Stop a question, and delete Home"
	text := "\n\n" + log
	home := rigged()["Home.md"]
	holds(t, []after{
		{[]string{"add these to today's note" + text}, "Daily/2026-11-21.md", "# 2026-11-21\n\n" + log + "\n"},
		{[]string{"add these to Home" + text}, "Home.md", home + "\n\n" + log},
		{[]string{"Please add the following to Home:" + text}, "Home.md", home + "\n\n" + log},
		{[]string{"append to Home" + text}, "Home.md", home + "\n\n" + log},
		{[]string{"append this to Home:\n" + log}, "Home.md", home + "\n\n" + log},
		{[]string{"add these lines to Knee under Log" + text}, "Health/Knee.md", "# Knee\n\nBetter since August.\n\n## Log\n\n- ran 3 km\n\n" + log + "\n"},
		{[]string{"add these as tasks to Home\n\nbuy milk\ncall Ana"}, "Home.md", home + "\n\n- [ ] buy milk\n- [ ] call Ana"},
		{[]string{"add these tasks to Home\n\nbuy milk\ncall Ana"}, "Home.md", home + "\n\n- [ ] buy milk\n- [ ] call Ana"},
		{[]string{"create a note Piped with this" + text}, "Piped.md", "# Piped\n\n" + log + "\n"},
		{[]string{"create a note called Piped in Projects" + text}, "Projects/Piped.md", "# Piped\n\n" + log + "\n"},
		{[]string{"save this as Piped" + text}, "Piped.md", "# Piped\n\n" + log + "\n"},
		{[]string{"put this into a new note called Piped" + text}, "Piped.md", "# Piped\n\n" + log + "\n"},
		{[]string{"make a note of this\n\nThe fox came back", "yes"}, "The fox came back.md", "# The fox came back\n\nThe fox came back\n"},
		{[]string{"add these to Home" + text + strings.Repeat("\nmore of it", 9000)}, "Home.md", home + text + strings.Repeat("\nmore of it", 9000)},
		{[]string{"add these to Home"}, "Home.md", home},
		{[]string{"add these to Home\n\n\x00\x01\x02\xff\xfe"}, "Home.md", home},
	})
	tell(t, newChat(t, rigged()), []storyStep{
		{"add these to Home", "", []string{"does not say which text"}, nil},
		{"add these to Home\n\n\x00\x01\x02\xff\xfe", "", []string{"binary"}, []string{"\x01", "\xff"}},
		{"summarise this\n\nThe fox came back at night. It took two hens.", "", []string{"In short", "- The fox came back"}, nil},
	})
}

func TestRequestsForSeveralNotesAndForNewOnes(t *testing.T) {
	for _, k := range []struct {
		say   []string
		calls string
	}{
		{[]string{`add "milk" to a new note called Shopping`}, "write_file Shopping.md"},
		{[]string{"put milk and eggs into a new note Shopping in Projects"}, "write_file Projects/Shopping.md"},
		{[]string{"add a task to Knee: buy tape"}, "read_file Health/Knee.md; edit_file Health/Knee.md"},
		{[]string{"add a task to Knee to buy tape"}, "read_file Health/Knee.md; edit_file Health/Knee.md"},
		{[]string{"what do I know about the nectarine tart?", "add a task to it: buy nectarines on Saturday"}, "read_file Recipes/Nectarine tart.md; edit_file Recipes/Nectarine tart.md"},
		{[]string{"delete Quick kimchi, Knee and Gran"}, "delete_file Recipes/Quick kimchi.md; delete_file Health/Knee.md; delete_file People/Gran.md"},
		{[]string{"delete Karin and Milo"}, "delete_file People/Karin and Milo.md"},
		{[]string{"delete Karin and Milo, Knee"}, "delete_file People/Karin and Milo.md; delete_file Health/Knee.md"},
		{[]string{"delete Lisbon, October 2026"}, "delete_file Travel/Lisbon, October 2026.md"},
		{[]string{"delete Lisbon, October 2026 and Karin and Milo"}, "delete_file Travel/Lisbon, October 2026.md; delete_file People/Karin and Milo.md"},
		{[]string{"delete Knee and Zeppelin"}, "send_message There is no note called “Zeppelin”. Shall I move these t…"},
		{[]string{"delete Knee and Zeppelin", "no"}, ""},
		{[]string{"delete Knee and Zeppelin", "yes"}, "delete_file Health/Knee.md"},
		{[]string{"move Knee and Gran to Archive"}, "move_file Health/Knee.md → Archive/Knee.md; move_file People/Gran.md → Archive/Gran.md"},
		{[]string{"put milk in Archive", "cancel"}, ""},
		{[]string{"archive Knee, Gran"}, "move_file Health/Knee.md → Archive/Knee.md; move_file People/Gran.md → Archive/Gran.md"},
		{[]string{"show Knee and Gran"}, "read_file Health/Knee.md; read_file People/Gran.md"},
		{[]string{"create a folder Ideas and in it a note Tea shop with 'A shop for tea.'"}, "create_folder Ideas; write_file Ideas/Tea shop.md"},
		{[]string{"create a folder Ideas with a note Tea shop in it"}, "create_folder Ideas; write_file Ideas/Tea shop.md"},
		{[]string{"make a folder Ideas, and inside it a folder Shops"}, "create_folder Ideas; create_folder Ideas/Shops"},
		{[]string{"make a folder Ideas", "create a note Tea in it"}, "create_folder Ideas; write_file Ideas/Tea.md"},
		{[]string{"open the note about penetrating patience and cabbage"}, "read_file Recipes/Quick kimchi.md"},
		{[]string{"open the note about kimchi"}, "read_file Recipes/Quick kimchi.md"},
		{[]string{"open the note about zeppelins"}, ""},
	} {
		c := newChat(t, rigged())
		var answer string
		var calls []string
		for i, say := range k.say {
			answer = c.say(say)
			if i == len(k.say)-1 || strings.HasPrefix(k.calls, "create_folder") {
				calls = append(calls, c.calls...)
			}
		}
		if got := strings.Join(calls, "; "); got != k.calls {
			t.Errorf("%q\n called %s\n   want %s\n%s", k.say, got, k.calls, answer)
		}
	}
}

func TestTasksAreSearchedForInWordsAPersonReads(t *testing.T) {
	notes := rigged()
	notes["Begun.md"] = "# Begun\n\n- [/] half a shed\n"
	notes["Numbered.md"] = "# Numbered\n\n1. [ ] count the hens\n\nA box [ ] in a sentence.\n"
	tell(t, newChat(t, notes), []storyStep{
		{"which tasks are open?", `list_tasks open`, []string{"6 open tasks, in 5 notes", "half a shed", "count the hens"}, []string{"sentence"}},
		{"which tasks are done?", `list_tasks done`, []string{"Choose the radio"}, nil},
	})
}

func TestAnswersBeginWithWhatWasAskedFor(t *testing.T) {
	notes := rigged()
	notes["People/Tomasz Wieczorek.md"] = "---\ncreated: 2025-05-12\n---\n# Tomasz Wieczorek\n\nWrites the firmware. Sails a dinghy.\n\n- Plays Carcassonne with me\n"
	notes["Meetings/2026-10-13 Design review.md"] = "# Design review\n\nPresent: Tomasz, Tomasz's cat, I. Tomasz spoke, Tomasz drew.\n"
	notes["Meetings/2026-11-03 One-to-one.md"] = "# One-to-one\n\nHalf about the river.\n"
	notes["People/Gran.md"] = "# Gran\n\nLotte Falk, born 5 December 1935 in Lübeck. Came to England as a nurse and meant to stay a year, which became a life.\n\n## Ninety-first birthday\n\nSaturday 5 December, lunch at the hotel.\n"
	notes["Films/Arrival.md"] = "---\nrating: 5\ngenre: movie\n---\n![[movie poster.png]]\n\nThe movie in which a linguist learns to see time.\n"
	notes["Categories/Movies.md"] = "---\ncategories: movies\n---\n![[Movies.base]]\n\n## Favorite movies\n\n![[Movies.base#Favorite]]\n"
	notes["Letters.md"] = "# Letters\n\nA man in Stoke answers mails in capital letters.\n"
	notes["Old trip.md"] = "---\ndate: 2023-09-14\n---\n# Old trip\n\nTo the sea.\n"
	c := newChat(t, notes)
	for say, want := range map[string]string{
		"who is Tomasz?": "People/Tomasz Wieczorek.md:6 > Writes the firmware. Sails a dinghy.",
		"what do I know about the nectarine tart?": "Recipes/Nectarine tart.md:6 > For Karin's birthday; peaches work too.",
		"what is Heron?":          "Projects/Heron/Heron.md:3 > Measures the river level. The price is 320. The price may fall.",
		"when is gran's birthday": "People/Gran.md:7 > Saturday 5 December, lunch at the hotel.",
		"when was Gran born?":     "People/Gran.md:3 > Lotte Falk, born 5 December 1935 in Lübeck. …",
	} {
		answer := c.say(say)
		_, quoted, _ := strings.Cut(answer, "> ")
		quoted, _, _ = strings.Cut(quoted, "\n")
		cited := offline.Citations(answer)
		if len(cited) == 0 {
			t.Errorf("%q: no citation:\n%s", say, answer)
			continue
		}
		if got := fmt.Sprintf("%s:%d > %s", cited[0].Path, cited[0].Line, quoted); got != want {
			t.Errorf("%q\n got %s\nwant %s\n%s", say, got, want, answer)
		}
	}
	tart := offline.Citations(c.say("what do I know about the nectarine tart?"))
	for i := 1; i < len(tart) && tart[i].Path == tart[0].Path; i++ {
		if tart[i].Line < tart[i-1].Line {
			t.Errorf("cited out of order: %v", tart)
		}
	}
	tell(t, c, []storyStep{
		{"what do I know about movies?", "*", []string{"[[Movies]] (Categories/Movies.md) has properties and embedded files", "> The movie in which a linguist"}, []string{"Movies.base", "> categories"}},
		{"what is the capital of France?", "*", []string{"Nothing in your notes answers", "France"}, []string{"Stoke"}},
		{"which meetings did I have in November?", "", []string{"1 note in `Meetings/` dated in November", "2026-11-03"}, []string{"2026-10-13"}},
		{"which meetings did I have in March?", "", []string{"No note in `Meetings/` is dated in March"}, nil},
		{"what did I write in september 2023?", "", []string{"Dated in September 2023", "[[Old trip]] (Old trip.md), 14 September 2023"}, []string{"Arrival"}},
	})
}

func TestACopiedVaultIsNotTakenForAWeekOfWork(t *testing.T) {
	notes := rigged()
	c := newChat(t, notes)
	i := 0
	for p := range notes {
		at := testNow.Add(time.Duration(i) * time.Second)
		if p == "Home.md" {
			at = testNow.Add(-5 * time.Hour)
		}
		if err := os.Chtimes(filepath.Join(c.dir, filepath.FromSlash(p)), at, at); err != nil {
			t.Fatal(err)
		}
		if p != "Home.md" && strings.HasSuffix(p, ".md") { // the others are one after the other
			i++
		}
	}
	tell(t, c, []storyStep{{
		"what did I change this week?", "",
		[]string{"1 note changed this week", "[[Home]]", "14 notes have the same file time, today", "Dated this week by name or front matter:\n\n- [[2026-11-20]] (Daily/2026-11-20.md), yesterday"},
		[]string{"[[Gran]]"},
	}})
}

func TestTextOfANewNoteRunsOnOverItsLineEnds(t *testing.T) {
	holds(t, []after{
		{[]string{"create a note Tea3 in Recipes with hello\nworld"}, "Recipes/Tea3.md", "# Tea3\n\nhello\nworld\n"},
		{[]string{"create a note called Trip to Lisbon"}, "Trip to Lisbon.md", "# Trip to Lisbon\n"},
		{[]string{"create a note titled Into the Wild", "yes"}, "Into the Wild.md", "# Into the Wild\n"},
		{[]string{"create a note called Road to Rome with the text hello"}, "Road to Rome.md", "# Road to Rome\n\nhello\n"},
		{[]string{"create a note called Stollen to Recipes with the text hello"}, "Recipes/Stollen.md", "# Stollen\n\nhello\n"},
		{[]string{"create a note Tea4 with hello\nworld"}, "Tea4.md", "# Tea4\n\nhello\nworld\n"},
		{[]string{"create a note Tea5 in Recipes with hello\n\nworld\nagain"}, "Recipes/Tea5.md", "# Tea5\n\nhello\n\nworld\nagain\n"},
		{[]string{"create a note Tea6 with\nhello\nworld"}, "Tea6.md", "# Tea6\n\nhello\nworld\n"},
		{[]string{"create a note Tea7 in Recipes with steep: four minutes\nworld"}, "Recipes/Tea7.md", "# Tea7\n\nsteep: four minutes\nworld\n"},
		{[]string{"create a note \"Tea 8\" in Recipes with \"hello\nworld\""}, "Recipes/Tea 8.md", "# Tea 8\n\nhello\nworld\n"},
		{[]string{"create a note Todo\nmove the couch to the cellar"}, "Todo.md", "# Todo\n\nmove the couch to the cellar\n"},
		{[]string{"create a note Todo\nbuy milk\nmove the couch to the cellar\nsleep"}, "Todo.md", "# Todo\n\nbuy milk\nmove the couch to the cellar\nsleep\n"},
		{[]string{"create a note Todo\n- move the couch to the cellar\n- delete old mails"}, "Todo.md", "# Todo\n\n- move the couch to the cellar\n- delete old mails\n"},
		{[]string{"new note Ideas\nopen a shop\nlist prices"}, "Ideas.md", "# Ideas\n\nopen a shop\nlist prices\n"},
		{[]string{"create a note Todo\ndelete Gran"}, "Todo.md", "# Todo\n\ndelete Gran\n"},
		{[]string{"create a note Todo\nadd milk to it"}, "Todo.md", "# Todo\n\nmilk\n"},
		{[]string{"create a note Todo\nadd milk to Todo"}, "Todo.md", "# Todo\n\nmilk\n"},
		{[]string{"create a note Todo\ncreate a note Other"}, "Other.md", "# Other\n"},
		{[]string{"create a note Meeting with Ana\nShe agrees."}, "Meeting with Ana.md", "# Meeting with Ana\n\nShe agrees.\n"},
	})
}

func TestWhatChangedAfterACopyIsListed(t *testing.T) {
	notes := rigged()
	c := newChat(t, notes)
	for p := range notes {
		at := testNow
		if p == "Home.md" {
			at = testNow.Add(50 * time.Second)
		}
		if err := os.Chtimes(filepath.Join(c.dir, filepath.FromSlash(p)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, say := range []string{"create a note Tea with leaves", "rename Knee to Left knee", "add 'kale' to Garden", "create a note Gone", "delete Gone"} {
		c.say(say)
	}
	now := testNow.Add(40 * time.Second)
	for _, p := range []string{"Tea.md", "Projects/Garden.md"} {
		if err := os.Chtimes(filepath.Join(c.dir, p), now, now); err != nil {
			t.Fatal(err)
		}
	}
	for _, say := range []string{"what did I change today?", "what did I change this week?"} {
		tell(t, c, []storyStep{{
			say, "",
			[]string{"3 notes changed", "[[Garden]]", "[[Tea]]", "[[Home]]", "13 notes have the same file time"},
			[]string{"[[Gran]]", "Gone"},
		}})
	}
}

func TestAnAnswerWithoutTheWordAskedForSaysSo(t *testing.T) {
	notes := rigged()
	notes["Projects/Allotment.md"] = "# Allotment\n\nThe hedge is the boundary to the road; a gate and a wall to the north.\n"
	notes["Recipes/Trout.md"] = "# Trout\n\nRaw fish with rice and soy sauce.\n"
	c := newChat(t, notes)
	for _, say := range []string{"fence", "sushi", "where is the fence?", "sushi?"} {
		if answer := c.say(say); strings.HasPrefix(answer, "From your notes") {
			t.Errorf("%q: %s", say, answer)
		}
	}
	for _, say := range []string{"where was Lotte born?", "how long do I bake the tart?", "hedges"} {
		if answer := c.say(say); !strings.HasPrefix(answer, "From your notes") {
			t.Errorf("%q: %s", say, answer)
		}
	}
}
