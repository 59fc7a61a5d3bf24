package tools

import (
	"context"
	"fmt"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/query"
)

type getLinksArgs struct {
	Path       string `json:"path,omitempty" note:"true" jsonschema:"a note; for unresolved and orphans a note or folder"`
	Mode       string `json:"mode,omitempty" oneof:"outgoing,backlinks,unresolved,orphans" jsonschema:"default outgoing and backlinks"`
	Ignored    bool   `json:"include_ignored,omitempty"`
	MaxResults int    `json:"max_results,omitempty" min:"1"`
}

// linksFound is the data of get_links, depending on the mode.
type linksFound struct {
	Path       string             `json:"path,omitempty" jsonschema:"of the note with the outgoing links and backlinks"`
	Outgoing   []query.OutLink    `json:"outgoing,omitempty"`
	Backlinks  []query.BackLink   `json:"backlinks,omitempty"`
	Unresolved []query.Unresolved `json:"unresolved,omitempty" jsonschema:"most used first"`
	Orphans    []query.Orphan     `json:"orphans,omitempty"`
	remainder
}

var _ = define(definition{
	name:    "get_links",
	output:  DataSchema[linksFound],
	traits:  Traits{Verb: "looking at links of", Did: "looked at links of", Kind: CallReads, Spare: true},
	example: `{"path": "Notes/a.md"}`,
}, runGetLinks, func(a getLinksArgs) string {
	switch a.Mode {
	case "":
		return a.Path
	case "unresolved", "orphans":
		return listing.ScopeTarget(a.Mode, query.Scope{Path: a.Path})
	}
	return strings.TrimSpace(a.Path + " " + a.Mode)
})

func runGetLinks(ctx context.Context, t *Turn, a getLinksArgs) Result {
	switch {
	case a.Mode == "orphans":
		return t.orphans(ctx, a)
	case a.Mode == "unresolved":
		return t.unresolved(ctx, a)
	case a.Path == "":
		return failf("invalid arguments", `get_links needs "path" here. Use {"path": "Notes/a.md"} for the links of a note, or {"mode": "unresolved"} or {"mode": "orphans"} for the whole vault.`)
	}
	return t.linksOf(ctx, a)
}

func (t *Turn) linksOf(ctx context.Context, a getLinksArgs) Result {
	found, err := t.vault.Query.Links(ctx, a.Path)
	if err != nil {
		return failed("get_links", err)
	}
	var parts, told []string
	data := &linksFound{Path: found.Path}
	var l *listing.List
	if a.Mode != "backlinks" {
		l = listing.New(a.MaxResults)
		part, broken := outgoingText(found, l, data)
		parts = append(parts, part)
		told = append(told, fmt.Sprintf("%d out", len(found.Out)))
		if broken > 0 {
			told[0] += fmt.Sprintf(" (%d unresolved)", broken)
		}
	}
	if a.Mode != "outgoing" {
		l = listing.New(a.MaxResults)
		skipped := listing.SkippedText(found.Missed.Skipped)
		parts = append(parts, backlinksText(found, l, data)+skipped)
		data.Note += skipped
		told = append(told, fmt.Sprintf("%d back", len(found.Back)))
	}
	data.end(data.Total, data.Note)
	return Result{
		Text:    fmt.Sprintf("Links of %s\n\n%s", wording.Quote(found.Path), strings.Join(parts, "\n\n")),
		Summary: strings.Join(told, ", "), Data: data,
	}
}

// outgoingText lists a note's links and counts the broken ones.
func outgoingText(found query.NoteLinks, l *listing.List, data *linksFound) (text string, broken int) {
	if len(found.Out) == 0 {
		return "Outgoing: none.", 0
	}
	for _, o := range found.Out {
		to := wording.PlainName(o.Target)
		switch o.Target {
		case "":
			if to = "nothing: no such file"; strings.Contains(o.Written, "((") {
				to = "nothing: no such block"
			}
			broken++
		case found.Path:
			to = "this note"
		}
		if o.Lost {
			to += ", which has no such heading or block"
			broken++
		}
		o.Written = wording.Shorten(o.Written, listing.MaxLine)
		listing.AddTo(l, &data.Outgoing, o, "Line %d: %s -> %s\n", o.Line, o.Written, to)
	}
	head := fmt.Sprintf("Outgoing (%d):\n", len(found.Out))
	if broken > 0 {
		head = fmt.Sprintf("Outgoing (%d, %d unresolved):\n", len(found.Out), broken)
	}
	omitted := l.LeftOut(len(found.Out), "link", "read the note")
	data.end(len(found.Out), omitted)
	return head + l.String() + omitted, broken
}

// backlinksText lists the links to a file, by the files that contain them.
func backlinksText(found query.NoteLinks, l *listing.List, data *linksFound) string {
	if len(found.Back) == 0 {
		return "Backlinks: none. No other file links here."
	}
	files, last := 0, ""
	for _, b := range found.Back {
		if b.Path != last {
			files++
			last = b.Path
			l.Head("\n## %s\n", wording.PlainName(b.Path))
		}
		b.Text = listing.LineText(b.Text)
		listing.AddTo(l, &data.Backlinks, b, "Line %d: %s\n", b.Line, b.Text)
	}
	omitted := l.LeftOut(len(found.Back), "line", "search_files for its name finds the others")
	data.end(data.Total+len(found.Back), data.Note+omitted)
	return fmt.Sprintf("Backlinks (%s in %s):\n", wording.Counted(len(found.Back), "line"), wording.Counted(files, "file")) + l.String() + omitted
}

func (t *Turn) unresolved(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	found, missed, err := t.vault.Query.UnresolvedLinks(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	l := listing.New(a.MaxResults)
	var data linksFound
	for _, u := range found {
		notes := listing.NotesText(u.Notes)
		u.Target, u.Notes = wording.Shorten(u.Target, listing.MaxLine), u.Notes[:min(len(u.Notes), listing.NotesNamed)]
		listing.AddTo(l, &data.Unresolved, u, "%s: %s\n", wording.PlainName(u.Target), notes)
	}
	return listed(l, fmt.Sprintf("Found %d unresolved link target(s) in %s, most used first:\n\n", len(found), listing.ScopeName(scope)),
		fmt.Sprintf("Every link in %s leads to a file.", listing.ScopeName(scope)),
		len(found), "target", "name a folder with path", listing.MissedText(missed), &data)
}

func (t *Turn) orphans(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	found, missed, err := t.vault.Query.Orphans(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	l := listing.New(a.MaxResults)
	var data linksFound
	for _, o := range found {
		line := wording.PlainName(o.Path)
		if o.Out > 0 {
			line += fmt.Sprintf(" (links to others: %d)", o.Out)
		}
		listing.AddTo(l, &data.Orphans, o, "%s\n", line)
	}
	return listed(l, fmt.Sprintf("Found %d note(s) in %s that no other file links to:\n\n", len(found), listing.ScopeName(scope)),
		fmt.Sprintf("There are no notes in %s that no other file links to.", listing.ScopeName(scope)),
		len(found), "note", "name a folder with path", listing.MissedText(missed), &data)
}
