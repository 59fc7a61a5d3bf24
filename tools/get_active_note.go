package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/tools/wording"
	"chatvault/vault/obsidian"
)

type getActiveNoteArgs struct{}

var _ = define(definition{
	name:    "get_active_note",
	traits:  Traits{Verb: "checking which note is open in Obsidian", Did: "checked which note is open in Obsidian", Kind: CallReads, Spare: true},
	example: `{}`,
}, runGetActiveNote, func(getActiveNoteArgs) string { return "" })

func runGetActiveNote(ctx context.Context, t *Turn, _ getActiveNoteArgs) Result {
	a, err := t.vault.Obsidian.ActiveNote(ctx)
	if err != nil {
		return failed("get_active_note", err)
	}
	text, guess := activeText(a, time.Now())
	summary := wording.Shorten(wording.PlainName(a.Path), 60)
	if guess {
		summary += ", a guess"
	}
	return Result{Text: text, Summary: summary}
}

// staleAfter is the age at which Obsidian's saved state is only a guess.
const staleAfter = 24 * time.Hour

// activeText describes which note is open and how that is known. guess reports whether it is uncertain.
func activeText(a obsidian.ActiveNote, now time.Time) (said string, guess bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "Active note: %s\n", wording.PlainName(a.Path))
	why := map[obsidian.ActiveReason]string{
		obsidian.ActiveTab:  "It is the active tab in Obsidian",
		obsidian.ActiveMain: "It is the tab in front in Obsidian's main area",
		obsidian.ActiveLast: "It was opened last in Obsidian; no tab shows it now",
	}[a.Why]
	fmt.Fprintf(&b, "%s, as of %s.", why, wording.MomentText(a.Saved))
	stale := now.Sub(a.Saved) > staleAfter
	switch {
	case stale:
		b.WriteString("\nThis is a guess: Obsidian has recorded nothing since, so another note may be open by now. Ask the user before you change it.")
	case a.Why == obsidian.ActiveLast:
		b.WriteString("\nThis is a guess. Ask the user before you change it.")
	}
	return b.String(), stale || a.Why == obsidian.ActiveLast
}
