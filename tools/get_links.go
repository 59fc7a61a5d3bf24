package tools

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"chatvault/tools/listing"

	"chatvault/tools/wording"
	"chatvault/vault/query"
)

type getLinksArgs struct {
	Path       string `json:"path,omitempty" note:"true" jsonschema:"a note; for unresolved and orphans a note or folder"`
	Mode       string `json:"mode,omitempty" oneof:"outgoing,backlinks,unresolved,orphans" jsonschema:"default: outgoing and backlinks"`
	NoOutgoing bool   `json:"no_outgoing,omitempty" jsonschema:"orphans: only those without outgoing links"`
	Ignored    bool   `json:"include_ignored,omitempty" jsonschema:"also what Obsidian excludes"`
	MaxResults int    `json:"max_results,omitempty" min:"1" jsonschema:"default 50"`
}

// linksFound is the data of get_links, depending on the request.
type linksFound struct {
	Path       string           `json:"path,omitempty" jsonschema:"of the note whose links these are"`
	Outgoing   []outgoingLink   `json:"outgoing,omitempty"`
	Backlinks  []query.BackLink `json:"backlinks,omitempty"`
	Unresolved []unresolvedLink `json:"unresolved,omitempty" jsonschema:"most used first"`
	Orphans    []query.Orphan   `json:"orphans,omitempty"`
	Total      int              `json:"total" jsonschema:"including those left out"`
	Note       string           `json:"note,omitempty"`
}

type outgoingLink struct {
	Line    int    `json:"line"`
	Written string `json:"written"`
	Target  string `json:"target,omitempty" jsonschema:"absent: the file does not exist"`
}

type unresolvedLink struct {
	Target string   `json:"target"`
	Count  int      `json:"count" jsonschema:"how many notes have it"`
	Notes  []string `json:"notes" jsonschema:"the first of them"`
}

var getLinks = define(definition{
	name:     "get_links",
	shape:    reflect.TypeFor[linksFound](),
	traits:   Traits{Verb: "looking at links of", Kind: CallReads, Fold: Fold{"looked at links of", "looking at links of", "note", "notes"}},
	example:  `{"path": "Notes/a.md"}`,
	forms:    []form{{"mode", `{"mode": "unresolved"}`}},
	readOnly: true,
	spare:    true,
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
	switch a.Mode {
	case "unresolved":
		return t.unresolved(ctx, a)
	case "orphans":
		return t.orphans(ctx, a)
	default:
		if a.Path == "" {
			return failf("invalid arguments", `get_links needs "path" here. Use {"path": "Notes/a.md"} for the links of a note, or {"mode": "unresolved"} or {"mode": "orphans"} for the whole vault.`)
		}
		if a.NoOutgoing {
			return failf("invalid arguments", `no_outgoing works only with "mode": "orphans".`)
		}
		return t.linksOf(ctx, a)
	}
}

func (t *Turn) linksOf(ctx context.Context, a getLinksArgs) Result {
	found, err := t.vault.Links(ctx, a.Path)
	if err != nil {
		return failed("get_links", err)
	}
	var parts, told []string
	var l *listing.List
	var left string
	data := linksFound{Path: found.Path}
	if a.Mode != "backlinks" {
		l = listing.New(a.MaxResults)
		part, broken := outgoingText(found, l, &data)
		left = l.LeftOut(len(found.Out), "link", "read the note")
		data.Total += len(found.Out)
		parts = append(parts, part)
		told = append(told, fmt.Sprintf("%d out", len(found.Out)))
		if broken > 0 {
			told[0] += fmt.Sprintf(" (%d unresolved)", broken)
		}
	}
	if a.Mode != "outgoing" {
		l = listing.New(a.MaxResults)
		parts = append(parts, backlinksText(found, l, &data)+listing.SkippedText(found.Missed.Skipped))
		left += l.LeftOut(len(found.Back), "line", backlinksAdvice) + listing.SkippedText(found.Missed.Skipped)
		data.Total += len(found.Back)
		told = append(told, fmt.Sprintf("%d back", len(found.Back)))
	}
	data.Note = listing.Remarks(left, l.Over())
	return Result{
		Data:    data,
		Text:    fmt.Sprintf("Links of %s\n\n%s", wording.Quote(found.Path), strings.Join(parts, "\n\n")) + l.Over(),
		Summary: strings.Join(told, ", "),
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
			to = "nothing: no such file"
			broken++
		case found.Path:
			to = "this note"
		}
		if l.Add("Line %d: %s -> %s\n", o.Line, wording.Shorten(o.Written, listing.MaxLine), to) {
			data.Outgoing = append(data.Outgoing, outgoingLink{Line: o.Line, Written: wording.Shorten(o.Written, listing.MaxLine), Target: o.Target})
		}
	}
	head := fmt.Sprintf("Outgoing (%d):\n", len(found.Out))
	if broken > 0 {
		head = fmt.Sprintf("Outgoing (%d, %d unresolved):\n", len(found.Out), broken)
	}
	return head + l.Text(len(found.Out), "link", "read the note"), broken
}

