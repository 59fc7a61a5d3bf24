package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"chatvault/internal/atomicfile"
)

const stateFolder = ".smarthole"

// openState opens the vault's state folder, making it where it is missing. It is opened from
// the vault's own root, so that a link cannot lead our files out of the vault.
func openState(vaultDir string) (*os.Root, error) {
	dir := filepath.Join(vaultDir, stateFolder)
	root, err := os.OpenRoot(vaultDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	switch err := root.Mkdir(stateFolder, 0o700); {
	case err == nil:
		if err := atomicfile.SyncDir(root, "."); err != nil { // or a power cut takes it, and all in it
			return nil, fmt.Errorf("%s cannot be written durably: %w", dir, err)
		}
	case !errors.Is(err, fs.ErrExist):
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return nil, fmt.Errorf("this vault is read-only: chatvault keeps each message in %s until it is done, and may not make it\nMake the folder writable, or work on a copy; chatvault tool reads and searches the vault as it is", dir)
		}
		return nil, fmt.Errorf("cannot make %s, where chatvault keeps messages until they are done: %w", dir, err)
	}
	info, err := root.Lstat(stateFolder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder; chatvault keeps its state there. Move it away and try again", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := root.Chmod(stateFolder, 0o700); err != nil {
			return nil, fmt.Errorf("%s can be read by others and its mode cannot be changed: %w", dir, err)
		}
	}
	return root.OpenRoot(stateFolder)
}

// lookIntoState opens the vault's state folder as it is; nil: there is none.
func lookIntoState(vaultDir string) (*os.Root, error) {
	root, err := os.OpenRoot(vaultDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(stateFolder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder; chatvault keeps its state there. Move it away and try again", filepath.Join(vaultDir, stateFolder))
	}
	return root.OpenRoot(stateFolder)
}

// sweepState removes the temporary files that crashed writers left anywhere in the state folder;
// those of writers that live are left alone.
func sweepState(state *os.Root) error {
	return fs.WalkDir(state.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it went meanwhile
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		}
		_, err = atomicfile.SweepTemps(state, name)
		return err
	})
}
