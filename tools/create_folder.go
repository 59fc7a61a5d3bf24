package tools

import (
	"context"
	_ "embed" // the description
	"fmt"
)

type createFolderArgs struct {
	Path string `json:"path" nonempty:"true"`
}

//go:embed create_folder.md
var createFolderText string

var createFolder = define(definition{
	name:        "create_folder",
	description: createFolderText,
	example:     `{"path": "Projects/2026"}`,
}, runCreateFolder, func(a createFolderArgs) string { return a.Path })

func runCreateFolder(ctx context.Context, t *Turn, a createFolderArgs) Result {
	name, created, err := t.notes.Mkdir(ctx, a.Path)
	if err != nil {
		return failed("create_folder", err)
	}
	if !created {
		return Result{Text: fmt.Sprintf("Folder %s already exists.", quote(name)), Summary: "exists already"}
	}
	t.changed(change{verb: "created folder", path: name})
	return Result{Text: fmt.Sprintf("Created folder %s.", quote(name)), Summary: "created"}
}
