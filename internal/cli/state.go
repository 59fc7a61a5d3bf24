package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/statedir"
	"chatvault/internal/statefile"
	"chatvault/internal/trust"
)

// stateFolder is the folder in a vault that holds what its owner writes and reads: settings, prompts,
// commands, retrospections.
const stateFolder = trust.Folder

// states are the folders in which the state of vaults is kept: with the person, not in the vault.
func states() statedir.Dirs { return statedir.Dirs{Base: filepath.Join(config.StateDir(), "vaults")} }

// openState opens a vault's state folder, making it where it is missing.
func openState(vaultDir string) (*os.Root, error) { return states().Open(vaultDir) }

// lookState opens a vault's state folder as it is; fs.ErrNotExist where there is none.
func lookState(vaultDir string) (*os.Root, error) { return states().Look(vaultDir) }

// lookIntoState is lookState; nil: there is none.
func lookIntoState(vaultDir string) (*os.Root, error) {
	root, err := lookState(vaultDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// openHistory opens the folder in which a vault's history is kept: its state folder, or where the
// user wants that, one in the vault. What is unfinished is never there.
func openHistory(cfg *config.Config, vaultDir string, create bool) (*os.Root, error) {
	if !cfg.KeepsHistory(vaultDir) {
		if create {
			return openState(vaultDir)
		}
		return lookState(vaultDir)
	}
	vault, err := os.OpenRoot(vaultDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = vault.Close() }()
	if create {
		if err := statefile.MakeFolder(vault, stateFolder); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(vault, stateFolder)
}

// answersFor are what the owner of a vault agreed to of what came with it.
func answersFor(vaultDir string) (*trust.Answers, func(), error) {
	state, err := lookIntoState(vaultDir)
	if err != nil || state == nil {
		return nil, func() {}, err
	}
	a, err := trust.Load(state)
	return a, func() { _ = state.Close() }, err
}

// agreedSettings says whether the owner agreed to what a vault's config.toml holds.
func agreedSettings(vaultDir string, file []byte) bool {
	a, done, err := answersFor(vaultDir)
	defer done()
	return err == nil && a.Agreed(trust.Settings, file)
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
