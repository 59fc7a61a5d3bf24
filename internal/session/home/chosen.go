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
	"chatvault/internal/statefile"
)

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
