package tools

import (
	"context"
	"fmt"
	"strings"
)

type getFileInfoArgs struct {
	Path string `json:"path" note:"true" nonempty:"true"`
}

var getFileInfo = define(definition{
	name:     "get_file_info",
	traits:   Traits{Verb: "looking at", Fold: Fold{"looked at", "looking at", "file", "files"}},
	example:  `{"path": "Notes/a.md"}`,
	readOnly: true,
}, runGetFileInfo, func(a getFileInfoArgs) string { return a.Path })

func runGetFileInfo(ctx context.Context, t *Turn, a getFileInfoArgs) Result {
	info, err := t.notes.Stat(ctx, a.Path)
	if err != nil {
		return failed("get_file_info", err)
	}
	var b strings.Builder
	summary := sizeText(info.Size)
	if info.Folder {
		summary = counted(info.Items, "item")
		fmt.Fprintf(&b, "Folder: %s\nType: folder\nItems: %d\n", plainName(folderName(info.Path)), info.Items)
	} else {
		fmt.Fprintf(&b, "File: %s\nType: file\nSize: %s\n", plainName(info.Path), exactSize(info.Size))
	}
	fmt.Fprintf(&b, "Created: %s\nModified: %s", momentText(info.Created), momentText(info.Modified))
	return Result{Text: b.String(), Summary: summary}
}
