package vault

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"chatvault/vault/vaulterr"
)

// Op is the operation of a request.
type Op uint8

// The operations.
const (
	OpWrite Op = iota + 1
	OpMkdir
	OpMove
	OpDelete
	OpRewrite
)

// Request is a requested change.
type Request struct {
	Op        Op
	Path      string
	NewPath   string   // OpMove: the complete new path
	Data      []byte   // OpWrite: the new content
	Section   *Section // OpWrite: what moves to another note
	IfHash    string   // OpWrite: the expected hash of the existing file, else KindChanged; "" means any
	New       bool     // OpWrite: the file must not exist, else KindExists
	Recursive bool     // OpDelete: delete a folder even if it is not empty

	Rewrites []Rewrite // OpRewrite: the files to write, each if it still has its old content
	Left     []Refusal // OpRewrite: files that the caller leaves unchanged, for Change.Refused

	partial bool // OpWrite: Data are the accepted parts of a planned content; OpRewrite: Rewrites are planned
}

// Plan is the preview of a change: its result and the state that it is based on. It holds no lock, so that the user
// can be asked about it.
type Plan struct {
	Change   Change   // Op is "" if there is nothing to do
	Before   *File    // overwrite: the current file; nil if it is too large to read
	Contents Contents // move, delete, and overwrite without Before: what exists now

	request Request // with true names
	print   string  // fingerprint of what exists; "" if nothing does
	direct  bool    // not shown to anyone, so that anything may have changed
}

// Size returns the current size, in bytes, of what is at the path of the change.
func (p *Plan) Size() int64 {
	if p.Before != nil {
		return int64(len(p.Before.Data))
	}
	return p.Contents.Bytes
}

// After returns the new content of a write.
func (p *Plan) After() []byte { return p.Change.Data }

// Less replaces the new content of a write, for example after the user accepted only parts of it.
func (p *Plan) Less(data []byte) { p.request.Data, p.request.partial = data, true }

// Idle reports whether the change has no effect: there is nothing to do, or the file already has the new content.
func (p *Plan) Idle() bool {
	return p.Change.Op == "" || p.Before != nil && bytes.Equal(p.Before.Data, p.Change.Data) && !p.Change.Gone
}

// Leave removes the files for which check returns an error from a plan that rewrites several, and names them in its
// change.
func (p *Plan) Leave(check func(Rewrite) error) {
	c := &p.Change
	c.Rewrites = slices.DeleteFunc(c.Rewrites, func(w Rewrite) bool {
		err := check(w)
		if err != nil {
			c.Refused = append(c.Refused, Refusal{Path: w.Path, Why: plainText(err)})
		}
		return err != nil
	})
	p.request.Rewrites = c.Rewrites
	if c.Op, c.Path = "", ""; len(c.Rewrites) > 0 {
		c.Op, c.Path, c.Many = "overwrite", c.Rewrites[0].Path, true
	}
}

// CommitCheck is called right before a change happens, so that it can be recorded. If it returns an error, the change
// does not happen. planned is the complete new content of a write, otherwise nil. It is called with the vault's
// change lock held: it may read the vault but must not change it.
type CommitCheck func(c Change, planned []byte) error

// Plan returns the change that a request would make now, or the error that it would cause.
func (v *Vault) Plan(ctx context.Context, r Request) (*Plan, error) {
	unlock, err := v.lockToChange(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	c, err := v.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	planned := &Plan{Change: c, request: r}
	if r.Op == OpRewrite {
		planned.request.Rewrites, planned.request.Left, planned.request.partial = c.Rewrites, nil, true // the others were not shown
		return planned, nil
	}
	planned.request.Path, planned.request.NewPath = planned.Change.Path, planned.Change.NewPath
	return planned, v.recordState(ctx, planned)
}

// recordState records the current state at the path of a planned change.
func (v *Vault) recordState(ctx context.Context, p *Plan) (err error) {
	switch p.Change.Op {
	case "overwrite":
		p.Before, err = v.Read(ctx, p.Change.Path)
		switch {
		case errors.Is(err, vaulterr.KindTooLarge):
		case err != nil:
			return err
		case p.request.IfHash != "" && p.Before.Hash != p.request.IfHash:
			return errPlanChanged(p.Change)
		default:
			p.print, p.request.IfHash = p.Before.Hash, p.Before.Hash
			return nil
		}
	case "move", "delete":
	default:
		return nil
	}
	p.Contents, err = v.contents(ctx, p.Change.Path)
	p.print = p.Contents.Print
	return err
}

// Commit performs a planned change. The error is KindChanged if the plan would be different now, or its basis has
// changed.
func (v *Vault) Commit(ctx context.Context, planned *Plan, check CommitCheck) (Change, error) {
	unlock, err := v.lockToChange(ctx)
	if err != nil {
		return Change{}, err
	}
	defer unlock()
	c, err := v.prepare(ctx, planned.request)
	if err != nil {
		return Change{}, err
	}
	if !planned.direct && planned.request.Op != OpRewrite { // of several files, each is checked alone
		if err := v.checkPlan(ctx, c, planned); err != nil {
			return Change{}, err
		}
	}
	refused := slices.Concat(planned.Change.Refused, c.Refused)
	c, err = v.perform(ctx, c, planned.request, check)
	c.Refused = refused
	return c, err
}

func (v *Vault) checkPlan(ctx context.Context, now Change, planned *Plan) error {
	was := planned.Change
	if now.Op != was.Op || now.Path != was.Path || now.NewPath != was.NewPath || !sameRewrites(now.Rewrites, was.Rewrites, planned.request.partial) {
		return errPlanChanged(was)
	}
	if planned.print == "" {
		return nil
	}
	c, err := v.contents(ctx, now.Path)
	if err == nil && c.Print != planned.print {
		err = errPlanChanged(was)
	}
	return err
}

// sameRewrites reports whether the same notes are changed as were shown or, if only parts of the change were accepted,
// only such notes.
func sameRewrites(a, b []Rewrite, partial bool) bool {
	if partial {
		return !slices.ContainsFunc(a, func(a Rewrite) bool {
			return !slices.ContainsFunc(b, func(b Rewrite) bool { return a.Path == b.Path && bytes.Equal(a.Before, b.Before) })
		})
	}
	return slices.EqualFunc(a, b, func(a, b Rewrite) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && bytes.Equal(a.Before, b.Before) && bytes.Equal(a.After, b.After)
	})
}

func errPlanChanged(c Change) error {
	return vaulterr.New(vaulterr.KindChanged, c.Path, "%s changed while the user was asked, so nothing was done. Read it again, then repeat the call.", vaulterr.Quote(c.Path))
}

// Do performs a change at once, like Plan and Commit without an interruption.
func (v *Vault) Do(ctx context.Context, r Request, check CommitCheck) (Change, error) {
	return v.Commit(ctx, &Plan{request: r, direct: true}, check)
}

// prepare plans a change. The caller must hold the change lock.
func (v *Vault) prepare(ctx context.Context, r Request) (Change, error) {
	switch r.Op {
	case OpWrite:
		return v.planWrite(ctx, r)
	case OpMkdir:
		return v.planMkdir(ctx, r.Path)
	case OpMove:
		return v.planMove(ctx, r)
	case OpRewrite:
		return v.planRewrites(ctx, r)
	}
	return v.planDelete(ctx, r)
}
