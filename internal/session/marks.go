package session

import (
	"context"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/tools"
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

// left is what turns that leave the active way changed in the vault and was not taken back:
// a line each, in the words of /changes, oldest first.
func (ch *Changes) left(ctx context.Context, left []conversation.Turn) []string {
	turns, err := ch.vault.ChangedTurns(ctx, 0)
	if err != nil {
		ch.log.Warn("the journal cannot be read for what is left behind", "error", err)
		turns = nil // what the tools said is nearly as good
	}
	return changesOf(left, turns)
}

// changesOf is what the journal, newest first, has of turns and was not taken back. Of turns before
// all that it has, it says what their tools said: the journal lets go of what is old.
func changesOf(left []conversation.Turn, turns []journal.Turn) []string {
	known := map[string]*journal.Turn{}
	for i := range turns {
		known[turns[i].Turn] = &turns[i]
	}
	var lines []string
	told := map[string]bool{} // a turn that failed and was tried again is one
	for i := range left {
		t := known[left[i].ID]
		switch {
		case t == nil && forgotten(&left[i], turns):
			lines = append(lines, saidChanges(&left[i])...)
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

// forgotten says whether a turn ended before all that the journal has.
func forgotten(t *conversation.Turn, turns []journal.Turn) bool {
	return !slices.ContainsFunc(turns, func(o journal.Turn) bool { return o.Began.Before(t.Ended) })
}

// saidChanges is what a turn changed in the vault, as its tools said: a line each.
func saidChanges(t *conversation.Turn) []string {
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

// changingTools are the tools that may change the vault.
func changingTools() map[string]bool {
	names := map[string]bool{}
	for _, t := range tools.NewRegistry(nil, tools.Options{}).Turn(nil).Tools() {
		names[t.Name()] = !t.ReadOnly()
	}
	return names
}
