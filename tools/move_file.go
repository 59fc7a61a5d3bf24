package tools

import (
	"context"
	"fmt"
	"path"

	"chatvault/tools/textedit"

	"chatvault/tools/known"
	"chatvault/tools/wording"
	"chatvault/vault"
)

type moveFileArgs struct {
	Source      string `json:"source" note:"true" nonempty:"true"`
	Destination string `json:"destination" nonempty:"true" jsonschema:"the full new path, including the name"`
}

var moveFile = define(definition{
	name:    "move_file",
	traits:  Traits{Verb: "moving", Kind: CallMoves},
	example: `{"source": "Notes/a.md", "destination": "Archive/a.md"}`,
}, runMoveFile, targetMoveFile)

func targetMoveFile(a moveFileArgs) string {
	if a.Source == "" || a.Destination == "" {
		return a.Source + a.Destination
	}
	return a.Source + " → " + a.Destination
}

func runMoveFile(ctx context.Context, t *Turn, a moveFileArgs) Result {
	if t.folderMeant(ctx, a.Destination) {
		// A folder may be given its new name with a slash; a file may not.
		if info, err := t.notes.Stat(ctx, a.Source); err == nil && !info.Folder {
			return failf("names a folder", "%s ends in \"/\", so it names a folder, which does not exist; nothing was moved. "+
				"Give the full new path, with the name: %s.", wording.Quote(a.Destination), wording.Quote(fileMeant(a.Destination, path.Base(info.Path))))
		}
	}
	links, said, err := t.linkMode(ctx, a.Source, a.Destination)
	if err != nil {
		return failed("move_file", err)
	}
	c, err := t.do(ctx, vault.Request{Op: vault.OpMove, Path: a.Source, NewPath: a.Destination, Links: links}, nil)
	if err != nil {
		return failed("move_file", err)
	}
	t.known.Follow(c.Path, c.NewPath)
	t.known.Rewritten(c.Rewrites)
	done := known.Change{Verb: "moved", Path: c.Path, To: c.NewPath}
	summary := "moved"
	if len(c.Rewrites) > 0 {
		done.More = linkCount(c.Rewrites)
		summary += ", " + done.More
	}
	t.known.Changed(done)
	return Result{
		Text:    noted(fmt.Sprintf("Moved %s to %s.%s", wording.Quote(c.Path), wording.Quote(c.NewPath), linksText(c, said)), c),
		Summary: summary,
	}
}

// linkMode decides what a move does to the links that it would break, where Obsidian is set to
// ask: who can ask the user does, who cannot leaves them, and where no conversation is had at all
// they are put right. said is the end of the sentence that tells of it.
func (t *Turn) linkMode(ctx context.Context, source, destination string) (mode vault.LinkMode, said string, err error) {
	if t.vault.AlwaysUpdatesLinks() {
		return vault.LinksAsSet, "", nil
	}
	const set = "Obsidian is set to ask before it updates links (alwaysUpdateLinks is off)"
	chooser, ok := t.messenger.(LinkChooser)
	if !ok {
		return vault.LinksUpdated, ", although " + set, nil
	}
	plan, err := t.vault.Plan(ctx, vault.Request{Op: vault.OpMove, Path: source, NewPath: destination, Links: vault.LinksUpdated})
	if err != nil || len(plan.Change.Rewrites) == 0 {
		return vault.LinksAsSet, "", nil //nolint:nilerr // the move itself will say it
	}
	c := plan.Change
	p := Proposal{
		Tool: toolOf(ctx), Kind: ChangeLinks, Path: c.Path, NewPath: c.NewPath,
		Detail: linkCount(c.Rewrites), Rewrites: linkRewrites(c.Rewrites),
	}
	choice, err := chooser.ChooseLinks(ctx, p)
	switch {
	case err != nil:
		return 0, "", err
	case choice == LinksUpdate:
		return vault.LinksUpdated, ", as the user wished", nil
	case choice == LinksLeave:
		return vault.LinksLeft, ", as the user wished", nil
	}
	return vault.LinksLeft, ": " + set + ", and nobody could be asked", nil
}

// linksText tells what a move did to links, in a sentence; empty: nothing. said ends it.
func linksText(c vault.Change, said string) string {
	switch {
	case len(c.Rewrites) > 0:
		return " Updated " + linkCount(c.Rewrites) + said + "."
	case c.Left.Links > 0:
		return fmt.Sprintf(" Left %s in %s as they were%s.", wording.Counted(c.Left.Links, "link"), wording.Counted(c.Left.Notes, "note"), said)
	}
	return ""
}

// linkCount says how many links a change puts right.
func linkCount(rewrites []vault.Rewrite) string {
	n := 0
	for _, r := range rewrites {
		n += r.Links
	}
	return wording.Counted(n, "link") + " in " + wording.Counted(len(rewrites), "note")
}

// linkRewrites are the notes whose links a change puts right, as they are shown to whoever
// decides about it.
func linkRewrites(rewrites []vault.Rewrite) []LinkRewrite {
	var out []LinkRewrite
	for _, r := range rewrites {
		out = append(out, LinkRewrite{Path: r.Path, Links: r.Links, Diff: textedit.TextDiff(r.Path, string(r.Before), string(r.After))})
	}
	return out
}
