package tools

import (
	"testing"

	"chatvault/vault"
)

func TestContentsText(t *testing.T) {
	for _, c := range []struct {
		contents vault.Contents
		want     string
	}{
		{vault.Contents{Files: 1, Notes: 1, Bytes: 3}, "file, 3 bytes"},
		{vault.Contents{Folder: true}, "empty folder"},
		{vault.Contents{Folder: true, Notes: 12, Files: 15, Folders: 1, Bytes: 2456}, "folder with 12 notes, 3 other files, 1 folder, 2.4 KB (2,456 bytes)"},
		{vault.Contents{Folder: true, Notes: 2, Files: 2, Bytes: 2, Names: []string{"a.md", "b/c\n.md"}}, `folder with 2 notes (a.md, "b/c\n.md"), 2 bytes`},
		{vault.Contents{Folder: true, Notes: 5, Files: 5, Bytes: 2, Names: []string{"a.md", "b.md"}}, "folder with 5 notes (a.md, b.md), 2 bytes"},
	} {
		if got := contentsText(c.contents); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.contents, got, c.want)
		}
	}
}
