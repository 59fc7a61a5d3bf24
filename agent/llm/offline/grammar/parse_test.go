package grammar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chatvault/agent/llm/offline/grammar"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) // a Saturday

var kinds = map[grammar.Kind]string{
	grammar.Question: "question", grammar.Show: "show", grammar.List: "list", grammar.Count: "count", grammar.Tags: "tags",
	grammar.Recent: "recent", grammar.Tasks: "tasks", grammar.Tick: "tick", grammar.Summarise: "summarise", grammar.Create: "create",
	grammar.Add: "add", grammar.Replace: "replace", grammar.Remove: "remove", grammar.Move: "move", grammar.Rename: "rename",
	grammar.Delete: "delete", grammar.MakeFolder: "mkdir", grammar.Find: "find", grammar.Links: "links", grammar.Outline: "outline", grammar.Info: "info",
	grammar.Help: "help", grammar.About: "about", grammar.Greet: "greet", grammar.Thanks: "thanks", grammar.Continue: "continue",
	grammar.Cancel: "cancel", grammar.Undo: "undo", grammar.Unclear: "unclear",
	grammar.Goodbye: "goodbye", grammar.More: "more", grammar.Follow: "follow", grammar.Asked: "asked", grammar.Earlier: "earlier", grammar.Beyond: "beyond",
}

