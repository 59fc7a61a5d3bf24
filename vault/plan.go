package vault

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"chatvault/vault/failure"
)

// Op is what a request asks for.
type Op uint8

// The operations.
const (
	OpWrite Op = iota + 1
	OpMkdir
	OpMove
	OpDelete
)

// Request is a change that is asked for.
type Request struct {
	Op        Op
	Path      string
	NewPath   string   // OpMove: the whole new path
	Data      []byte   // OpWrite: the new content
	IfHash    string   // OpWrite: the file must be there and have this hash, unless empty; else KindChanged
	New       bool     // OpWrite: the file must not be there; else KindExists
	Recursive bool     // OpDelete: also a folder that is not empty
	Links     LinkMode // OpMove: what is done about links
}

// Plan is a change that was worked out and did not happen: what will be, and what it was worked out
// from. Nothing is held for it, so that somebody can be asked about it.
type Plan struct {
	Change   Change   // Op is empty where there is nothing to do
	Before   *File    // overwrite: what is there; nil where it is too large to be read
	Contents Contents // move, delete, and overwrite where Before is nil: what is there

	request Request // by the true names
	print   string  // of what is there; empty: nothing is yet
}

// Size is how many bytes there are now at the path of the change.
func (p *Plan) Size() int64 {
	if p.Before != nil {
		return int64(len(p.Before.Data))
	}
	return p.Contents.Bytes
}

// After is what a write puts there.
func (p *Plan) After() []byte { return p.request.Data }

// Less lets a write put less there than was asked for: a part of what the plan shows.
func (p *Plan) Less(data []byte) { p.request.Data = data }

// Idle reports whether a change has no effect: there is nothing to do, or it writes what is there.
func (p *Plan) Idle() bool {
	return p.Change.Op == "" || p.Before != nil && bytes.Equal(p.Before.Data, p.request.Data)
}

// CommitCheck is told of a change right before it happens, so that it can be noted down; its error keeps
// the change from happening. planned is the whole new content of a write, nil for everything else.
// The vault's change lock is held: a witness may read the vault and must not change it.
type CommitCheck func(c Change, planned []byte) error

// Plan works a change out as it would happen now. Its error is why it cannot.
func (v *Vault) Plan(ctx context.Context, r Request) (*Plan, error) {
	planned := &Plan{request: r}
	err := v.locked(ctx, func() error {
		p, err := v.plan(ctx, r)
		if err != nil {
			return err
		}
		p.end()
		planned.Change = p.change
		planned.request.Path, planned.request.NewPath = p.change.Path, p.change.NewPath
		return v.see(ctx, planned)
	})
	if err != nil {
		return nil, err
	}
	return planned, nil
}

// see notes what is at the path of a planned change.
func (v *Vault) see(ctx context.Context, p *Plan) (err error) {
	switch p.Change.Op {
	case "overwrite":
		p.Before, err = v.Read(ctx, p.Change.Path)
		switch {
		case errors.Is(err, failure.KindTooLarge):
		case err != nil:
			return err
		case p.request.IfHash != "" && p.Before.Hash != p.request.IfHash:
			return changedMeanwhile(p.Change)
		default:
			p.print, p.request.IfHash = p.Before.Hash, p.Before.Hash
			return nil
		}
	case "move", "delete":
	default:
		return nil
	}
	p.Contents, err = v.Contents(ctx, p.Change.Path)
	p.print = p.Contents.Print
	return err
}

// Commit has a planned change happen, if it would still be as planned, and what it was worked out
// from is as it was; else it is KindChanged.
func (v *Vault) Commit(ctx context.Context, planned *Plan, tell CommitCheck) (Change, error) {
	return v.apply(ctx, tell, func() (*plan, error) {
		p, err := v.plan(ctx, planned.request)
		if err != nil {
			return nil, err
		}
		if err := v.asPlanned(ctx, p.change, planned); err != nil {
			p.end()
			return nil, err
		}
		return p, nil
	})
}

func (v *Vault) asPlanned(ctx context.Context, now Change, planned *Plan) error {
	was := planned.Change
	if now.Op != was.Op || now.Path != was.Path || now.NewPath != was.NewPath || !sameRewrites(now.Rewrites, was.Rewrites) {
		return changedMeanwhile(was)
	}
	if planned.print == "" {
		return nil
	}
	c, err := v.Contents(ctx, now.Path)
	if err == nil && c.Print != planned.print {
		err = changedMeanwhile(was)
	}
	return err
}

func sameRewrites(a, b []Rewrite) bool {
	return slices.EqualFunc(a, b, func(a, b Rewrite) bool {
		return a.Path == b.Path && a.NewPath == b.NewPath && bytes.Equal(a.Before, b.Before) && bytes.Equal(a.After, b.After)
	})
}

func changedMeanwhile(c Change) error {
	return failure.New(failure.KindChanged, c.Path, "%s changed while the user was asked, so nothing was done. Read it again, then repeat the call.", failure.Quote(c.Path))
}

// Do has a change happen at once: it is Plan and Commit while nobody else changes anything.
func (v *Vault) Do(ctx context.Context, r Request, tell CommitCheck) (Change, error) {
	return v.apply(ctx, tell, func() (*plan, error) { return v.plan(ctx, r) })
}

// plan works a change out, with the change lock held.
func (v *Vault) plan(ctx context.Context, r Request) (*plan, error) {
	switch r.Op {
	case OpWrite:
		return v.planWrite(ctx, r)
	case OpMkdir:
		return v.planMkdir(ctx, r.Path)
	case OpMove:
		return v.planMove(ctx, r)
	}
	return v.planDelete(ctx, r)
}
