package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/retrieval"
)

// folder is a corpus of the notes in a folder.
type folder string

func (d folder) Notes(context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		_ = filepath.WalkDir(string(d), func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(p) != ".md" {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(string(d), p)
			if !yield(retrieval.Note{Path: filepath.ToSlash(rel), Size: info.Size(), Modified: info.ModTime()}, err) {
				return fs.SkipAll
			}
			return nil
		})
	}
}

func (d folder) Read(_ context.Context, p string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(d), filepath.FromSlash(p)))
}

func (d folder) Head(ctx context.Context, p string, most int) ([]byte, error) {
	data, err := d.Read(ctx, p)
	return data[:min(len(data), most)], err
}

func (d folder) Folder(_ context.Context, path string) string {
	if i, err := os.Stat(filepath.Join(string(d), path)); err == nil && i.IsDir() {
		return path
	}
	return ""
}

func (d folder) Mark(context.Context) any { return nil }

// saturday is the current time of the tests.
var saturday = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)

// changing lists the tools that change notes.
var changing = []string{"write_file", "append_file", "edit_file", "move_file", "delete_file", "set_property", "daily_note", "create_folder"}

func sample(t *testing.T) *Engine {
	t.Helper()
	return New(retrieval.NewIndex(folder("../../../testdata/vault")))
}

// answered returns the engine's response to a message.
func answered(t *testing.T, e *Engine, purpose llm.Purpose, messages ...llm.Message) llm.Response {
	t.Helper()
	req := llm.Request{Purpose: purpose, Messages: messages}
	for _, name := range append([]string{"list_tasks", "get_links", "get_tags", "read_file"}, changing...) {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: name})
	}
	r, err := e.respond(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.RoleUser, Content: text, Time: saturday}
}

// TestWriteSentences has sentences typed by a person who did not know the engine: commands call a tool that changes
// notes, and no others do.
func TestWriteSentences(t *testing.T) {
	var sentences []struct {
		Text  string
		Exact bool
	}
	data, err := os.ReadFile("testdata/writes.json")
	if err != nil || json.Unmarshal(data, &sentences) != nil {
		t.Fatal(err)
	}
	also := map[string]bool{
		// The name is an alias, and the text is complete.
		`add "new lid arrived" to the box`: true, "add a task to Field test at Frenchay Weir: give the chest waders back to Frome Watch, and with them the key to the ladder": true,
		// No such heading or tag exists.
		`add "bring cash" under Packing in Lisbon, October 2026`: true, `add "new lid" to Enclosure under Revision 3`: true, "remove the tag #fictoin from Piranesi": true,
	}
	e := sample(t)
	missed := 0
	for _, s := range sentences {
		r := answered(t, e, llm.PurposeTurn, user(s.Text))
		switch changes := len(r.ToolCalls) > 0 && r.ToolCalls[0].Name != "read_file"; {
		case changes && !s.Exact && !also[s.Text]:
			t.Errorf("%q calls %s %s", s.Text, r.ToolCalls[0].Name, r.ToolCalls[0].Arguments)
		case s.Exact && !changes:
			missed++
			t.Logf("not done: %q: %s", s.Text, r.Text)
		}
	}
	if missed > 4 {
		t.Errorf("%d exact commands are not understood", missed)
	}
}

