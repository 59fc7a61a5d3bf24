// Package examples creates the example questions of an empty chat from the vault.
package examples

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/vault"
	"chatvault/vault/walk"
)

const (
	maxNotes = 20_000 // that are looked at
	minTopic = 60     // of a note that is a subject, in bytes
	maxTopic = 40     // of a name in a question, in characters
)

// emptyVaultIdeas are the suggestions for an empty vault.
var emptyVaultIdeas = []string{
	"Create a note Ideas saying: write down what comes to mind",
	"Add to today's daily note: I began to keep notes",
	"What can you do?",
}

// Questions returns three questions that the vault's notes answer, even without a model: about the subject of the note
// changed last, open tasks and this week's changes. For an empty vault it suggests how to begin.
func Questions(ctx context.Context, v *vault.Vault) []string {
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
	out := []string{"Which tasks are still open?", "What did I change this week?", "List all notes"}
	slices.SortStableFunc(notes, func(a, b walk.Entry) int { return b.Modified.Compare(a.Modified) })
	for _, e := range notes {
		if topic := topicOf(e.Path); topic != "" && e.Size >= minTopic {
			return append([]string{"What do I know about " + topic + "?"}, out[:2]...)
		}
	}
	return out
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
