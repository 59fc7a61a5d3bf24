package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/tools/wording"
	"chatvault/vault/obsidian"
)

type getActiveNoteArgs struct {
	Tabs *bool `json:"other_tabs,omitempty" jsonschema:"name the other open ones too; default true"`
}

var getActiveNote = define(definition{
	name:     "get_active_note",
	traits:   Traits{Verb: "checking which note is open in Obsidian", Kind: CallReads},
	example:  `{}`,
	readOnly: true,
	spare:    true,
}, runGetActiveNote, func(getActiveNoteArgs) string { return "" })

func runGetActiveNote(ctx context.Context, t *Turn, args getActiveNoteArgs) Result {
	a, err := t.vault.Obsidian.ActiveNote(ctx)
	if err != nil {
		return failed("get_active_note", err)
	}
	if args.Tabs != nil && !*args.Tabs {
		a.Also = nil
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
func activeText(a obsidian.ActiveNote, now time.Time) (text string, guess bool) {
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
		fmt.Fprintf(&b, "\nThis is a guess: Obsidian has recorded nothing for %s, so another note may be open by now. Ask the user before you change it.", ageText(now.Sub(a.Saved)))
	case a.Why == obsidian.ActiveLast:
		b.WriteString("\nThis is a guess. Ask the user before you change it.")
	}
	if len(a.Also) > 0 {
		names := make([]string, len(a.Also))
		for i, name := range a.Also {
			names[i] = wording.PlainName(name)
		}
		b.WriteString("\nAlso open: " + strings.Join(names, ", "))
	}
	return b.String(), stale || a.Why == obsidian.ActiveLast
}

// ageText formats a long duration: "3 days", "2 weeks".
func ageText(d time.Duration) string {
	days := int(d / (24 * time.Hour))
	switch {
	case days >= 730:
		return wording.Counted(days/365, "year")
	case days >= 60:
		return wording.Counted(days/30, "month")
	case days >= 14:
		return wording.Counted(days/7, "week")
	}
	return wording.Counted(max(days, 1), "day")
}
