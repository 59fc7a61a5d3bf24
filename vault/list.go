package vault

import (
	"context"
	"iter"
	"time"
)

// Entry is a file or folder seen by a walk.
type Entry struct {
	Path     string
	Folder   bool
	Size     int64
	Modified time.Time
}

// ListQuery asks for entries of a folder that match a glob relative to it.
type ListQuery struct {
	Folder     string // "" or ".": the root
	Pattern    string // glob, product.md section 5
	MaxResults int
}

// ListResult is what a listing found, newest first.
type ListResult struct {
	Entries []Entry
	Total   int // matches, reported or not
}

// List lists files and folders.
func (v *Vault) List(ctx context.Context, q ListQuery) (ListResult, error) {
	return ListResult{}, errStub
}

// Notes yields every Markdown file of the vault under the same protection as everything else,
// in no particular order, with sizes and times. It stops when ctx ends.
func (v *Vault) Notes(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {}
}
