// Package search finds files whose lines match a pattern, best first, and lists files and folders, newest first.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/base/text"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/linematch"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// Query is a search through the text of files.
type Query struct {
	Pattern       string // RE2, applied to each line: see package linematch
	FilePattern   string // glob; without "/" it matches names at any depth; "" means Markdown, canvases and drawings
	ContextLines  int    // lines around a hit
	MaxFiles      int    // number of files to return; 0 or less means DefaultMaxFiles
	MaxExcerpts   int    // excerpts per file; 0 or less means DefaultMaxExcerpts
	CaseSensitive bool

	IncludeIgnored bool // also search files that Obsidian's settings exclude
}

// Defaults of a Query.
const (
	DefaultMaxFiles    = 10
	DefaultMaxExcerpts = 5
)

// hitsPerExcerpt times the maximum number of excerpts is the number of hits that excerpts may contain. Without this
// limit, a file that matches in every line would be one endless excerpt.
const hitsPerExcerpt = 4

// Match is a line of an excerpt.
type Match struct {
	Line  int    `json:"line"` // 1-based
	Text  string `json:"text"` // without the line ending; a long line is cut around the hit, marked by "…"
	IsHit bool   `json:"hit,omitempty" jsonschema:"true if it matches; otherwise it is context"`
}

// FileMatches are the matches in one file.
type FileMatches struct {
	Path     string
	Modified time.Time
	Hits     int  // number of matching lines in the whole file
	TitleHit bool // the name or a heading matches

	// Excerpts are the first MaxExcerpts runs of adjacent lines: hits with their context, merged if they touch or
	// overlap. They end after 4*MaxExcerpts hits and their context, in which no line is marked as a hit.
	Excerpts [][]Match
}

// Result is the result of a search, best files first.
type Result struct {
	Files      []FileMatches
	FilesTotal int      // number of matching files, including those omitted
	Skipped    []string // a line for each file or kind of file that was not searched, with the reason; at most MaxSkipped and a count
	LeftOut    int      // number of files and folders excluded by Obsidian
}

// Run searches the lines of files for a pattern, in parallel and with bounded memory. A match in the name alone is
// not enough, but affects the order; a conflict copy comes after its file. Binary files (with a NUL byte) and files longer than walk.MaxText are not searched
// and always appear in Skipped; symbolic links are not searched. For an invalid pattern the error is a *vaulterr.Error. If ctx ends, Run returns its
// error within milliseconds.
func Run(ctx context.Context, from walk.Source, q Query) (Result, error) {
	pattern, err := linematch.Compile(q.Pattern, q.CaseSensitive)
	if err != nil {
		return Result{}, err
	}
	g := glob.Readable
	if q.FilePattern != "" {
		if g, err = glob.Compile(q.FilePattern, glob.Anywhere); err != nil {
			return Result{}, err
		}
	}
	q.MaxFiles = cmp.Or(max(q.MaxFiles, 0), DefaultMaxFiles)
	q.MaxExcerpts = cmp.Or(max(q.MaxExcerpts, 0), DefaultMaxExcerpts)
	q.ContextLines = max(q.ContextLines, 0)
	s := &search{query: q, pattern: pattern, best: topN[FileMatches]{limit: q.MaxFiles, compare: rankedFirst}, kinds: map[kindOfFile]int{}}
	unreadable := func(path string, err error) { s.skip(walk.Found{Name: path, Folder: true}, err) }
	w := &walk.Walk{From: from, Base: ".", Glob: g, Skipped: unreadable, Ignore: from.Filter(".", q.IncludeIgnored)}
	searchers := make([]searcher, w.WorkerCount())
	for i := range searchers {
		searchers[i] = searcher{search: s, stop: &w.Stop}
	}
	w.Visit = func(worker int, in fsys.Folder, e walk.Found) { searchers[worker].file(in, e) }
	if err := w.Run(ctx); err != nil {
		return Result{}, err
	}
	pathname.CopiesLast(s.best.items, func(m FileMatches) string { return m.Path }, func(a, b FileMatches) bool {
		return CopyOf(ctx, from, a.Path) == b.Path
	})
	return Result{Files: s.best.items, FilesTotal: int(s.matched.Load()), Skipped: s.skippedLines(), LeftOut: w.Ignore.LeftOut()}, nil
}

// rankedFirst orders files: those with a hit in the name or a heading first, then by number of hits, newest first,
// then by path.
func rankedFirst(a, b FileMatches) int {
	switch {
	case a.TitleHit == b.TitleHit:
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), b.Modified.Compare(a.Modified), strings.Compare(a.Path, b.Path))
	case a.TitleHit:
		return -1
	}
	return 1
}

// search is the state shared by the workers of one Run.
type search struct {
	query   Query
	pattern *linematch.Pattern
	best    topN[FileMatches]
	matched atomic.Int64

	mu      sync.Mutex
	skipped []string           // lines for files that should have been searched
	kinds   map[kindOfFile]int // number of binary and too long files, other than notes
}

// kindOfFile is a kind of files that are not searched.
type kindOfFile struct{ ext, why string }

// MaxSkipped limits the files and kinds of files named in Result.Skipped.
const MaxSkipped = 20

func (s *search) skip(e walk.Found, err error) {
	why := vaulterr.Plain(err).Error()
	s.mu.Lock()
	defer s.mu.Unlock()
	if (errors.Is(err, errBinary) || errors.Is(err, errLong)) && !pathname.IsNote(e.Name) {
		s.kinds[kindOfFile{strings.ToLower(path.Ext(e.Name)), why}]++
		return
	}
	s.skipped = append(s.skipped, vaulterr.Quote(cmp.Or(e.Path(), "."))+": "+why)
}

// skippedLines returns Result.Skipped, the kinds of files last.
func (s *search) skippedLines() []string {
	slices.Sort(s.skipped)
	var kinds []string
	for kind, n := range s.kinds {
		kinds = append(kinds, fmt.Sprintf("%s (%s): %s", vaulterr.Quote("*"+kind.ext), text.Count(n, "file"), kind.why))
	}
	slices.Sort(kinds)
	lines := slices.Concat(s.skipped, kinds)
	if more := len(lines) - MaxSkipped; more > 0 {
		lines = append(lines[:MaxSkipped], fmt.Sprintf("and %d more", more))
	}
	return lines
}
