package main

// sampleTasks returns the tasks on the sample vault. today is the date of the daily note, as 2006-01-02.
func sampleTasks(today string) []task {
	const heron, concert, knee, bike = "Projects/Heron/", "Projects/Winter concert.md", "Health/Knee.md", "Projects/Bike rebuild.md"
	const balcony, flat, moby, brandt = "Projects/Balcony garden.md", "Flat/Boiler and flat.md", "Reading/Moby-Dick.md", "People/Lena Brandt.md"
	const kestrel, lisbon, daily = "Meetings/2026-11-17 Supplier call Kestrel Plastics.md", "Travel/Lisbon, October 2026.md", "Daily/"
	return []task{
		{name: "rent", kind: fact, ask: "what's the rent for my flat?", says: []string{`1[,. ]?140`}},
		{name: "stopcock", kind: fact, ask: "Where is the stopcock?", says: []string{`washing machine`}},
		{name: "mould", kind: fact, ask: "how much does Kestrel charge for changing the mould, after haggling", says: []string{`1[,. ]?850`}},
		{name: "batteries", kind: fact, ask: "Which size are gran's hearing aid batteries?", says: []string{`\b312\b`}},
		{name: "biscuits", kind: fact, ask: "how long and how hot do the ginger biscuits bake", says: []string{`\b(11|eleven)\b`, `\b175\b`}},
		{name: "pilot", kind: fact, ask: "When are the pilot units handed over now?", says: []string{onDay(1, 18)}},
		{name: "printer", kind: fact, lang: "de", ask: "Bis wann braucht die Druckerei die Datei für das Programmheft?", says: []string{onDay(12, 1)}},
		{name: "spare key", kind: fact, lang: "de", ask: "Wer hat gerade meinen Ersatzschlüssel?", says: []string{`\byuki\b`}},
		{name: "peanuts", kind: fact, lang: "fr", ask: "Qui est allergique aux cacahuètes ?", says: []string{`\bmilo\b`}},
		{name: "exam", kind: fact, lang: "ja", ask: "日本語の試験はいつですか?", says: []string{onDay(12, 6)}},

		{name: "five stars", kind: property, ask: "which books did I rate 5?", says: []string{`piranesi`, `left hand`}, never: []string{`moby|sweetgrass|buildings learn`}},
		{
			name: "moby rating", kind: property, ask: "What rating did I give Moby-Dick?",
			says: []string{`(rat|star|note|gave|give|score)[^.\n]{0,40}\b(3|three)\b|\b(3|three)\b.{0,12}(star|/ ?5|of 5)|\A\W*(3|three)\W*\z`},
		},
		{name: "status", kind: property, ask: "what's the status of Heron according to its properties", says: []string{`\bactive\b`}},
		{name: "attendees", kind: property, ask: "who attended the Heron design review?", says: []string{`priya`, `tomasz`}, never: []string{`gareth|okafor`}},
		{name: "aliases", kind: property, ask: "Under what other names (aliases) is the Enclosure note known?", says: []string{`housing`, `the box`}},
		{name: "four stars", kind: property, lang: "fr", ask: "À quels livres ai-je donné la note 4 ?", says: []string{`sweetgrass`, `buildings learn`}, never: []string{`piranesi|moby|left hand`}},

		{
			name: "due", kind: list, ask: "List my open tasks that are due before December 2026",
			says:  []string{`boxes`, `table for six`, `漢字`, `fleece`, `engineer`, `proofread`, `four-day`, `grade`},
			never: []string{`\burn\b`, `hand lens`, `mounting guide`, `library room`},
		},
		{name: "recipes", kind: list, ask: "how many recipes do I have?", says: []string{howMany(7, "seven", "recipe|note")}},
		{name: "baking", kind: list, ask: "Which notes are tagged baking?", says: []string{`ginger biscuits`, `nectarine tart`, `sourdough rye`}, never: []string{`lentil|kimchi|gnocchi|risotto`}},
		{name: "backlinks", kind: list, ask: "which notes link to Piranesi", says: []string{`lena brandt`, `2026-11-09|9 november`}, never: []string{`okafor|moby|sweetgrass`}},
		{name: "concert tasks", kind: list, ask: "what's still open for the winter concert?", says: []string{`lucia`, `\burn\b`, `candle`}, never: []string{`(\[ \]|^[-*\d.]+) ask the baker`}},
		{name: "meetings", kind: list, ask: "Which meetings were there in November 2026?", says: []string{`priya`, `kestrel`}, never: []string{`2026-10-13|design review`}},
		{name: "open in heron", kind: list, ask: "How many open tasks are there in the notes in Projects/Heron?", says: []string{howMany(8, "eight", "task|open|to-?do")}},
		{name: "august", kind: list, ask: "which notes were created in August 2026", says: []string{`knee`, `nectarine tart`, `power budget`}, never: []string{`bike rebuild|winter concert|sweetgrass`}},
		{name: "choir", kind: list, lang: "de", ask: "Welche Notizen haben den Tag choir?", says: []string{`winter concert`, `lena brandt`}, never: []string{`okafor`, `moby`}},
		{name: "all recipes", kind: list, lang: "ja", ask: "Recipesフォルダのノートを全部教えて", says: []string{`ginger`, `risotto`, `nectarine`, `kimchi`, `lentil`, `gnocchi`, `sourdough`}, never: []string{`sweetgrass|gran\.md`}},

		{
			name: "longer bake", kind: compare, ask: "What bakes longer, the sheet-pan gnocchi or the ginger biscuits?",
			says: []string{`gnocchi`, `\b25\b|\A\W*(the )?(sheet-pan )?gnocchi\W*\z|gnocchi (take|bake|need|stay|cook)s?\b`}, never: []string{`biscuits (take|bake|need)s? longer`},
		},
		{
			name: "first meeting", kind: compare, ask: "Which was earlier, the Kestrel supplier call or the one-to-one with Priya?",
			says:  []string{`one-to-one[^?]{0,90}(first|earlier|before|3 nov|nov\w* 3|11-03)[^?]*\z|(first|earlier)[^?]{0,60}one-to-one[^?]*\z|\A\W*(the )?one-to-one( with priya)?\W*\z`},
			never: []string{`kestrel[^,.]{0,40} (was|came|is|took place) (first|earlier)`},
		},
		{name: "shared", kind: compare, ask: "which ingredients do red lentil soup and quick kimchi have in common?", says: []string{`garlic`, `ginger`}, never: []string{`cumin|radish|cabbage|parmesan`}},
		{name: "two lenas", kind: compare, lang: "de", ask: "Welche der beiden Lenas isst kein Fleisch?", says: []string{`brandt`}, never: []string{`okafor (ist|isst|is)[^.]{0,20}(vegetar|kein)`}},

		{name: "phone", kind: absent, ask: "What's Priya's phone number?", says: []string{notThere}, never: []string{`\d{5,}|\+44`}},
		{name: "wifi", kind: absent, ask: "what is our wifi password", says: []string{notThere}},
		{name: "birth date", kind: absent, lang: "fr", ask: "Quelle est la date de naissance de Tomasz ?", says: []string{notThere}, never: []string{`19\d\d`}},
		{name: "cat", kind: absent, lang: "ja", ask: "うちの猫の名前は?", says: []string{notThere}},

		{
			name: "create", kind: change, ask: "make a new note Compost in Projects that says: Turn it every two weeks.",
			may: may{"Projects/Compost.md": ""}, want: []check{line("Projects/Compost.md", `turn it every two weeks`)},
		},
		{name: "heading", kind: change, ask: `In the bike rebuild note, add "New bar tape" under Done`, may: may{bike: ""}, want: []check{under(bike, "Done", `^[-*] New bar tape\.?$`)}},
		{name: "tick", kind: change, ask: "tick off the saddle task in Bike rebuild", may: may{bike: `Saddle`}, want: []check{line(bike, `^- \[x\] Saddle: try the leather one`)}},
		{name: "untick", kind: change, ask: "the deposit isn't paid yet, untick that in the Kestrel call note", may: may{kestrel: `deposit`}, want: []check{line(kestrel, `^- \[ \] Pay the deposit of £925`)}},
		{name: "replace", kind: change, ask: "My rent went up. Change £1,140 to £1,195 in Boiler and flat.", may: may{flat: `£1,140`}, want: []check{line(flat, `Rent £1,195, due on the first`), lacks(flat, `1,140`)}},
		{name: "property", kind: change, ask: "set the rating of Moby-Dick to 4", may: may{moby: `^rating:`}, want: []check{prop(moby, "rating", "4")}},
		{name: "new property", kind: change, ask: "give Bike rebuild the property status: paused", may: may{bike: `^status:`}, want: []check{prop(bike, "status", "paused")}},
		{name: "tag", kind: change, ask: "add the tag spring to Balcony garden", may: may{balcony: `^tags:`}, want: []check{listed(balcony, "tags", "home", "plants", "spring")}},
		{name: "untag", kind: change, ask: "Remove the tag unfinished from Moby-Dick please", may: may{moby: `^tags:`}, want: []check{listed(moby, "tags", "book", "fiction")}},
		{
			name: "rename", kind: change, ask: `rename the note "Knee" to "Right knee"`,
			may: may{knee: all, "Health/Right knee.md": "", "Home.md": `\[\[Knee`, "Daily/2026-11-02.md": `\[\[Knee`}, want: []check{moved(knee, "Health/Right knee.md")},
		},
		{
			name: "move", kind: change, ask: "Move Braiding Sweetgrass into a folder called Archive",
			may: may{"Reading/Braiding Sweetgrass.md": all, "Archive/Braiding Sweetgrass.md": ""}, want: []check{moved("Reading/Braiding Sweetgrass.md", "Archive/Braiding Sweetgrass.md")},
		},
		{name: "delete", kind: change, ask: "delete the note Sheet-pan gnocchi", may: may{"Recipes/Sheet-pan gnocchi.md": all}, want: []check{gone("Recipes/Sheet-pan gnocchi.md")}},
		{name: "daily", kind: change, ask: "Put into today's daily note: rang the boiler engineer", may: may{daily + today + ".md": ""}, want: []check{line(daily+today+".md", `rang the boiler engineer`)}},
		{
			name: "new task", kind: change, ask: "new task in Winter concert: buy cinnamon sticks, due 2026-12-10",
			may: may{concert: ""}, want: []check{line(concert, `^- \[ \] .*cinnamon sticks.*2026-12-10`)},
		},
		{
			name: "section", kind: change, ask: "Replace everything under Winter in the balcony garden note with this one line: Nothing to do until March.",
			may: may{balcony: `broad beans|tomato tubs|Oil the bench|Order seed`}, want: []check{section(balcony, "Winter", `^([-*] )?Nothing to do until March\.?$`)},
		},
		{name: "remove line", kind: change, ask: "take the line about slugs out of the balcony garden note", may: may{balcony: `Slugs`}, want: []check{lacks(balcony, `slugs`)}},
		{name: "task in German", kind: change, lang: "de", ask: "Füge in Winter concert unter Tasks die Aufgabe „Kerzenständer polieren“ hinzu", may: may{concert: ""}, want: []check{under(concert, "Tasks", `^- \[ \] Kerzenständer polieren`)}},
		{
			name: "rename in German", kind: change, lang: "de", ask: "Benenne die Notiz Bike rebuild in Dawes tourer um", want: []check{moved(bike, "Projects/Dawes tourer.md")},
			may: may{bike: all, "Projects/Dawes tourer.md": "", "Home.md|Daily/2026-11-09.md|People/Karin and Milo.md": `\[\[Bike rebuild`},
		},
		{name: "tick in French", kind: change, lang: "fr", ask: "Coche la tâche « Return her metronome » dans la note Lena Brandt", may: may{brandt: `metronome`}, want: []check{line(brandt, `^- \[x\] Return her metronome`)}},
		{name: "create in Japanese", kind: change, lang: "ja", ask: "「買い物」というノートを作って、「牛乳と卵」と書いて", may: may{`(.*/)?買い物.md`: ""}, want: []check{line(`(.*/)?買い物.md`, `牛乳と卵`)}},

		{
			name: "packing", kind: steps, ask: "Create a note Packing in Travel with the tasks passport, charger and umbrella, and link it at the end of the Lisbon note.", may: may{"Travel/Packing.md": "", lisbon: ""},
			want: []check{line("Travel/Packing.md", `^- \[ \] passport`), line("Travel/Packing.md", `^- \[ \] charger`), line("Travel/Packing.md", `^- \[ \] umbrella`), line(lisbon, `\[\[(Travel/)?Packing[\]|.]`)},
		},
		{
			name: "urn", kind: steps, ask: "In Winter concert tick the urn task, and under What I promised add: Urn fetched from the scouts.", may: may{concert: `Borrow the urn`},
			want: []check{line(concert, `^- \[x\] Borrow the urn`), under(concert, "What I promised", `Urn fetched from the scouts`)},
		},
		{
			name: "sweet", kind: steps, ask: "Find the recipes tagged sweet and make a note \"Sweet things\" with a link to each of them", may: may{`(.*/)?Sweet things.md`: ""},
			want: []check{line(`(.*/)?Sweet things.md`, `\[\[(Recipes/)?Ginger biscuits`), line(`(.*/)?Sweet things.md`, `\[\[(Recipes/)?Nectarine tart`), lacks(`(.*/)?Sweet things.md`, `\[\[.*(kimchi|soup|gnocchi|rye|risotto)`)},
		},
		{
			name: "paused", kind: steps, ask: "move every note with the tag unfinished to Reading/Paused", may: may{moby: all, "Reading/Paused/Moby-Dick.md": ""},
			want: []check{moved(moby, "Reading/Paused/Moby-Dick.md")},
		},
		{
			name: "count to daily", kind: steps, ask: "Count the open tasks in the Gran note and write \"Gran: N open tasks\" with the right number into today's daily note", may: may{daily + today + ".md": ""},
			want: []check{line(daily+today+".md", `Gran: (2|two) open tasks`)},
		},
		{
			name: "consumption", kind: steps, lang: "de", ask: "Schau in Power budget nach, wie viel mAh am Tag zusammen verbraucht werden, und trag es in der Notiz Heron unter Where it stands ein", may: may{heron + "Heron.md": ""},
			want: []check{under(heron+"Heron.md", "Where it stands", `5[.,]4 ?mAh`)},
		},

		{name: "thanks", kind: chat, ask: "thanks!", says: []string{`welcome|pleasure|glad|any ?time|no problem|happy to|sure`}},
		{name: "abilities", kind: chat, ask: "hi, what can you do?", says: []string{`search|find|look|answer|read|list`, `write|edit|change|create|add|organi[sz]e|manage`}},
		{name: "good morning", kind: chat, lang: "de", ask: "Guten Morgen!", says: []string{`guten morgen|hallo|guten tag|hello|\bhi\b|good morning|helfen|help`}},
		{name: "goodbye", kind: chat, lang: "ja", ask: "ありがとう、助かりました", says: []string{`どういたしまして|こちらこそ|いつでも|良かった|よかった|うれしい|嬉しい|お役|助け|お手伝い|何か|welcome`}},
	}
}
