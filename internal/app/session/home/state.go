// Package home manages what the user's state folder holds of a vault.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/app/statedir"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/trust"
)

// InVault is the folder in a vault for files that its owner writes and reads: settings, prompts, commands,
// retrospections.
const InVault = trust.Folder

// Dirs returns the folders for the state of vaults, in the user's home rather than the vault.
func Dirs() statedir.Dirs { return statedir.Dirs{Base: filepath.Join(config.StateDir(), "vaults")} }

// Open opens a vault's state folder, creating it if it is missing.
func Open(vaultDir string) (*os.Root, error) { return Dirs().Open(vaultDir) }

// Look opens a vault's existing state folder. It returns fs.ErrNotExist if there is none.
func Look(vaultDir string) (*os.Root, error) { return Dirs().Look(vaultDir) }

// LookIfThere is like Look but returns nil if there is none.
func LookIfThere(vaultDir string) (*os.Root, error) {
	root, err := Look(vaultDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, err
}

// AnswersFor returns the owner's consent to files that came with a vault, and a function that closes it.
func AnswersFor(vaultDir string) (*trust.Answers, func(), error) {
	state, err := LookIfThere(vaultDir)
	if err != nil || state == nil {
		return &trust.Answers{}, func() {}, err
	}
	a, err := trust.Load(state)
	return a, func() { _ = state.Close() }, err
}

// AgreedSettings reports whether the owner consented to the content of a vault's settings file.
func AgreedSettings(vaultDir, name string, file []byte) bool {
	a, done, err := AnswersFor(vaultDir)
	defer done()
	return err == nil && a.Agreed(name, file)
}

// Sweep removes temporary files of crashed writers from the state folder, but not those of live writers.
func Sweep(state *os.Root) error {
	return fs.WalkDir(state.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed since
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

// chosenFile stores the model chosen by /model for a vault, in its state folder: provider/model, or "offline". A
// vault's own files must not decide where its notes are sent.
const chosenFile = "model"

// ChosenModel returns the model chosen for a vault, or "".
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
	return strings.TrimSpace(string(data)), nil
}

// ChooseModel stores the model chosen for a vault. An empty one removes the choice.
func ChooseModel(state *os.Root, model string) error {
	if model == "" {
		return atomicfile.Remove(state, chosenFile)
	}
	if err := atomicfile.WriteFile(state, chosenFile, []byte(model+"\n"), 0o600); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(state.Name(), chosenFile), err)
	}
	return nil
}