func TestCommands(t *testing.T) {
	e := sample(t)
	for sentence, want := range map[string]string{
		`change rating to 4 in Piranesi`:                                   `set_property {"key":"rating","path":"Reading/Piranesi.md","value":"4"}`,
		`set rating of Piranesi to 4.`:                                     `set_property {"key":"rating","path":"Reading/Piranesi.md","value":"4"}`,
		`In the note Nectarine tart change "35 minutes" to "40 minutes".`:  `edit_file {"new_text":"40 minutes","old_text":"35 minutes","path":"Recipes/Nectarine tart.md"}`,
		`add "Call Gran on Sunday" to Home under the heading Now`:          `append_file {"content":"- Call Gran on Sunday","heading":"Now","path":"Home.md"}`,
		`under the heading Now in Home add: Call Gran`:                     `append_file {"content":"- Call Gran","heading":"Now","path":"Home.md"}`,
		`create a note Shopping in the folder Recipes with the text: eggs`: `write_file {"content":"eggs\n","path":"Recipes/Shopping.md"}`,
		`please delete the note Piranesi`:                                  `delete_file {"path":"Reading/Piranesi.md"}`,
		`move "Lisbon, October 2026" to Daily`:                             `move_file {"folder":"Daily","source":"Travel/Lisbon, October 2026.md"}`,
		`rename Lisbon, October 2026 to Lisbon`:                            `move_file {"new_name":"Lisbon.md","source":"Travel/Lisbon, October 2026.md"}`,
		`add tag #health to Knee`:                                          `set_property {"add":["health"],"key":"tags","path":"Health/Knee.md"}`,
		`remove the tag health from Knee`:                                  `set_property {"key":"tags","path":"Health/Knee.md","remove":["health"]}`,
		`add a task "see Bo" to today's note`:                              `daily_note {"action":"append","content":"- [ ] see Bo","date":"today"}`,
		`add to the daily note from 2026-11-20: rain`:                      `daily_note {"action":"append","content":"rain","date":"2026-11-20"}`,
		`tick "Borrow the urn"`:                                            `edit_file {"new_text":"- [x] Borrow the urn (due 2026-12-05)","old_text":"- [ ] Borrow the urn (due 2026-12-05)","path":"Projects/Winter concert.md"}`,
		`untick "Order fifty breather patches"`:                            `edit_file {"new_text":"- [ ] Order fifty breather patches","old_text":"- [x] Order fifty breather patches","path":"Projects/Heron/Enclosure.md"}`,
		`show Knee`:                                                        `read_file {"path":"Health/Knee.md"}`,
	} {
		r := answered(t, e, llm.PurposeTurn, user(sentence))
		if len(r.ToolCalls) != 1 {
			t.Errorf("%s: %s", sentence, r.Text)
		} else if got := r.ToolCalls[0].Name + " " + r.ToolCalls[0].Arguments; got != want {
			t.Errorf("%s: %s, want %s", sentence, got, want)
		}
	}
}

// TestNearestCommand: a sentence that looks like a change but is no command changes nothing; the nearest command is
// suggested.
func TestNearestCommand(t *testing.T) {
	e := sample(t)
	for sentence, want := range map[string]string{
		"put a line with the text Call Gran on Sunday under the heading Now": `add "Call Gran on Sunday" to … under Now`,
		"In the note Nectarine tart change 35 minutes to 40 minutes.":        `replace "35 minutes" with "40 minutes" in Nectarine tart`,
		"delete the Ingredients section of Nectarine tart":                   `replace "…" with "" in Nectarine tart`,
		"add oat milk to the red lentil soup":                                `add "oat milk" to Red lentil soup`,
		"tick off the urn in winter concert":                                 `tick "urn" in Winter concert`,
		"could you add the tag favourite to Piranesi?":                       "add tag favourite to Piranesi",
		"rename the note Gran to Oma and update the links":                   `rename Gran to "Oma"`,
		"move Knee to Archive":                                               `move Knee to "Archive"`,
		"create a note called Ideas for spring":                              `create a note "Ideas for spring"`,
		"delete all notes tagged daily":                                      "",
		"delete Moby-Dick and Piranesi":                                      "",
		"merge Knee and Gran":                                                "",
		"delete Blue soup":                                                   "",
		"add \"garlic\" to Blue soup":                                        `add "garlic" to …`,
		"remind me to water the plants on Friday":                            `add a task "water the plants on Friday" to …`,
	} {
		r := answered(t, e, llm.PurposeTurn, user(sentence))
		if len(r.ToolCalls) > 0 || r.Suggest != want || r.Finish != llm.FinishUnable {
			t.Errorf("%s: %q (%v %q), want %q", sentence, r.Suggest, r.ToolCalls, r.Text, want)
		}
	}
}

