package grammar

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestScratch(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, s := range strings.Split(strings.TrimSpace(`
what do I know about sourdough?
what was that dessert with stone fruit?
show me the Lisbon note
open Nectarine tart
opne Nectarine tart
list notes in Recipes
what's in the Recipes folder?
what did I change this week?
notes from yesterday
recent notes
last 5 notes
open tasks
what are my open tasks in Heron?
show the Heron tasks
tasks tagged #garden
what do I still have to do?
todos in Projects/Heron
summarise the Launch plan
sumarize Launch plan
give me a summary of Heron
create a note called Packing list in Travel with socks, passport and charger
create a note Packing in Travel with "socks", then add "call Ana" to Lisbon and move Bike rebuild to Archive
create "Garden ideas" in Projects with the text "More tomatoes"
new note: Ideas for spring
make a note that the boiler needs 1.5 bar
create a note called Meeting with Bob
create a new recipe note called Plum cake in Recipes with ingredients flour, plums and sugar
add milk to the Shopping list
add a task to call Tomasz to Heron
add "- rye flour" to Sourdough rye under Ingredients
add buy stamps to Home under the Today heading
add to Home: feed the starter
append to Knee under Log: ran 3 km
in Knee, add "ran 5 km" under Log
replace "30 November" with "18 January" in Launch plan
change 30 November to 18 January in the Launch plan everywhere
rename Bike rebuild to Dawes rebuild
move Knee to Archive/2026
move the folder Flat to Home things
delete Knee
delete the Old stuff folder
remove "old line" from Knee
make a folder called Ideas
create a folder Drafts in Projects
create folder Work/2027, create a note Plan in Work/2027 with "Goals" and add "- x" to it
help
what can you do?
hello
thanks!
search for "grant money"
which notes mention Tomasz?
what links to Heron?
mark order bearing as done in Bike rebuild
tick off buy flour
delete it
rename it to Foo
move it to Archive
put Knee in Archive
put milk on the shopping list
how many notes do I have?
notes tagged recipe
#recipe
when was Heron last changed?
what did I do yesterday?
what happened last week?
are you chatgpt?
what colour is the lid and does it go yellow?
movies I want to watch
when did I run without pain again?
continue
what did I write about mountains in March?
archive Knee
show me everything about Heron
please could you delete the note Knee, thanks
add a note called Foo to Travel
create a note "X: y" in Travel saying hello there
tasks due this week
overdue tasks
list folders
list all notes
write a note about Porto
what did I agree about working fewer days?
which part is still missing on my old cycle?
what pieces are we singing at Christmas?
what is left of the grant?
create Foo.md with hello world
add a section called Next steps to Heron
`), "\n") {
		for i, c := range Parse(s, now) {
			o := ""
			for _, x := range c.Others {
				o += fmt.Sprintf(" | %d{note:%q body:%q to:%q h:%q}", x.Kind, x.Note, x.Body, x.To, x.Heading)
			}
			name := strings.Fields("Question Show List Count Tags Recent Tasks Tick Summarise Create Add Replace Remove Move Rename Delete MakeFolder Find Links Info Help About Greet Thanks Continue Cancel Undo")[c.Kind]
			p := ""
			if i == 0 {
				p = s
			}
			f := fmt.Sprintf("note=%q folder=%q title=%q whole=%q body=%q form=%d head=%q old=%q new=%q to=%q tag=%q topic=%q when=%q sure=%v all=%v done=%v lim=%d", c.Note, c.Folder, c.Title, c.Whole, c.Body, c.Form, c.Heading, c.Old, c.New, c.To, c.Tag, c.Topic, c.When.Words, c.Sure, c.All, c.Done, c.Limit)
			var keep []string
			for _, kv := range strings.Split(f, " ") {
				if strings.HasSuffix(kv, `=""`) || kv == "sure=false" || kv == "all=false" || kv == "done=false" || kv == "lim=0" || kv == "form=0" {
					continue
				}
				keep = append(keep, kv)
			}
			fmt.Printf("%-60s %s %s%s\n", p, name, strings.Join(keep, " "), o)
		}
	}
}
