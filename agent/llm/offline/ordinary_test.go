package offline_test

import (
	"strings"
	"testing"
)

// ordinary is a way to say something, after what was said before it, with the tool calls it
// leads to and what the answer holds. Several messages are separated by " // ".
type ordinary struct{ say, calls, answer string }

// show, add and so on are the calls of the usual requests.
func edits(p string) string { return "read_file " + p + "; edit_file " + p }

func TestOrdinaryPhrasings(t *testing.T) {
	const (
		knee  = "Health/Knee.md"
		tart  = "Recipes/Nectarine tart.md"
		heron = "Projects/Heron/Heron.md"
		bike  = "Projects/Bike rebuild.md"
	)
	for _, k := range []ordinary{
		// new notes
		{"create a note called Spring", "write_file Spring.md", "Created [[Spring]]"},
		{"Create note Spring", "write_file Spring.md", ""},
		{"make a new note titled “Spring cleaning” in Projects", "write_file Projects/Spring cleaning.md", ""},
		{"new note Spring", "write_file Spring.md", ""},
		{"can you start a note on gutters please // yes", "write_file gutters.md", ""},
		{"create Projects/Spring.md", "write_file Projects/Spring.md", ""},
		{"create a note Projects/Spring with “first words”", "write_file Projects/Spring.md", ""},
		{"write a note called Fence saying the posts are rotten", "write_file Fence.md", ""},
		{"in the Travel folder, create a note called Visa with \"ask the embassy\"", "write_file Travel/Visa.md", ""},
		{"create a recipe called Dal", "write_file Recipes/Dal.md", ""},
		{"I'd like you to create a note named Attic in Projects/Heron", "write_file Projects/Heron/Attic.md", ""},
		{"create a note Fence: the posts are rotten", "write_file Fence.md", ""},
		{"make a note that the boiler man comes on Tuesday // yes", "write_file The boiler man comes on Tuesday.md", ""},
		{"create a checklist called Packing with passport, charger and socks", "write_file Packing.md", ""},
		{"create a note called Home", "send_message There is already a note [[Home]] (Home.md). What shall I do?…", "already a note"},
		// adding
		{"add milk to Knee", edits(knee), "> - milk"},
		{"append 'ran 4 km' to Knee", edits(knee), "> - ran 4 km"},
		{"add \"ran 4 km\" to the log in Knee", edits(knee), "under “Log”"},
		{"add ran 4 km to the Log section of Knee", edits(knee), "under “Log”"},
		{"write 'sunny' in Home", edits("Home.md"), "sunny"},
		{"put \"x\" at the top of Home", edits("Home.md"), "at the top"},
		{"prepend \"x\" to Home", edits("Home.md"), "at the top"},
		{"add a line saying the ice holds to Knee", edits(knee), "the ice holds"},
		{"add two bullets to Knee: stretch, ice", edits(knee), "stretch"},
		{"add a heading Plan to Knee", edits(knee), "> ## Plan"},
		{"jot down call the vet in Home", edits("Home.md"), "call the vet"},
		{"please add \"5 km\" to knee, thanks", edits(knee), "5 km"},
		{"show Knee // add 'slept well' to it", edits(knee), "slept well"},
		{"show Knee // add to it: slept well", edits(knee), "slept well"},
		{"show Knee // add \"slept well\" there", edits(knee), "slept well"},
		{"show Knee // append “ran 4 km” under Log", edits(knee), "under “Log”"},
		{"note down in Home: the key is under the pot", edits("Home.md"), "the key is under the pot"},
		{"add 'x' to today's daily note", "daily_note 2026-11-21; write_file Daily/2026-11-21.md", ""},
		{"add 'x' to yesterday's note", edits("Daily/2026-11-20.md"), ""},
		{"log in today's note that I ran 4 km", "daily_note 2026-11-21; write_file Daily/2026-11-21.md", "I ran 4 km"},
		{"add eggs, milk and bread to Garden", edits("Projects/Garden.md"), "> - eggs\n> - milk\n> - bread"},
		{"add 'x' to Knee and Gran", edits(knee) + "; " + edits("People/Gran.md"), ""},
		{"append 'x' to the ingredients of the nectarine tart", edits(tart), "under “Ingredients”"},
		{"append 'x' to the ingredients of rye bread", "read_file Recipes/Rye bread.md; send_message [[Rye bread]] (Recipes/Rye bread.md) has no heading “Ingre…", "has no heading “Ingredients”"},
		// adding where it is not clear
		{"add", "", "did not understand"},
		{"add milk", "", "Nothing was changed"},
		{"add something nice", "", "Nothing was changed"},
		{"add 'x' to it", "", "which note you mean"},
		// tasks
		{"add a task to Heron: order seals", edits(heron), "- [ ] order seals"},
		{"add task order seals to Heron", edits(heron), "- [ ] order seals"},
		{"add \"order seals\" as a task to Heron", edits(heron), "- [ ] order seals"},
		{"add \"order seals\" to Heron as a task", edits(heron), "- [ ] order seals"},
		{"add a todo to the bike rebuild to oil the chain", edits(bike), "- [ ] oil the chain"},
		{"add order seals to the tasks in Heron", edits(heron), "- [ ] order seals"},
		{"add a reminder to call Ana to Home", edits("Home.md"), "- [ ] call Ana"},
		{"what are my tasks?", "list_tasks open", "4 open tasks"},
		{"any open todos in the bike rebuild?", "list_tasks open in " + bike, "Fit the spindle"},
		{"tasks for Heron", "*", "2 open tasks"},
		{"what's overdue?", "*", "Write the guide"},
		{"tasks due in December", "*", "Agree a price"},
		{"show me the completed tasks", "*", "Choose the radio"},
		{"tick off the spindle // yes", "*", "ticked off in [[Bike rebuild]]"},
		{"mark fit the spindle as done in Bike rebuild", "*", "ticked off"},
		{"complete the task 'Return her metronome' // yes", "*", "ticked off in [[Lena Brandt]]"},
		{"check off the guide in Heron", "read_file " + heron + "; edit_file " + heron, "ticked off"},
		// replacing and removing
		{"replace tourer with racer in Bike rebuild", "edit_file " + bike, "Replaced “tourer” with “racer”"},
		{"in Bike rebuild replace 1984 with 1985", "edit_file " + bike, "Replaced “1984”"},
		{"change 'tourer' to 'racer' in the bike note // yes", "edit_file " + bike, "Replaced"},
		{"in Knee, change August to July", "edit_file " + knee, "Replaced “August” with “July”"},
		{"correct Lübeck to Kiel in Gran", "edit_file People/Gran.md", "Replaced"},
		{"show Knee // replace August with July", "edit_file " + knee, "Replaced"},
		{"remove chard from Garden", edits("Projects/Garden.md"), "Removed"},
		{"delete the line 'ran 3 km' from Knee", edits(knee), "Removed"},
		{"replace everything in Knee", "*", "Nothing was changed"},
		// order
		{"rename Knee to Left knee", "move_file " + knee + " → Health/Left knee.md", ""},
		{"rename the note Knee as Leg", "move_file " + knee + " → Health/Leg.md", ""},
		{"show Knee // rename it to Leg", "move_file " + knee + " → Health/Leg.md", ""},
		{"rename the Health folder to Body", "move_file Health → Body", ""},
		{"move Knee into Projects", "move_file " + knee + " → Projects/Knee.md", ""},
		{"move the knee note to the Projects folder", "move_file " + knee + " → Projects/Knee.md", ""},
		{"move Knee to the top level", "move_file " + knee + " → Knee.md", ""},
		{"move Knee, Gran and Garden to Archive", "move_file " + knee + " → Archive/Knee.md; move_file People/Gran.md → Archive/Gran.md; move_file Projects/Garden.md → Archive/Garden.md", ""},
		{"move the Heron folder to Archive", "move_file Projects/Heron → Archive/Heron", ""},
		{"create a folder Old and move Knee into it", "create_folder Old; move_file " + knee + " → Old/Knee.md", ""},
		{"make a folder for Invoices // yes", "create_folder Invoices", ""},
		{"make a new folder Drafts inside Projects", "create_folder Projects/Drafts", ""},
		{"rename Knee", "", "*rename Knee to …*"},
		{"move Knee", "", "*move Knee to …*"},
		// deleting
		{"delete Knee", "delete_file " + knee, "trash"},
		{"remove the note Knee", "delete_file " + knee, "trash"},
		{"trash Knee and Garden", "delete_file " + knee + "; delete_file Projects/Garden.md", ""},
		{"please delete the notes Knee, Garden and Gran", "delete_file " + knee + "; delete_file Projects/Garden.md; delete_file People/Gran.md", ""},
		{"show Knee // delete it", "delete_file " + knee, ""},
		{"get rid of Garden", "delete_file Projects/Garden.md", ""},
		{"delete everything", "", "only what you name"},
		{"delete all notes", "", "only what you name"},
		{"delete all my notes about bikes", "", "only what you name"},
		{"delete", "", "did not understand"},
		{"delete all notes", "", "do not delete notes wholesale"},
		{"move Knee to the trash", "delete_file " + knee, "trash"},
		{"move Knee and Garden into the bin", "delete_file " + knee + "; delete_file Projects/Garden.md", ""},
		{"delete Nectarne tart", "send_message There is no note called “Nectarne tart”. Do you mean [[N…", "yes / no"},
		{"delete Nectarne tart // yes", "delete_file " + tart, "trash"},
		{"delete Nectarne tart // no", "", "nothing was changed"},
		{"delete Karin and Mlio", "send_message There is no note called “Karin and Mlio”. Do you mean [[…", "yes / no"},
		// several at once
		{"show Knee and then delete Garden", "read_file " + knee + "; delete_file Projects/Garden.md", ""},
		{"create a note Plan in Projects, add \"- a\" to it, then show it", "write_file Projects/Plan.md; read_file Projects/Plan.md; edit_file Projects/Plan.md; read_file Projects/Plan.md", ""},
		{"rename Knee to Leg and move it to Archive", "move_file " + knee + " → Health/Leg.md; move_file Health/Leg.md → Archive/Leg.md", ""},
		{"add 'x' to Knee, then add 'y' to Garden", edits(knee) + "; " + edits("Projects/Garden.md"), ""},
		{"1. delete Knee\n2. delete Garden", "delete_file " + knee + "; delete_file Projects/Garden.md", ""},
		{"create a folder Trips, in it a note Rome with \"the forum\"", "create_folder Trips; write_file Trips/Rome.md", ""},
		{"create a note Plan and in it write 'first'", "write_file Plan.md; " + edits("Plan.md"), "> first"},
		{"create a folder called Trips and a note called Rome in it", "create_folder Trips; write_file Trips/Rome.md", ""},
		// reading
		{"open knee", "read_file " + knee, "Better since August"},
		{"can I see the nectarine tart?", "read_file " + tart, "220 g flour"},
		{"read me the note Gran", "read_file People/Gran.md", "Lotte Falk"},
		{"show yesterday's note", "read_file Daily/2026-11-20.md", "Ran five"},
		{"show today's note", "daily_note 2026-11-21", "no daily note"},
		{"what is in today's note?", "daily_note 2026-11-21", "no daily note"},
		{"show me Oma", "read_file People/Gran.md", "Lotte"},
		{"summarise the nectarine tart", "read_file " + tart, "In short"},
		{"give me the gist of Heron", "read_file " + heron, "In short"},
		{"tl;dr Heron", "read_file " + heron, "In short"},
		{"list everything in Projects", "", ""},
		{"which notes are in the People folder?", "", "4 notes"},
		{"list folders", "", "folders"},
		{"give me a list of all my recipes", "", "3 notes"},
		{"list all recipes", "", "3 notes"},
		{"show me all my recipes", "", "3 notes"},
		{"give me a list of all notes", "", "notes in the vault"},
		{"how many recipes do I have?", "", "3 notes"},
		{"how many notes do I have in total?", "", "notes in the vault"},
		{"what are my latest notes?", "", "Changed last"},
		{"what have I been working on this week?", "", ""},
		{"what did I do on 20 November?", "read_file Daily/2026-11-20.md", "Ran five"},
		{"what happened yesterday?", "read_file Daily/2026-11-20.md", "Ran five"},
		// questions
		{"where was Lotte born?", "*", "Lübeck"},
		{"who plays the organ?", "*", "[[Lena Brandt]]"},
		{"how long do I bake the tart", "*", "35 minutes"},
		{"knee", "read_file " + knee, "Better since"},
		{"is there anything about flood wardens?", "*", "[[Lena Okafor]]"},
		{"who won the cup in Paraguay?", "*", "Nothing in your notes"},
		// answers to no question
		{"the second one", "", "There is no open question"},
		{"2", "", "There is no open question"},
		{"list all recipes // the second one", "*", "(Recipes/"},
		{"yes please", "", "There is no open question"},
		// talk and nonsense
		{"hi", "", "Hello"},
		{"good morning!", "", "Hello"},
		{"thank you so much", "", "welcome"},
		{"what can you do?", "", "For instance"},
		{"asdf qwer zxcv", "", "Nothing in your notes"},
		{"???", "", "For instance"},
		{"🙂", "", ""},
		{"undo", "", "`chatvault undo`"},
		{"undo that", "", "`/undo` in the chat"},
		{"take that back", "", "`chatvault undo`"},
		{"Undo the last change, please.", "", "`chatvault undo`"},
		{"please undo my last edit", "", "`chatvault undo`"},
		{"undo what you just did", "", "`chatvault undo`"},
		{"can you undo the rename?", "", "`chatvault undo`"},
		{"revert your changes", "", "`chatvault undo`"},
		// once written as they stood
		{"create a note called Reading list with a list of Dune, Emma and Ulysses", "write_file Reading list.md", ""},
		{"create a note 'A' with 'x' and a note 'B' with 'y'", "write_file A.md; write_file B.md", ""},
		{"create two notes A and B", "write_file A.md; write_file B.md", "Created [[A]]"},
		{"delete the daily note from 2026-11-20", "delete_file Daily/2026-11-20.md", ""},
		{"insert a line 'x' after 'Ingredients' in Nectarine tart", "*", "Nothing was changed"},
		{"add - salt to Ingredients in the nectarine tart", edits(tart), "under “Ingredients”"},
		{"add a letter to the bank in Home", edits("Home.md"), "a letter to the bank"},
		{"add a tag work to Knee", "*", "Nothing was changed"},
		{"do I have any notes on zebras?", "*", "Nothing in your notes"},
		{"notes from November", "", "in November"},
		// what it cannot do
		{"translate Knee to French", "", "beyond the offline engine"},
		{"email Knee to Ana", "*", "Nothing was changed"},
		{"merge Knee and Garden", "*", "Nothing was changed"},
		{"sort the list in Garden", "*", "Nothing was changed"},
		{"copy Knee to Archive", "*", "Nothing was changed"},
		{"duplicate Knee", "*", "Nothing was changed"},
		{"remind me to call Ana tomorrow", "*", "Nothing was changed"},
		{"rewrite Knee in a friendlier tone", "", "beyond the offline engine"},
	} {
		c := newChat(t, rigged())
		var answer string
		for say := range strings.SplitSeq(k.say, " // ") {
			answer = c.say(say)
		}
		if got := strings.Join(c.calls, "; "); k.calls != "*" && got != k.calls || !strings.Contains(answer, k.answer) {
			t.Errorf("%q\n called %s\n   want %s\n answer (want %q): %s", k.say, got, k.calls, k.answer, answer)
		}
	}
}