// TestUnknownNote names the note that a command means and that does not exist, with the closest one.
func TestUnknownNote(t *testing.T) {
	e := sample(t)
	for _, sentence := range []string{`add "garlic" to Green lentil soup`, "delete Green lentil soup", "rename the note Green lentil soup to Soup", "set rating of Green lentil soup to 4", "move Green lentil soup to Recipes"} {
		r := answered(t, e, llm.PurposeTurn, user(sentence))
		if want := "There is no note “Green lentil soup”, so nothing was changed. The closest one is [[Red lentil soup]] (Recipes/Red lentil soup.md)."; r.Text != want || len(r.ToolCalls) > 0 {
			t.Errorf("%s: %q", sentence, r.Text)
		}
	}
}

// TestClosestNote names a note only if its name is like the one that does not exist.
func TestClosestNote(t *testing.T) {
	e := sample(t)
	for sentence, want := range map[string]string{
		"delete Kne":                         "There is no note “Kne”, so nothing was changed. The closest one is [[Knee]] (Health/Knee.md).",
		"delete Nonexistent":                 "There is no note “Nonexistent”, so nothing was changed.",
		"delete everything":                  "“delete everything” is not one of the commands, so nothing was changed. Say **help** for the commands.",
		"delete Recipes":                     "“delete Recipes” is not one of the commands, so nothing was changed. Say **help** for the commands.",
		"tasks under Nonexistent":            "Nothing in your notes answers this: no note mentions nonexistent.",
		"quick recipes":                      "[[Quick kimchi]]",
		"open tasks under the heading Tasks": "under Tasks",
	} {
		if r := answered(t, e, llm.PurposeTurn, user(sentence)); !strings.Contains(r.Text, want) || len(r.ToolCalls) > 0 || strings.HasPrefix(want, "There") && r.Text != want {
			t.Errorf("%s: %q", sentence, r.Text)
		}
	}
}

// TestNamesInOtherForms carries out commands on notes whose names are in another width, case or normal form.
func TestNamesInOtherForms(t *testing.T) {
	dir := t.TempDir()
	for file, name := range map[string]string{"ＭＥＭＯ": "memo", "ガイド": "ｶﾞｲﾄﾞ", "Cafe\u0301": "CAFÉ", "Plan\u00a0B": "plan b"} {
		if err := os.WriteFile(filepath.Join(dir, file+".md"), []byte("# T\n\nsome text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e := New(retrieval.NewIndex(folder(dir)))
		r := answered(t, e, llm.PurposeTurn, user("delete "+name))
		if len(r.ToolCalls) != 1 || !strings.Contains(r.ToolCalls[0].Arguments, `"`+file+`.md"`) {
			t.Errorf("%s: %q %v", name, r.Text, r.ToolCalls)
		}
	}
}

// TestOddNames carries out commands on notes whose names have quotation marks, brackets, a colon or a final full stop,
// and on an empty folder.
func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"[x] y", `a"b`, "ends with dot.", "Notes: first", "He said “hi”", "Wait, what?"} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte("# T\n\nsome text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "Empty"), 0o700); err != nil {
			t.Fatal(err)
		}
		e := New(retrieval.NewIndex(folder(dir)))
		for sentence, want := range map[string]string{
			"delete %s":                   "delete_file path=%s.md",
			`delete "%s"`:                 "delete_file path=%s.md",
			"delete [[%s]]":               "delete_file path=%s.md",
			`add "hello" to %s`:           "append_file path=%s.md",
			"add tag new to %s.md":        "set_property path=%s.md",
			"rename %s to Fine":           "move_file path=%s.md",
			"please move %s to Empty.":    "move_file path=%s.md",
			`replace "some" by "a" in %s`: "edit_file path=%s.md",
		} {
			r := answered(t, e, llm.PurposeTurn, user(strings.ReplaceAll(sentence, "%s", name)))
			got := r.Text
			if len(r.ToolCalls) == 1 {
				var a map[string]any
				if err := json.Unmarshal([]byte(r.ToolCalls[0].Arguments), &a); err != nil {
					t.Fatal(err)
				}
				got = fmt.Sprint(r.ToolCalls[0].Name, " path=", cmp.Or(a["path"], a["source"]))
			}
			if got != strings.ReplaceAll(want, "%s", name) {
				t.Errorf("%s: %s", strings.ReplaceAll(sentence, "%s", name), got)
			}
		}
	}
}

