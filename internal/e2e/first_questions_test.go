package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"chatvault/internal/ptytest"
)

// good holds a pattern of a good answer to each of the first questions in the README and the guide.
var good = map[string]string{
	"what do I know about the nectarine tart?":                   `(?s)> For a 26 cm tin.*\[\[Nectarine tart\]\].*> - 5 ripe nectarines.*\[\[Nectarine tart#Ingredients\]\]`,
	"what did I change this week?":                               `(?m)^(Assistant: )?[1-9] notes? · dated .*:$`,
	"which tasks are open?":                                      `(?s)43 open tasks:.*\(due \d{4}-\d\d-\d\d\).*\[\[Enclosure\]\]`,
	`create a note Pancakes in Recipes with "flour, milk, eggs"`: `Created \[\[Pancakes\]\] \(Recipes/Pancakes\.md\)`,
	"what was that dessert with stone fruit?":                    `(?s)> - 5 ripe nectarines.*\[\[Nectarine tart#Ingredients\]\]`,
	"what is due this week?":                                     `(?s)7 open tasks · due .*Hang two revised boxes.*\[\[Enclosure\]\]`,
	"add a task to Nectarine tart: buy nectarines on Saturday":   `Appended 1 line to \[\[Nectarine tart\]\]`,
	"where is the stopcock?":                                     `> - Stopcock: behind the washing machine`,
	"who wrote Piranesi?":                                        `> author: Susanna Clarke`,
	"what is the status of Heron?":                               `> status: active`,
	"done tasks":                                                 `\d+ done tasks`,
	"what is overdue?":                                           `(?m)^(Assistant: )?(There are no open tasks|[1-7] open tasks?) · due until `,
	"tasks due this week in Projects":                            `(?s)1 open task · in Projects/ · due .*Hang two revised boxes`,
	"tasks under Actions":                                        `5 open tasks · under Actions:`,
	"tasks without a due date":                                   `\d+ open tasks · without`,
	"notes with tag dinner":                                      `(?s)notes? .*\[\[Mushroom barley risotto\]\]`,
	"dinner recipes":                                             `\[\[Mushroom barley risotto\]\]`,
	"recipes not tagged baking":                                  `\[\[Quick kimchi\]\]`,
	"notes without tags":                                         `There are no notes · without tag`,
	"books rated over 4":                                         `(?s)2 notes · .*rating > 4:.*\[\[Piranesi\]\]`,
	"notes with status active":                                   `\[\[Heron\]\]`,
	"notes without author":                                       `\d+ notes`,
	"notes in Recipes":                                           `(?s)7 notes .*\[\[Ginger biscuits\]\]`,
	"how many recipes do I have?":                                `\b7 (notes|recipes)`,
	"notes from October":                                         `notes? · dated \d{4}-10-01 to \d{4}-10-31`,
	"latest notes":                                               `(?s)notes.*- \[\[.*\d{4}-\d\d-\d\d`,
	"what links to Lena Brandt?":                                 `\[\[Winter concert\]\]`,
	"orphan notes":                                               `(?s)13 note.*\[\[Moby-Dick\]\]`,
	"broken links":                                               `Every link in the vault leads to a file`,
	"list tags":                                                  `#recipe`,
	"list folders":                                               `Recipes`,
	`add "call the plumber" to Boiler and flat under Tasks`:      `Appended 1 line under "## Tasks" in \[\[Boiler and flat\]\]`,
	`add a task "book a massage" to Knee`:                        `Appended 1 line to \[\[Knee\]\]`,
	`add "ran 5 km" to today's note`:                             `(?i)(created|appended).*\[\[\d{4}-\d\d-\d\d\]\]`,
	`replace "35 minutes" with "40 minutes" in Nectarine tart`:   `Replaced 1 occurrence in \[\[Nectarine tart\]\]`,
	"rename Knee to Left knee":                                   `Updates 2 links in 2 notes(?s:.*)\[\[Left knee\]\]`,
	"move Knee to Projects":                                      `Projects/Knee\.md`,
	"delete Knee":                                                `linked from 2 notes(?s:.*)\.trash`,
	"set rating of Piranesi to 4":                                `Set rating: 4 in \[\[Piranesi\]\]`,
	"remove property source from Nectarine tart":                 `\[\[Nectarine tart\]\]`,
	"add tag favourite to Piranesi":                              `Set tags: \[book, fiction, favourite\] in \[\[Piranesi\]\]`,
	"remove tag fiction from Piranesi":                           `Set tags: \[book\] in \[\[Piranesi\]\]`,
	`tick "Borrow the urn"`:                                      `Replaced 1 occurrence in \[\[Winter concert\]\]`,
	`untick "Choose the radio module" in Heron`:                  `Replaced 1 occurrence in \[\[Heron\]\]`,
	"create a folder Archive":                                    `Created folder "Archive"`,
	"show Knee":                                                  `Physiotherapist`,
}

// Each question and command that the README and the guide offer first has a good answer in the demo, without a model.
func TestFirstQuestions(t *testing.T) {
	t.Parallel()
	for _, page := range []struct {
		file, from, to string
	}{
		{"README.md", "In the chat, try:", "The embedded offline"},
		{"docs/first-hour.md", "Try these in order:", "4. `/undo`"},
		{"docs/offline.md", "## Ask", "If nothing in your notes"},
		{"docs/offline.md", "## List", "A list never"},
		{"docs/offline.md", "| Command | For instance |", "While you type"},
	} {
		text, err := os.ReadFile(page.file)
		if err != nil {
			t.Fatal(err)
		}
		_, part, found := strings.Cut(string(text), page.from)
		part, _, ended := strings.Cut(part, page.to)
		if !found || !ended {
			t.Fatalf("%s has no %q or %q", page.file, page.from, page.to)
		}
		seen := 0
		for _, q := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(part, -1) {
			if strings.Contains(q[1], " · ") { // how a list begins
				continue
			}
			seen++
			t.Run(q[1], func(t *testing.T) {
				t.Parallel()
				askDemo(t, q[1])
			})
		}
		if seen < 3 {
			t.Errorf("%s: only %d questions below %q", page.file, seen, page.from)
		}
	}
}

// askDemo asks in the chat of the demo, as lines, and checks the answer.
func askDemo(t *testing.T, question string) {
	t.Helper()
	want, known := good[question]
	if !known {
		t.Fatal("no good answer is known")
	}
	dir := t.TempDir()
	c := exec.Command(chatvault(t), "demo", "--accessible")
	c.Env = ptytest.Env("HOME="+dir, "TMPDIR="+dir, "XDG_CONFIG_HOME="+dir+"/c", "XDG_STATE_HOME="+dir+"/s", "CHATVAULT_KEYRING=off")
	c.Stdin = strings.NewReader(question + "\ny\n")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	_, answer, _ := strings.Cut(string(out), "You: ")
	if !regexp.MustCompile(want).MatchString(answer) || strings.Contains(answer, "did you mean") {
		t.Errorf("want %s, got\n%s", want, answer)
	}
}
