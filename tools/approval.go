package tools

import (
	"context"
	"errors"
	"strings"

	"chatvault/vault"
)

// gate is a vault whose changes happen only when the approver lets them. What a call cannot do
// fails before anybody is asked. What was shown is what happens: a change is made only while
// everything it was worked out from is still as it was. The tools know nothing of it.
type gate struct {
	noteStore
	approver Approver
	hasRead  func(name string) bool // whether the turn has read a note
}

// gated puts the gate before a vault where the messenger is an Approver.
func gated(notes noteStore, m Messenger, hasRead func(string) bool) noteStore {
	if a, ok := m.(Approver); ok {
		return &gate{notes, a, hasRead}
	}
	return notes
}

// toolOf is the tool in whose call the vault is used.
func toolOf(ctx context.Context) string { return vault.OriginOf(ctx).Tool }

// Write asks before a file is created or written over.
func (g *gate) Write(ctx context.Context, path string, data []byte, ifHash string) (vault.Change, error) {
	s, err := g.workOut(ctx, func(ctx context.Context) error {
		_, err := g.noteStore.Write(ctx, path, data, ifHash)
		return err
	})
	if err != nil {
		return vault.Change{}, err
	}
	p := Proposal{Tool: toolOf(ctx), Kind: ChangeCreate, Path: s.change.Path}
	if s.change.Op == "overwrite" {
		before, err := g.before(ctx, &s, ifHash)
		if err != nil {
			return vault.Change{}, err
		}
		if before != nil && string(before.Data) == string(data) {
			return g.noteStore.Write(ctx, s.change.Path, data, s.print) // it takes nothing and brings nothing
		}
		p.replaces(before, s.size, string(data))
		p.Unread = p.Kind == ChangeOverwrite && s.size > 0 && !g.hasRead(s.change.Path)
		p.Pick = p.Pick && piecesOf(ctx) != nil
		if before != nil {
			ifHash = s.print
		}
	} else {
		p.creates(string(data), s.change.Folders)
	}
	consent, err := g.approve(ctx, p)
	if err == nil {
		data, err = piecesOf(ctx).take(p, consent, data)
	}
	if err != nil {
		return vault.Change{}, err
	}
	return g.noteStore.Write(g.asShown(ctx, s), s.change.Path, data, ifHash)
}

