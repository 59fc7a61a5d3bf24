package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
)

// NoteFinder ranks notes by a question in natural language.
type NoteFinder interface {
	// FindNotes returns up to limit notes, best first, in the folder under or, if that is empty, in the vault.
	// Protected, private and excluded notes are omitted.
	FindNotes(ctx context.Context, query, under string, limit int) ([]FoundNote, error)
	// Called returns the notes whose title or one of whose aliases is name, ignoring case, sorted by path.
	Called(ctx context.Context, name string) ([]string, error)
}

// FoundNote is a note that matches a question.
type FoundNote struct {
	Path    string `json:"path"` // actual path
	Line    int    `json:"line" jsonschema:"of the passage"`
	Heading string `json:"heading,omitempty" jsonschema:"the nearest one above the passage"`
	Passage string `json:"passage"` // verbatim from the note; empty if it has no text
	// Coverage is the fraction of the query that the note covers, from 0 to 1.
	Coverage float64 `json:"-"`
}

type findNotesArgs struct {
	Query      string `json:"query" nonempty:"true" jsonschema:"a question or a few words"`
	Path       string `json:"path,omitempty" jsonschema:"only this folder"`
	MaxResults int    `json:"max_results,omitempty" min:"1"`
}

// Limits of find_notes.
const (
	findResults     = 8
	findMaxResults  = 30
	findMaxQuery    = 400 // in bytes
	findMaxPassage  = 600
	findMaxAllBytes = 20_000
	findPoor        = 0.5 // coverage below which a note hardly answers
)

// retryAdvice is the advice after poor results.
const retryAdvice = "Ask once more in the words that the note itself would use: its likely title, names, technical terms"

// foundNotes is the data of find_notes.
type foundNotes struct {
	Notes []FoundNote `json:"notes" jsonschema:"best first"`
	Note  string      `json:"note,omitempty"`
}

var _ = define(definition{
	name:    "find_notes",
	output:  DataSchema[foundNotes],
	traits:  Traits{Verb: "looking for notes on", Did: "looked for notes on", Kind: CallSearches, Spare: true},
	short:   []Form{{About: "search the notes", Params: []Param{{"query", ""}}}},
	example: `{"query": "costs of the trip to Lisbon"}`,
	offered: func(_ Messenger, o Options) bool { return o.Finder != nil },
}, runFindNotes, func(a findNotesArgs) string {
	if a.Query == "" {
		return ""
	}
	target := "“" + wording.Shorten(wording.OneLine(a.Query), 80) + "”"
	if a.Path != "" {
		target += " in " + a.Path
	}
	return target
})

func runFindNotes(ctx context.Context, t *Turn, a findNotesArgs) Result {
	query := strings.TrimSpace(a.Query)
	if len(query) > findMaxQuery {
		return failf("query too long", `"query" has %d bytes; at most %d are allowed: ask in a sentence or a few words.`, len(query), findMaxQuery)
	}
	under := ""
	if a.Path != "" && a.Path != "." && a.Path != "/" {
		info, err := t.notes.Stat(ctx, a.Path)
		if err != nil {
			return failed("find_notes", err)
		}
		under = path.Clean(info.Path)
		if under == "." {
			under = ""
		}
	}
	l := listing.Bounded(a.MaxResults, findResults, findMaxResults, findMaxAllBytes)
	most := l.Most()
	found, err := t.options.Finder.FindNotes(ctx, query, under, most+1)
	switch {
	case ctx.Err() != nil:
		return stopped("find_notes")
	case err != nil:
		return failed("find_notes", err)
	case len(found) == 0:
		text := fmt.Sprintf("No notes match %s. %s; or use search_files for part of a word.", wording.Quote(wording.Shorten(wording.OneLine(query), 100)), retryAdvice)
		return Result{Text: text, Summary: "no notes", Data: foundNotes{Notes: []FoundNote{}, Note: text}}
	}
	more := len(found) > most
	found = found[:min(len(found), most)]
	var data foundNotes
	for _, f := range found {
		entry := "\n## " + wording.PlainName(f.Path) + "\n"
		if f.Heading != "" {
			f.Heading = wording.Shorten(wording.OneLine(f.Heading), 120)
			entry += "Under “" + f.Heading + "”\n"
		}
		continues := len(f.Passage) > findMaxPassage
		if f.Passage = wording.CutAt(f.Passage, findMaxPassage); f.Passage == "" {
			entry += "It has no text; its name, tags or properties match.\n"
		} else {
			for i, line := range strings.Split(f.Passage, "\n") {
				entry += fmt.Sprintf("Line %d: %s\n", f.Line+i, line)
			}
		}
		if continues {
			entry += "[... the passage continues]\n"
		}
		listing.AddTo(l, &data.Notes, f, "%s", entry)
	}
	text := fmt.Sprintf("Found %d note(s), best first:\n", l.Shown()) + l.String()
	last := ""
	if more || l.Full() {
		last = "\n\n[There are more; raise max_results or name a folder with path]"
	}
	if !slices.ContainsFunc(found, func(f FoundNote) bool { return f.Coverage >= findPoor }) {
		last += "\n\n[None fits well. " + retryAdvice + ".]"
	}
	data.Note = strings.TrimSpace(last)
	return Result{Text: text + last, Summary: wording.Counted(l.Shown(), "note"), Data: data}
}
