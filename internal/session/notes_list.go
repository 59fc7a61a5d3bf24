package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"chatvault/vault"
)

// NoteFile is a note as it lies on disk.
type NoteFile struct {
	Path     string // true name
	Size     int64  // bytes
	Modified time.Time
}

// listNotes lists the notes by their paths, those after one, without what Obsidian's settings exclude.
func listNotes(ctx context.Context, v *vault.Vault, after string, limit int) (notes []NoteFile, more bool, err error) {
	excluded := v.Ignored()
	for e, err := range v.Notes(ctx) {
		if err != nil {
			return nil, false, err
		}
		if e.Path > after && !excluded(e.Path) {
			notes = append(notes, NoteFile{Path: e.Path, Size: e.Size, Modified: e.Modified})
		}
	}
	slices.SortFunc(notes, func(a, b NoteFile) int { return strings.Compare(a.Path, b.Path) })
	if more = len(notes) > limit; more {
		notes = notes[:limit]
	}
	return notes, more, nil
}
