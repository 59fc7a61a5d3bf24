package session

import (
	"context"
	"slices"

	"chatvault/conversation"
	"chatvault/vault/journal"
)

// marks are, by turn, what the history says of turns whose changes were taken back.
type marks map[string]HistoryItem

// marks reads them from the journal, for turns that called tools. Where it cannot be read the
// history goes without: /changes says why.
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

// marksOf says of turns of the journal, newest first, that they were taken back. Of one that was
// taken back in part it says what stayed.
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
		if m, marked := out[turns[i].Undoes]; marked && m.Time.IsZero() { // the last undo of it
			m.Time = turns[i].Last()
			out[turns[i].Undoes] = m
		}
	}
	return out
}

// after is what is said after a turn; one that failed and was tried again is marked at its end.
func (m marks) after(turns []conversation.Turn, i int) []HistoryItem {
	item, marked := m[turns[i].ID]
	again := func(t conversation.Turn) bool { return t.ID == turns[i].ID }
	if !marked || slices.ContainsFunc(turns[i+1:], again) {
		return nil
	}
	return []HistoryItem{item}
}
