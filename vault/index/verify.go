package index

import (
	"context"
	"errors"
	"slices"
	"time"
)

// verifyEvery is the minimum interval at which, after a View, a comparison with the disk verifies that the system
// reports all changes.
const verifyEvery = 30 * time.Second

var errUnreported = errors.New("something changed without a notification from the system")

// due reports whether a verification is due. The caller must hold the gate.
func (x *Index) due() bool {
	return x.watch != nil && x.watch.Exact() && time.Since(x.verified) > verifyEvery
}

// verify checks in the background whether the disk has unreported changes, as some file systems cause, and then
// continues without the watcher. It does not delay Views.
func (x *Index) verify() {
	var root *Folder
	x.gate.hold(func() {
		if !x.viewed || x.root == nil || x.dirty.all || !x.due() {
			return
		}
		if _, err := x.refresh(x.ctx); err == nil && !x.dirty.all {
			root = x.root
		}
	})
	if root == nil {
		return
	}
	odd, linked := x.changedOnDisk(x.ctx, root)
	x.gate.lock()
	defer x.gate.unlock()
	x.viewed, x.verified = false, time.Now()
	if x.root == nil || x.stopReason != "" || x.watch == nil {
		return
	}
	if _, err := x.refresh(x.ctx); err != nil || x.root == nil {
		return
	}
	for _, w := range linked {
		x.dirty.add(Event{Folder: w.folder, Name: w.file.Name, Op: Modified})
	}
	if slices.ContainsFunc(odd, x.current) { // there was no event since either
		x.unwatch(errUnreported)
		_, _ = x.compare(x.ctx) // fails only if the index is closed
		return
	}
}

// changedOnDisk returns the files of root that differ on the disk; linked are files that have gained another name, which
// is not reported. New files are not checked: where the system reports changes of files, it also reports new names.
func (x *Index) changedOnDisk(ctx context.Context, root *Folder) (odd, linked []wanted) {
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
