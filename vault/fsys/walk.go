package fsys

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Walk visits all that is in an open folder, itself first, as fs.WalkDir does: what is in a folder by
// name and right behind it. in is the open folder that holds it. fault is why the folder that was visited
// last cannot be read. An error ends the walk, but for fs.SkipDir, which leaves out what is in a folder.
func Walk(ctx context.Context, root *os.Root, visit func(in *os.Root, name string, info fs.FileInfo, fault error) error) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	f := NewFolders(root)
	defer f.Close()
	var enter func(folder string, info fs.FileInfo) error
	enter = func(folder string, info fs.FileInfo) error {
		dir, done, err := f.get(folder)
		var names []string
		if err == nil {
			names, err = ReadNames(dir)
			done()
		}
		if err != nil {
			if err := visit(nil, folder, info, err); err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
		}
		slices.Sort(names)
		for _, base := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			dir, done, err := f.get(folder)
			if err != nil {
				return err
			}
			info, err := dir.Lstat(base)
			if err != nil {
				done() // it went in this moment
				continue
			}
			name := path.Join(folder, base)
			err = visit(dir, name, info, nil)
			done()
			if err == nil && info.IsDir() {
				err = enter(name, info)
			}
			if err != nil && !errors.Is(err, fs.SkipDir) {
				return err
			}
		}
		return nil
	}
	if err := visit(root, ".", info, nil); err != nil {
		return err
	}
	return enter(".", info)
}

// ReadNames are the names in an open folder.
func ReadNames(dir *os.Root) ([]string, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.Readdirnames(-1)
}
