package cli

import (
	"context"
	"path"
	"sort"
	"strings"

	"chatvault/vault"
)

// exampleQuestions makes questions from the vault's own notes: about a note that was changed
// lately, about the newest notes, about open tasks. It looks at no note's text.
func exampleQuestions(ctx context.Context, v *vault.Vault) []string {
	var notes []vault.Entry
	ignored := v.Ignored()
	for e, err := range v.Notes(ctx) {
		if err != nil || len(notes) == 20_000 {
			break
		}
		if ignored(e.Path) {
			continue
		}
		notes = append(notes, e)
	}
	sort.SliceStable(notes, func(i, j int) bool { return notes[i].Modified.After(notes[j].Modified) })
	var out []string
	for _, n := range notes {
		if t := topic(n.Path); t != "" {
			out = append(out, "What do I know about "+t+"?")
			break
		}
	}
	if len(notes) > 0 {
		out = append(out, "What did I change this week?", "Which tasks are still open?")
	}
	return out
}

// topic is a note's name, where it reads like one: no date, no template, not too long.
func topic(p string) string {
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	digits := strings.Count(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, name), "0")
	lower := strings.ToLower(p)
	if digits > 2 || len(name) < 4 || len(name) > 40 || strings.Contains(lower, "template") || strings.Contains(lower, "readme") || !strings.Contains(name, " ") {
		return ""
	}
	return name
}
