package retrieval

import (
	"path"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// conflictMark matches what Dropbox, Nextcloud, Obsidian Sync and Syncthing append to the name of a
// conflicting copy of a note.
var conflictMark = lazyregexp.New(`(?i)^(?: \(.*conflicted copy.*\)| \(case conflict.*\)|\.sync-conflict-\d{8}-\d{6}(?:-\w+)?)$`)

// copyMark matches what iCloud, Google Drive and OneDrive append (a number, or the name of a computer),
// and the names of many other notes too.
var copyMark = lazyregexp.New(`^(?: \d{1,2}| ?\(\d{1,2}\)|-[^/]+)$`)

// isCopy reports whether a hit is a copy of another that a sync program made. A name that other notes have too
// counts only if the best passage reads the same.
func isCopy(h, of Hit) bool {
	mark, ok := strings.CutPrefix(Name(h.Path), Name(of.Path))
	return ok && path.Dir(h.Path) == path.Dir(of.Path) && (conflictMark().MatchString(mark) || copyMark().MatchString(mark) && h.Text == of.Text)
}

// copiesLast moves copies that sync programs made behind the notes that they are copies of.
func copiesLast(hits []Hit) {
	for i := len(hits) - 1; i >= 0; i-- {
		for j := len(hits) - 1; j > i; j-- {
			if h := hits[i]; isCopy(h, hits[j]) {
				copy(hits[i:j], hits[i+1:])
				hits[j] = h
				break
			}
		}
	}
}
