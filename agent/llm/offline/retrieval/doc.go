// Package retrieval ranks Markdown notes for a question asked in plain words.
//
// It keeps a compact inverted index of the whole corpus (terms and counts, never
// the text), refreshed by size and modification time, scores notes with BM25F over
// title, aliases, headings, tags, properties and text, widens the words of a question
// with a general English thesaurus and with corrected spellings, and then reads the few
// best notes again to find the passage that answers. The same corpus and the same question
// always give the same hits.
//
// An Index is safe for concurrent use.
package retrieval

import (
	"context"
	"iter"
	"time"
)

// Note is a note as a walk over the corpus sees it.
type Note struct {
	Path     string // relative, '/' separated
	Size     int64  // bytes
	Modified time.Time
}

// Corpus is access to the notes. Whoever implements it decides what is visible:
// what it does not yield is never read, ranked or quoted.
type Corpus interface {
	// Notes yields every note, in any order. It may be called often and should be cheap:
	// the index calls it before each question to see what changed. An error yielded ends
	// the walk when the note's path is empty, else it skips that note.
	Notes(ctx context.Context) iter.Seq2[Note, error]
	// Read returns the whole text of a note that Notes yielded.
	Read(ctx context.Context, path string) ([]byte, error)
	// Head returns the first bytes of such a note, at most max.
	Head(ctx context.Context, path string, max int) ([]byte, error)
	// Mark is the same as long as the notes are; nil where that is not known without a walk over them.
	Mark(ctx context.Context) any
}
