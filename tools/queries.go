package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"chatvault/internal/text"
	"chatvault/tools/wording"
	"chatvault/vault/query"
	"chatvault/vault/walk"
)

// queryStore answers questions about a whole vault; *vault.Vault is one.
type queryStore interface {
	Links(ctx context.Context, path string) (query.NoteLinks, error)
	LinkedFrom(ctx context.Context, path string) ([]string, error)
	UnresolvedLinks(ctx context.Context, s query.Scope) ([]query.Unresolved, query.Missed, error)
	Orphans(ctx context.Context, s query.Scope) ([]query.Orphan, query.Missed, error)
	Tags(ctx context.Context, s query.Scope) (query.TagCounts, error)
	Tagged(ctx context.Context, tag string, s query.Scope) ([]query.TaggedNote, query.Missed, error)
	Tasks(ctx context.Context, q query.TaskQuery) ([]query.NoteTasks, query.Missed, error)
	Properties(ctx context.Context, s query.Scope) (query.Properties, error)
	WithProperty(ctx context.Context, key string, value *string, s query.Scope) ([]query.NoteProperty, query.Missed, error)
}

// Bounds of what these tools list.
const (
	listingDefault  = 50
	listingMax      = 500
	listingMaxBytes = 30_000
	listingMaxLine  = 400 // of a line of a note, in bytes
)

// listing collects lines for a result of bounded size.
type listing struct {
	b     strings.Builder
	most  int // items
	bytes int
	shown int
	full  bool
	over  limits
}

func newListing(asked int) *listing {
	l := &listing{bytes: listingMaxBytes}
	l.most = l.over.take("max_results", cmp.Or(asked, listingDefault), listingMax)
	return l
}

// add takes in an item of one line or more; it is left out when the listing is full.
func (l *listing) add(format string, a ...any) (taken bool) {
	text := fmt.Sprintf(format, a...)
	if l.shown >= l.most || l.b.Len()+len(text) > l.bytes && l.shown > 0 {
		l.full = true
	}
	if l.full {
		return false
	}
	l.b.WriteString(text)
	l.shown++
	return true
}

// head takes in a line that is no item: it is left out with what it stands over.
func (l *listing) head(format string, a ...any) {
	if l.shown >= l.most {
		l.full = true
	}
	if !l.full {
		fmt.Fprintf(&l.b, format, a...)
	}
}

// text is the list, and of all items what is left out and how to have it.
func (l *listing) text(all int, noun, narrow string) string {
	return strings.TrimSuffix(l.b.String(), "\n") + l.leftOut(all, noun, narrow)
}

// leftOut says, of all items, what is left out and how to have it; "": nothing is.
func (l *listing) leftOut(all int, noun, narrow string) string {
	more := all - l.shown
	if more <= 0 {
		return ""
	}
	advice := narrow
	if l.most < listingMax && l.shown == l.most {
		advice = "raise max_results or " + narrow
	}
	return fmt.Sprintf("\n\n[%s; %s]", wording.Counted(more, "more "+noun), advice)
}

// result is the whole list after head, with what else there is to say.
func (l *listing) result(head string, all int, noun, narrow, more string, data func(note string) any) Result {
	return Result{
		Text: head + l.text(all, noun, narrow) + l.over.note() + more, Summary: wording.Counted(all, noun),
		Data: data(remarks(l.leftOut(all, noun, narrow), l.over.note(), more)),
	}
}

// remarks are the last lines of a result, as its data has them.
func remarks(lines ...string) string {
	var said []string
	for _, l := range lines {
		for _, part := range strings.Split(l, "\n\n") {
			if part = strings.Trim(strings.TrimSpace(part), "[]"); part != "" {
				said = append(said, part)
			}
		}
	}
	return strings.Join(said, "; ")
}

// missedText says, as the last lines of a result, what was not looked at.
func missedText(m query.Missed) string {
	return skippedText(m.Skipped) + leftOutText(m.Excluded, "looked at", "adds")
}

// lineText is a line of a note for a listing.
func lineText(s string) string { return wording.Shorten(wording.OneLine(s), listingMaxLine) }

// scopeTarget says which notes a question is about, for one line of a screen.
func scopeTarget(what string, s query.Scope) string {
	switch {
	case s.Path != "" && !isRoot(s.Path):
		what = strings.TrimSpace(what + " in " + s.Path)
	case s.Pattern != "":
		what = strings.TrimSpace(what + " in " + s.Pattern)
	}
	return what
}

// scopeName says in a sentence where was looked: "the vault", "Projects/", "files matching …".
func scopeName(s query.Scope) string {
	switch {
	case s.Path != "" && !isRoot(s.Path) && s.Pattern != "":
		return fmt.Sprintf("files matching %s in %s", wording.Quote(s.Pattern), wording.Quote(s.Path))
	case s.Path != "" && !isRoot(s.Path):
		return wording.Quote(s.Path)
	case s.Pattern != "":
		return "files matching " + wording.Quote(s.Pattern)
	}
	return "the vault"
}

// limits are the arguments of a call that were over their maximum, for the result to say.
type limits []string

// take is asked, or most where it is over it.
func (l *limits) take(argument string, asked, most int) int {
	if asked <= most {
		return asked
	}
	*l = append(*l, fmt.Sprintf("%s %s is over the maximum; %s was used", argument, text.Thousands(asked), text.Thousands(most)))
	return most
}

// note is a last line of a result that says so, or "".
func (l limits) note() string {
	if len(l) == 0 {
		return ""
	}
	return "\n\n[" + strings.Join(l, "; ") + "]"
}

// leftOutText says, as the last line of a result, that something was left out because Obsidian's
// settings exclude it, and how to have it all the same; "" where nothing was. It names none of it.
func leftOutText(l walk.LeftOut, done, does string) string {
	if !l.Any() {
		return ""
	}
	var what string
	switch {
	case l.Files == 0:
		what = wording.Counted(l.Folders, "folder")
	case l.Folders == 0:
		what = wording.Counted(l.Files, "file")
	default:
		what = wording.Counted(l.Folders, "folder") + " and " + wording.Counted(l.Files, "file")
	}
	were, them := "were", "them"
	if l.Files+l.Folders == 1 {
		were, them = "was", "it"
	}
	return "\n\n[" + what + " that Obsidian's settings exclude " + were + " not " + done + "; include_ignored " + does + " " + them + "]"
}