// TestCitesOddNames cites a note as a whole, although its name contains quotation marks.
func TestCitesOddNames(t *testing.T) {
	s := &session{}
	for result, want := range map[string]string{
		`Appended 1 line to "a"b.md".`:                                       `Appended 1 line to [[a"b]] (a"b.md).`,
		`Moved "It's.md" to "b/He said "hi".md". Updated 2 links in 1 note.`: `Moved [[It's]] (It's.md) to [[He said "hi"]] (b/He said "hi".md). Updated 2 links in 1 note.`,
		`Deleted 'It's fine.md' to trash.`:                                   `Deleted [[It's fine]] (It's fine.md) to trash.`,
		`Set status: "x" in "a.md".`:                                         `Set status: "x" in [[a]] (a.md).`,
	} {
		if got := s.report(call{tool: "append_file", result: result}).text; got != want {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
	}
}

func TestComparison(t *testing.T) {
	e := sample(t)
	for _, question := range []string{"what is the difference between Piranesi and Moby-Dick", "compare Piranesi with Moby-Dick", "Piranesi vs Moby-Dick"} {
		r := answered(t, e, llm.PurposeTurn, user(question))
		if !strings.Contains(r.Text, "— [[Piranesi]] (") || !strings.Contains(r.Text, "— [[Moby-Dick]] (") {
			t.Errorf("%s: %s", question, r.Text)
		}
	}
}

func TestFilters(t *testing.T) {
	e := sample(t)
	if err := e.index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]string{
		"which tasks are open?":                       "open tasks",
		"tasks due this week":                         "open tasks · due 2026-11-23 to 2026-11-29",
		"whats overdue":                               "open tasks · due until 2026-11-27",
		"open tasks · due until 2026-11-30":           "open tasks · due until 2026-11-30",
		"list done tasks in the Heron folder":         "done tasks · in Projects/Heron/",
		"tasks tagged urgent":                         "open tasks · tag urgent",
		"how many tasks have no due date":             "open tasks · without a due date",
		"list the notes in Meetings":                  "notes · in Meetings/",
		"recipes that are not tagged baking":          "notes · kind recipes · without tag baking",
		"books rated below 4":                         "notes · kind books · rating < 4",
		"notes without tags":                          "notes · without tag",
		"which notes link to Lena Brandt?":            "links to Lena Brandt",
		"broken links":                                "unresolved links",
		"tasks under the heading Actions":             "open tasks · under Actions",
		"open meeting tasks under Actions":            "open tasks · under Actions · about meeting",
		"dinner recipes":                              "notes · kind dinner · kind recipes",
		"how many recipes for dinner":                 "notes · kind recipes · kind dinner",
		"orphan notes in Reading":                     "orphan notes · in Reading/",
		"what did I change last week?":                "notes · dated 2026-11-16 to 2026-11-22",
		"notes from October":                          "notes · dated 2026-10-01 to 2026-10-31",
		"what do I know about tasks in the sourdough": "",
		"which books mention buildings":               "",
		"is there something to toggle underline and make checkboxes without the mouse": "",
		"how long does the tart bake?": "",
		"compare the two Lenas":        "",
	} {
		s := &session{ctx: t.Context(), index: e.index, catalog: e.current(), now: saturday}
		f, ok := s.filterOf(spelled(request))
		got := ""
		if ok {
			got = strings.TrimSpace(f.shown())
		}
		if got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
	// A list does not ignore a "not".
	if r := answered(t, e, llm.PurposeTurn, user("notes in Recipes that are not good")); !strings.Contains(r.Text, "not good") || strings.Contains(r.Text, "[[") {
		t.Errorf("%s", r.Text)
	}
}

// TestShownFormsAreRequests: the displayed form of a filter is a request for the same list.
func TestShownFormsAreRequests(t *testing.T) {
	e := sample(t)
	if err := e.index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"which tasks are open?", "tasks due this week", "whats overdue", "list done tasks in the Heron folder", "tasks tagged urgent", "how many tasks have no due date", "list the notes in Meetings", "recipes that are not tagged baking", "books rated below 4", "books rated at least 4", "notes without tags", "which notes link to Lena Brandt?", "links of Heron", "broken links", "orphan notes in Reading", "what did I change last week?", "notes from October", "tasks due after 5 December", "open tasks without tag meeting in Projects", "notes with status", "notes without author", "list all tasks", "list everything that was written by Susanna Clarke", "latest notes", "open tasks under Actions", "dinner recipes", "what do i still have to do for the winter concert", "notes tagged dinner in Recipes"} {
		s := &session{ctx: t.Context(), index: e.index, catalog: e.current(), now: saturday}
		f, ok := s.filterOf(spelled(request))
		if !ok {
			t.Errorf("%s: no list", request)
			continue
		}
		g, ok := s.filterOf(spelled(f.shown()))
		if !ok || g.shown() != f.shown() {
			t.Errorf("%s: %q reads as %q (%v)", request, f.shown(), g.shown(), ok)
		}
	}
}

