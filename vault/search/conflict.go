package search

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"strings"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// maxCompared limits the texts that are compared, in bytes.
const maxCompared = 256 << 10

// CopyOf returns the path of the file of which the file at a true path is a conflict copy, or "".
func CopyOf(ctx context.Context, from walk.Source, name string) string {
	dir, base := path.Split(name)
	found, err := List(ctx, from, cmp.Or(strings.TrimSuffix(dir, "/"), "."), ListQuery{Pattern: glob.Escape(base), Only: Conflicts, IncludeIgnored: true})
	if err != nil || len(found.Entries) == 0 {
		return ""
	}
	return dir + found.Entries[0].CopyOf
}

// copyOf returns the name of the file in the same folder of which an entry is a conflict copy, or "". It may be missing
// if the copy's name leaves no doubt.
func copyOf(from walk.Source, in fsys.Folder, e walk.Found) string {
	originals, sure := pathname.ConflictOf(e.Name)
	for _, of := range originals {
		if sure || !pathname.Protected(of) && (from.Private == nil || !from.Private(e.Dir, of)) && alike(in, e.Name, of) {
			return of
		}
	}
	return ""
}

// alike reports whether two files of a folder share at least half of the lines of the longer one.
func alike(in fsys.Folder, one, other string) bool {
	left, total, shared := map[string]int{}, [2]int{}, 0
	for i, name := range []string{one, other} {
		text, _, _, err := walk.ReadText(in, name, nil, maxCompared)
		if err != nil {
			return false
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			total[i]++
			if i == 0 {
				left[string(line)]++
			} else if left[string(line)]--; left[string(line)] >= 0 {
				shared++
			}
		}
	}
	return shared > 0 && 2*shared >= max(total[0], total[1])
}
