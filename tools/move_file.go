package tools

import (
	"context"
	_ "embed" // the description
	"fmt"
)

type moveFileArgs struct {
	Source      string `json:"source" nonempty:"true" jsonschema:"the file or folder to move, relative to the vault"`
	Destination string `json:"destination" nonempty:"true" jsonschema:"its new path including the name, relative to the vault"`
}

//go:embed move_file.md
var moveFileText string

var moveFile = define(definition{
	name:        "move_file",
	description: moveFileText,
	example:     `{"source": "Notes/a.md", "destination": "Archive/a.md"}`,
}, runMoveFile, targetMoveFile)

func targetMoveFile(a moveFileArgs) string {
	if a.Source == "" || a.Destination == "" {
		return a.Source + a.Destination
	}
	return a.Source + " → " + a.Destination
}

func runMoveFile(ctx context.Context, t *Turn, a moveFileArgs) Result {
	c, err := t.notes.Move(ctx, a.Source, a.Destination)
	if err != nil {
		return failed("move_file", err)
	}
	t.follow(c.Path, c.NewPath)
	t.changed(change{verb: "moved", path: c.Path, to: c.NewPath})
	return Result{
		Text:    noted(fmt.Sprintf("Moved %s to %s.", quote(c.Path), quote(c.NewPath)), c),
		Summary: "moved",
	}
}
