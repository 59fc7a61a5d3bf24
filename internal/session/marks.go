package session

import (
	"context"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/tools"
	"chatvault/vault/journal"
)

// marks maps a turn's ID to the history item for its undone changes.
type marks map[string]HistoryItem

// marks reads them from the journal, for turns that called tools. If the journal cannot be read, the history has no
// marks and /changes shows the error.
func (ch *Changes) marks(turns []conversation.Turn) marks {
	if ch.vault == nil || !slices.ContainsFunc(turns, usedTools) {
		return nil
	}
	changed, err := ch.vault.ChangedTurns(context.Background(), 0)
	if err != nil {
		ch.log.Warn("the journal cannot be read for the history", "error", err)
		return nil
	}
	return marksOf(changed)
}

func usedTools(t conversation.Turn) bool {
	return slices.ContainsFunc(t.Messages, func(m conversation.Message) bool { return m.Role == conversation.RoleTool })
}

// marksOf returns the marks of undone turns of the journal, given newest first. A partly undone turn's mark lists
// what is left.
func marksOf(turns []journal.Turn) marks {
	out := marks{}
	for i := range turns {
		t := &turns[i]
		if t.Undoes != "" || !t.Undone && !t.Partly {
			continue
		}
		item := HistoryItem{Role: HistoryTakenBack}
		if !t.Undone {
			for k := range t.Changes {
				if c := &t.Changes[k]; backLine(c) != "" {
					item.Left = append(item.Left, c.Text())
				}
			}
		}
		out[t.Turn] = item
	}
	for i := range turns {
		if m, marked := out[turns[i].Undoes]; marked && m.Time.IsZero() { // its last undo
			m.Time = turns[i].Last()
			out[turns[i].Undoes] = m
		}
	}
	return out
}

// after returns the items that follow a turn. A failed turn that was retried is marked after its retry.
func (m marks) after(turns []conversation.Turn, i int) []HistoryItem {
	item, marked := m[turns[i].ID]
	again := func(t conversation.Turn) bool { return t.ID == turns[i].ID }
	if !marked || slices.ContainsFunc(turns[i+1:], again) {
		return nil
	}
	return []HistoryItem{item}
}

// remainingChanges returns the changes of turns leaving the active branch that have not been undone: a line each,
// oldest first, as in /changes.
func (ch *Changes) remainingChanges(ctx context.Context, left []conversation.Turn) []string {
	turns, err := ch.vault.ChangedTurns(ctx, 0)
	if err != nil {
		ch.log.Warn("the journal cannot be read for what is left behind", "error", err)
		turns = nil // fall back to the tools' results
	}
	return changesOf(left, turns)
}

// changesOf returns the changes of turns that, by the journal (newest first), have not been undone. For turns older
// than the pruned journal it uses their tools' results.
func changesOf(left []conversation.Turn, turns []journal.Turn) []string {
	known := map[string]*journal.Turn{}
	for i := range turns {
		known[turns[i].Turn] = &turns[i]
	}
	var lines []string
	told := map[string]bool{} // a failed turn and its retry are one
	for i := range left {
		t := known[left[i].ID]
		switch {
		case t == nil && prunedFromJournal(&left[i], turns):
			lines = append(lines, changesByResults(&left[i])...)
		case t == nil || told[t.Turn]:
		default:
			told[t.Turn] = true
			for k := range t.Changes {
				if c := &t.Changes[k]; backLine(c) != "" {
					lines = append(lines, c.Text())
				}
			}
		}
	}
	return lines
}

// prunedFromJournal reports whether a turn is older than the journal.
func prunedFromJournal(t *conversation.Turn, turns []journal.Turn) bool {
	return !slices.ContainsFunc(turns, func(o journal.Turn) bool { return o.Began.Before(t.Ended) })
}

// changesByResults returns a turn's changes by its tools' results, a line each.
func changesByResults(t *conversation.Turn) []string {
	changes := changingTools()
	var lines []string
	for _, m := range t.Messages {
		if m.Role != conversation.RoleTool || m.IsError || !changes[m.ToolName] {
			continue
		}
		if line, _, _ := strings.Cut(strings.TrimSpace(m.Content), "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// changingTools reports by name which tools may change the vault.
func changingTools() map[string]bool {
	names := map[string]bool{}
	for _, t := range tools.NewRegistry(nil, tools.Options{}).Turn(nil).Tools() {
		names[t.Name()] = !t.ReadOnly()
	}
	return names
}
