package tools

import (
	"context"
	"fmt"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/search"
)

type searchFilesArgs struct {
	Pattern       string `json:"pattern" nonempty:"true"`
	FilePattern   string `json:"file_pattern,omitempty" jsonschema:"glob, such as *.txt or Projects/**; default notes, canvases, drawings"`
	ContextLines  *int   `json:"context_lines,omitempty" min:"0"`
	MaxResults    int    `json:"max_results,omitempty" min:"1" jsonschema:"files; default 10"`
	CaseSensitive bool   `json:"case_sensitive,omitempty"`
	Ignored       bool   `json:"include_ignored,omitempty" jsonschema:"also what Obsidian excludes"`
}

const (
	searchContextLines    = 2
	searchMaxContextLines = 20
	searchResults         = 10
	searchMaxResults      = 100
	searchExcerpts        = 5
	searchMaxBytes        = 30_000 // of the whole result
	searchMaxFileBytes    = 10_000 // of the excerpts of one file
)

// foundFiles is the data of search_files.
type foundFiles struct {
	Files []foundFile `json:"files" jsonschema:"best first"`
	remainder
}

type foundFile struct {
	Path  string         `json:"path"`
	Hits  int            `json:"hits" jsonschema:"matching lines, including omitted ones"`
	Lines []search.Match `json:"lines"`
}

var _ = define(definition{
	name:    "search_files",
	output:  DataSchema[foundFiles],
	traits:  Traits{Verb: "searching for", Did: "searched for", Kind: CallSearches},
	example: `{"pattern": "budget|costs", "file_pattern": "Projects/**"}`,
}, runSearchFiles, targetSearchFiles)

func targetSearchFiles(a searchFilesArgs) string {
	if a.Pattern == "" {
		return ""
	}
	target := `"` + wording.Shorten(a.Pattern, 80) + `"`
	if a.FilePattern != "" {
		target += " in " + a.FilePattern
	}
	return target
}

func runSearchFiles(ctx context.Context, t *Turn, a searchFilesArgs) Result {
	q := search.Query{
		Pattern:       a.Pattern,
		FilePattern:   a.FilePattern,
		ContextLines:  searchContextLines,
		MaxExcerpts:   searchExcerpts,
		CaseSensitive: a.CaseSensitive,

		IncludeIgnored: a.Ignored,
	}
	if a.ContextLines != nil {
		q.ContextLines = min(*a.ContextLines, searchMaxContextLines)
	}
	l := listing.Bounded(a.MaxResults, searchResults, searchMaxResults, searchMaxBytes)
	q.MaxFiles = l.Most()
	found, err := t.notes.Search(ctx, q)
	if err != nil {
		return failed("search_files", err)
	}
	noun := "note"
	if a.FilePattern != "" {
		noun = "file"
	}
	data := foundFiles{Files: []foundFile{}}
	for _, f := range found.Files {
		block, lines := fileBlock(f)
		listing.AddTo(l, &data.Files, foundFile{Path: f.Path, Hits: f.Hits, Lines: lines}, "%s", block)
	}
	return listed(l, fmt.Sprintf("Found %d matching file(s):\n", l.Shown()), nothingFound(a), max(found.FilesTotal, len(found.Files)),
		noun, "narrow the pattern", listing.SkippedText(found.Skipped)+listing.LeftOutText(found.LeftOut), &data)
}

// fileBlock returns the block of one file, which is a blank line, its name and its excerpts, and the lines in it.
func fileBlock(f search.FileMatches) (block string, lines []search.Match) {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", wording.PlainName(f.Path))
	hits := 0
	for i, excerpt := range f.Excerpts {
		part, partHits, n := excerptText(excerpt)
		if b.Len()+len(part) > searchMaxFileBytes && hits > 0 {
			break
		}
		if i > 0 {
			b.WriteString("...\n")
		}
		b.WriteString(part)
		hits += partHits
		lines = append(lines, excerpt[:n]...)
	}
	if more := f.Hits - hits; more > 0 {
		fmt.Fprintf(&b, "[%s in this file]\n", wording.Counted(more, "more matching line"))
	}
	return b.String(), lines
}

// excerptText returns the first adjacent lines with the matching ones marked, and how many match and are in it.
func excerptText(excerpt []search.Match) (text string, hits, lines int) {
	var b strings.Builder
	for _, m := range excerpt {
		if b.Len() > searchMaxFileBytes {
			break
		}
		mark := " "
		if m.IsHit {
			mark = ">"
			hits++
		}
		fmt.Fprintf(&b, "Line %d: %s %s\n", m.Line, mark, m.Text)
		lines++
	}
	return b.String(), hits, lines
}

func nothingFound(a searchFilesArgs) string {
	where := "any note"
	if a.FilePattern != "" {
		where = "files matching " + wording.Quote(a.FilePattern)
	}
	text := fmt.Sprintf("No matches for %s in %s.", wording.Quote(wording.Shorten(a.Pattern, 200)), where)
	if a.CaseSensitive {
		text += " The search was case-sensitive; without case_sensitive there may be more."
	} else if strings.Contains(strings.TrimSpace(a.Pattern), " ") && !strings.ContainsAny(a.Pattern, `\|()[]*+?`) {
		text += " Try fewer or different words, or several at once: word|other."
	}
	if a.FilePattern == "" {
		text += " Files other than notes, canvases and drawings were skipped; file_pattern **/* searches all text files."
	}
	return text
}