func TestAnswers(t *testing.T) {
	e := sample(t)
	for question, want := range map[string]string{
		"where is the stopcock":                     "behind the washing machine",
		"who wrote piranesi":                        "> author: Susanna Clarke",
		"what is the source of nectarine tart?":     "> source: own",
		"what are the aliases of enclosure":         "housing, the box",
		"who attended the design review in october": "attendees: Priya Raman, Tomasz Wieczorek",
		"what year did we go to madrid":             "no note mentions madrid",
		"what is the wifi password?":                "no note mentions wifi",
		"how do I delete a note?":                   "`delete NOTE`",
		"hello":                                     "offline engine",
		"thanks, that helped":                       "You are welcome.",
		"which recipes are tagged baking":           "3 notes · kind recipes · tag baking",
		"how many recipes have i got":               "7 notes",
		"what did I read by Le Guin":                "1 note · kind read · author = Le Guin",
		"what changed recently":                     "latest notes:",
		"remind me what Priya said about my hours":  "> ",
		"don't delete Home":                         "nothing was changed",
	} {
		if r := answered(t, e, llm.PurposeTurn, user(question)); !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s\nwant %s", question, r.Text, want)
		}
	}
}

// TestReports: the result of a call is reported, and the call is not repeated.
func TestReports(t *testing.T) {
	e := sample(t)
	first := answered(t, e, llm.PurposeTurn, user("delete Piranesi"))
	history := []llm.Message{user("delete Piranesi"), {Role: llm.RoleAssistant, ToolCalls: first.ToolCalls}}
	for result, want := range map[string]string{
		"Deleted 'Reading/Piranesi.md' to trash.":                                                      "Deleted [[Piranesi]] (Reading/Piranesi.md) to trash.",
		"Error: The user denied this change and said: not yet. Nothing was changed. Do not repeat it.": "Not done: you denied the change. not yet",
	} {
		r := answered(t, e, llm.PurposeTurn, append(history, llm.Message{Role: llm.RoleTool, ToolCallID: first.ToolCalls[0].ID, Content: result, IsError: strings.HasPrefix(result, "Error")})...)
		if r.Text != want || len(r.ToolCalls) > 0 {
			t.Errorf("%s: %q %v, want %q", result, r.Text, r.ToolCalls, want)
		}
	}
	// A change that an earlier attempt may have made is not repeated.
	again := user("add \"x\" to Knee")
	again.Context = "An earlier attempt at this request ended early. It had already done this: edited Health/Knee.md. Do not repeat it."
	if r := answered(t, e, llm.PurposeTurn, again); len(r.ToolCalls) > 0 || !strings.Contains(r.Text, "edited Health/Knee.md") {
		t.Errorf("%v %s", r.ToolCalls, r.Text)
	}
}

