package config

import (
	"path/filepath"

	"github.com/adrg/xdg"
)

// UserPath is where the user's file is looked for: chatvault/config.toml in the XDG
// configuration folder.
func UserPath() string { return filepath.Join(xdg.ConfigHome, "chatvault", "config.toml") }

// StateDir is the folder of what outlives a run and is no setting, such as the prompt
// history. It is not made here.
func StateDir() string { return filepath.Join(xdg.StateHome, "chatvault") }

// VaultPath is where a vault keeps its settings.
func VaultPath(vaultDir string) string {
	return filepath.Join(vaultDir, filepath.FromSlash(vaultConfig))
}
