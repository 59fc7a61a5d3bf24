package vault

import (
	"strings"
	"testing"

	"chatvault/vault/journal"
)

var (
	printA = journal.Print([]byte("a"))
	printB = journal.Print([]byte("b"))
)

const (
	printLarge = "80000000 bytes of 1790000000000000000"
	printLink  = linkPrint + "b.md"
)

func TestRecordFault(t *testing.T) {
	undoes := &journal.Undoes{Seq: 1}
	folder := func(at string) journal.Folder { return journal.Folder{Path: at, Mode: 0o755} }
	file := func(at, before, after string) journal.File {
		return journal.File{Path: at, Before: before, After: after, Mode: 0o644, Size: 1, NewSize: 1}
	}
	moved := func(at, to, before, after string) journal.File {
		f := file(at, before, after)
		f.NewPath = to
		return f
	}
	type change = journal.Change
	type files = []journal.File
	type folders = []journal.Folder
	wrote := change{Op: "overwrite", Path: "a.md", Files: files{file("a.md", printA, printB)}}
	deleted := change{
		Op: "delete", Path: "F", NewPath: ".trash/F 2", Folder: true, Tree: folders{folder("F"), folder("F/.git")},
		Files: files{file("F/.git/config", printA, ""), file("F/b.md", printLarge, ""), file("F/link", printLink, "")}, More: 3, Print: printA,
	}
	restored := change{
		Op: "restore", Path: "F/G", From: "trash", Folder: true, Folders: []string{"F", "F/G", "F/G/.x"}, Tree: folders{folder("F/G"), folder("F/G/.x")},
		Files: files{file("F/G/.x/y", "", printA)}, Missing: 3, Undoes: undoes,
	}
	removed := change{Op: "remove", Path: "F/a.md", Gone: folders{folder("F")}, Files: files{file("F/a.md", printA, "")}, Undoes: undoes}
	made := change{Op: "create", Path: "F/a.md", Folders: []string{"F"}, Files: files{file("F/a.md", "", printA)}}
	moves := change{
		Op: "move", Path: "F/a.md", NewPath: "G/b.md", Folders: []string{"G"}, Gone: folders{folder("F")},
		Files: files{moved("F/a.md", "G/b.md", printLarge, printLarge), file("Data: odd.md", printA, printB), file("AC\\DC.md", printA, printB)},
	}
	movesFolder := change{Op: "move", Path: "F", NewPath: "G", Folder: true, Files: files{moved("F/a.md", "G/a.md", printA, printB), file("l.md", printA, printB)}}

	with := func(c change, do func(*change)) change {
		c.Files, c.Tree, c.Gone, c.Folders = append(files(nil), c.Files...), append(folders(nil), c.Tree...), append(folders(nil), c.Gone...), append([]string(nil), c.Folders...)
		do(&c)
		return c
	}
	good := map[string]change{
		"wrote": wrote, "deleted": deleted, "restored": restored, "removed": removed, "made": made, "moves": moves, "moves a folder": movesFolder,
		"wrote several back": {Op: "overwrite", Path: "b.md", Undoes: undoes, Files: files{file("a.md", printA, printB), file("b.md", printA, printB)}},
		"deleted a file":     {Op: "delete", Path: "x/a.md", NewPath: "/home/me/.local/share/Trash/files/a 12.md", Files: files{file("x/a.md", printA, "")}},
		"made a folder":      {Op: "mkdir", Path: "a/b/c", Folders: []string{"a", "a/b"}},
		"removed folders":    {Op: "rmdir", Path: "a/b", Gone: folders{folder("a/b"), folder("a")}, Undoes: undoes},
		"nothing":            {Op: "none", Path: "a.md", Undoes: undoes},
		"spelled otherwise":  {Op: "move", Path: "F/a.md", NewPath: "F/A.md", Files: files{moved("F/a.md", "F/A.md", printA, printA)}},
	}
	for name, c := range good {
		if why := RecordFault(&c); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	bad := map[string]change{
		"no operation":                       with(wrote, func(c *change) { c.Op = "" }),
		"another operation":                  with(wrote, func(c *change) { c.Op = "chmod" }),
		"of another case":                    with(wrote, func(c *change) { c.Op = "Overwrite" }),
		"nothing, with a file":               {Op: "none", Path: ".git", Folder: true, Undoes: undoes, Files: files{file(".git/hooks/pre-commit", printA, "")}},
		"nothing, hidden":                    {Op: "none", Path: ".git", Undoes: undoes},
		"nothing, of nothing":                {Op: "none", Path: "a.md"},
		"a write that makes a folder":        with(wrote, func(c *change) { c.Folders = []string{"F"} }),
		"a write of a folder":                with(wrote, func(c *change) { c.Folder = true }),
		"a write of two files":               with(wrote, func(c *change) { c.Files = append(c.Files, file("b.md", printA, printB)) }),
		"a write of a file twice":            {Op: "overwrite", Path: "b.md", Undoes: undoes, Files: files{file("b.md", printA, printB), file("b.md", printA, printB)}},
		"a write of another file":            with(wrote, func(c *change) { c.Files[0].Path = "b.md" }),
		"a write that moves":                 with(wrote, func(c *change) { c.Files[0].NewPath = "b.md" }),
		"a write of what was not there":      with(wrote, func(c *change) { c.Files[0].Before = "" }),
		"a write of no bytes":                with(wrote, func(c *change) { c.Files[0].After = "zz" }),
		"a write of a link":                  with(wrote, func(c *change) { c.Files[0].Before = printLink }),
		"a write outside":                    with(wrote, func(c *change) { c.Path, c.Files[0].Path = "../a.md", "../a.md" }),
		"a write at the root":                with(wrote, func(c *change) { c.Path, c.Files[0].Path = "/a.md", "/a.md" }),
		"a write that is spelled otherwise":  with(wrote, func(c *change) { c.Path, c.Files[0].Path = "x/./a.md", "x/./a.md" }),
		"a write of what is hidden":          with(wrote, func(c *change) { c.Path, c.Files[0].Path = "x/.obsidian/app.json", "x/.obsidian/app.json" }),
		"a write of what looks hidden":       with(wrote, func(c *change) { c.Path, c.Files[0].Path = "\u200b.git", "\u200b.git" }),
		"a write of a short name":            with(wrote, func(c *change) { c.Path, c.Files[0].Path = "GIT~1/config", "GIT~1/config" }),
		"a mode that is none":                with(wrote, func(c *change) { c.Files[0].Mode = 0o4755 }),
		"a mode of Go":                       with(wrote, func(c *change) { c.Files[0].Mode = 1 << 23 }),
		"a size below nothing":               with(wrote, func(c *change) { c.Files[0].Size = -1 }),
		"a number that is none":              with(wrote, func(c *change) { c.Seq = 1 << 50 }),
		"what was made takes back":           with(made, func(c *change) { c.Undoes = undoes }),
		"what was made replaced something":   with(made, func(c *change) { c.Files[0].Before = printB }),
		"what was made has other folders":    with(made, func(c *change) { c.Folders = []string{"G"} }),
		"a move into what is hidden":         with(moves, func(c *change) { c.NewPath, c.Files[0].NewPath, c.Folders = "G/.x", "G/.x", nil }),
		"a move to nowhere":                  with(moves, func(c *change) { c.NewPath = "" }),
		"a move into itself":                 with(movesFolder, func(c *change) { c.NewPath = "F/G" }),
		"a move of another file":             with(moves, func(c *change) { c.Files[1].NewPath = "elsewhere.md" }),
		"a move that stays":                  with(movesFolder, func(c *change) { c.Files[0].NewPath = "" }),
		"a move that removes":                with(moves, func(c *change) { c.Files[1].After = "" }),
		"a move that makes":                  with(moves, func(c *change) { c.Files[1].Before = "" }),
		"a move of a link":                   with(moves, func(c *change) { c.Files[0].Before, c.Files[0].After = printLink, printLink }),
		"a move that takes folders away":     with(moves, func(c *change) { c.Gone = folders{folder("Other")} }),
		"a deletion of a hidden folder":      with(deleted, func(c *change) { c.Path = ".git" }),
		"a deletion of another folder":       with(deleted, func(c *change) { c.Path = "G" }),
		"a deletion that leaves something":   with(deleted, func(c *change) { c.Files[0].After = printB }),
		"a deletion into another name":       with(deleted, func(c *change) { c.NewPath = ".trash/other" }),
		"a deletion of a file, with more":    {Op: "delete", Path: "a.md", Files: files{file("a.md", printA, "")}, More: 1},
		"a deletion of a file that is two":   {Op: "delete", Path: "a.md", Files: files{file("a.md", printA, ""), file("b.md", printA, "")}},
		"a deletion of a link":               {Op: "delete", Path: "a.md", Files: files{file("a.md", printLink, "")}},
		"a deletion with a folder outside":   with(deleted, func(c *change) { c.Tree = append(c.Tree, folder("G")) }),
		"a deletion that leads out":          with(deleted, func(c *change) { c.Files[0].Path = "F/../../x" }),
		"a deletion with fewer than none":    with(deleted, func(c *change) { c.More = -1 }),
		"a deletion with very many":          with(deleted, func(c *change) { c.More = 1 << 60 }),
		"a deletion with a print of nothing": with(deleted, func(c *change) { c.More = 0 }),
		"a restoration of nothing":           with(restored, func(c *change) { c.Undoes = nil }),
		"a restoration from nowhere":         with(restored, func(c *change) { c.From = "" }), // and what is hidden
		"a restoration with a folder beside": with(restored, func(c *change) { c.Folders = append(c.Folders, "H") }),
		"a restoration with a wide mode":     with(restored, func(c *change) { c.Tree[0].Mode = 0o1777 }),
		"a removal of what is hidden":        {Op: "remove", Path: "F", Folder: true, Files: files{file("F/.x", printA, "")}, Undoes: undoes},
		"a removal of a folder beside":       with(removed, func(c *change) { c.Gone = folders{folder("G")} }),
		"a folder in another":                {Op: "mkdir", Path: "a/b", Folders: []string{"c"}},
		"a hidden folder":                    {Op: "mkdir", Path: ".obsidian/plugins"},
		"another folder goes":                {Op: "rmdir", Path: "a/b", Gone: folders{folder("c")}, Undoes: undoes},
		"a path without an end":              {Op: "mkdir", Path: strings.Repeat("a/", 40_000) + "a"},
		"a name without an end":              {Op: "mkdir", Path: strings.Repeat("a", 300)},
		"a path that is none":                {Op: "mkdir", Path: "a\x00b"},
		"no path":                            {Op: "mkdir"},
	}
	for name, c := range bad {
		if why := RecordFault(&c); why == "" {
			t.Errorf("%s: it is let through: %+v", name, c)
		} else if strings.Contains(why, c.Path) && c.Path != "" && len(c.Path) > 3 {
			t.Errorf("%s: the reason names it: %s", name, why)
		}
	}
}

func TestIsTrashName(t *testing.T) {
	for _, test := range []struct {
		base, name string
		folder     bool
		want       bool
	}{
		{"a.md", "a.md", false, true},
		{"a 2.md", "a.md", false, true},
		{"a.md 2", "a.md", false, false},
		{"a.md 2", "a.md", true, true},
		{"a 02.md", "a.md", false, false},
		{"a 0.md", "a.md", false, false},
		{"a -1.md", "a.md", false, false},
		{"b.md", "a.md", false, false},
		{"a 99999999.md", "a.md", false, false},
		{"", "a.md", false, false},
		{numbered(strings.Repeat("x", 255), 7, false), strings.Repeat("x", 255), false, true},
	} {
		if got := isTrashName(test.base, test.name, test.folder); got != test.want {
			t.Errorf("%q for %q: %v", test.base, test.name, got)
		}
	}
}
