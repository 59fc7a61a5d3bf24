package tools

import (
	"context"
	"fmt"
	"strings"

	"chatvault/tools/wording"
	"chatvault/vault"
)

type getFileInfoArgs struct {
	Path string `json:"path" note:"true" nonempty:"true"`
}

var _ = define(definition{
	name:    "get_file_info",
	output:  DataSchema[vault.Info],
	traits:  Traits{Verb: "looking at", Did: "looked at", Kind: CallReads},
	example: `{"path": "Notes/a.md"}`,
}, runGetFileInfo, func(a getFileInfoArgs) string { return a.Path })

func runGetFileInfo(ctx context.Context, t *Turn, a getFileInfoArgs) Result {
	info, err := t.notes.Stat(ctx, a.Path)
	if err != nil {
		return failed("get_file_info", err)
	}
	var b strings.Builder
	summary := wording.SizeText(info.Size)
	if info.Folder {
		summary = wording.Counted(info.Items, "item")
		fmt.Fprintf(&b, "Folder: %s\nType: folder\nItems: %d\n", wording.PlainName(wording.FolderName(info.Path)), info.Items)
	} else {
		fmt.Fprintf(&b, "File: %s\nType: file\nSize: %s\n", wording.PlainName(info.Path), wording.ExactSize(info.Size))
	}
	fmt.Fprintf(&b, "Created: %s\nModified: %s", wording.MomentText(info.Created), wording.MomentText(info.Modified))
	return Result{Text: b.String(), Summary: summary, Data: info}
}