// brief writes commands so that a table can hold them.
func brief(commands []grammar.Command) string {
	var out []string
	for _, c := range commands {
		s := kinds[c.Kind]
		for _, f := range []struct{ name, value string }{
			{"note", c.Note},
			{"folder", c.Folder},
			{"title", c.Title},
			{"body", c.Body},
			{"under", c.Heading},
			{"old", c.Old},
			{"new", c.New},
			{"to", c.To},
			{"tag", c.Tag},
			{"when", c.When.Words},
		} {
			if f.value != "" {
				s += fmt.Sprintf(" %s=%q", f.name, f.value)
			}
		}
		if (c.Kind == grammar.Question || c.Kind == grammar.Follow || c.Kind == grammar.Asked || c.Kind == grammar.Links) && c.Topic != "" {
			s += fmt.Sprintf(" topic=%q", c.Topic)
		}
		for _, f := range []struct {
			name string
			set  bool
		}{{"unsure", c.Unsure}, {"all", c.All}, {"done", c.Done}, {"top", c.Top}, {"task", c.Form == grammar.Task}, {"items", c.Form == grammar.Items}, {"section", c.Form == grammar.Section}} {
			if f.set {
				s += " " + f.name
			}
		}
		if c.Limit > 0 {
			s += fmt.Sprintf(" limit=%d", c.Limit)
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// questions
		{"what do I know about sourdough?", `question topic="sourdough"`},
		{"what was that dessert with stone fruit?", `question topic="what was that dessert with stone fruit"`},
		{"what did I write about mountains in March?", `question when="in march" topic="what did I write about mountains"`},
		{"what happened last week?", `question when="last week"`},
		{"movies I want to watch", `question topic="movies I want to watch"`},
		{"show me everything about Heron", `question topic="Heron"`},
		{"what is left of the grant?", `question topic="what is left of the grant"`},
		{"what did I agree about working fewer days?", `question topic="what did I agree about working fewer days"`},
		// reading
		{"show me the Lisbon note", `show note="Lisbon"`},
		{"opne Nectarine tart", `question topic="opne Nectarine tart"`},
		{"Could you please open [[Launch plan]]?", `show note="Launch plan"`},
		{"sumarize Launch plan", `question topic="sumarize Launch plan"`},
		{"give me a summary of Heron", `summarise note="Heron"`},
		{"what links to Heron?", `links note="Heron"`},
		{"which links are broken?", `links topic="unresolved"`},
		{"show me all orphaned notes", `links topic="orphans"`},
		{"show links to Orphans", `links note="Orphans"`},
		{"outline of Heron", `outline note="Heron"`},
		{"what are the headings in the note Launch plan?", `outline note="Launch plan"`},
		{"outline Heron", `summarise note="Heron"`},
		{"when was Heron last changed?", `info note="Heron"`},
		{`search for "grant money"`, `find old="grant money"`},
		{"which notes mention Tomasz?", `find old="Tomasz"`},
		// lists
		{"list notes in Recipes", `list folder="Recipes"`},
		{"what's in the Recipes folder?", `list folder="Recipes"`},
		{"list all notes", `list`},
		{"notes tagged recipe", `list tag="recipe"`},
		{"#recipe", `list tag="recipe"`},
		{"how many notes do I have?", `count`},
		{"how many notes are in Projects?", `count folder="Projects"`},
		{"list tags", `tags`},
		{"what did I change this week?", `recent when="this week"`},
		{"notes from yesterday", `recent when="from yesterday"`},
		{"recent notes", `recent when="recent"`},
		{"last 5 notes", `recent limit=5`},
		// tasks
		{"open tasks", `tasks`},
		{"what do I still have to do?", `tasks`},
		{"what are my open tasks in Heron?", `tasks note="Heron"`},
		{"show the Heron tasks", `tasks note="Heron"`},
		{"tasks tagged #garden", `tasks tag="garden"`},
		{"tasks due this week", `tasks when="this week"`},
		{"which tasks are done?", `tasks done`},
		{"mark order bearing as done in Bike rebuild", `tick note="Bike rebuild" old="order bearing"`},
		{"mark the fleece task as done", `tick old="fleece"`},
		// writing
		{`create a note called Packing list in Travel with socks, passport and charger`, `create folder="Travel" title="Packing list" body="socks, passport and charger"`},
		{`create "Garden ideas" in Projects with the text "More tomatoes"`, `create folder="Projects" title="Garden ideas" body="More tomatoes"`},
		{"create a note called Meeting with Bob", `create title="Meeting with Bob"`},
		{"create a recipe called Plum cake with ingredients flour, plums and sugar", `create title="Plum cake" body="flour, plums and sugar" tag="recipe" items`},
		{"craete a note called Foo", `unclear`},
		{"new note: Ideas for spring", `create title="Ideas for spring"`},
		{"make a note that the boiler needs 1.5 bar", `create body="the boiler needs 1.5 bar" unsure`},
		{"in Travel create a note called Visa", `create folder="Travel" title="Visa"`},
		{"add milk to the Shopping list", `add note="Shopping list" body="milk"`},
		{"add a task to call Tomasz to Heron", `add note="Heron" body="call Tomasz" task`},
		{`add "- rye flour" to Sourdough rye under Ingredients`, `add note="Sourdough rye" body="- rye flour" under="Ingredients"`},
		{"add buy stamps to Home under the Today heading", `add note="Home" body="buy stamps" under="Today"`},
		{"append to Knee under Log: ran 3 km", `add note="Knee" body="ran 3 km" under="Log"`},
		{`in Knee, add "ran 5 km" under Log`, `add note="Knee" body="ran 5 km" under="Log"`},
		{"add a section called Next steps to Heron", `add note="Heron" body="Next steps" section`},
		{`add "x" at the top of Home`, `add note="Home" body="x" top`},
		{`replace "30 November" with "18 January" in Launch plan`, `replace note="Launch plan" old="30 November" new="18 January"`},
		{"change 30 November to 18 January in the Launch plan everywhere", `replace note="Launch plan" old="30 November" new="18 January" all`},
		{`remove "old line" from Knee`, `remove note="Knee" old="old line"`},
		// order
		{"rename Bike rebuild to Dawes rebuild", `rename note="Bike rebuild" to="Dawes rebuild"`},
		{"change the title of Knee to Leg", `rename note="Knee" to="Leg"`},
		{"move it to the Archive folder", `move note="it" to="Archive"`},
		{"archive Knee", `move note="Knee" to="Archive"`},
		{"delete the Old stuff folder", `delete note="Old stuff"`},
		{"please could you delete the note Knee, thanks", `delete note="Knee"`},
		{"create a folder Drafts in Projects", `mkdir folder="Projects/Drafts"`},
		// several at once
		{
			`create a note Packing in Travel with "socks", then add "call Ana" to Lisbon and move Bike rebuild to Archive`,
			`create folder="Travel" title="Packing" body="socks" | add note="Lisbon" body="call Ana" | move note="Bike rebuild" to="Archive"`,
		},
		{
			"create folder Work/2027, create a note Plan in Work/2027 with \"Goals\" and add \"- x\" to it",
			`mkdir folder="Work/2027" | create folder="Work/2027" title="Plan" body="Goals" | add note="it" body="- x"`,
		},
		{"- delete A\n- delete B", `delete note="A" | delete note="B"`},
		{"create a note called Salad with body: chop tomatoes, add salt to the bowl", `create title="Salad" body="chop tomatoes, add salt to the bowl"`},
		{`add "buy milk and delete old jars" to Shopping`, `add note="Shopping" body="buy milk and delete old jars"`},
		// several questions
		{"who is Ana? when did Milo ring?", `question topic="who is Ana" | question topic="when did Milo ring"`},
		{"1. who is Ana?\n2. where does Milo live?\n3. what links to Heron?", `question topic="who is Ana" | question topic="where does Milo live" | links note="Heron"`},
		{"who is Ana? where does she live?", `question topic="who is Ana? where does she live"`},
		{"who is Ana? Show Knee", `question topic="who is Ana" | show note="Knee"`},
		{"create a note FAQ with what is rye? where is it sold?", `create title="FAQ" body="what is rye? where is it sold?"`},
		{`add "why? who knows?" to Knee`, `add note="Knee" body="why? who knows?"`},
		{"what was that dessert? with stone fruit", `question topic="what was that dessert? with stone fruit"`},
		// talk
		{"what can you do?", `help`},
		{"please go on", `continue`},
		{"go on with the rest", `continue`},
		{"mach bitte weiter", `continue`},
		{"continue the story of Ana", `unclear`},
		{"shorten the story of Ana", `unclear`},
		{"top up the boiler", `unclear`},
		{"order new bearings", `unclear`},
		{"who is the boiler man", `question topic="who is the boiler man"`},
		{"books my sister lent me", `question topic="books my sister lent me"`},
		{"what is 15% of 80?", `beyond`},
		{"", `help`},
		{"are you chatgpt?", `about`},
		{"hello", `greet`},
		{"thanks a lot!", `thanks`},
		{"continue", `continue`},
		{"never mind", `cancel`},
		{"no thanks", `cancel`},
		{"No, thank you.", `cancel`},
		{"thanks", `thanks`},
		{"hi, open Knee", `show note="Knee"`},
	} {
		if got := brief(grammar.Parse(c.text, now)); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestFindTime(t *testing.T) {
	for _, c := range []struct{ text, from, to, rest string }{
		{"what did I do yesterday", "2026-11-20", "2026-11-21", "what did I do"},
		{"notes from today", "2026-11-21", "2026-11-22", "notes"},
		{"this week", "2026-11-16", "2026-11-23", ""},
		{"last week", "2026-11-09", "2026-11-16", ""},
		{"next week", "2026-11-23", "2026-11-30", ""},
		{"last month", "2026-10-01", "2026-11-01", ""},
		{"in March", "2026-03-01", "2026-04-01", ""},
		{"in December", "2025-12-01", "2026-01-01", ""},
		{"in December 2024", "2024-12-01", "2025-01-01", ""},
		{"on 16 November", "2026-11-16", "2026-11-17", ""},
		{"on November 16th", "2026-11-16", "2026-11-17", ""},
		{"2026-11-02", "2026-11-02", "2026-11-03", ""},
		{"on Monday", "2026-11-16", "2026-11-17", ""},
		{"three days ago", "2026-11-18", "2026-11-19", ""},
		{"in 2024", "2024-01-01", "2025-01-01", ""},
		{"last weekend", "2026-11-14", "2026-11-16", ""},
		{"this quarter", "2026-10-01", "2027-01-01", ""},
		{"on 31 February", "", "", "on 31 February"},
		{"may I ask about the plan", "", "", "may I ask about the plan"},
	} {
		r, rest := grammar.FindTime(c.text, now, false)
		from, to := "", ""
		if !r.IsZero() {
			from, to = r.From.Format(time.DateOnly), r.To.Format(time.DateOnly)
		}
		if from != c.from || to != c.to || rest != c.rest {
			t.Errorf("%q: %s to %s, rest %q; want %s to %s, rest %q", c.text, from, to, rest, c.from, c.to, c.rest)
		}
	}
}

// TestQuotedTextStaysWhole: whatever stands in quotation marks is text, never structure.
func TestQuotedTextStaysWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(strings.Fields("and then add to move delete in under with create note . , folder it Knee")), 1, 8).Draw(t, "words")
		text := strings.Join(words, " ")
		got := grammar.Parse(`add "`+text+`" to Log`, now)
		if len(got) != 1 || got[0].Kind != grammar.Add || got[0].Body != text || got[0].Note != "Log" {
			t.Fatalf("%q: %s", text, brief(got))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"add x to y under z", `create a note "a" in b with: c`, "delete the folder x", "what did I do last week?", "in [[a]], replace b with c",
		"- move a to b\n- rename c to d", "“a” „b“ «c» ‘d’ `e`", "add \"a to b", "\x00[[", "mark it as done, then undo",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		commands := grammar.Parse(s, now)
		if len(commands) == 0 {
			t.Fatal("no command")
		}
		for _, c := range commands {
			if strings.Contains(c.Note+c.Folder+c.Title, "\x00") && !strings.Contains(s, "\x00") {
				t.Fatalf("the mask leaked: %+v", c)
			}
		}
	})
}

