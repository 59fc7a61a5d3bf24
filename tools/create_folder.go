package tools

import (
	"context"

	"chatvault/tools/wording"
	"chatvault/vault"
)

type createFolderArgs struct {
	Path string `json:"path" nonempty:"true"`
}

var _ = define(definition{
	name:    "create_folder",
	traits:  Traits{Verb: "creating", Did: "created", Kind: CallEdits, Adds: true, Again: true},
	example: `{"path": "Projects/2026"}`,
}, runCreateFolder, func(a createFolderArgs) string { return a.Path })

func runCreateFolder(ctx context.Context, t *Turn, a createFolderArgs) Result {
	c, err := t.makeChange(ctx, vault.Request{Op: vault.OpMkdir, Path: a.Path}, nil)
	if err != nil {
		return failed("create_folder", err)
	}
	if c.Op == "" {
		return textf("already exists", "Folder %s already exists.", wording.Quote(c.Path))
	}
	t.known.Made("created folder", c, "")
	return textf("created", "Created folder %s.", wording.Quote(c.Path))
}
