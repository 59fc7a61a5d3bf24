package fsys

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Walk visits an open folder and everything below it in the order of fs.WalkDir. in is the open folder that contains
// the entry. An error ends the walk, also that of a folder that cannot be read.
func Walk(ctx context.Context, root *os.Root, visit func(in *os.Root, name string, info fs.FileInfo) error) error {
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	f := NewFolders(root)
	defer f.Close()
	var enter func(folder string) error
	enter = func(folder string) error {
		var names []string
		err := f.With(folder, func(dir *os.Root) (err error) {
			names, err = ReadNames(dir)
			return err
		})
		if err != nil && !Vanished(err) {
			return err
		}
		slices.Sort(names)
		for _, base := range names {
			if err := ctx.Err(); err != nil {
				return err
			}
			name := path.Join(folder, base)
			var info fs.FileInfo
			err := f.With(folder, func(dir *os.Root) error {
				if info, _ = dir.Lstat(base); info == nil {
					return nil // it has just been removed
				}
				return visit(dir, name, info)
			})
			if err == nil && info != nil && info.IsDir() {
				err = enter(name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(root, ".", info); err != nil {
		return err
	}
	return enter(".")
}

// ReadNames returns the names in an open folder.
func ReadNames(dir *os.Root) ([]string, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.Readdirnames(-1)
}