func TestPlans(t *testing.T) {
	e := sample(t)
	plan := answered(t, e, llm.PurposePlan, user("delete Piranesi"))
	if want := planHead + "\n\n1. Move [[Piranesi]] (Reading/Piranesi.md) to the trash"; plan.Text != want {
		t.Errorf("%s", plan.Text)
	}
	if r := answered(t, e, llm.PurposePlan, user("where is the stopcock")); !strings.HasPrefix(r.Text, llm.NoPlan) {
		t.Errorf("%s", r.Text)
	}
	yes := user("yes")
	yes.Context = "The user approved the plan you made before. Carry it out now."
	if r := answered(t, e, llm.PurposeTurn, user("delete Piranesi"), llm.Message{Role: llm.RoleAssistant, Content: plan.Text}, yes); len(r.ToolCalls) != 1 || r.ToolCalls[0].Name != "delete_file" {
		t.Errorf("%v %s", r.ToolCalls, r.Text)
	}
}

func TestSpans(t *testing.T) {
	for words, want := range map[string]string{
		"today": "2026-11-28", "yesterday": "2026-11-27", "this week": "2026-11-23 to 2026-11-29", "next week": "2026-11-30 to 2026-12-06",
		"last month": "2026-10-01 to 2026-10-31", "until friday": "until 2026-12-04", "since 2026-11-01": "from 2026-11-01", "before 5 November": "until 2026-11-04",
		"in May": "2026-05-01 to 2026-05-31", "in 2025": "2025-01-01 to 2025-12-31", "last 7 days": "2026-11-21 to 2026-11-28", "two weeks ago": "2026-11-09 to 2026-11-15",
		"on 24 December": "2026-12-24", "2026-11-01 to 2026-11-05": "2026-11-01 to 2026-11-05",
	} {
		w, rest := findSpan("notes "+words, saturday)
		if w.isZero() || w.shown() != want || strings.TrimSpace(rest) != "notes" {
			t.Errorf("%s: %v %q, want %s", words, w, rest, want)
		}
	}
	if w, _ := findSpan("may I see 31 February", saturday); !w.isZero() {
		t.Errorf("%v", w)
	}
}

func TestAsides(t *testing.T) {
	e := sample(t)
	account := "<conversation>\nUser: where is the ladder?\nAssistant: From your notes:\n  > In the shed.\n  — [[Ladder]] (Ladder.md:3)\nUser: delete Ladder\nResult of delete_file: Deleted 'Ladder.md' to trash.\nAssistant: Deleted.\n</conversation>"
	for purpose, want := range map[llm.Purpose]string{
		llm.PurposeTitle:         "TITLE: Where is the ladder\nSUMMARY: The user asked “where is the ladder?”, “delete Ladder”. This was changed: Deleted 'Ladder.md' to trash.",
		llm.PurposeCompact:       "- “where is the ladder?”\n- “delete Ladder”",
		llm.PurposeRetrospection: "**Changed**\n\n- Deleted 'Ladder.md' to trash.",
	} {
		if r := answered(t, e, purpose, user(account)); !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s\nwant %s", purpose, r.Text, want)
		}
	}
}

// FuzzSentence: every sentence gets an answer, and one without a quotation mark or colon writes no new text.
func FuzzSentence(f *testing.F) {
	for _, s := range []string{"add to Knee: x", "delete Knee", "tasks due this week", "move \"a to b", "in in in in in in in in in in in in", strings.Repeat("to ", 3000)} {
		f.Add(s)
	}
	e := New(retrieval.NewIndex(folder("../../../testdata/vault")))
	f.Fuzz(func(t *testing.T, sentence string) {
		r := answered(t, e, llm.PurposeTurn, user(sentence))
		if len(r.ToolCalls) > 0 && strings.Contains(r.ToolCalls[0].Arguments, `"content":"`) && !strings.Contains(r.ToolCalls[0].Arguments, `"content":""`) && !strings.ContainsAny(sentence, "\"“”„«»:`") {
			t.Errorf("%q writes %s", sentence, r.ToolCalls[0].Arguments)
		}
	})
}
