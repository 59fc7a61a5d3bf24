package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// toolOf returns the name of the tool whose call owns the context.
func toolOf(ctx context.Context) string { return vault.OriginOf(ctx).Tool }

// makeChange makes a change. With an Approver, the change is first planned, shown and approved; an impossible change fails
// before the user is asked. The approved plan is only committed if everything it was based on is unchanged. The user
// may accept parts of it if parts is not nil.
func (t *Turn) makeChange(ctx context.Context, r vault.Request, parts *partialWrite) (vault.Change, error) {
	final := false
	witness := func(vault.Change, []byte) error {
		final = true
		if r, ok := t.messenger.(Recorder); ok {
			return r.BeforeChange(ctx)
		}
		return nil
	}
	approver, ok := t.messenger.(Approver)
	if !ok || !approver.Consents() {
		c, err := t.notes.Do(ctx, r, witness)
		return c, t.asConflict(ctx, r, err, final)
	}
	plan, err := t.notes.Plan(ctx, r)
	switch {
	case err != nil:
		return vault.Change{}, t.asConflict(ctx, r, err, final)
	case plan.Change.Op == "":
		return plan.Change, nil
	}
	shown := false
	if !plan.Idle() {
		p := t.proposal(ctx, toolOf(ctx), plan)
		p.Pick = p.Pick && parts != nil
		consent, err := approve(ctx, approver, p)
		if err != nil {
			return vault.Change{}, err
		}
		if err := parts.take(p, consent, plan); err != nil {
			return vault.Change{}, err
		}
		shown = !consent.Unasked
	}
	c, err := t.notes.Commit(ctx, plan, witness)
	return c, t.asConflict(ctx, r, err, final || shown)
}

// asConflict converts a conflict error into one that allows repeating the same call. final reports whether the change
// had begun or was shown to the user.
func (t *Turn) asConflict(ctx context.Context, r vault.Request, err error, final bool) error {
	unread := r.Op == vault.OpWrite && r.IfHash == "" // a retry would overwrite content that was never read
	var e *vault.Error
	if r.New && errors.As(err, &e) && e.Kind == vault.KindExists {
		err = &vault.Error{Kind: vault.KindChanged, Path: e.Path, Text: "Another program created " + wording.Quote(e.Path) + " just now. Nothing was written; call " + toolOf(ctx) + " again."}
		unread = !TraitsOf(toolOf(ctx)).Adds
	}
	if final || unread || !isKind(err, vault.KindChanged) {
		return err
	}
	return conflictError{err}
}

// write is makeChange for a file with this hash; an empty ifHash allows any file or none.
func (t *Turn) write(ctx context.Context, path string, data []byte, ifHash string, parts *partialWrite) (vault.Change, error) {
	return t.makeChange(ctx, vault.Request{Op: vault.OpWrite, Path: path, Data: data, IfHash: ifHash}, parts)
}

// create is makeChange for a file that must not exist.
func (t *Turn) create(ctx context.Context, path string, data []byte) (vault.Change, error) {
	return t.makeChange(ctx, vault.Request{Op: vault.OpWrite, Path: path, Data: data, New: true}, nil)
}

// proposal converts a plan for the approver.
func (t *Turn) proposal(ctx context.Context, tool string, plan *vault.Plan) Proposal {
	c := plan.Change
	p := Proposal{Tool: tool, Path: c.Path, NewPath: c.NewPath, Folder: plan.Contents.Folder}
	switch c.Op {
	case "create":
		p.Kind = ChangeCreate
		p.Detail = text.Join("; ", "new file, "+wording.SizeText(int64(len(plan.After()))), madeFolders(c.Folders))
		p.show("", string(plan.After()))
	case "overwrite":
		if c.Many {
			p.many(ctx, c)
			break
		}
		p.Kind = ChangeOverwrite
		if traits := TraitsOf(tool); traits.Edits && !traits.Whole {
			p.Kind = ChangeEdit
		}
		p.replaces(plan.Before, plan.Size(), string(plan.After()))
		if p.NewPath, p.Rewrites = c.NewPath, linkRewrites(c.Rewrites); c.NewPath != "" { // nothing is lost
			p.Destructive, p.Detail = false, text.Join("; ", "moves a section to "+wording.PlainName(c.NewPath), madeFolders(c.Folders))
		}
		p.Unread = p.Kind == ChangeOverwrite && plan.Size() > 0 && !t.known.HasRead(c.Path)
	case "mkdir":
		p.Kind, p.Detail = ChangeFolder, madeFolders(c.Folders)
	case "move":
		p.Kind, p.Rewrites = ChangeMove, linkRewrites(c.Rewrites)
		p.Detail = text.Join("; ", contentsText(plan.Contents), madeFolders(c.Folders))
	case "delete":
		p.Kind, p.Destructive = ChangeDelete, true
		p.Detail = text.Join("; ", contentsText(plan.Contents), t.linkedText(ctx, c.Path), "to "+t.vault.Obsidian.TrashName())
		t.showDeleted(ctx, &p)
	}
	return p
}

