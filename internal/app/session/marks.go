package session

import (
	"context"
	"slices"

	"chatvault/conversation"
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
	changed, err := ch.vault.History.Turns(context.Background(), 0)
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
			item.Left = remaining(t)
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
func (ch *Changes) remainingChanges(ctx context.Context, left []conversation.Turn) (lines []string) {
	turns, err := ch.vault.History.Turns(ctx, 0)
	if err != nil {
		ch.log.Warn("the journal cannot be read for what is left behind", "error", err)
	}
	for _, t := range slices.Backward(turns) {
		if slices.ContainsFunc(left, func(l conversation.Turn) bool { return l.ID == t.Turn }) {
			lines = append(lines, remaining(&t)...)
		}
	}
	return lines
}

// remaining returns the changes of a turn that have not been undone, a line each.
func remaining(t *journal.Turn) (lines []string) {
	for i := range t.Changes {
		if c := &t.Changes[i]; backLine(c) != "" {
			lines = append(lines, c.Text())
		}
	}
	return lines
}
