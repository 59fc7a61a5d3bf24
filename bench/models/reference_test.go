package main

import "strings"

// reference is the expected outcome of a task, written by hand: right answers in several wordings or an
// edit, and wrong answers.
type reference struct {
	right, wrong []string
	edit         func(files)
}

func edits(all ...func(files)) func(files) {
	return func(f files) {
		for _, e := range all {
			e(f)
		}
	}
}

// sub returns an edit that replaces the first occurrence of a text. It panics if the text is missing.
func sub(path, old, replacement string) func(files) {
	return func(f files) {
		if !strings.Contains(f[path], old) {
			panic(path + " has no " + old)
		}
		f[path] = strings.Replace(f[path], old, replacement, 1)
	}
}

func add(path, text string) func(files) {
	return func(f files) { f[path] = strings.TrimSuffix(f[path], "\n") + "\n" + text + "\n" }
}
func put(path, text string) func(files) { return func(f files) { f[path] = text } }
func del(path string) func(files)       { return func(f files) { delete(f, path) } }
func ren(from, to string) func(files) {
	return func(f files) { f[to] = f[from]; delete(f, from) }
}

const today = "2026-11-27"

var references = map[string]reference{
	"sample/rent":      {right: []string{"£1,140 a month.", "Your rent is **£1140**, due on the first (Flat/Boiler and flat.md)."}, wrong: []string{"£1,410"}},
	"sample/stopcock":  {right: []string{"Behind the washing machine (red handle)."}, wrong: []string{"In the hall cupboard."}},
	"sample/mould":     {right: []string{"£1,850 once; the first quote was £2,600.", "1850 pounds"}, wrong: []string{"£2,600", "£925"}},
	"sample/batteries": {right: []string{"Size 312, the brown tab."}, wrong: []string{"Size 13."}},
	"sample/biscuits":  {right: []string{"11 minutes at 175°C", "Eleven minutes at 175 °C."}, wrong: []string{"35 minutes at 175 °C", "11 minutes"}},
	"sample/pilot":     {right: []string{"On 18 January 2027.", "January 18th, 2027", "2027-01-18", "They move from 30 November to **18 January**."}, wrong: []string{"On 30 November.", "15 February"}},
	"sample/printer":   {right: []string{"Bis zum 1. Dezember.", "Bis 1 December 2026", "Die Druckerei braucht sie bis 01.12."}, wrong: []string{"Am 12. Dezember.", "Bis 11. Dezember"}},
	"sample/spare key": {right: []string{"Yuki hat ihn seit September."}, wrong: []string{"Er ist in der Bäckerei."}},
	"sample/peanuts":   {right: []string{"Milo est allergique aux cacahuètes."}, wrong: []string{"Priya.", "I found nothing that answers this. The nearest notes are [[Karin and Milo]]."}},
	"sample/exam":      {right: []string{"12月6日です。", "試験は 6 December にあります", "2026-12-06"}, wrong: []string{"11月29日です。"}},

	"sample/five stars":  {right: []string{"Piranesi and The Left Hand of Darkness."}, wrong: []string{"Piranesi.", "Piranesi, The Left Hand of Darkness and Moby-Dick"}},
	"sample/moby rating": {right: []string{"3", "You gave it **3**.", "You rated Moby-Dick 3.", "rating: 3", "3 out of 5: 3/5", "three stars"}, wrong: []string{"You rated it 4.", "You stopped at chapter 61; it was the third attempt."}},
	"sample/status":      {right: []string{"active", "The status is `active`."}, wrong: []string{"It is inactive.", "planned"}},
	"sample/attendees":   {right: []string{"Priya Raman and Tomasz Wieczorek"}, wrong: []string{"Priya Raman and Gareth Pugh"}},
	"sample/aliases":     {right: []string{"housing and the box"}, wrong: []string{"river gauge"}},
	"sample/four stars":  {right: []string{"Braiding Sweetgrass et How Buildings Learn."}, wrong: []string{"Piranesi"}},
	"sample/due":         {right: []string{"- Hang two revised boxes (2026-11-23)\n- Be at home for the engineer\n- Book the table for six\n- Put the grade on the drawing\n- Proofread the translations\n- fleece for the pots\n- 漢字を三百まで復習する\n- Confirm the four-day week"}, wrong: []string{"fleece"}},
	"sample/recipes":     {right: []string{"7", "You have seven recipes.", "There are 7 notes in Recipes.", "Number of recipes: 7"}, wrong: []string{"You have 8 recipes.", "17 recipes", "There are 6 of them."}},
	"sample/baking":      {right: []string{"[[Ginger biscuits]], [[Nectarine tart]], [[Sourdough rye]]"}, wrong: []string{"Ginger biscuits, Nectarine tart, Sourdough rye, Quick kimchi", "Sourdough rye"}},
	"sample/backlinks":   {right: []string{"Lena Brandt and Daily/2026-11-09"}, wrong: []string{"Lena Brandt"}},
	"sample/concert tasks": {
		right: []string{"- [ ] Translate the Lucia text\n- [ ] Borrow the urn\n- [ ] Find forty battery candles", "Lucia text, urn, candles. Already done: ask the baker."},
		wrong: []string{"- Ask the baker\n- Lucia\n- urn\n- candles", "the booklet"},
	},
	"sample/meetings":      {right: []string{"2026-11-03 One-to-one with Priya; 2026-11-17 Supplier call Kestrel Plastics"}, wrong: []string{"Priya, Kestrel and the Heron design review", "Kestrel"}},
	"sample/open in heron": {right: []string{"8", "There are 8 open tasks.", "eight"}, wrong: []string{"18 open tasks", "There are 12 tasks, due 2026-12-08."}},
	"sample/august":        {right: []string{"Knee, Nectarine tart, Power budget"}, wrong: []string{"Knee"}},
	"sample/choir":         {right: []string{"Winter concert und Lena Brandt"}, wrong: []string{"Winter concert"}},
	"sample/all recipes":   {right: []string{"Ginger biscuits, Mushroom barley risotto, Nectarine tart, Quick kimchi, Red lentil soup, Sheet-pan gnocchi, Sourdough rye"}, wrong: []string{"Quick kimchi"}},

	"sample/longer bake":   {right: []string{"The gnocchi.", "The gnocchi bake longer: 25 minutes, the biscuits only eleven."}, wrong: []string{"The ginger biscuits.", "The biscuits take longer than the gnocchi.", "> gnocchi, 220 °C, 25 minutes\n\n— [[Sheet-pan gnocchi]] (Recipes/Sheet-pan gnocchi.md:9)"}},
	"sample/first meeting": {right: []string{"The one-to-one.", "The one-to-one with Priya was on 3 November, two weeks before the Kestrel call.", "The earlier one was the one-to-one with Priya (2026-11-03)."}, wrong: []string{"The Kestrel call was earlier.", "The Kestrel call."}},
	"sample/shared":        {right: []string{"Garlic and ginger."}, wrong: []string{"Garlic, ginger and cumin", "garlic"}},
	"sample/two lenas":     {right: []string{"Lena Brandt ist Vegetarierin."}, wrong: []string{"Lena Okafor."}},

	"sample/phone":      {right: []string{"Your notes don't say.", "There is no phone number for Priya in your notes.", "I couldn't find it.", "I found no mention of it."}, wrong: []string{"0117 9496 0123", "It is +44 117 496, but your notes don't say."}},
	"sample/wifi":       {right: []string{"Nothing in your notes mentions it.", "No notes about a wifi password.", "I was unable to find it."}, wrong: []string{"The wifi password is heron2026.", "It is in the hall cupboard, top."}},
	"sample/birth date": {right: []string{"Vos notes ne le disent pas.", "Aucune information.", "I could not find it in your notes."}, wrong: []string{"Le 5 mai 1985.", "Tomasz vient de Gdynia."}},
	"sample/cat":        {right: []string{"ノートには書かれていません。情報がありません。", "見つかりませんでした。", "Your notes do not mention a cat."}, wrong: []string{"タマです。", "From your notes:\n\n> 京都へ行ったことがありません。\n\n— [[日本語の練習]]"}},

	"sample/create":   {edit: put("Projects/Compost.md", "# Compost\n\nTurn it every two weeks.\n")},
	"sample/heading":  {edit: sub("Projects/Bike rebuild.md", "brake blocks.\n", "brake blocks.\n- New bar tape\n")},
	"sample/tick":     {edit: sub("Projects/Bike rebuild.md", "[ ] Saddle", "[x] Saddle")},
	"sample/untick":   {edit: sub("Meetings/2026-11-17 Supplier call Kestrel Plastics.md", "[x] Pay", "[ ] Pay")},
	"sample/replace":  {edit: sub("Flat/Boiler and flat.md", "£1,140", "£1,195")},
	"sample/property": {edit: sub("Reading/Moby-Dick.md", "rating: 3", "rating: 4")},
	"sample/new property": {edit: sub("Projects/Bike rebuild.md", "bicycle]\n", `bicycle]
status: paused
`)},
	"sample/tag":      {edit: sub("Projects/Balcony garden.md", "tags: [home, plants]", "tags:\n  - home\n  - plants\n  - spring")},
	"sample/untag":    {edit: sub("Reading/Moby-Dick.md", ", unfinished", "")},
	"sample/rename":   {edit: edits(ren("Health/Knee.md", "Health/Right knee.md"), sub("Home.md", "[[Knee]]", "[[Right knee]]"), sub("Daily/2026-11-02.md", "[[Knee]]", "[[Right knee|Knee]]"))},
	"sample/move":     {edit: ren("Reading/Braiding Sweetgrass.md", "Archive/Braiding Sweetgrass.md")},
	"sample/delete":   {edit: ren("Recipes/Sheet-pan gnocchi.md", ".trash/Sheet-pan gnocchi.md")},
	"sample/daily":    {edit: put("Daily/"+today+".md", "# Friday\n\nRang the boiler engineer.\n\n## Tasks\n")},
	"sample/new task": {edit: add("Projects/Winter concert.md", "- [ ] Buy cinnamon sticks (due 2026-12-10)")},
	"sample/section": {edit: func(f files) {
		f["Projects/Balcony garden.md"] = strings.Split(f["Projects/Balcony garden.md"], "## Winter")[0] + "## Winter\n\nNothing to do until March.\n"
	}},
	"sample/remove line":        {edit: sub("Projects/Balcony garden.md", "- Slugs climb three floors. A strip of copper tape around each pot slowed them down a little; beer did not.\n", "")},
	"sample/task in German":     {edit: add("Projects/Winter concert.md", "- [ ] Kerzenständer polieren")},
	"sample/rename in German":   {edit: edits(ren("Projects/Bike rebuild.md", "Projects/Dawes tourer.md"), sub("Projects/Dawes tourer.md", "# Bike rebuild", "# Dawes tourer"), sub("Home.md", "[[Bike rebuild]]", "[[Dawes tourer]]"), sub("Daily/2026-11-09.md", "[[Bike rebuild]]", "[[Dawes tourer]]"), sub("People/Karin and Milo.md", "[[Bike rebuild]]", "[[Projects/Dawes tourer]]"))},
	"sample/tick in French":     {edit: sub("People/Lena Brandt.md", "[ ] Return", "[x] Return")},
	"sample/create in Japanese": {edit: put("買い物.md", "牛乳と卵\n")},

	"sample/packing":        {edit: edits(put("Travel/Packing.md", "- [ ] Passport\n- [ ] Charger\n- [ ] Umbrella\n"), add("Travel/Lisbon, October 2026.md", "\n[[Packing]]"))},
	"sample/urn":            {edit: edits(sub("Projects/Winter concert.md", "[ ] Borrow", "[x] Borrow"), sub("Projects/Winter concert.md", "scouts.\n", "scouts.\n- Urn fetched from the scouts.\n"))},
	"sample/sweet":          {edit: put("Recipes/Sweet things.md", "- [[Ginger biscuits]]\n- [[Recipes/Nectarine tart|Nectarine tart]]\n")},
	"sample/paused":         {edit: ren("Reading/Moby-Dick.md", "Reading/Paused/Moby-Dick.md")},
	"sample/count to daily": {edit: put("Daily/"+today+".md", "Gran: 2 open tasks")},
	"sample/consumption":    {edit: sub("Projects/Heron/Heron.md", "[[Enclosure]].\n", "[[Enclosure]].\n- Uses 5.4 mAh a day.\n")},

	"sample/thanks":       {right: []string{"You're welcome!", "Any time."}, wrong: []string{`{"name": "list_files", "arguments": {}}`}},
	"sample/abilities":    {right: []string{"I can search your notes, answer questions and edit them."}, wrong: []string{"I am a language model."}},
	"sample/good morning": {right: []string{"Guten Morgen! Womit kann ich helfen?", "Hello!"}, wrong: []string{"list_files", "Nothing in your notes answers this: no note mentions Morgen."}},
	"sample/goodbye":      {right: []string{"どういたしまして!"}, wrong: []string{"list_files"}},

	"second/blind baking":  {right: []string{"425F/220C", "At 220 °C."}, wrong: []string{"350F"}},
	"second/socks":         {right: []string{"Darn Tough"}, wrong: []string{"wool socks"}},
	"second/deadline":      {right: []string{"Being enthusiastic is worth 25 IQ points.", "25"}, wrong: []string{"68"}},
	"second/meeting topic": {right: []string{"The book Out of Control, on emergence."}, wrong: []string{"Obsidian"}},
	"second/pages":         {right: []string{"528 pages"}, wrong: []string{"1992"}},
	"second/director":      {right: []string{"Ridley Scott"}, wrong: []string{"Harrison Ford"}},
	"second/handle":        {right: []string{"@kepano"}, wrong: []string{"stephango"}},
	"second/journey":       {right: []string{"Vom 12. bis 30. September 2023", "2023-09-12 – 2023-09-30", "12 September to 30 September 2023", "vom 12.09.2023 bis 30.09.2023"}, wrong: []string{"am 12. September"}},
	"second/servings":      {right: []string{"8 parts", "huit", "8 slices (11 inch tart)"}, wrong: []string{"11"}},
	"second/console":       {right: []string{"Nintendo Switchです。", "ニンテンドースイッチ"}, wrong: []string{"PlayStation"}},
	"second/sci-fi":        {right: []string{"Blade Runner, Futurama, The Machine Stops"}, wrong: []string{"Blade Runner", "Blade Runner, Futurama, The Machine Stops, Out of Control"}},
	"second/by author":     {right: []string{"Buy wisely, In good hands, Evergreen notes turn ideas into objects…, Brown butter nectarine tart"}, wrong: []string{"Buy wisely"}},
	"second/to read":       {right: []string{"The Machine Stops by E. M. Forster"}, wrong: []string{"Out of Control"}},
	"second/kyoto links":   {right: []string{"2023 Japan Trip and Fushimi Inari"}, wrong: []string{"Fushimi Inari"}},
	"second/old sevens":    {right: []string{"Bass on Top (1957), The Machine Stops (1909)"}, wrong: []string{"Bass on Top, The Machine Stops, Blade Runner"}},
	"second/older":         {right: []string{"Blade Runner (1982).", "Blade Runner.", "Blade Runner is older.", "The older one is Blade Runner."}, wrong: []string{"Out of Control is older than Blade Runner."}},
	"second/soundtrack":    {right: []string{"Your notes do not say who composed it."}, wrong: []string{"Ridley Scott", "Vangelis"}},
	"second/budget":        {right: []string{"I found nothing about the cost.", "The note does not mention it."}, wrong: []string{"$3,000", "Nothing about that, perhaps €2,000"}},

	"second/seen again":         {edit: sub("References/Blade Runner.md", "last: 2023-09-14", "last: 2024-01-05")},
	"second/topic":              {edit: sub("Clippings/In good hands.md", "topics:", "topics:\n  - \"[[Trust]]\"")},
	"second/to-do":              {edit: add("Notes/Minimal Theme.md", "- [ ] Dark mode icons")},
	"second/readme":             {edit: sub("Readme.md", "## Get started", "## How to begin")},
	"second/rename kyoto":       {edit: edits(ren("References/Kyoto.md", "References/Kyoto City.md"), sub("Notes/2023 Japan Trip.md", "[[Kyoto]]", "[[Kyoto City]]"), sub("References/Fushimi Inari.md", "[[Kyoto]]", "[[Kyoto City]]"))},
	"second/move catan":         {edit: ren("References/Catan.md", "Games/Catan.md")},
	"second/delete daily":       {edit: del("Daily/2023-09-30.md")},
	"second/tag in French":      {edit: sub("References/Futurama.md", "rating: 7\n", "rating: 7\ntags: [favoris]\n")},
	"second/rating in Japanese": {edit: sub("References/Catan.md", "rating: 7", "rating: 8")},
	"second/shopping":           {edit: put("Shopping.md", "- 1 egg\n- 90g sugar\n- 15g flour\n- 75g butter\n- vanilla extract\n- 4 nectarines or peaches\n")},
}
