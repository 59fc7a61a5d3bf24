package home

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

// ownFiles are what an owner writes or reads in a vault's .smarthole. All else there is state of an older chatvault
// or of another program and is left alone.
var ownFiles = []string{"config.toml", "settings.toml", "prompts", "commands", "retrospection.md"}

// historyFiles are also there if history is kept in the vault.
var historyFiles = []string{"artifacts", "conversations", "conversations.lock", "journal"}

// LeftBehind returns the names of foreign state in a vault, sorted.
func LeftBehind(cfg *config.Config, vault *os.Root) ([]string, error) {
	entries, err := trust.NewBudget().List(vault, InVault)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known := ownFiles
	if cfg.KeepsHistory(vault.Name()) {
		known = slices.Concat(ownFiles, historyFiles)
	}
	var left []string
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(known, name) || strings.EqualFold(path.Ext(name), ".md") || name == ".gitignore" || atomicfile.IsTemp(name) {
			continue
		}
		left = append(left, name)
	}
	slices.Sort(left)
	return left, nil
}

// reportedFile records which foreign state in the vault was reported: each is reported once.
const reportedFile = "left-told"

// LeftOnce returns a sentence about foreign state in the vault, or "" if there is none or it was reported before. It
// returns an error if the report cannot be recorded.
func LeftOnce(cfg *config.Config, vault, state *os.Root) (said string, err error) {
	left, err := LeftBehind(cfg, vault)
	if err != nil {
		return err.Error(), nil //nolint:nilerr // the sentence is the result
	}
	if len(left) == 0 {
		return "", nil
	}
	sum := sha256.Sum256([]byte(strings.Join(left, "\x00")))
	now := hex.EncodeToString(sum[:8])
	if was, err := statefile.Read(state, reportedFile, 1<<10); err == nil && string(was) == now {
		return "", nil
	}
	return leftText(vault.Name(), left), atomicfile.WriteFile(state, reportedFile, []byte(now), 0o600)
}

func leftText(vaultDir string, left []string) string {
	return filepath.Join(vaultDir, InVault) + " holds unused state, from an older chatvault or from the author of this vault: " +
		text.Some(left) + ". If it is yours, chatvault trust adopt shows it and imports the history."
}
