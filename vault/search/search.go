// Package search finds what matches a pattern in the lines of a vault's files, best first, and lists
// files and folders, newest first.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/linematch"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// Query is a search through the text of files.
type Query struct {
	Pattern       string // RE2, applied to each line alone: see package linematch
	FilePattern   string // glob; a pattern without "/" is a name at any depth; empty: Markdown only
	ContextLines  int    // lines around a hit; at most MaxContextLines
	MaxFiles      int    // files reported; 0 or less: DefaultMaxFiles; at most MaxMaxFiles
	MaxExcerpts   int    // excerpts shown a file; 0 or less: DefaultMaxExcerpts; at most MaxMaxExcerpts
	CaseSensitive bool

	IncludeIgnored bool // search also what Obsidian's settings exclude
}

// Bounds and defaults of a Query. Larger values are taken for the largest.
const (
	DefaultMaxFiles    = 10
	DefaultMaxExcerpts = 5
	MaxContextLines    = 50
	MaxMaxFiles        = 1000
	MaxMaxExcerpts     = 100
)

// hitsPerExcerpt, times the excerpts a file may have, bounds the hits that its excerpts are
// made for: where every line is a hit, they would be one excerpt without end.
const hitsPerExcerpt = 4

// Match is a line of an excerpt.
type Match struct {
	Line  int    `json:"line"` // 1-based
	Text  string `json:"text"` // without the line end; a long line is cut around the hit, marked by "…"
	IsHit bool   `json:"hit,omitempty" jsonschema:"true if it matches; otherwise it is context"`
}

// FileMatches are the matches in one file.
type FileMatches struct {
	Path     string
	Modified time.Time
	Hits     int  // matching lines in the whole file
	TitleHit bool // the name or a heading matched

	// Excerpts are runs of adjacent lines, in order: hits with their context, those that
	// touch or overlap in one. The first MaxExcerpts of the file, cut short after
	// 4*MaxExcerpts hits.
	Excerpts [][]Match
}

// Result is what a search found, best first.
type Result struct {
	Files      []FileMatches
	FilesTotal int          // files that matched, reported or not
	Skipped    []string     // files not searched and why, a line each, bounded
	LeftOut    walk.LeftOut // what Obsidian excludes, and was not searched
}

// Run looks for a pattern in the lines of files, in parallel and with bounded memory.
// A file whose name alone matches is not found; where text matches too, the name counts
// for the order. Binary files (those with a NUL) are not searched, and are among Skipped
// whatever the pattern; symbolic links are not searched. A bad pattern is an *Error; when
// ctx ends, its error is returned within milliseconds.
func Run(ctx context.Context, from walk.Source, q Query, sizes Sizes) (Result, error) {
	pattern, err := linematch.Compile(q.Pattern, q.CaseSensitive)
	if err != nil {
		return Result{}, err
	}
	g := glob.Notes
	if q.FilePattern != "" {
		if g, err = glob.Compile(q.FilePattern, glob.Anywhere); err != nil {
			return Result{}, err
		}
	}
	s := &search{query: q.Bounded(), sizes: sizes}
	w := &walk.Walk{From: from, Base: ".", Glob: g, Skipped: s.skip, Ignore: from.Filter(".", g, q.IncludeIgnored)}
	best := make([]topN[FileMatches], w.WorkerCount())
	searchers := make([]searcher, len(best))
	for i := range searchers {
		best[i] = topN[FileMatches]{limit: s.query.MaxFiles, compare: rankedFirst}
		searchers[i] = searcher{search: s, stop: &w.Stop, scan: pattern.Scanner(&w.Stop), best: &best[i]}
	}
	w.Visit = func(worker int, in fsys.Folder, e walk.Found) { searchers[worker].file(in, e) }
	if err := w.Run(ctx); err != nil {
		return Result{}, err
	}
	return Result{Files: mergedBest(best), FilesTotal: int(s.matched.Load()), Skipped: s.skippedLines(), LeftOut: w.Ignore.LeftOut()}, nil
}

// Bounded is q with defaults and bounds applied.
func (q Query) Bounded() Query {
	if q.MaxFiles <= 0 {
		q.MaxFiles = DefaultMaxFiles
	}
	if q.MaxExcerpts <= 0 {
		q.MaxExcerpts = DefaultMaxExcerpts
	}
	q.MaxFiles = min(q.MaxFiles, MaxMaxFiles)
	q.MaxExcerpts = min(q.MaxExcerpts, MaxMaxExcerpts)
	q.ContextLines = min(max(q.ContextLines, 0), MaxContextLines)
	return q
}

// rankedFirst is the order of files: a hit in title or heading, then more hits, then
// newer, then by path.
func rankedFirst(a, b FileMatches) int {
	switch {
	case a.TitleHit == b.TitleHit:
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
	case a.TitleHit:
		return -1
	}
	return 1
}

// search is what the workers of one Search share.
type search struct {
	query   Query
	sizes   Sizes
	matched atomic.Int64

	mu      sync.Mutex
	skipped []skippedFile // in the order of aheadSkipped, the first maxSkipped
	more    int           // further ones
}

type skippedFile struct {
	path  string
	why   string
	usual bool // a binary file that is no note, which nobody expects to be searched
}

// MaxSkipped bounds the files Skipped names.
const MaxSkipped = 20

// aheadSkipped is the order in which skipped files are named: what should have been
// searched first.
func aheadSkipped(a, b skippedFile) int {
	switch {
	case a.usual == b.usual:
		return cmp.Compare(a.path, b.path)
	case b.usual:
		return -1
	}
	return 1
}

func (s *search) skip(path string, err error) {
	if path == "" {
		path = "."
	}
	f := skippedFile{path, failure.Plain(err).Error(), errors.Is(err, errBinary) && !pathname.IsNote(path)}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, _ := slices.BinarySearchFunc(s.skipped, f, aheadSkipped)
	s.skipped = slices.Insert(s.skipped, at, f)
	if len(s.skipped) > MaxSkipped {
		s.skipped = s.skipped[:MaxSkipped]
		s.more++
	}
}

func (s *search) skippedLines() []string {
	var lines []string
	for _, f := range s.skipped {
		lines = append(lines, fmt.Sprintf("%s: %s", failure.Quote(f.path), f.why))
	}
	if s.more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", s.more))
	}
	return lines
}
