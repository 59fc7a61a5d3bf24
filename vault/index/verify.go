package index

import (
	"context"
	"errors"
	"slices"
	"time"
)

// verifyEvery is how long at least what the system tells is relied on, once there was a View,
// before everything is looked at to see whether it told all.
const verifyEvery = 30 * time.Second

var errUntold = errors.New("something changed without a notification from the system")

// due reports whether what is known has to be verified; the gate is held.
func (x *Index) due() bool {
	return x.watch != nil && x.watch.Exact() && time.Since(x.verified) > verifyEvery
}

// verify looks whether the disk has anything that should have been told and was not, which some
// file systems do, and goes on without the watcher then. It is done in the background and holds
// up no View.
func (x *Index) verify() {
	var root *Folder
	x.gate.hold(func() {
		if !x.viewed || x.root == nil || x.dirty.all || !x.due() {
			return
		}
		if _, err := x.takeIn(x.ctx); err == nil && !x.dirty.all {
			root = x.root
		}
	})
	if root == nil {
		return
	}
	odd, linked := x.odd(x.ctx, root)
	x.gate.lock()
	defer x.gate.unlock()
	x.viewed, x.verified = false, time.Now()
	if x.root == nil || x.off != "" || x.watch == nil {
		return
	}
	if _, err := x.takeIn(x.ctx); err != nil || x.root == nil {
		return
	}
	for _, w := range linked {
		x.dirty.add(Event{Folder: w.folder, Name: w.file.Name, Op: Modified})
	}
	if slices.ContainsFunc(odd, x.current) { // nothing was told of it meanwhile either
		x.unwatch(errUntold)
		_, _ = x.compare(x.ctx) // it only fails when the index is closed
		return
	}
}

// odd are the files of root that are not on the disk as they are there; those that somebody gave
// another name, of which nothing tells, apart. What is on the disk and not in root is not looked
// for: where files are told of, so are names.
func (x *Index) odd(ctx context.Context, root *Folder) (odd, linked []wanted) {
	root.each("", func(path string, f *Folder) {
		if ctx.Err() != nil || f.Err != nil || len(f.Files) == 0 {
			return
		}
		dir, err := x.o.Disk.Open(path)
		if err != nil {
			return
		}
		defer dir.Close()
		for _, file := range f.Files {
			st, err := dir.Stat(file.Name)
			switch {
			case err == nil && st == file.Stat || !file.Known():
			case err == nil && st.Links > 1:
				linked = append(linked, wanted{folder: path, file: file})
			default:
				odd = append(odd, wanted{folder: path, file: file})
			}
		}
	})
	return odd, linked
}
