package offline_test

import "testing"

// films are notes whose answers stand in their properties.
func films() map[string]string {
	notes := rigged()
	notes["Films/Blade Runner.md"] = "---\ncategories:\n  - \"[[Movies]]\"\ndirector:\n  - \"[[Ridley Scott]]\"\ncast: [Harrison Ford, Sean Young]\nrating: 7\nyear: 1982\nlast: 2023-09-14\n---\n"
	notes["Films/Alien.md"] = "---\ncategories: \"[[Movies]]\"\ndirector: \"[[Ridley Scott]]\"\nrating: 9\nyear: 1979\n---\n"
	notes["Albums/Bass on Top.md"] = "---\nartist: \"[[Paul Chambers]]\"\nrating: 7\n---\n"
	notes["People/Ada.md"] = "---\nborn: 1980-12-24\n---\n# Ada\n"
	notes["Novel.md"] = "# Novel\n\nWhatever the weather, tomorrow she would like to go to the sea.\n"
	return notes
}

func TestPropertiesAnswer(t *testing.T) {
	tell(t, newChat(t, films()), []storyStep{
		{"who directed Blade Runner?", "", []string{"> director: Ridley Scott", "[[Blade Runner]] (Films/Blade Runner.md:5)"}, nil},
		{"when did I last watch blade runner", "", []string{"> last: 2023-09-14"}, nil},
		{"what year is Alien from?", "", []string{"> year: 1979"}, nil},
		{"who stars in Blade Runner", "", []string{"> cast: Harrison Ford, Sean Young"}, nil},
		{"who starred in Blade Runner?", "", []string{"> cast: Harrison Ford, Sean Young"}, []string{"Ridley"}},
		{"who played in Blade Runner?", "", []string{"> cast: Harrison Ford, Sean Young"}, nil},
		{"who paid for Blade Runner?", "*", nil, []string{"> director", "> cast"}},
		{"what did Ridley Scott direct?", "", []string{"2 notes with director Ridley Scott", "[[Alien]]", "[[Blade Runner]]"}, nil},
		{"what movies do I have?", "", []string{"2 notes", "[[Alien]]"}, nil},
		{"how old is Gran?", "*", []string{"born 5 December 1935"}, nil},
		{"which notes were dated in 2023?", "", []string{"[[Blade Runner]]"}, nil},
		{"how old is Ada?", "", []string{"> born: 1980-12-24 (45 years)"}, nil},
		{"which movies have rating 7?", "", []string{"1 note among “movies” with rating 7", "Blade Runner"}, []string{"Bass on Top", "Alien"}},
		{"notes with rating 7", "", []string{"2 notes with rating 7", "Bass on Top"}, []string{"Alien"}},
		{"which films are rated over 8", "", []string{"Alien"}, []string{"Blade Runner"}},
		{"list movies with rating 7 or more", "", []string{"2 notes"}, nil},
		{"how many movies do I have?", "", []string{"There are 2 notes", "[[Alien]]"}, []string{"Bass on Top"}},
		{"does every movie have a director?", "", []string{"2 notes of the kind “movie”, all with a property “director”"}, nil},
		{"all movies have a cast and tags", "", []string{"1 of 2 notes of the kind “movies” without a property “cast”", "[[Alien]]", "2 of 2 notes of the kind “movies” without tags"}, nil},
		{"which movies have rating 3?", "", []string{"No note among “movies” with rating 3."}, nil},
	})
}

func TestConversation(t *testing.T) {
	tell(t, newChat(t, films()), []storyStep{
		{"who plays the organ?", "*", []string{"[[Lena Brandt]]"}, nil},
		{"and what else?", "*", nil, []string{"(People/Lena Brandt.md"}},
		{"where does she play?", "*", []string{"[[Lena Brandt]]"}, nil},
		{"where?", "", []string{"The last answers were about"}, nil},
		{"what was my first question?", "", []string{"It was “who plays the organ?”."}, nil},
		{"what was my 2nd question?", "", []string{"It was “and what else?”."}, nil},
		{"what did I just ask?", "", nil, []string{"Nothing in your notes"}},
		{"move Knee to Archive", "*", nil, nil},
		{"thanks", "", nil, nil},
		{"move it back", "move_file Archive/Knee.md → Health/Knee.md", nil, nil},
		{"list all recipes", "*", nil, nil},
		{"the second one", "*", []string{"(Recipes/"}, nil},
		{"hey there!", "", []string{"Hello"}, nil},
		{"ok great, thanks a lot", "", []string{"welcome"}, nil},
		{"write me a poem", "", []string{"beyond the offline engine"}, nil},
		{"what is 12*7?", "", []string{"beyond the offline engine"}, nil},
		{"translate Knee to French", "", []string{"beyond the offline engine", "nothing was changed"}, nil},
		{"wo ist das Rezept für das Rye bread?", "*", []string{"looks like German", "[[Rye bread]]"}, nil},
		{"what's the weather like tomorrow?", "*", nil, []string{"Whatever the weather"}},
		{"who is Zeppelin?", "", []string{"Nothing in your notes"}, nil},
		{"delete it", "", []string{"Nothing was changed"}, nil},
		{"pin a tab", "*", []string{"Nothing was changed"}, nil},
		{"qwertz asdf", "", []string{"Nothing in your notes"}, nil},
	})
}

// What stands in a note is quoted as it stands.
func TestQuotationsAreFaithful(t *testing.T) {
	notes := rigged()
	notes["Drill.md"] = "# Drill\n\nThe *sharp* bit is **red**, not _blue_.\n\n3. Oil the chuck\n4. Tighten the chuck\n\n- [x] Bought a spare chuck key\n"
	tell(t, newChat(t, notes), []storyStep{
		{"what colour is the sharp bit of the drill?", "*", []string{"> The *sharp* bit is **red**, not _blue_."}, nil},
		{"how do I tighten the chuck?", "*", []string{"> 4. Tighten the chuck"}, nil},
		{"spare chuck key", "*", []string{"> - [x] Bought a spare chuck key"}, nil},
	})
}