// many describes a change of many notes.
func (p *Proposal) many(ctx context.Context, c vault.Change) {
	p.Kind, p.Path, p.Rewrites = ChangeEdit, "", linkRewrites(c.Rewrites)
	p.Detail = Target(p.Tool, vault.OriginOf(ctx).Arguments)
	if n := len(c.Refused); n > 0 {
		p.Detail += fmt.Sprintf("; %s left unchanged: %s", wording.Counted(n, "note"), text.Some(text.Of(c.Refused, func(r vault.Refusal) string { return wording.PlainName(r.Path) })))
	}
	p.Destructive = slices.ContainsFunc(c.Rewrites, func(w vault.Rewrite) bool {
		gone, all := textedit.LinesGone(string(w.Before), string(w.After))
		return 2*gone > all && vault.IsNote(w.Path) // in a canvas, which is one line, only links change
	})
}

// approve asks the approver. It returns a *refusal, or the error of ctx if that ended.
func approve(ctx context.Context, a Approver, p Proposal) (Consent, error) {
	c, err := a.Approve(ctx, p)
	switch {
	case ctx.Err() != nil:
		return Consent{}, ctx.Err()
	case err != nil:
		return Consent{}, &refusal{err}
	}
	return c, nil
}

// refusal is the error of a change that the user did not allow, worded for the model.
type refusal struct{ why error }

func (r *refusal) Unwrap() error { return r.why }

// DeniedSummary is the prefix of the summary of a call whose change was not allowed. The user's reason follows, if
// there is one.
const DeniedSummary = "denied"

func (r *refusal) summary() string {
	var d *Denied
	if !errors.As(r.why, &d) || d.Note == "" {
		return DeniedSummary
	}
	return DeniedSummary + ": “" + text.OneLine(d.Note) + "”"
}

func (r *refusal) Error() string {
	said, next := "The user denied this change.", "continue without it, or ask what they want instead."
	var d *Denied
	switch {
	case !errors.As(r.why, &d):
		said = "Not allowed: " + strings.TrimSuffix(r.why.Error(), ".") + "."
		next = "continue without it, and tell the user what you would have changed."
	case d.Note != "":
		said, next = "The user denied this change and said: “"+d.Note+"”", "do as the user says."
	}
	return said + " Nothing was changed. Do not try to do the same another way; " + next
}

// partialWrite is the outcome of a write that the user may accept in parts.
type partialWrite struct {
	before    string // previous content
	written   []byte // new content of the file; nil means all that was requested
	taken, of int    // number of parts
}

// take limits a plan to the hunks of its proposal that the user accepted.
func (w *partialWrite) take(p Proposal, c Consent, plan *vault.Plan) error {
	if c.Hunks == nil {
		return nil
	}
	if w == nil || !p.Pick {
		return &refusal{&Denied{}}
	}
	hunks := slices.Clone(c.Hunks)
	slices.Sort(hunks)
	hunks = slices.DeleteFunc(slices.Compact(hunks), func(i int) bool { return i < 0 || i >= len(p.Prose.Hunks) })
	switch len(hunks) {
	case 0:
		return &refusal{&Denied{}}
	case len(p.Prose.Hunks):
		return nil
	}
	w.taken, w.of = len(hunks), len(p.Prose.Hunks)
	w.before, w.written = p.Prose.Apply(nil), []byte(p.Prose.Apply(hunks))
	plan.Less(w.written)
	return nil
}

