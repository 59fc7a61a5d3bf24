package smallmodel

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/window"
	"chatvault/tools"
)

func TestAsksForChange(t *testing.T) {
	for message, want := range map[string]bool{
		"how long does the tart bake?":                              false,
		"What did I change this week, and what did I add?":          false,
		"which notes have the tag recipe":                           false,
		"compare the two Lenas":                                     false,
		"nectarine tart":                                            false,
		"changes to the launch plan":                                false,
		"notes about the rent":                                      false,
		"can you tell me where the stopcock is?":                    false,
		"Is the deposit paid? and when?":                            false,
		"thanks!":                                                   false,
		"add milk to the shopping list":                             true,
		"Please rename Knee to Right knee":                          true,
		"can you tick off the saddle task?":                         true,
		"Could you please move Piranesi into Archive":               true,
		"In the note Nectarine tart change 35 minutes to 40":        true,
		"My rent went up. Change £1,140 to £1,195 in the flat note": true,
		"the deposit isn't paid yet, untick that":                   true,
		"I finished it, so mark the kettle task as done":            true,
		"find Gran's note and add her number 0123":                  true,
		"remind me to call Gran on Sunday":                          true,
		"note that the boiler was serviced today":                   true,
		"we should delete the template":                             true,
		"To Home, add a line: call Gran":                            true,
		"Wann ist die Prüfung?":                                     false,
		"Füge bei Knee die Zeile „kühlen“ hinzu":                    true,
		"Kannst du Knee in Archiv verschieben":                      true,
		"Bitte lösche die Notiz Moby-Dick":                          true,
		"Notiz Knee umbenennen":                                     true,
		"Qui est allergique ?":                                      false,
		"ajoute du lait à la liste":                                 true,
		"Peux-tu supprimer la note Knee ?":                          true,
		"日本語の試験はいつですか?":                                             false,
		"買い物リストに牛乳を追加してください":                                        true,
		"把牛奶加到购物清单,添加一行":                                            true,
		"什么时候考试?":                                                   false,
	} {
		if got := len(Requests(message)) > 0; got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

func TestUnsupported(t *testing.T) {
	const source = "Rent £1,140, due on the first. Mr Petrou is the landlord. Meeting 2026-11-30. The tart takes five minutes."
	for answer, want := range map[string]string{
		"The rent is £1,140.":                           "",
		"The rent is £1,195.":                           "195",
		"Mr Petrou is the landlord.":                    "",
		"The landlord is Mr Smith.":                     "Smith",
		"It is on 30 November 2026.":                    "",
		"Monday 30.":                                    "",
		"It takes 5 minutes.":                           "",
		"It takes 50 minutes.":                          "50",
		"There are 2: [[A]] and [[B]]. See the rent.":   "",
		"Petrou's flat.":                                "",
		"The meeting is with Gareth Vaughan in Bristol": "Gareth Vaughan Bristol",
	} {
		if got := strings.Join(Unsupported(answer, "Tell me more", source, "A B"), " "); got != want {
			t.Errorf("%q: %q, want %q", answer, got, want)
		}
	}
	if got := Unsupported("Die Miete beträgt £1,140 im Monat.", "Wie hoch ist die Miete?", source); len(got) > 0 {
		t.Errorf("German nouns: %q", got)
	}
}

func TestAddresses(t *testing.T) {
	const source = "twitter: kepano\nurl: https://stephango.com/\nA walk of twenty minutes."
	for answer, want := range map[string]bool{
		"The handle is @kepano.": true, "It is https://stephango.com/.": true, "Twenty minutes, or 20.": true,
		"Write to steph@stephango.com.": false, "The address is [email address].": false, "It is at https://ango.com": false, "A walk of 30 minutes.": false,
	} {
		if got := Unsupported(answer, "what is it", source); (len(got) == 0) != want {
			t.Errorf("%q: %q", answer, got)
		}
	}
}

func TestFirstNamedOfEqualNames(t *testing.T) {
	got := NamedIn("move the note Catan to a folder Games", []string{"Categories/Games.md", "References/Catan.md"}, 1, false)
	if len(got) != 1 || got[0] != "References/Catan.md" {
		t.Errorf("%q", got)
	}
}

func TestAnsweredByLink(t *testing.T) {
	const source = "Note [[2026-11-02]] (Daily/2026-11-02.md), under “Monday 2 November”:\nTold Priya on the phone"
	if got := Unsupported("Priya's phone number is [[2026-11-02]] (Daily/2026-11-02.md), under “Monday 2 November”.", "What's Priya's phone number?", source); len(got) == 0 {
		t.Error("a link was taken for a number")
	}
}

func TestOnSubject(t *testing.T) {
	found := []Passage{{Path: "Lisbon.md", Text: "Ferry to Cacilhas"}, {Path: "Kestrel.md", Text: "Price per set £3.42"}}
	if got := OnSubject("what did we pay for the ferry to Cacilhas?", found); len(got) != 1 || got[0].Path != "Lisbon.md" {
		t.Errorf("%+v", got)
	}
	for _, q := range []string{"Which costs more, Lisbon or Kestrel?", "what did the bread cost"} {
		if got := OnSubject(q, found); len(got) != 2 {
			t.Errorf("%q: %+v", q, got)
		}
	}
}

func TestAlongOmitsQuotes(t *testing.T) {
	got := Along("> … the rent is £5 …\n\n— [[A]] (A.md:3)\n\n> Elsewhere\n\n— [[B]] (B.md:1)", []Passage{{Path: "A.md", Text: "All of it: the rent is £5 a day."}})
	if strings.Count(got, "the rent is £5") != 1 || !strings.Contains(got, "> Elsewhere\n\n— [[B]]") {
		t.Errorf("%q", got)
	}
}

func TestAlong(t *testing.T) {
	long := strings.Repeat("word ", 3000)
	got := Along("7 notes:\n- [[A]]", []Passage{
		{Path: "Recipes/Tart.md", Line: 22, Heading: "Method", Text: "35 minutes at 175 °C."},
		{Path: "B.md", Line: 1, Text: long},
		{Path: "C.md", Line: 1, Text: "never reached"},
	})
	if n := window.Tokens(got); n > maxPassageTokens+20 || n < maxPassageTokens*3/4 {
		t.Errorf("%d tokens", n)
	}
	for _, want := range []string{"7 notes:", "Note [[Tart]] (Recipes/Tart.md), under “Method”:\n35 minutes", "[[B]]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got[:200])
		}
	}
	if Along("", nil) != "" {
		t.Error("the result without hits is not empty")
	}
}

func TestPlaceholders(t *testing.T) {
	for value, want := range map[string]bool{
		"<path>": true, "{{title}}": true, "[note name]": true, "path/to/note.md": true, "...": true,
		"Knee": false, "[[Knee]]": false, "- [ ] call": false, "a <b> c": false, "Use {x} and {y}": false,
	} {
		if IsPlaceholder(value) != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}

func TestNamed(t *testing.T) {
	if !Named("Reading/Moby-Dick.md", "set the rating of moby dick to 4") || !Named("Kestrel call", "write down the Kestrel call") {
		t.Error("a named note is not found")
	}
	if Named("Notes/New note.md", "write that down") {
		t.Error("an unnamed note is found")
	}
}

func TestPrepare(t *testing.T) {
	for _, c := range [][3]string{
		{"write_file", `{"path":"Recipes/Pancakes","content":"flour"}`, `{"content":"flour","path":"Recipes/Pancakes.md"}`},
		{"append_file", `{"path":"A","content":"- [x] soup"}`, `{"content":"- [ ] soup","path":"A"}`},
		{"write_file", `{"path":"A.md","content":"x\n"}`, `{"content":"x\n","path":"A.md"}`},
		{"daily_note", `{"content":"x","heading":""}`, `{"content":"x"}`},
		{"append_file", `{"path":"A","content":"x","heading":""}`, `{"content":"x","path":"A"}`},
		{"read_file", `[1]`, `[1]`},
		{"set_property", `{"add":["Trust"],"key":"topics","path":"A"}`, `{"add":["[[Trust]]"],"key":"topics","path":"A"}`},
		{"set_property", `{"key":"topic","path":"A","value":"Trust"}`, `{"key":"topic","path":"A","value":"[[Trust]]"}`},
	} {
		if got := string(Prepare(c[0], json.RawMessage(c[1]), "add [[Trust]]")); got != c[2] {
			t.Errorf("%s %s: %s", c[0], c[1], got)
		}
	}
}

func TestRequests(t *testing.T) {
	for message, want := range map[string]string{
		"make a new note Compost in Projects that says: Turn it":           "create",
		"the mobile task isn't finished after all, mark it as open again":  "untick",
		"i didn't send it. can you un-tick that in the note of monday?":    "untick",
		"dark mode in Theme is broken again so uncheck it pls":             "untick",
		`in Flat, it should say "with Karin" instead of "with Yuki"`:       "change",
		`"Breath of the Wild" is a silly long name. Call that note Zelda.`: "rename",
		"Tart can go, throw it away":                                       "delete",
		"give the trip note a heading called Costs":                        "add",
		"Nella nota Catan imposta la proprietà last a 2024, grazie":        "set",
		"look up the deposit and note it in Plan":                          "add",
		"check which year Bass is from":                                    "",
		"how many notes do I have so far?":                                 "",
		"reopen the saddle task in Bike":                                   "untick",
		`call the note Sci-fi "Science fiction" from now on`:               "rename",
		"call the plumber": "",
		"in the butter tart it should say 5 nectarines instead of 4":         "change",
		"Note dans la fiche Gran : préfère le thé noir":                      "add",
		"new open task in Theme under To-do: icons":                          "add",
		"Put into today's daily note: rang the engineer":                     "daily",
		"add the tag spring to Balcony":                                      "tag",
		"please remove the tag spring from Balcony":                          "untag",
		"put the Minimal Theme note into the References folder":              "move",
		"put a line into the note Tart: fold the flour":                      "add",
		"nenn die Notiz Launch plan bitte in Fahrplan um":                    "rename",
		"nenn mir alle Notizen über Brot":                                    "",
		"手紙を書き終わったから宿題にチェック入れておいて":                                           "tick",
		"delete the note Tart":                                               "delete",
		"delete the Ingredients section of Tart":                             "remove",
		"take the line about slugs out of the garden note":                   "remove",
		"Replace everything under Winter by: nothing":                        "section",
		"Change 35 to 40 in Tart":                                            "change",
		"in the Readme change the heading A to B":                            "change",
		"In Concert tick the urn task, and under Promised add: Urn fetched.": "tick add",
		"Benenne die Notiz Rad in Dawes um":                                  "rename",
		"Catanのratingを8にして":                                                  "set",
		"「買い物」というノートを作って":                                                    "create",
		"ノートAから一行を削除して":                                                      "remove",
	} {
		var got []string
		for _, w := range Requests(message) {
			got = append(got, string(w.Wish))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %s, want %s", message, s, want)
		}
	}
}

func TestRequestsInTranslation(t *testing.T) {
	got := RequestsIn("przenieś notatkę Tart do Recipes", "Move the note Tart to Recipes")
	if len(got) != 1 || got[0].Wish != tools.WishMove || got[0].Text != "przenieś notatkę Tart do Recipes" {
		t.Errorf("%+v", got)
	}
	if got := RequestsIn("Czy mam przenieść Tart?", "Move Tart?"); got != nil {
		t.Errorf("a question: %+v", got)
	}
}

func TestRequestTexts(t *testing.T) {
	for message, want := range map[string]string{
		"Create a note Packing in Travel with the tasks passport, charger and umbrella, and link it at the end of the Lisbon note.": "Create a note Packing in Travel with the tasks passport, charger and umbrella, and|link it at the end of the Lisbon note.",
		"Find the recipes tagged sweet and make a note “Sweet and sour” with links":                                                 "make a note “Sweet and sour” with links",
		"In Concert tick the urn task, and under Promised add: Urn fetched, and make it shine.":                                     "In Concert tick the urn task, and|under Promised add: Urn fetched, and make it shine.",
	} {
		var got []string
		for _, r := range Requests(message) {
			got = append(got, r.Text)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %s, want %s", message, s, want)
		}
	}
}

func TestNamedIn(t *testing.T) {
	paths := []string{
		"Health/Knee.md", "Health/Right knee.md", "Travel/Lisbon, October 2026.md", "Games/Catan.md", "Recipes/Tart.md", "Recipes/Nectarine tart.md",
		"Meetings/2026-11-17 Supplier call Kestrel.md", "Meetings/2026-11-03 One-to-one with Priya.md", "People/Priya.md", "People/Lena Brandt.md", "People/Lena Okafor.md",
	}
	for message, want := range map[string]string{
		"rename Knee to Left knee":              "Health/Knee.md",
		"rename right knee":                     "Health/Right knee.md",
		"link it at the end of the Lisbon note": "Travel/Lisbon, October 2026.md",
		"Catanのratingを8にして":                     "Games/Catan.md",
		"change the nectarine tart's time":      "Recipes/Nectarine tart.md",
		"kneel down":                            "",
		"what came first, the Kestrel call or the one-to-one with Priya?": "Meetings/2026-11-17 Supplier call Kestrel.md Meetings/2026-11-03 One-to-one with Priya.md",
		"which of the two Lenas is a vegetarian?":                         "People/Lena Brandt.md People/Lena Okafor.md",
		"who was in the supplier call with Priya?":                        "Meetings/2026-11-17 Supplier call Kestrel.md People/Priya.md",
		"add a call to Priya about the supplier":                          "People/Priya.md",
		"what does Lena eat?":                                             "",
		"what takes longer, the nectarine tart or my Catan game":          "Recipes/Nectarine tart.md Games/Catan.md",
	} {
		if got := strings.Join(NamedIn(message, paths, 2, strings.HasPrefix(message, "w")), " "); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestUnanswered(t *testing.T) {
	person := Passage{Path: "People/Priya Raman.md", Full: "x", Text: "---\nborn: 1988-02-03\n---\n# Priya Raman\nLeads the Heron project, on Tuesdays from home. Twitter: @praman. The trip cost her £40."}
	for question, want := range map[string]bool{
		"What's Priya's phone number?":                     true,
		"what is our wifi password":                        true,
		"Who composed the music of Heron?":                 true,
		"What is the name of our cat?":                     true,
		"what is Priya's twitter handle?":                  false,
		"who leads Heron?":                                 false,
		"how much did the trip cost":                       false,
		"What does Priya eat?":                             false, // paraphrased, as far as can be detected
		"does she lead the project or the team?":           false,
		"summarise my notes on bananas":                    false,
		"Quelle est la date de naissance de Priya Raman ?": false,
	} {
		if got := Unanswered(question, "", []Passage{person}); got != want {
			t.Errorf("%q: %v, want %v", question, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	const note = "---\ntags: [home]\n---\n# Garden\n\nA balcony.\n\n## Tubs\n\n- Slugs got the beans\n- Copper tape helps\n\n## Winter\n\n- Oil the bench\n"
	got := Excerpt(note, "Balcony garden", "take the line about slugs out of the balcony garden note", 1000)
	if got != "---\ntags: [home]\n---\n# Garden\n…\n## Tubs\n- Slugs got the beans\n…\n## Winter" && !strings.HasPrefix(got, "---\ntags: [home]\n---\n# Garden\n…\n## Tubs\n- Slugs got the beans\n…") {
		t.Errorf("%q", got)
	}
	choices := Choices(Found{Passages: []Passage{{Path: "Balcony garden.md", Text: got, Full: note}}}, "slugs")
	if lines := choices[tools.OfLines]; !slices.Contains(lines, "- Slugs got the beans") || slices.Contains(lines, "- Oil the bench") || slices.Contains(lines, "tags: [home]") {
		t.Errorf("%q", lines)
	}
	for message, want := range map[string][]string{
		"make a new note Compost in Projects that says: Turn it": {"Projects"},
		"New note in the folder Projects.":                       {"Projects"},
		"make a note on Projects called Bees":                    {"", "Projects"},
	} {
		folders := Choices(Found{Folders: []string{"Projects"}}, message)[tools.OfFolders]
		if !slices.Equal(folders[:len(want)], want) {
			t.Errorf("%s: %q", message, folders)
		}
	}
	const posts = "---\nauthor:\n  - Ann\ntopics:\n---\n"
	choices = Choices(Found{Passages: []Passage{{Path: "Bees.md", Text: posts, Full: posts}}}, "add [[Trust]] to the topics of Bees")
	if lists := choices[tools.OfLists]; !slices.Equal(lists, []string{"topics"}) {
		t.Errorf("%q", lists)
	}
}

func TestIndexed(t *testing.T) {
	for answer, want := range map[string]Kind{
		"": Nothing,
		"I found nothing that answers this. The nearest notes are [[A]].": Nothing,
		"There are 7 notes in `Recipes/`.":                                Exact,
		"2 notes with #x:\n\n- [[A]] (A.md)":                              Exact,
		"From your notes:\n\n> - [ ] a\n\n— [[A]] (A.md:1)":               Quotes,
		"You are welcome.": Talk,
	} {
		if _, got := Indexed("what is there?", answer); got != want {
			t.Errorf("%q: %v, want %v", answer, got, want)
		}
	}
}

func TestForeign(t *testing.T) {
	for message, want := range map[string]bool{
		"What is the rent?": false, "Was the deposit paid?": false, "nectarine tart": false, "list notes on Lübeck": false,
		"Wer hat meinen Schlüssel?": true, "À quels livres ai-je donné la note 4 ?": true, "Qui est allergique ?": true, "日本語の試験はいつですか?": true,
	} {
		if Foreign(message) != want {
			t.Errorf("%q: %v", message, !want)
		}
	}
}

func TestBroken(t *testing.T) {
	const system = "You help a person with their notes. Parts of the notes stand in each message."
	for answer, want := range map[string]bool{
		"The rent is £1,140.":                                     false,
		"I can find and read notes.":                              false,
		"- [ ] milk\n- [ ] eggs\n- [ ] tea":                       false,
		"You help a person with their notes. The rent is £1,140.": true,
		"Today is Saturday.\n\nFrom the notes:\nNote [[A]]":       true,
		"<|im_end|> <|im_start|>user":                             true,
		strings.Repeat("I am a helper in the kitchen. ", 6):       true,
		strings.Repeat("- [ ] 2026-11-23 ", 20):                   true,
		"The notes on bread: [[Rye]], [[Sourdough]], [[Focaccia]], [[Brioche]], [[Pumpernickel]], [[Bagels]], [[Pretzels]] and [[Ciabatta]], each of which has a list of ingredients, a table of times and a line about the oven that I used": false,
	} {
		if got := Broken(answer, system); got != want {
			t.Errorf("%.60q: %v", answer, got)
		}
	}
}

func TestInvented(t *testing.T) {
	const source = "Note [[2023-09-30]] (Daily/2023-09-30.md):\n## Notes\n![[Daily.base]] We sailed to Frome."
	for answer, want := range map[string]bool{
		"The weather was clear and sunny.":     true,
		"The weather is not mentioned.":        false,
		"It was a day of sailing.":             false,
		"No, it was rainy.":                    false,
		"It was in 2023.":                      false,
		"Das Wetter war schön, und es regnet.": true,
	} {
		if got := len(Unsupported(answer, "what was the weather like?", source)) > 0; got != want {
			t.Errorf("%s: %v", answer, got)
		}
	}
	if invented := Unsupported("Blade Runnerを最後に観たのは2023年9月14日です。", "Blade Runnerを最後に観たのはいつ？", "Blade Runner\nlast: 2023-09-14"); invented != nil {
		t.Errorf("invented: %q", invented)
	}
	if Unsupported("We stayed in a hotel in Kyoto.", "in which hotel did we stay in Kyoto", "Kyoto\ncheck with your hotel") == nil {
		t.Error("the repeated question counts as an answer")
	}
}

func TestLinkedNote(t *testing.T) {
	for message, want := range map[string]string{
		"add a link to Blade Runner in the Futurama note":               "Blade Runner",
		"put a link to the note Futurama at the bottom of Blade Runner": "Futurama",
		"add to Futurama: a link to Blade Runner would be nice":         "",
		"add Blade Runner to Futurama":                                  "",
	} {
		if got := linkedNote(message, []string{"Blade Runner", "Futurama"}); got != want {
			t.Errorf("%s: %q", message, got)
		}
	}
}

func TestValueGiven(t *testing.T) {
	for value, want := range map[string]bool{"9": true, "paused": true, "This is a test": false, "true": true, "2026-11-28": true, "": true} {
		if got := ValueGiven(value, "futurama deserves a 9, set it to paused"); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}

// TestOfferedHeadings: the form that adds under a heading is offered if the note has one.
func TestOfferedHeadings(t *testing.T) {
	forms := []tools.Form{
		{Name: "append", Params: []tools.Param{{Name: "path", Of: tools.OfNotes}}, For: []tools.Wish{tools.WishAdd}},
		{Name: "under", Params: []tools.Param{{Name: "path", Of: tools.OfNotes}, {Name: "heading", Of: tools.OfHeadings}}, For: []tools.Wish{tools.WishAdd}},
	}
	for note, want := range map[string]int{"just text\n": 1, "# Kyoto\n\ntext\n": 2} {
		const message = "add to Kyoto: bring photos"
		choices := Choices(Found{Passages: []Passage{{Path: "Kyoto.md", Text: note, Full: note}}}, message)
		if got := Offered(forms, Requests(message)[0], choices); len(got) != want {
			t.Errorf("%q: %d forms, want %d", note, len(got), want)
		}
	}
}

// TestOnSubjectByFrontMatter: a passage of a note whose front matter names the subject is on the subject.
func TestOnSubjectByFrontMatter(t *testing.T) {
	found := []Passage{
		{Path: "Kevin Kelly.md", Text: "## Books", Full: "## Books"},
		{Path: "68 Bits.md", Text: "- Learn how to take a 20-minute power nap.", Front: `author: "[[Kevin Kelly]]"`},
		{Path: "Tart.md", Text: "Bake for 20 minutes."},
	}
	if on := OnSubject("How long is the nap of Kevin Kelly?", found); len(on) != 2 || on[1].Path != "68 Bits.md" {
		t.Errorf("%+v", on)
	}
}
