package tools

import (
	"context"

	"chatvault/tools/wording"
	"chatvault/vault"
)

type deleteFileArgs struct {
	Path      string `json:"path" note:"strict" nonempty:"true"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"needed for a folder that is not empty"`
}

var _ = define(definition{
	name:    "delete_file",
	traits:  Traits{Verb: "deleting", Did: "deleted", Kind: CallDeletes, Again: true},
	short:   []Form{{About: "delete a whole note", Params: []Param{{"path", OfNotes}}, For: []Wish{WishDelete}}},
	example: `{"path": "Notes/a.md"}`,
}, runDeleteFile, func(a deleteFileArgs) string { return a.Path })

func runDeleteFile(ctx context.Context, t *Turn, a deleteFileArgs) Result {
	c, err := t.makeChange(ctx, vault.Request{Op: vault.OpDelete, Path: a.Path, Recursive: a.Recursive}, nil)
	if err != nil {
		return failed("delete_file", err)
	}
	t.known.Made("deleted", c, "")
	return textf("to trash", "Deleted '%s' to trash.", wording.PlainName(c.Path)).withNote(c)
}
