package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chatvault/internal/atomicfile"
)

// maxFile bounds a configuration file that is edited, in bytes.
const maxFile = 64 << 20

// Written is what Write did.
type Written struct {
	File   string
	Backup string // what was there before; "": there was no file
	Same   bool   // the entry was there already, and nothing was written
}

// Write puts the server's entry into the program's file. What the file held before is kept beside it.
// A file that cannot be understood is left as it is.
func (c Client) Write(e Env, s Server, now time.Time) (Written, error) {
	w := Written{File: c.File(e)}
	if !c.Writes {
		return w, fmt.Errorf("the entry for %s is only printed: put it into %s yourself", c.Title, w.File)
	}
	if real, err := filepath.EvalSymlinks(w.File); err == nil {
		w.File = real // a link to where somebody keeps it stays one
	}
	dir := filepath.Dir(w.File)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return w, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return w, err
	}
	defer func() { _ = root.Close() }()
	name := filepath.Base(w.File)
	before, mode, err := readFile(root, name)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w, err
	}
	after, err := Set(before, append(slices.Clone(c.path), s.Name), c.entry(s))
	if err != nil {
		return w, fmt.Errorf("%s is left as it is: %w. Put the entry there yourself: chatvault mcp install %s prints it", w.File, err, c.Name)
	}
	if w.Same = bytes.Equal(before, after); w.Same {
		return w, nil
	}
	if there {
		w.Backup = w.File + ".before-chatvault-" + now.Format("20060102-150405")
		if err := atomicfile.WriteFile(root, filepath.Base(w.Backup), before, mode); err != nil {
			return w, err
		}
	}
	if now, _, err := readFile(root, name); !bytes.Equal(now, before) || there != (err == nil) {
		return w, fmt.Errorf("%s was changed by somebody else in this moment, and is left as it is: try again, best when %s does not run", w.File, c.Title)
	}
	return w, atomicfile.WriteFile(root, name, after, mode)
}

func readFile(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, 0o600, err
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", filepath.Join(root.Name(), name))
	case info.Size() > maxFile:
		return nil, 0, fmt.Errorf("%s is larger than %d MB", filepath.Join(root.Name(), name), maxFile>>20)
	}
	data, err := root.ReadFile(name)
	return data, info.Mode().Perm(), err
}
