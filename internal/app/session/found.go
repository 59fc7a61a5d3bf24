package session

import (
	"context"
	"strings"

	"chatvault/agent/smallmodel"
)

// Limits of what is found for a message.
const (
	foundNotes    = 3
	foundNamed    = 2        // notes named by the message
	namedBytes    = 64 << 10 // bytes read of such a note
	excerptBytes  = 1000     // bytes of excerpts for a change
	propertyBytes = 900      // bytes of excerpts for a question
)

// found returns passages of notes for a message to a small model, best first. Notes named in the message come first,
// with their relevant lines. A change needs no others, nor does a question that such a note covers.
func (a *Session) found(ctx context.Context, message string, change bool) smallmodel.Found {
	max := propertyBytes
	if change {
		max = excerptBytes
	}
	out := a.named(ctx, message, max)
	if named := out.Passages; len(named) > 0 && (change || len(named) == foundNamed || !smallmodel.Unmentioned(message, smallmodel.Words(strings.ToLower(smallmodel.Name(named[0].Path))), named[0].Full)) {
		return out
	}
	notes, err := a.finder.FindNotes(ctx, message, "", foundNotes)
	if err != nil {
		a.Log().Warn("no passages for a message", "error", err)
	}
	for i, n := range notes {
		head := a.head(ctx, n.Path)
		p := smallmodel.Passage{Path: n.Path, Line: n.Line, Heading: n.Heading, Text: n.Passage, Front: smallmodel.FrontMatter(head)}
		if i == 0 && !change {
			p.Text = smallmodel.Widen(p.Text, smallmodel.Excerpt(head, smallmodel.Name(n.Path), message, max))
		}
		out.Passages = append(out.Passages, p)
	}
	return out
}

// named returns the notes and folders named by a message.
func (a *Session) named(ctx context.Context, message string, max int) smallmodel.Found {
	var out smallmodel.Found
	var paths []string
	ignored := a.vault.Source().IgnoredFiles()
	for e, err := range a.vault.Source().Notes(ctx) {
		if err == nil && !ignored(e.Path) {
			paths = append(paths, e.Path)
		}
	}
	for _, p := range smallmodel.NamedIn(message, paths, foundNamed, max == propertyBytes) {
		if full := a.head(ctx, p); full != "" {
			out.Passages = append(out.Passages, smallmodel.Passage{Path: p, Line: 1, Text: smallmodel.Excerpt(full, smallmodel.Name(p), message, max), Full: full})
		}
	}
	out.Folders = smallmodel.FoldersIn(message, paths)
	return out
}

// head returns the beginning of a note, or "" if it cannot be read.
func (a *Session) head(ctx context.Context, path string) string {
	data, err := a.vault.Head(ctx, path, namedBytes)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(data), "")
}