func TestTimesBeforeAfterAndBetween(t *testing.T) {
	for _, c := range []struct{ text, from, to, rest string }{
		{"notes before 2024", "0001-01-02", "2024-01-01", "notes"},
		{"what did I write after 3 March", "2026-03-04", "9999-01-01", "what did I write"},
		{"meetings between October and November", "2026-10-01", "2026-12-01", "meetings"},
		{"from Monday to Wednesday", "2026-11-16", "2026-11-19", ""},
		{"until last week", "0001-01-02", "2026-11-16", ""},
		{"in 3 days", "2026-11-24", "2026-11-25", ""},
		{"within the next two weeks", "2026-11-21", "2026-12-06", ""},
		{"next Friday", "2026-11-27", "2026-11-28", ""},
		{"what did I do by the river", "0001-01-01", "0001-01-01", "what did I do by the river"},
		{"the walk after lunch", "0001-01-01", "0001-01-01", "the walk after lunch"},
	} {
		r, rest := grammar.FindTime(c.text, now, false)
		if r.From.Format(time.DateOnly) != c.from || r.To.Format(time.DateOnly) != c.to || rest != c.rest {
			t.Errorf("%q: %s to %s, rest %q", c.text, r.From.Format(time.DateOnly), r.To.Format(time.DateOnly), rest)
		}
	}
}

