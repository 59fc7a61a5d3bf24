package vault

import (
	"context"
	"time"
)

// Query is a search through the text of files.
type Query struct {
	Pattern       string // RE2
	FilePattern   string // glob; empty: Markdown only
	ContextLines  int
	MaxFiles      int // files reported
	MaxExcerpts   int // excerpts a file (5)
	CaseSensitive bool
}

// Match is a line of an excerpt.
type Match struct {
	Line  int // 1-based
	Text  string
	IsHit bool // false: a context line
}

// FileMatches are the matches in one file.
type FileMatches struct {
	Path     string
	Modified time.Time
	Hits     int       // matching lines in the whole file
	TitleHit bool      // the name or a heading matched
	Excerpts [][]Match // runs of adjacent lines
}

// SearchResult is what a search found, best first.
type SearchResult struct {
	Files      []FileMatches
	FilesTotal int      // files that matched, reported or not
	Skipped    []string // files not searched and why, a line each, bounded
}

// Search searches in parallel with bounded memory.
func (v *Vault) Search(ctx context.Context, q Query) (SearchResult, error) {
	return SearchResult{}, errStub
}
