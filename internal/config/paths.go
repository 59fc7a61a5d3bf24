package config

import (
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// UserPath is where the user's file is looked for: chatvault/config.toml in the XDG
// configuration folder.
func UserPath() string { return filepath.Join(xdg.ConfigHome, "chatvault", "config.toml") }

// SkillFolders are where the user's own skills lie: beside the configuration, and where programs with
// agents share them.
func SkillFolders() []string {
	folders := []string{filepath.Join(xdg.ConfigHome, "chatvault", "skills")}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".agents", "skills"))
	}
	return folders
}

// StateDir is the folder of what outlives a run and is no setting, such as the prompt
// history. It is not made here.
func StateDir() string { return filepath.Join(xdg.StateHome, "chatvault") }

// VaultPath is where a vault keeps its settings.
func VaultPath(vaultDir string) string {
	return filepath.Join(vaultDir, filepath.FromSlash(vaultConfig))
}