// before reads what a write will replace; nil where it is too large to be shown.
func (g *gate) before(ctx context.Context, s *shown, ifHash string) (*vault.File, error) {
	f, err := g.Read(ctx, s.change.Path)
	if isKind(err, vault.KindTooLarge) {
		return nil, g.look(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	if ifHash != "" && f.Hash != ifHash {
		return nil, changedMeanwhile(s.change)
	}
	s.print, s.size = f.Hash, int64(len(f.Data))
	return f, nil
}

// Mkdir asks before a folder is made.
func (g *gate) Mkdir(ctx context.Context, path string) (name string, created bool, err error) {
	s, err := g.workOut(ctx, func(ctx context.Context) error {
		name, created, err = g.noteStore.Mkdir(ctx, path)
		return err
	})
	if err != nil || s.change.Op == "" {
		return name, created, err // there is nothing to make
	}
	p := Proposal{Tool: toolOf(ctx), Kind: ChangeFolder, Path: s.change.Path, Detail: madeFolders(s.change.Folders)}
	if _, err := g.approve(ctx, p); err != nil {
		return "", false, err
	}
	return g.noteStore.Mkdir(g.asShown(ctx, s), s.change.Path)
}

// Move asks before something gets another name.
func (g *gate) Move(ctx context.Context, source, destination string) (vault.Change, error) {
	s, err := g.workOut(ctx, func(ctx context.Context) error {
		_, err := g.noteStore.Move(ctx, source, destination)
		return err
	})
	if err == nil {
		err = g.look(ctx, &s)
	}
	if err != nil {
		return vault.Change{}, err
	}
	p := Proposal{
		Tool: toolOf(ctx), Kind: ChangeMove, Path: s.change.Path, NewPath: s.change.NewPath,
		Detail: joined(contentsText(s.contents), madeFolders(s.change.Folders)),
		Folder: s.contents.Folder, Rewrites: linkRewrites(s.change.Rewrites),
	}
	if _, err := g.approve(ctx, p); err != nil {
		return vault.Change{}, err
	}
	return g.noteStore.Move(g.asShown(ctx, s), s.change.Path, s.change.NewPath)
}

// Delete asks before something goes to the trash.
func (g *gate) Delete(ctx context.Context, path string, recursive bool) (vault.Change, error) {
	s, err := g.workOut(ctx, func(ctx context.Context) error {
		_, err := g.noteStore.Delete(ctx, path, recursive)
		return err
	})
	if err == nil {
		err = g.look(ctx, &s)
	}
	if err != nil {
		return vault.Change{}, err
	}
	p := Proposal{
		Tool: toolOf(ctx), Kind: ChangeDelete, Path: s.change.Path, Destructive: true, Folder: s.contents.Folder,
		Detail: joined(contentsText(s.contents), "to "+g.TrashName()),
	}
	if _, err := g.approve(ctx, p); err != nil {
		return vault.Change{}, err
	}
	return g.noteStore.Delete(g.asShown(ctx, s), s.change.Path, recursive)
}

// shown is a change that was worked out, and what it was worked out from.
type shown struct {
	change   vault.Change
	contents vault.Contents // move, delete, and a file too large to read
	print    string         // of what is changed; empty: nothing is there yet
	size     int64
}

// errShown ends a change that is only to be worked out.
var errShown = errors.New("worked out")

// workOut works a change out as the vault itself does, and keeps it from happening. Where the
// vault finds nothing to do, the change is empty.
func (g *gate) workOut(ctx context.Context, change func(context.Context) error) (s shown, err error) {
	s.change, err = workOut(ctx, change)
	return s, err
}

func workOut(ctx context.Context, change func(context.Context) error) (c vault.Change, err error) {
	err = change(vault.WithCheck(ctx, func(worked vault.Change) error {
		c = worked
		return errShown
	}))
	if errors.Is(err, errShown) {
		err = nil
	}
	return c, err
}

// look notes what is at the path of a change.
func (g *gate) look(ctx context.Context, s *shown) (err error) {
	s.contents, err = g.Contents(ctx, s.change.Path)
	s.print, s.size = s.contents.Print, s.contents.Bytes
	return err
}

// asShown lets a change happen only as it was shown, and while what it changes is as it was.
func (g *gate) asShown(ctx context.Context, s shown) context.Context {
	return vault.WithCheck(ctx, func(now vault.Change) error {
		if now.Op != s.change.Op || now.Path != s.change.Path || now.NewPath != s.change.NewPath || !sameRewrites(now.Rewrites, s.change.Rewrites) {
			return changedMeanwhile(s.change)
		}
		if s.print == "" {
			return nil
		}
		switch c, err := g.Contents(ctx, now.Path); {
		case err != nil:
			return err
		case c.Print != s.print:
			return changedMeanwhile(s.change)
		}
		return nil
	})
}

func changedMeanwhile(c vault.Change) error {
	return &vault.Error{
		Kind: vault.KindChanged, Path: c.Path,
		Text: quote(c.Path) + " changed while the user was asked, so nothing was done. Look at it again, then repeat the call.",
	}
}

// approve asks the approver. The refusal is a *refusal, or the error of ctx where that ended.
func (g *gate) approve(ctx context.Context, p Proposal) (Consent, error) {
	c, err := g.approver.Approve(ctx, p)
	switch {
	case ctx.Err() != nil:
		return Consent{}, ctx.Err()
	case err != nil:
		return Consent{}, &refusal{err}
	}
	return c, nil
}

// refusal is a change that was not allowed, as the model is told of it.
type refusal struct{ why error }

func (r *refusal) Unwrap() error { return r.why }

func (r *refusal) Error() string {
	var d *Denied
	if !errors.As(r.why, &d) {
		why := strings.TrimSuffix(r.why.Error(), ".")
		return "Not allowed: " + why + ". Nothing was changed. Do not try to reach the same in another way; " +
			"go on without it, and tell the user what you would have changed."
	}
	if d.Note == "" {
		return "The user denied this change. Nothing was changed. Do not try to reach the same in another way; " +
			"go on without it, or ask what they want instead."
	}
	return "The user denied this change and said: “" + d.Note + "” Nothing was changed. " +
		"Do not try to reach the same in another way; do as the user says."
}
