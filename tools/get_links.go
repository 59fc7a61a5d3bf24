package tools

import (
	"context"
	"fmt"
	"reflect"
	"strings"

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

// linksFound is what get_links gives, by what was asked for.
type linksFound struct {
	Path       string           `json:"path,omitempty" jsonschema:"of the note whose links these are"`
	Outgoing   []outgoingLink   `json:"outgoing,omitempty"`
	Backlinks  []backlink       `json:"backlinks,omitempty"`
	Unresolved []unresolvedLink `json:"unresolved,omitempty" jsonschema:"those of most notes first"`
	Orphans    []orphan         `json:"orphans,omitempty"`
	Total      int              `json:"total" jsonschema:"those left out included"`
	Note       string           `json:"note,omitempty"`
}

type outgoingLink struct {
	Line    int    `json:"line"`
	Written string `json:"written"`
	Target  string `json:"target,omitempty" jsonschema:"none: there is no such file"`
}

type backlink struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

type unresolvedLink struct {
	Target string   `json:"target"`
	Count  int      `json:"count" jsonschema:"of the notes with it"`
	Notes  []string `json:"notes" jsonschema:"the first of them"`
}

type orphan struct {
	Path string `json:"path"`
	Out  int    `json:"out" jsonschema:"its links to others"`
}

func (d *linksFound) noted(note string) any {
	d.Note = note
	return *d
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
		return scopeTarget(a.Mode, query.Scope{Path: a.Path})
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
			return failf("invalid arguments", `no_outgoing goes with "mode": "orphans" only.`)
		}
		return t.linksOf(ctx, a)
	}
}

func (t *Turn) linksOf(ctx context.Context, a getLinksArgs) Result {
	found, err := t.queries.Links(ctx, a.Path)
	if err != nil {
		return failed("get_links", err)
	}
	var parts, told []string
	var l *listing
	var left string
	data := linksFound{Path: found.Path}
	if a.Mode != "backlinks" {
		l = newListing(a.MaxResults)
		part, broken := outgoingText(found, l, &data)
		left = l.leftOut(len(found.Out), "link", "read the note")
		data.Total += len(found.Out)
		parts = append(parts, part)
		told = append(told, fmt.Sprintf("%d out", len(found.Out)))
		if broken > 0 {
			told[0] += fmt.Sprintf(" (%d unresolved)", broken)
		}
	}
	if a.Mode != "outgoing" {
		l = newListing(a.MaxResults)
		parts = append(parts, backlinksText(found, l, &data)+skippedText(found.Missed.Skipped))
		left += l.leftOut(len(found.Back), "line", backlinksAdvice) + skippedText(found.Missed.Skipped)
		data.Total += len(found.Back)
		told = append(told, fmt.Sprintf("%d back", len(found.Back)))
	}
	data.Note = remarks(left, l.over.note())
	return Result{
		Data:    data,
		Text:    fmt.Sprintf("Links of %s\n\n%s", wording.Quote(found.Path), strings.Join(parts, "\n\n")) + l.over.note(),
		Summary: strings.Join(told, ", "),
	}
}

// outgoingText lists the links in a note, and counts those that lead nowhere.
func outgoingText(found query.NoteLinks, l *listing, data *linksFound) (text string, broken int) {
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
		if l.add("Line %d: %s -> %s\n", o.Line, wording.Shorten(o.Written, listingMaxLine), to) {
			data.Outgoing = append(data.Outgoing, outgoingLink{Line: o.Line, Written: wording.Shorten(o.Written, listingMaxLine), Target: o.Target})
		}
	}
	head := fmt.Sprintf("Outgoing (%d):\n", len(found.Out))
	if broken > 0 {
		head = fmt.Sprintf("Outgoing (%d, %d unresolved):\n", len(found.Out), broken)
	}
	return head + l.text(len(found.Out), "link", "read the note"), broken
}

const backlinksAdvice = "search_files for its name finds the others"

// backlinksText lists the links to a file, by the files they stand in.
func backlinksText(found query.NoteLinks, l *listing, data *linksFound) string {
	if len(found.Back) == 0 {
		return "Backlinks: none. No other file links here."
	}
	files, last := 0, ""
	for _, b := range found.Back {
		if b.Path != last {
			files++
			last = b.Path
			l.head("\n## %s\n", wording.PlainName(b.Path))
		}
		if l.add("Line %d: %s\n", b.Line, lineText(b.Text)) {
			data.Backlinks = append(data.Backlinks, backlink{Path: b.Path, Line: b.Line, Text: lineText(b.Text)})
		}
	}
	return fmt.Sprintf("Backlinks (%s in %s):\n", wording.Counted(len(found.Back), "line"), wording.Counted(files, "file")) +
		l.text(len(found.Back), "line", backlinksAdvice)
}

func (t *Turn) unresolved(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	if a.NoOutgoing {
		return failf("invalid arguments", `no_outgoing goes with "mode": "orphans" only.`)
	}
	found, missed, err := t.queries.UnresolvedLinks(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	if len(found) == 0 {
		text := fmt.Sprintf("Every link in %s leads to a file.", scopeName(scope)) + missedText(missed)
		return Result{Text: text, Summary: "none", Data: linksFound{Note: text}}
	}
	data := linksFound{Total: len(found)}
	l := newListing(a.MaxResults)
	for _, u := range found {
		if l.add("%s: %s\n", wording.Shorten(wording.PlainName(u.Target), listingMaxLine), notesText(u.Notes)) {
			data.Unresolved = append(data.Unresolved, unresolvedLink{Target: wording.Shorten(u.Target, listingMaxLine), Count: len(u.Notes), Notes: u.Notes[:min(len(u.Notes), notesNamed)]})
		}
	}
	return l.result(fmt.Sprintf("Found %d unresolved link target(s) in %s, those of most notes first:\n\n", len(found), scopeName(scope)),
		len(found), "target", "name a folder with path", missedText(missed), data.noted)
}

// notesNamed is how many notes are named where they are only counted otherwise.
const notesNamed = 3

// notesText counts notes and names the first.
func notesText(paths []string) string {
	var names []string
	for _, p := range paths[:min(len(paths), notesNamed)] {
		names = append(names, wording.PlainName(p))
	}
	text := fmt.Sprintf("%s (%s", wording.Counted(len(paths), "note"), strings.Join(names, ", "))
	if more := len(paths) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ")"
}

func (t *Turn) orphans(ctx context.Context, a getLinksArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	found, missed, err := t.queries.Orphans(ctx, scope)
	if err != nil {
		return failed("get_links", err)
	}
	l := newListing(a.MaxResults)
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
		if l.add("%s\n", line) {
			data.Orphans = append(data.Orphans, orphan{Path: o.Path, Out: o.Out})
		}
		all++
	}
	data.Total = all
	what := "that no other file links to"
	if a.NoOutgoing {
		what = "without links to or from other files"
	}
	if all == 0 {
		text := fmt.Sprintf("There is no note in %s %s.", scopeName(scope), what) + missedText(missed)
		return Result{Text: text, Summary: "none", Data: linksFound{Note: text}}
	}
	return l.result(fmt.Sprintf("Found %d note(s) in %s %s:\n\n", all, scopeName(scope), what),
		all, "note", "name a folder with path", missedText(missed), data.noted)
}
