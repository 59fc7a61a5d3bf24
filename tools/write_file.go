package tools

import (
	"bytes"
	"context"
	_ "embed" // the description
	"fmt"
	"path"

	"chatvault/vault"
)

type writeFileArgs struct {
	Path    string `json:"path" nonempty:"true" jsonschema:"the file, relative to the vault, with its extension, such as Ideas/Garden.md"`
	Content string `json:"content" jsonschema:"the whole new content of the file, written exactly as given"`
}

//go:embed write_file.md
var writeFileText string

var writeFile = define(definition{
	name:        "write_file",
	description: writeFileText,
	example:     `{"path": "Notes/a.md", "content": "# Title\n\nText\n"}`,
}, runWriteFile, func(a writeFileArgs) string { return a.Path })

func runWriteFile(ctx context.Context, t *Turn, a writeFileArgs) Result {
	ifHash, refused := t.expected(ctx, a.Path)
	if refused != nil {
		return *refused
	}
	c, err := t.write(ctx, a.Path, []byte(a.Content), ifHash)
	if isKind(err, vault.KindChanged) {
		return changedOnDisk(a.Path)
	}
	if err != nil {
		return failed("write_file", err)
	}
	size := sizeText(int64(len(a.Content)))
	if c.Op == "create" {
		t.changed(change{verb: "created", path: c.Path})
		return Result{
			Text:    fmt.Sprintf("Created file %s (%s).", quote(c.Path), size),
			Summary: "created, " + size,
		}
	}
	t.changed(change{verb: "overwrote", path: c.Path})
	return Result{
		Text:    fmt.Sprintf("Overwrote file %s (%s).", quote(c.Path), size),
		Summary: "overwrote, " + size,
	}
}

// expected is the hash the file must still have for the turn to overwrite it: "" for
// a file the turn never read. A file the turn read and somebody deleted since has
// changed too; it is refused once, and may then be created anew.
func (t *Turn) expected(ctx context.Context, name string) (string, *Result) {
	info, err := t.notes.Stat(ctx, name)
	switch {
	case err == nil:
		return t.known(info.Path), nil
	case isKind(err, vault.KindNotFound):
		clean := path.Clean(name)
		if t.known(clean) == "" {
			return "", nil
		}
		t.forget(clean)
		r := failf("deleted on disk", "%s was moved or deleted since you last read it; nothing was written. "+
			"If it should be created anew, call write_file again.", quote(clean))
		return "", &r
	default:
		// Let the write itself say what is wrong: it knows what is being asked.
		return "", nil
	}
}

// write writes and, on success, remembers the new content as read. Where the file no
// longer holds what was written somebody else was faster: what the turn knew of it
// then stays as it was, and its next write is refused.
func (t *Turn) write(ctx context.Context, name string, data []byte, ifHash string) (vault.Change, error) {
	c, err := t.notes.Write(ctx, name, data, ifHash)
	if err != nil {
		return c, err
	}
	// The write is done: a stop that comes now must not keep the turn from knowing it.
	f, err := t.notes.Read(context.WithoutCancel(ctx), c.Path)
	if err == nil && bytes.Equal(f.Data, data) {
		t.remember(c.Path, f.Hash)
	}
	return c, nil
}
