package index

import (
	"context"
	"errors"

	"chatvault/vault/fsys"
)

// collect adds the watcher's events to dirty and reports whether there were any. The caller must hold x.mu.
func (x *Index) collect() bool {
	if x.watch == nil || x.root == nil {
		return false
	}
	some := false
	err := x.watch.Drain(func(e Event) {
		e.Name = fsys.DownloadedName(e.Name)
		if e.Name != "" && !x.o.Visible(e.Folder, e.Name) {
			if e.Op &= Self; e.Op == 0 {
				return
			}
			e.Name = ""
		}
		some = true
		x.dirty.add(e)
	})
	if err != nil {
		x.unwatch(err)
	}
	return some
}

// rounds limits how often moved folders may require another round.
const rounds = 8

var errTwoPlaces = errors.New("a folder is in two places at once")

// applyAll reads everything that changed. The caller must hold x.mu.
func (x *Index) applyAll(ctx context.Context) error {
	for round := 0; !x.dirty.empty() && !x.dirty.all; round++ {
		if round == rounds {
			x.unwatch(errTwoPlaces)
			x.dirty = pending{}
			return nil // from now on each View compares everything
		}
		if err := x.apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// apply is one round of applyAll. Another one is needed if a folder was known by another path.
func (x *Index) apply(ctx context.Context) error {
	s := &scan{x: x, ctx: ctx, touched: x.dirty.folders}
	x.dirty = pending{}
	root, err := s.root()
	if err != nil {
		if ctx.Err() != nil {
			x.dirty.everything() // the events were taken
		}
		return err
	}
	x.setRoot(root)
	return nil
}
