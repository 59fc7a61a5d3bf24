package session

import (
	"context"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/tools"
	"chatvault/vault/journal"
)

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
