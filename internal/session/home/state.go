// Package home is what the person's state folder holds of a vault: where it is, what is kept in it.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/statedir"
	"chatvault/internal/statefile"
	"chatvault/internal/trust"
)

// InVault is the folder in a vault that holds what its owner writes and reads: settings, prompts,
// commands, retrospections.
const InVault = trust.Folder

// Dirs are the folders in which the state of vaults is kept: with the person, not in the vault.
func Dirs() statedir.Dirs { return statedir.Dirs{Base: filepath.Join(config.StateDir(), "vaults")} }

// Open opens a vault's state folder, making it where it is missing.
func Open(vaultDir string) (*os.Root, error) { return Dirs().Open(vaultDir) }

// Look opens a vault's state folder as it is; fs.ErrNotExist where there is none.
func Look(vaultDir string) (*os.Root, error) { return Dirs().Look(vaultDir) }

// LookIfThere is Look; nil: there is none.
func LookIfThere(vaultDir string) (*os.Root, error) {
	root, err := Look(vaultDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// OpenHistory opens the folder in which a vault's history is kept: its state folder, or where the
// user wants that, one in the vault. What is unfinished is never there.
func OpenHistory(cfg *config.Config, vaultDir string, create bool) (*os.Root, error) {
	if !cfg.KeepsHistory(vaultDir) {
		return journalHome(vaultDir)(create)
	}
	vault, err := os.OpenRoot(vaultDir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = vault.Close() }()
	if create {
		if err := statefile.MakeFolder(vault, InVault); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(vault, InVault)
}

// AnswersFor are what the owner of a vault agreed to of what came with it.
func AnswersFor(vaultDir string) (*trust.Answers, func(), error) {
	state, err := LookIfThere(vaultDir)
	if err != nil || state == nil {
		return nil, func() {}, err
	}
	a, err := trust.Load(state)
	return a, func() { _ = state.Close() }, err
}

// AgreedSettings reports whether the owner agreed to what a vault's file of settings holds.
func AgreedSettings(vaultDir, name string, file []byte) bool {
	a, done, err := AnswersFor(vaultDir)
	defer done()
	return err == nil && a.Agreed(name, file)
}

// Sweep removes the temporary files that crashed writers left anywhere in the state folder;
// those of writers that live are left alone.
func Sweep(state *os.Root) error {
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

// chosenFile holds the model that /model chose for a vault, in its state folder: provider/model, or
// "offline". What comes with a vault may not say where its notes are sent.
const chosenFile = "model"

// ChosenModel is the model that was chosen for a vault; empty where none was.
func ChosenModel(vaultDir string) (string, error) {
	state, err := LookIfThere(vaultDir)
	if state == nil || err != nil {
		return "", err
	}
	defer func() { _ = state.Close() }()
	data, err := statefile.Read(state, chosenFile, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return config.ParseModelName(strings.TrimSpace(string(data)), filepath.Join(state.Name(), chosenFile))
}

// ChooseModel keeps the model that was chosen for a vault; an empty one forgets it.
func ChooseModel(state *os.Root, model string) error {
	if model == "" {
		return atomicfile.Remove(state, chosenFile)
	}
	if err := atomicfile.WriteFile(state, chosenFile, []byte(model+"\n"), 0o600); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(state.Name(), chosenFile), err)
	}
	return nil
}
