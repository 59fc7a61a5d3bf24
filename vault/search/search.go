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
	ContextLines  int    // lines around a hit, at most MaxContextLines
	MaxFiles      int    // number of files to return; 0 or less means DefaultMaxFiles, the maximum is MaxMaxFiles
	MaxExcerpts   int    // excerpts per file; 0 or less means DefaultMaxExcerpts, the maximum is MaxMaxExcerpts
	CaseSensitive bool

	IncludeIgnored bool // also search files that Obsidian's settings exclude
}

// Defaults and limits of a Query. Larger values are reduced to the limit.
const (
	DefaultMaxFiles    = 10
	DefaultMaxExcerpts = 5
	MaxContextLines    = 50
	MaxMaxFiles        = 1000
	MaxMaxExcerpts     = 100
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
	// overlap. They end after 4*MaxExcerpts hits.
	Excerpts [][]Match
}

// Result is the result of a search, best files first.
type Result struct {
	Files      []FileMatches
	FilesTotal int          // number of matching files, including those omitted
	Skipped    []string     // a line for each file or kind of file that was not searched, with the reason; at most MaxSkipped and a count
	LeftOut    walk.LeftOut // files excluded by Obsidian
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
	s := &search{query: q.Bounded()}
	unreadable := func(path string, err error) { s.skip(walk.Found{Name: path, Folder: true}, err) }
	w := &walk.Walk{From: from, Base: ".", Glob: g, Skipped: unreadable, Ignore: from.Filter(".", q.IncludeIgnored)}
	best := make([]topN[FileMatches], w.WorkerCount())
	searchers := make([]searcher, len(best))
	for i := range searchers {
		best[i] = topN[FileMatches]{limit: s.query.MaxFiles, compare: rankedFirst}
		searchers[i] = searcher{search: s, pattern: pattern, stop: &w.Stop, best: &best[i]}
	}
	w.Visit = func(worker int, in fsys.Folder, e walk.Found) { searchers[worker].file(in, e) }
	if err := w.Run(ctx); err != nil {
		return Result{}, err
	}
	files := mergedBest(best)
	pathname.CopiesLast(files, func(m FileMatches) string { return m.Path }, func(a, b FileMatches) bool {
		return CopyOf(ctx, from, a.Path) == b.Path
	})
	return Result{Files: files, FilesTotal: int(s.matched.Load()), Skipped: s.skippedLines(), LeftOut: w.Ignore.LeftOut()}, nil
}

// Bounded returns q with defaults and limits applied.
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
	matched atomic.Int64

	mu      sync.Mutex
	skipped []skippedFile
}

// skippedFile is a file or folder that was not searched.
type skippedFile struct {
	path  string
	why   string
	usual bool // a binary file other than a note: expected to be skipped
}

// MaxSkipped limits the files and kinds of files named in Result.Skipped.
const MaxSkipped = 20

func (s *search) skip(e walk.Found, err error) {
	usual := (errors.Is(err, errBinary) || errors.Is(err, errLong)) && !pathname.IsNote(e.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped = append(s.skipped, skippedFile{cmp.Or(e.Path(), "."), vaulterr.Plain(err).Error(), usual})
}

// skippedLines returns Result.Skipped, unexpected ones first. Several expected ones of a kind share a line.
func (s *search) skippedLines() (lines []string) {
	usualLast := func(f skippedFile) int {
		if f.usual {
			return 1
		}
		return 0
	}
	slices.SortFunc(s.skipped, func(a, b skippedFile) int {
		return cmp.Or(usualLast(a)-usualLast(b), strings.Compare(a.path, b.path))
	})
	kind := func(f skippedFile) string {
		return vaulterr.Quote("*"+strings.ToLower(path.Ext(f.path))) + " files: " + f.why
	}
	count := map[string]int{}
	for _, f := range s.skipped {
		if f.usual {
			count[kind(f)]++
		}
	}
	for _, f := range s.skipped {
		switch n := count[kind(f)]; {
		case !f.usual || n == 1:
			lines = append(lines, vaulterr.Quote(f.path)+": "+f.why)
		case n > 1:
			lines = append(lines, fmt.Sprintf("%d %s", n, kind(f)))
			count[kind(f)] = 0
		}
	}
	if more := len(lines) - MaxSkipped; more > 0 {
		lines = append(lines[:MaxSkipped], fmt.Sprintf("and %d more", more))
	}
	return lines
}
