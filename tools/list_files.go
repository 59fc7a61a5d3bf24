package tools

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/pathname"
	"chatvault/vault/query"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

type listFilesArgs struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"relative to path; default *"`
	Path       string `json:"path,omitempty" jsonschema:"folder"`
	MaxResults int    `json:"max_results,omitempty" min:"1" jsonschema:"default 100"`
	Only       string `json:"only,omitempty" oneof:"conflicts,not_downloaded" jsonschema:"copies of a sync service, or files only online"`
	Ignored    bool   `json:"include_ignored,omitempty" jsonschema:"also what Obsidian excludes"`
}

const (
	listDefaultResults = 100
	listMaxResults     = 1000
	listMaxBytes       = 60_000
)

// listedFiles is the data of list_files.
type listedFiles struct {
	Items []walk.Entry `json:"items"`
	remainder
}

var _ = define(definition{
	name:    "list_files",
	output:  DataSchema[listedFiles],
	traits:  Traits{Verb: "listing", Did: "listed", Kind: CallSearches},
	example: `{"pattern": "**/*.md", "path": "Projects"}`,
}, runListFiles, targetListFiles)

func targetListFiles(a listFilesArgs) string {
	pattern := cmp.Or(a.Pattern, "*")
	if listing.IsRoot(a.Path) {
		return pattern
	}
	return pattern + " in " + wording.FolderName(a.Path)
}

func runListFiles(ctx context.Context, t *Turn, a listFilesArgs) Result {
	if a.Only != "" {
		a.Pattern = cmp.Or(a.Pattern, "**")
	}
	a.Pattern = cmp.Or(a.Pattern, "*")
	l := listing.Bounded(a.MaxResults, listDefaultResults, listMaxResults, listMaxBytes)
	found, err := t.notes.List(ctx, search.ListQuery{Folder: a.Path, Pattern: a.Pattern, MaxResults: l.Most(), Only: search.Only(a.Only), IncludeIgnored: a.Ignored})
	if err != nil {
		return failed("list_files", err)
	}
	data := listedFiles{Items: []walk.Entry{}}
	for _, e := range found.Entries {
		listing.AddTo(l, &data.Items, e, "%s", entryLine(e))
	}
	return listed(l, fmt.Sprintf("Found %d item(s):\n\n", l.Shown()), nothingListed(a),
		max(found.Total, len(found.Entries)), "item", "narrow the pattern", listing.LeftOutText(found.LeftOut), &data)
}

func entryLine(e walk.Entry) string {
	if e.Folder {
		return fmt.Sprintf("[folder] %s\n", wording.PlainName(wording.FolderName(e.Path)))
	}
	note := ""
	if originals, sure := pathname.ConflictOf(path.Base(e.Path)); sure || e.CopyOf != "" {
		note = "; conflict copy of " + wording.PlainName(cmp.Or(e.CopyOf, originals[0]))
	}
	if e.Offline {
		note += "; not downloaded on this computer"
	}
	return fmt.Sprintf("[file] %s (modified: %s%s)\n", wording.PlainName(e.Path), wording.DayText(e.Modified), note)
}

// nothingListed reports that nothing matched, with likely reasons.
func nothingListed(a listFilesArgs) string {
	where := listing.ScopeName(query.Scope{Path: a.Path})
	switch {
	case a.Only == string(search.Conflicts):
		return "There are no conflict copies in " + where + "."
	case a.Only == string(search.NotDownloaded):
		return "All files in " + where + " are downloaded."
	case a.Pattern == "*" || a.Pattern == "**":
		return "There is nothing in " + where + "."
	}
	text := fmt.Sprintf("No items match %s in %s.", wording.Quote(a.Pattern), where)
	if !strings.Contains(a.Pattern, "/") {
		text += fmt.Sprintf(" A pattern without / looks in this folder only: %s looks at every depth.", wording.Quote("**/"+a.Pattern))
	}
	return text
}
