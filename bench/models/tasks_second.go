package main

// secondTasks returns the tasks on the second vault: Steph Ango's public template (kepano-obsidian on
// GitHub), which keeps most facts in front matter.
func secondTasks() []task {
	const ref = "References/"
	const catan, futurama, runner, hands = ref + "Catan.md", ref + "Futurama.md", ref + "Blade Runner.md", "Clippings/In good hands.md"
	return []task{
		{name: "blind baking", kind: fact, ask: "at what temperature is the tart crust blind baked?", says: []string{`\b(425|220)`}},
		{name: "socks", kind: fact, ask: "which brand of socks is recommended in Buy wisely", says: []string{`darn tough`}},
		{name: "deadline", kind: fact, ask: "What does Kevin Kelly's advice say about enthusiasm, how many IQ points is it worth?", says: []string{`\b25\b`}},
		{name: "meeting topic", kind: fact, ask: "What did I discuss with Steph in the meeting?", says: []string{`out of control|emergence`}},

		{name: "pages", kind: property, ask: "how many pages does Out of Control have?", says: []string{`\b528\b`}},
		{name: "director", kind: property, ask: "who directed Blade Runner", says: []string{`ridley scott`}},
		{name: "handle", kind: property, ask: "What is Steph Ango's twitter handle?", says: []string{`kepano`}},
		{name: "journey", kind: property, lang: "de", ask: "Von wann bis wann ging die Japanreise 2023?", says: []string{onDay(9, 12) + `|\b12\. ?(bis|[-–])`, onDay(9, 30)}},
		{name: "servings", kind: property, lang: "fr", ask: "La tarte aux nectarines donne combien de parts ?", says: []string{`\b(8|huit|eight)\b`}},
		{name: "console", kind: property, lang: "ja", ask: "BOTWはどのゲーム機のゲーム?", says: []string{`switch|スイッチ`}},

		{name: "sci-fi", kind: list, ask: "Which of my references have the genre Sci-fi?", says: []string{`blade runner`, `futurama`, `machine stops`}, never: []string{`out of control|bass on top|catan`}},
		{name: "by author", kind: list, ask: "list everything that was written by Steph Ango", says: []string{`buy wisely`, `in good hands`, `evergreen notes`, `nectarine tart`}, never: []string{`68 bits`, `machine stops`}},
		{name: "to read", kind: list, ask: "which book do I have tagged to-read", says: []string{`machine stops`}, never: []string{`out of control|blade runner`}},
		{name: "kyoto links", kind: list, ask: "what links to Kyoto?", says: []string{`japan trip`, `fushimi inari`}, never: []string{`catan|futurama`}},
		{name: "old sevens", kind: list, ask: "Which things with rating 7 are from before 1960?", says: []string{`bass on top`, `machine stops`}, never: []string{`blade runner|breath of the wild|out of control`}},

		{
			name: "older", kind: compare, ask: "which is older, Blade Runner or the book Out of Control?", says: []string{`blade runner`, `1982|blade runner[^?]{0,30}older[^?]*\z|older[^?]{0,30}blade runner\W*\z|\A\W*blade runner\W*\z`},
			never: []string{`out of control (\(1992\) )?is older`},
		},
		{name: "soundtrack", kind: absent, ask: "who composed the music of Blade Runner according to my notes?", says: []string{notThere}},
		{name: "budget", kind: absent, ask: "how much money did the Japan trip cost?", says: []string{notThere}, never: []string{`[$€¥£] ?\d`}},

		{name: "seen again", kind: change, ask: "watched Blade Runner again, set last to 2024-01-05", may: may{runner: `^last:`}, want: []check{prop(runner, "last", "2024-01-05")}},
		{name: "topic", kind: change, ask: "add [[Trust]] to the topics of In good hands", may: may{hands: `^topics:`}, want: []check{listed(hands, "topics", "[[Trust]]")}},
		{name: "to-do", kind: change, ask: "new open task in Minimal Theme under To-do: Dark mode icons", may: may{"Notes/Minimal Theme.md": ""}, want: []check{under("Notes/Minimal Theme.md", "To-do", `^- \[ \] Dark mode icons`)}},
		{name: "readme", kind: change, ask: "in the Readme change the heading Get started to How to begin", may: may{"Readme.md": `## Get started`}, want: []check{line("Readme.md", `^## How to begin$`), lacks("Readme.md", `## Get started`)}},
		{
			name: "rename kyoto", kind: change, ask: "rename Kyoto to Kyoto City", want: []check{moved(ref+"Kyoto.md", ref+"Kyoto City.md")},
			may: may{ref + "Kyoto.md": all, ref + "Kyoto City.md": "", "Notes/2023 Japan Trip.md": `^loc:`, ref + "Fushimi Inari.md": `^loc:`},
		},
		{name: "move catan", kind: change, ask: "move the note Catan to a folder Games", may: may{catan: all, "Games/Catan.md": ""}, want: []check{moved(catan, "Games/Catan.md")}},
		{name: "delete daily", kind: change, ask: "delete the daily note of 30 September 2023", may: may{"Daily/2023-09-30.md": all}, want: []check{gone("Daily/2023-09-30.md")}},
		{name: "tag in French", kind: change, lang: "fr", ask: "Ajoute le tag favoris à la note Futurama", may: may{futurama: `^tags:`}, want: []check{listed(futurama, "tags", "favoris")}},
		{name: "rating in Japanese", kind: change, lang: "ja", ask: "Catanのratingを8にして", may: may{catan: `^rating:`}, want: []check{prop(catan, "rating", "8")}},
		{
			name: "shopping", kind: steps, ask: "make a note Shopping with the ingredients of the nectarine tart's filling as a list", may: may{`(.*/)?Shopping.md`: ""},
			want: []check{line(`(.*/)?Shopping.md`, `\begg`), line(`(.*/)?Shopping.md`, `sugar`), line(`(.*/)?Shopping.md`, `\bflour`), line(`(.*/)?Shopping.md`, `butter`), line(`(.*/)?Shopping.md`, `vanilla`), line(`(.*/)?Shopping.md`, `nectarines`), lacks(`(.*/)?Shopping.md`, `ice water|parchment`)},
		},
	}
}
