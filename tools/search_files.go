package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"chatvault/tools/listing"

	"chatvault/tools/wording"
	"chatvault/vault/search"
)

type searchFilesArgs struct {
	Pattern       string `json:"pattern" nonempty:"true"`
	FilePattern   string `json:"file_pattern,omitempty" jsonschema:"glob, such as *.txt or Projects/**; default all notes"`
	ContextLines  *int   `json:"context_lines,omitempty" min:"0" jsonschema:"default 2"`
	MaxResults    int    `json:"max_results,omitempty" min:"1" jsonschema:"files; default 10, at most 100"`
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

var searchFiles = define(definition{
	name:     "search_files",
	traits:   Traits{Verb: "searching for", Kind: CallSearches},
	example:  `{"pattern": "budget|costs", "file_pattern": "Projects/**"}`,
	readOnly: true,
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
	var over listing.Limits
	if a.ContextLines != nil {
		q.ContextLines = over.Take("context_lines", *a.ContextLines, searchMaxContextLines)
	}
	q.MaxFiles = over.Take("max_results", cmp.Or(a.MaxResults, searchResults), searchMaxResults)
	found, err := t.notes.Search(ctx, q)
	if err != nil {
		return failed("search_files", err)
	}
	if len(found.Files) == 0 {
		return Result{Text: nothingFound(a, found), Summary: "no matches"}
	}
	noun := "note"
	if a.FilePattern != "" {
		noun = "file"
	}
	return Result{Text: searchText(found, q.MaxFiles) + over.Note(), Summary: wording.Counted(max(found.FilesTotal, len(found.Files)), noun)}
}

// searchText returns the matches, best file first, in about searchMaxBytes, with a remark about omitted ones. asked is
// the maximum number of files.
func searchText(found search.Result, asked int) string {
	l := listing.Of(len(found.Files), searchMaxBytes)
	for _, f := range found.Files {
		l.Add("%s", fileBlock(f))
	}
	text := fmt.Sprintf("Found %d matching file(s):\n%s", l.Shown(), l.String())
	if more := max(found.FilesTotal, len(found.Files)) - l.Shown(); more > 0 {
		advice := "raise max_results or narrow the pattern"
		switch {
		case l.Full():
			advice = "the result would be too long; narrow the pattern or ask for fewer context_lines"
		case asked >= searchMaxResults:
			advice = "narrow the pattern or name a folder with file_pattern"
		}
		text += fmt.Sprintf("\n\n[%s matched; %s]", wording.Counted(more, "more file"), advice)
	}
	return text + listing.SkippedText(found.Skipped) + listing.LeftOutText(found.LeftOut, "searched", "searches")
}

// fileBlock returns the block of one file: a blank line, its name, its excerpts.
func fileBlock(f search.FileMatches) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", wording.PlainName(f.Path))
	hits := 0
	for i, excerpt := range f.Excerpts {
		part, partHits := excerptText(excerpt)
		if b.Len()+len(part) > searchMaxFileBytes && hits > 0 {
			break
		}
		if i > 0 {
			b.WriteString("...\n")
		}
		b.WriteString(part)
		hits += partHits
	}
	if more := f.Hits - hits; more > 0 {
		fmt.Fprintf(&b, "[%s in this file]\n", wording.Counted(more, "more matching line"))
	}
	return b.String()
}

// excerptText returns adjacent lines with the matching ones marked, and the number of matches.
func excerptText(excerpt []search.Match) (text string, hits int) {
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
	}
	return b.String(), hits
}

func nothingFound(a searchFilesArgs, found search.Result) string {
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
	return text + listing.SkippedText(found.Skipped) + listing.LeftOutText(found.LeftOut, "searched", "searches")
}