// result tells the model which parts of a write were accepted and which were rejected.
func (w *partialWrite) result(c vault.Change, after string) Result {
	r := textf(fmt.Sprintf("%d of %d parts", w.taken, w.of), "The user accepted %d of the %d parts of this change. %s now has these (%s), and none of the others.",
		w.taken, w.of, wording.Quote(c.Path), wording.SizeText(int64(len(w.written)))).withNote(c)
	r.Text += "\n\n" + textedit.ResultDiff(c.Path, w.before, string(w.written)) +
		"\n\nThe user rejected these parts. Do not try to make them another way; if they matter, ask why.\n\n" +
		textedit.ResultDiff(c.Path, string(w.written), after)
	return r
}

// replaces describes a changed file. before is nil if the file is too large to be shown.
func (p *Proposal) replaces(before *vault.File, size int64, after string) {
	if before == nil || bytes.IndexByte(before.Data, 0) >= 0 {
		what := "a file that is not text"
		if before == nil {
			what = "a file too large to show"
		}
		p.Destructive = size > 0
		p.Detail = fmt.Sprintf("%s (%s) becomes %s of text", what, wording.SizeText(size), wording.SizeText(int64(len(after))))
		p.show("", after)
		return
	}
	if p.Kind == ChangeOverwrite {
		p.Detail = wording.SizeText(size) + " become " + wording.SizeText(int64(len(after)))
	}
	gone, all := textedit.LinesGone(string(before.Data), after)
	if p.Destructive = 2*gone > all; p.Destructive {
		p.Detail = text.Join("; ", p.Detail, fmt.Sprintf("removes %d of %s", gone, wording.Counted(all, "line")))
	}
	p.show(string(before.Data), after)
}

// show sets the diffs. The detail, which is shown first, mentions incomplete ones.
func (p *Proposal) show(before, after string) {
	p.Diff = textedit.TextDiff(p.Path, before, after)
	var whole bool
	p.Prose, whole = textedit.Prose(before, after)
	p.Pick = whole && before != "" && len(p.Prose.Hunks) > 1
	if !whole {
		p.Detail = text.Join("; ", p.Detail, "too long to be shown whole")
	}
}

// linkedText describes which notes link to a deleted one, or returns "" if none do.
func (t *Turn) linkedText(ctx context.Context, path string) string {
	notes, err := t.vault.Query.LinkedFrom(ctx, path)
	if err != nil || len(notes) == 0 { // the deletion can be described without them
		return ""
	}
	return "linked from " + wording.Counted(len(notes), "note") + ": " + text.Some(text.Of(notes, wording.PlainName))
}

// showDeleted shows the text of a deleted note.
func (t *Turn) showDeleted(ctx context.Context, p *Proposal) {
	if p.Folder {
		return
	}
	f, err := t.notes.Read(ctx, p.Path)
	if err != nil || len(f.Data) == 0 || bytes.IndexByte(f.Data, 0) >= 0 {
		return
	}
	p.show(string(f.Data), "")
	p.Pick = false
}

// contentsText describes what is moved or deleted.
func contentsText(c vault.Contents) string {
	if !c.Folder {
		return "file, " + wording.ExactSize(c.Bytes)
	}
	said := "folder with " + wording.Counted(c.Notes, "note")
	if len(c.Names) > 0 { // the first, to identify it
		said += " (" + text.Some(text.Of(c.Names, wording.PlainName)) + ")"
	}
	if c.Files == 0 && c.Folders == 0 {
		said = "empty folder"
	}
	if other := c.Files - c.Notes; other > 0 {
		said += ", " + wording.Counted(other, "other file")
	}
	if c.Folders > 0 {
		said += ", " + wording.Counted(c.Folders, "folder")
	}
	if c.Files > 0 {
		said += ", " + wording.ExactSize(c.Bytes)
	}
	return said
}

// madeFolders describes the folders created for a change, or returns "" if there are none.
func madeFolders(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return "creates the folder " + wording.PlainName(path.Clean(folders[len(folders)-1]))
}
