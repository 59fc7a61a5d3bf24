// Package examples creates the example questions of an empty chat from the vault.
package examples

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/vault"
	"chatvault/vault/note"
	"chatvault/vault/walk"
)

// Limits of the search for examples, which must not delay the first screen.
const (
	maxNotes     = 20_000    // by name
	maxReads     = 100       // in full
	maxRead      = 128 << 10 // of a note that is read, in bytes
	minTopic     = 60        // of a note that is a subject, in bytes
	maxTopic     = 40        // of a name in a question, in characters
	exampleCount = 3
)

// emptyVaultIdeas are the suggestions for an empty vault.
var emptyVaultIdeas = []string{
	"Create a note Ideas saying: write down what comes to mind",
	"Add to today's daily note: I began to keep notes",
	"What can you do?",
}

// Questions returns questions that the vault's notes answer, even without a model: about a recently changed note, open
// tasks and this week's changes, filled up with general ones. For an empty vault it suggests how to begin.
func Questions(ctx context.Context, v *vault.Vault, now time.Time) []string {
	var notes []walk.Entry
	ignored := v.Source().IgnoredFiles()
	for e, err := range v.Source().Notes(ctx) {
		if err != nil || len(notes) == maxNotes {
			break
		}
		if !ignored(e.Path) {
			notes = append(notes, e)
		}
	}
	if len(notes) == 0 {
		return slices.Clone(emptyVaultIdeas)
	}
	slices.SortStableFunc(notes, func(a, b walk.Entry) int { return b.Modified.Compare(a.Modified) })
	topic, open := facts(ctx, v, notes[:min(len(notes), maxReads)])
	var out []string
	add := func(q string, answerable bool) {
		if answerable && len(out) < exampleCount {
			out = append(out, q)
		}
	}
	add("What do I know about "+topic+"?", topic != "")
	add("Which tasks are still open?", open)
	add("What did I change this week?", now.Sub(notes[0].Modified) <= 5*24*time.Hour)
	add("List all notes", true)
	add("Which notes did I change last?", true)
	add("What can you do?", true)
	return out
}

// facts returns the first note's name that can be a subject, and whether there are open tasks.
func facts(ctx context.Context, v *vault.Vault, notes []walk.Entry) (topic string, open bool) {
	for _, e := range notes {
		if e.Size > maxRead {
			continue
		}
		f, err := v.Read(ctx, e.Path)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			continue
		}
		if topic == "" && e.Size >= minTopic {
			topic = topicOf(e.Path)
		}
		open = open || slices.ContainsFunc(note.Parse(f.Data).Tasks, func(t note.Task) bool { return !t.Done() })
		if open && topic != "" {
			break
		}
	}
	return topic, open
}

// plainNames are names of notes that are no subject.
var plainNames = []string{"home", "index", "inbox", "todo", "tasks", "notes", "untitled", "welcome", "contents"}

// topicOf returns a note's name if it can be a subject: no date, no template, not too long.
func topicOf(p string) string {
	name, lower := strings.TrimSuffix(path.Base(p), path.Ext(p)), strings.ToLower(p)
	digits := 0
	for _, r := range name {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits > 2 || len(name) < 4 || utf8.RuneCountInString(name) > maxTopic || strings.Contains(lower, "template") || strings.Contains(lower, "readme") || slices.Contains(plainNames, strings.ToLower(name)) {
		return ""
	}
	return name
}
