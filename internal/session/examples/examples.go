// Package examples makes the questions that an empty chat offers, from the vault itself.
package examples

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/vault"
	vaultnote "chatvault/vault/note"
	"chatvault/vault/walk"
)

// Bounds of what is looked at for the example questions: they are for the first screen, and must
// not keep anything waiting.
const (
	exampleNotes = 20_000    // by name
	exampleReads = 100       // whole
	exampleSize  = 128 << 10 // of a note that is read, in bytes
	exampleCount = 3
)

// Questions makes questions from the vault's own notes, each of which the notes answer,
// also without a model: about a note that was changed lately, what was changed this week, open
// tasks, a tag, a folder, another note; where the notes give too little for that, what one can ask
// of any. Of an empty vault there is nothing to ask, and what can be begun is offered.
func Questions(ctx context.Context, v *vault.Vault, now time.Time) []string {
	var notes []walk.Entry
	ignored := v.Ignored()
	for e, err := range v.Notes(ctx) {
		if err != nil || len(notes) == exampleNotes {
			break
		}
		if !ignored(e.Path) {
			notes = append(notes, e)
		}
	}
	slices.SortStableFunc(notes, func(a, b walk.Entry) int { return b.Modified.Compare(a.Modified) })
	var seen exampleFacts
	for _, n := range notes[:min(len(notes), exampleReads)] {
		if n.Size > exampleSize {
			continue
		}
		f, err := v.Read(ctx, n.Path)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			continue
		}
		seen.add(n.Path, f.Data)
	}
	if len(notes) == 0 {
		return slices.Clone(beginnings)
	}
	return seen.questions(notes, now)
}

// beginnings are what an empty vault offers.
var beginnings = []string{
	"Create a note Ideas saying: write down what comes to mind",
	"Add to today's daily note: I began to keep notes",
	"What can you do?",
}

// exampleFacts are what notes were seen to hold.
type exampleFacts struct {
	topics []string // names of notes that say something, what was changed last first
	names  []string // of all that say something, also those that read like no subject
	open   int      // tasks
	tags   map[string]int
}

func (x *exampleFacts) add(p string, text []byte) {
	n := vaultnote.Parse(text)
	for _, t := range n.Tasks {
		if !t.Done() {
			x.open++
		}
	}
	own := map[string]bool{}
	for _, t := range n.Tags {
		own[strings.ToLower(t.Name)] = true
	}
	if x.tags == nil {
		x.tags = map[string]int{}
	}
	for tag := range own {
		x.tags[tag]++
	}
	if !says(string(text), n.Front.Lines) {
		return
	}
	if t := topic(p); t != "" {
		x.topics = append(x.topics, t)
	} else if name := noteName(p); utf8.RuneCountInString(name) <= maxTopic {
		x.names = append(x.names, name)
	}
}

// says whether a note holds more than its headings: a sentence or so.
func says(text string, front int) bool {
	letters := 0
	for i, line := range strings.Split(text, "\n") {
		if i < front || strings.HasPrefix(line, "#") {
			continue
		}
		for _, r := range line {
			if unicode.IsLetter(r) {
				letters++
			}
		}
	}
	return letters >= 40
}

// questions are those that can be answered, the best first.
func (x *exampleFacts) questions(notes []walk.Entry, now time.Time) []string {
	var out []string
	add := func(q string, answerable bool) {
		if answerable && len(out) < exampleCount {
			out = append(out, q)
		}
	}
	about := func(i int) string {
		if i >= len(x.topics) {
			return ""
		}
		return "What do I know about " + x.topics[i] + "?"
	}
	tag, folder := most(x.tags, 2), busiest(notes)
	add(about(0), about(0) != "")
	add("Which tasks are still open?", x.open > 0)
	add("What did I change this week?", changedThisWeek(notes, now))
	add("Which notes are tagged #"+tag+"?", tag != "")
	add("What is in the folder "+folder+"?", folder != "")
	add(about(1), about(1) != "")
	if len(x.names) > 0 {
		add("What is in the note "+x.names[0]+"?", true)
	}
	add("Which notes are tagged #"+most(x.tags, 1)+"?", tag == "" && most(x.tags, 1) != "")
	add("List all notes", true)
	add("Which notes did I change last?", true)
	add("What can you do?", true)
	return out
}

// most is what there is most of, at least so many; empty where there is none.
func most(counts map[string]int, least int) string {
	best := ""
	for name, n := range counts {
		if n >= least && (best == "" || cmp.Or(counts[best]-n, strings.Compare(name, best)) < 0) {
			best = name
		}
	}
	return best
}

// busiest is the top folder with most notes, two at least.
func busiest(notes []walk.Entry) string {
	counts := map[string]int{}
	for _, n := range notes {
		if folder, _, below := strings.Cut(n.Path, "/"); below {
			counts[folder]++
		}
	}
	return most(counts, 2)
}

// changedThisWeek says whether notes were changed in the last days, and whether their times tell:
// after copying a vault all are the same.
func changedThisWeek(notes []walk.Entry, now time.Time) bool {
	if len(notes) == 0 || now.Sub(notes[0].Modified) > 5*24*time.Hour {
		return false
	}
	return len(notes) == 1 || notes[0].Modified.Sub(notes[len(notes)-1].Modified) > time.Minute
}

// plainNames are names of notes that are no subject.
var plainNames = map[string]bool{"home": true, "index": true, "inbox": true, "todo": true, "tasks": true, "notes": true, "untitled": true, "welcome": true, "contents": true}

// maxTopic is the longest name of a note that is put into a question, in characters.
const maxTopic = 40

func noteName(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// topic is a note's name, where it reads like one: no date, no template, not too long.
func topic(p string) string {
	name := noteName(p)
	digits := 0
	for _, r := range name {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	lower := strings.ToLower(p)
	if digits > 2 || len(name) < 4 || utf8.RuneCountInString(name) > maxTopic || strings.Contains(lower, "template") || strings.Contains(lower, "readme") || plainNames[strings.ToLower(name)] {
		return ""
	}
	return name
}
