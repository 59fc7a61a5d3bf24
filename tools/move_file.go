package tools

import (
	"context"
	"fmt"
	"path"

	"chatvault/tools/wording"
	"chatvault/vault"
)

type moveFileArgs struct {
	Source      string `json:"source" note:"true" nonempty:"true"`
	Destination string `json:"destination" nonempty:"true" jsonschema:"the whole new path, name included"`
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
			return failf("names a folder", "%s ends in \"/\" and so names a folder, which is not there; nothing was moved. "+
				"Give the whole new path, with the name: %s.", wording.Quote(a.Destination), wording.Quote(fileMeant(a.Destination, path.Base(info.Path))))
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
	t.follow(c.Path, c.NewPath)
	t.rewritten(c.Rewrites)
	done := change{verb: "moved", path: c.Path, to: c.NewPath}
	summary := "moved"
	if len(c.Rewrites) > 0 {
		done.more = linkCount(c.Rewrites)
		summary += ", " + done.more
	}
	t.changed(done)
	return Result{
		Text:    noted(fmt.Sprintf("Moved %s to %s.%s", wording.Quote(c.Path), wording.Quote(c.NewPath), linksText(c, said)), c),
		Summary: summary,
	}
}
