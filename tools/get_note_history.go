package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/listing"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/journal"
)

type getNoteHistoryArgs struct {
	Path       string `json:"path" note:"true" nonempty:"true" jsonschema:"for a deleted note, its last name"`
	Version    string `json:"version,omitempty" jsonschema:"show the text as that change left it"`
	Before     bool   `json:"before,omitempty" jsonschema:"with version: the text before that change"`
	Diff       bool   `json:"diff,omitempty" jsonschema:"what that change did or, without version, each of the latest"`
	MaxResults int    `json:"max_results,omitempty" min:"1"`
}

var _ = define(definition{
	name:    "get_note_history",
	traits:  Traits{Verb: "looking at the history of", Did: "looked at the history of", Kind: CallReads, Spare: true},
	example: `{"path": "Notes/a.md"}`,
}, runGetNoteHistory, func(a getNoteHistoryArgs) string { return strings.TrimSpace(a.Path + " " + a.Version) })

// Limits of get_note_history.
const (
	historyDefault  = 10
	historyMax      = 100
	historyMaxBytes = 30_000
	historyDiffs    = 3 // changes shown with a diff if no version is named
)

func runGetNoteHistory(ctx context.Context, t *Turn, a getNoteHistoryArgs) Result {
	if a.Before && (a.Version == "" || a.Diff) {
		return failf("invalid arguments", `Argument "before" of get_note_history needs "version" and cannot be combined with "diff".`)
	}
	at, changes, err := t.vault.History.Note(ctx, a.Path)
	if errors.Is(err, vault.ErrNoJournal) {
		return Result{Text: "This vault has no journal, so its notes have no history.", Summary: "no journal"}
	}
	if err != nil {
		return failed("get_note_history", err)
	}
	if len(changes) == 0 {
		return textf("no changes", "The journal has no changes to %s: chatvault has not changed it, as far back as the journal goes.", wording.Quote(at))
	}
	if a.Version != "" {
		return t.historyVersion(ctx, a, at, changes)
	}
	return t.historyList(ctx, a, at, changes)
}

// historyList returns the list of a note's changes.
func (t *Turn) historyList(ctx context.Context, a getNoteHistoryArgs, at string, changes []vault.NoteChange) Result {
	l := listing.Bounded(a.MaxResults, historyDefault, historyMax, historyMaxBytes)
	for i := range changes {
		c := &changes[i]
		text := "\n" + t.historyEntry(c)
		if a.Diff && i < historyDiffs {
			text += t.historyDiff(ctx, c) + "\n"
		}
		if !l.Add("%s", text) {
			break
		}
	}
	text := fmt.Sprintf("History of %s (%s, newest first):\n", wording.Quote(at), wording.Counted(len(changes), "change")) + l.String() + l.LeftOut(len(changes), "change", "name a version")
	if a.Diff && l.Shown() > historyDiffs {
		text += fmt.Sprintf("\n[the diffs of the latest %d are shown; name a version for another]", historyDiffs)
	}
	return Result{Text: text, Summary: wording.Counted(len(changes), "change")}
}

// historyEntry returns a change as an entry of the list: time, request, effect and ID.
func (t *Turn) historyEntry(c *vault.NoteChange) string {
	title := ""
	if c.Turn.Title != "" && (t.options.Titles == nil || t.options.Titles(c.Turn.Source)) {
		title = ": “" + wording.Shorten(wording.OneLine(c.Turn.Title), 100) + "”"
	}
	return fmt.Sprintf("[%s] %s, %s%s\n  %s%s%s\n", versionID(*c), wording.MomentText(c.Change.Time), cmp.Or(c.Turn.Source, "chatvault"), title,
		listing.LineText(c.Change.Text()), historySizes(&c.Version), historyMark(&c.Change))
}

func historySizes(v *vault.Version) string {
	switch {
	case v.Was && v.Is && !v.Same:
		return fmt.Sprintf(" (%s → %s)", wording.SizeText(v.Size), wording.SizeText(v.NewSize))
	case v.Is && !v.Was:
		return fmt.Sprintf(" (%s)", wording.SizeText(v.NewSize))
	}
	return ""
}

func historyMark(c *journal.Change) string {
	switch {
	case c.Undone:
		return "; undone since"
	case c.Partly:
		return "; partly undone since"
	}
	return ""
}

// versionID returns the ID of a change for the model.
func versionID(c vault.NoteChange) string { return fmt.Sprintf("%s/%d", c.Turn.Turn, c.Change.Seq) }

// historyVersion returns a version of the note, or the diff of a change.
func (t *Turn) historyVersion(ctx context.Context, a getNoteHistoryArgs, at string, changes []vault.NoteChange) Result {
	ids := text.Of(changes, versionID)
	i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, strings.TrimSpace(a.Version)) })
	if i < 0 {
		return failf("no such version", "%s has no version %s. The latest are: %s.", wording.Quote(at), wording.Quote(wording.Shorten(a.Version, 80)), strings.Join(ids[:min(len(ids), 5)], ", "))
	}
	c := &changes[i]
	if a.Diff {
		return Result{Text: t.historyEntry(c) + t.historyDiff(ctx, c), Summary: "diff"}
	}
	c.Version = t.vault.History.Texts(ctx, c)
	data, there, when := c.Version.After, c.Version.Is, "after"
	if a.Before {
		data, there, when = c.Version.Before, c.Version.Was, "before"
	}
	switch {
	case !there && (c.Version.Was || c.Version.Is):
		return textf("not there", "%s did not exist %s that change (%s).", wording.Quote(at), when, listing.LineText(c.Change.Text()))
	case !there || !c.Version.Known && data == nil:
		return failf("no longer kept", "The text of %s %s that change is not in the journal: the change did not write it, or it was too large.", wording.Quote(at), when)
	case bytes.IndexByte(data, 0) >= 0:
		return failf("binary", "%s was a binary file then, not text.", wording.Quote(at))
	}
	head := fmt.Sprintf("%s %s version %s (%s):\n\n", wording.Quote(at), when, versionID(*c), wording.ExactSize(int64(len(data))))
	body, cut := string(data), ""
	if limit := t.options.ReadMaxBytes; len(body) > limit {
		body = wording.CutAt(body, limit)
		cut = fmt.Sprintf("\n\n[... truncated, %s left out]", wording.Counted(len(data)-len(body), "more byte"))
	}
	return Result{Text: head + body + cut, Summary: wording.Counted(strings.Count(body, "\n")+1, "line")}
}

// historyDiff returns the diff of a change to the note's text.
func (t *Turn) historyDiff(ctx context.Context, c *vault.NoteChange) string {
	v := t.vault.History.Texts(ctx, c) // released before the next, which may be as long
	switch {
	case v.Same && (v.Was || c.Change.Op == "move"):
		return "  [the text stayed the same]"
	case !v.Known:
		return "  [the texts are not in the journal: they were too large, or the change did not write them]"
	case bytes.IndexByte(v.Before, 0) >= 0 || bytes.IndexByte(v.After, 0) >= 0:
		return "  [no text]"
	}
	diff := textedit.TextDiff(c.Path, string(v.Before), string(v.After))
	return textedit.BoundedDiff(diff, textedit.DiffMaxLines, textedit.DiffMaxBytes/2)
}
