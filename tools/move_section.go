package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/note"
)

type moveSectionArgs struct {
	Path    string `json:"path" note:"strict" nonempty:"true"`
	Heading string `json:"heading,omitempty" jsonschema:"as in append_file; without it the whole note moves and is removed"`
	To      string `json:"to" nonempty:"true" jsonschema:"the other note; created if missing"`
}

var _ = define(definition{
	name:    "move_section",
	traits:  Traits{Verb: "moving a section of", Did: "moved a section of", Kind: CallEdits, Edits: true, Spare: true},
	example: `{"path": "Notes/a.md", "heading": "Ideas", "to": "Notes/Ideas.md"}`,
}, runMoveSection, func(a moveSectionArgs) string { return text.Join(" → ", text.Join("#", a.Path, a.Heading), a.To) })

func runMoveSection(ctx context.Context, t *Turn, a moveSectionArgs) Result {
	file, refused := t.readNote(ctx, "move_section", a.Path)
	if file == nil {
		return refused
	}
	if known := t.known.Hash(file.Path); known != "" && known != file.Hash {
		return changedOnDisk(file.Path)
	}
	given, err := t.noteNamed(ctx, a.To, true)
	if err != nil {
		return failed("move_section", err)
	}
	if _, err := t.notes.Stat(ctx, given); isKind(err, vault.KindNotFound) && !vault.IsNote(given) {
		given += ".md"
	}
	to, err := t.pathForWrite(ctx, given)
	if err != nil {
		return failed("move_section", err)
	}
	host := &vault.File{Path: to}
	if found, err := t.notes.Read(ctx, to); err == nil {
		host = found
	} else if !isKind(err, vault.KindNotFound) {
		return failed("move_section", err)
	}
	if !vault.IsNote(host.Path) || bytes.IndexByte(host.Data, 0) >= 0 {
		return failf("not a note", "%s is not a Markdown note (.md); a section cannot move there.", wording.Quote(host.Path))
	}
	moved, rest, lost, err := textedit.MoveSection(file.Data, file.Path, a.Heading, host.Data, host.Path, t.vault.Home().Form())
	if err != nil {
		return failf("not moved", "%s", err)
	}
	moved.To, moved.IfHash = to, host.Hash
	c, err := t.makeChange(ctx, vault.Request{Op: vault.OpWrite, Path: a.Path, Data: rest, IfHash: file.Hash, Section: &moved}, nil)
	if err != nil {
		return failed("move_section", err)
	}
	t.known.Made("moved a section of", c, linkCount(c))
	said := ""
	if c.Gone {
		said = fmt.Sprintf(" %s is removed.", wording.Quote(c.Path))
	}
	if len(lost) > 0 {
		said += fmt.Sprintf(" %s has other values for these properties of it, which are dropped: %s.", wording.Quote(c.NewPath),
			strings.Join(text.Of(lost, func(p note.Property) string { return propertyLine(p.Key, p.Value) }), "; "))
	}
	r := textf(text.Join(", ", "moved", linkCount(c)), "Moved %s to %s.%s", wording.Counted(bytes.Count(bytes.TrimSpace(moved.Text), []byte("\n"))+1, "line"), wording.Quote(c.NewPath), said).withNote(c)
	r.Text += placementNote(given, to)
	r.Diff = textedit.ResultDiff(c.Path, string(file.Data), string(c.Data))
	return r
}
