// Package examples creates the example questions of an empty chat from the vault.
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

// Limits of the search for examples, which must not delay the first screen.
const (
	exampleNotes = 20_000    // by name
	exampleReads = 100       // in full
	exampleSize  = 128 << 10 // of a note that is read, in bytes
	exampleCount = 3
)

// Questions returns questions that the vault's notes answer, even without a model: about a recently changed note,
// this week's changes, open tasks, a tag, a folder, another note, filled up with general ones. For an empty vault it
// suggests how to begin.
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
		return slices.Clone(emptyVaultIdeas)
	}
	return seen.questions(notes, now)
}

// emptyVaultIdeas are the suggestions for an empty vault.
var emptyVaultIdeas = []string{
	"Create a note Ideas saying: write down what comes to mind",
	"Add to today's daily note: I began to keep notes",
	"What can you do?",
}

// exampleFacts are facts about the notes.
type exampleFacts struct {
	topics []string // names of notes with content, last changed first
	names  []string // names of all notes with content, even if they are no subject
	open   int      // open tasks
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
	if !hasContent(string(text), n.Front.Lines) {
		return
	}
	if t := topic(p); t != "" {
		x.topics = append(x.topics, t)
	} else if name := noteName(p); utf8.RuneCountInString(name) <= maxTopic {
		x.names = append(x.names, name)
	}
}

// hasContent reports whether a note has about a sentence of text besides its headings.
func hasContent(text string, front int) bool {
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

// questions returns the questions that can be answered, best first.
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
	tag, folder := mostFrequent(x.tags, 2), busiest(notes)
	add(about(0), about(0) != "")
	add("Which tasks are still open?", x.open > 0)
	add("What did I change this week?", changedThisWeek(notes, now))
	add("Which notes are tagged #"+tag+"?", tag != "")
	add("What is in the folder "+folder+"?", folder != "")
	add(about(1), about(1) != "")
	if len(x.names) > 0 {
		add("What is in the note "+x.names[0]+"?", true)
	}
	add("Which notes are tagged #"+mostFrequent(x.tags, 1)+"?", tag == "" && mostFrequent(x.tags, 1) != "")
	add("List all notes", true)
	add("Which notes did I change last?", true)
	add("What can you do?", true)
	return out
}

// mostFrequent returns the most frequent name with at least least occurrences, or "".
func mostFrequent(counts map[string]int, least int) string {
	best := ""
	for name, n := range counts {
		if n >= least && (best == "" || cmp.Or(counts[best]-n, strings.Compare(name, best)) < 0) {
			best = name
		}
	}
	return best
}

// busiest returns the top folder with the most notes, at least two.
func busiest(notes []walk.Entry) string {
	counts := map[string]int{}
	for _, n := range notes {
		if folder, _, below := strings.Cut(n.Path, "/"); below {
			counts[folder]++
		}
	}
	return mostFrequent(counts, 2)
}

// changedThisWeek reports whether notes were changed in the last days. Equal times do not count: a copied vault has
// them.
func changedThisWeek(notes []walk.Entry, now time.Time) bool {
	if len(notes) == 0 || now.Sub(notes[0].Modified) > 5*24*time.Hour {
		return false
	}
	return len(notes) == 1 || notes[0].Modified.Sub(notes[len(notes)-1].Modified) > time.Minute
}

// plainNames are names of notes that are no subject.
var plainNames = map[string]bool{"home": true, "index": true, "inbox": true, "todo": true, "tasks": true, "notes": true, "untitled": true, "welcome": true, "contents": true}

// maxTopic is the maximum length of a note's name in a question, in characters.
const maxTopic = 40

func noteName(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// topic returns a note's name if it can be a subject: no date, no template, not too long.
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