// What is due lies ahead, and what narrows tasks down and is not followed is known.
func TestTasksLookAhead(t *testing.T) {
	for _, c := range []struct{ text, from, to, ignored string }{
		{"tasks due before December", "0001-01-02", "2026-12-01", ""},
		{"open tasks due in December", "2026-12-01", "2027-01-01", ""},
		{"what is due by Friday", "0001-01-02", "2026-11-28", ""},
		{"tasks due on Friday", "2026-11-27", "2026-11-28", ""},
		{"tasks due after March", "2027-04-01", "9999-01-01", ""},
		{"which tasks were done in October", "2026-10-01", "2026-11-01", ""},
		{"open tasks with high priority", "0001-01-01", "0001-01-01", "high priority"},
		{"open tasks in Heron", "0001-01-01", "0001-01-01", ""},
	} {
		got := grammar.Parse(c.text, now)[0]
		if got.Kind != grammar.Tasks || got.When.From.Format(time.DateOnly) != c.from || got.When.To.Format(time.DateOnly) != c.to || got.Ignored != c.ignored {
			t.Errorf("%q: kind %d, %s to %s, ignored %q", c.text, got.Kind, got.When.From.Format(time.DateOnly), got.When.To.Format(time.DateOnly), got.Ignored)
		}
	}
}