const backlinksAdvice = "search_files for its name finds the others"

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
		if l.Add("Line %d: %s\n", b.Line, b.Text) {
			data.Backlinks = append(data.Backlinks, b)
		}
	}
	return fmt.Sprintf("Backlinks (%s in %s):\n", wording.Counted(len(found.Back), "line"), wording.Counted(files, "file")) +
		l.Text(len(found.Back), "line", backlinksAdvice)
}

func (t *Turn) unresolved(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	if a.NoOutgoing {
		return failf("invalid arguments", `no_outgoing works only with "mode": "orphans".`)
	}
	found, missed, err := t.vault.UnresolvedLinks(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	if len(found) == 0 {
		text := fmt.Sprintf("Every link in %s leads to a file.", listing.ScopeName(scope)) + listing.MissedText(missed)
		return Result{Text: text, Summary: "none", Data: linksFound{Note: text}}
	}
	data := linksFound{Total: len(found)}
	l := listing.New(a.MaxResults)
	for _, u := range found {
		if l.Add("%s: %s\n", wording.Shorten(wording.PlainName(u.Target), listing.MaxLine), listing.NotesText(u.Notes)) {
			data.Unresolved = append(data.Unresolved, unresolvedLink{Target: wording.Shorten(u.Target, listing.MaxLine), Count: len(u.Notes), Notes: u.Notes[:min(len(u.Notes), listing.NotesNamed)]})
		}
	}
	return listed(l, fmt.Sprintf("Found %d unresolved link target(s) in %s, most used first:\n\n", len(found), listing.ScopeName(scope)),
		len(found), "target", "name a folder with path", listing.MissedText(missed), &data.Note, &data)
}

func (t *Turn) orphans(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	found, missed, err := t.vault.Orphans(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	l := listing.New(a.MaxResults)
	all := 0
	data := linksFound{}
	for _, o := range found {
		line := wording.PlainName(o.Path)
		switch {
		case o.Out == 0:
		case a.NoOutgoing:
			continue
		default:
			line += fmt.Sprintf(" (links to others: %d)", o.Out)
		}
		if l.Add("%s\n", line) {
			data.Orphans = append(data.Orphans, o)
		}
		all++
	}
	data.Total = all
	what := "that no other file links to"
	if a.NoOutgoing {
		what = "without links to or from other files"
	}
	if all == 0 {
		text := fmt.Sprintf("There are no notes in %s %s.", listing.ScopeName(scope), what) + listing.MissedText(missed)
		return Result{Text: text, Summary: "none", Data: linksFound{Note: text}}
	}
	return listed(l, fmt.Sprintf("Found %d note(s) in %s %s:\n\n", all, listing.ScopeName(scope), what),
		all, "note", "name a folder with path", listing.MissedText(missed), &data.Note, &data)
}
