package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
)

// ObsidianFiles are the places where Obsidian may keep the list of its vaults, on
// this system: as a package, as a Flatpak and as a Snap.
func ObsidianFiles() []string {
	home, _ := os.UserHomeDir()
	return obsidianFiles(runtime.GOOS, home, xdg.ConfigHome, os.Getenv("APPDATA"))
}

func obsidianFiles(goos, home, configHome, appData string) []string {
	var files []string
	add := func(base string, rest ...string) {
		if base != "" {
			files = append(files, filepath.Join(append([]string{base}, rest...)...))
		}
	}
	switch goos {
	case "windows":
		add(appData, "obsidian", "obsidian.json")
	case "darwin":
		add(home, "Library", "Application Support", "obsidian", "obsidian.json")
	default:
		add(configHome, "obsidian", "obsidian.json")
		add(home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian", "obsidian.json")
		add(home, "snap", "obsidian", "current", ".config", "obsidian", "obsidian.json")
	}
	return files
}

// lastOpen is the vault that is open in Obsidian, or was last, among those that still
// exist. A list that cannot be read counts as empty.
func lastOpen(files []string) (string, bool) {
	type known struct {
		Path string  `json:"path"`
		Time float64 `json:"ts"` // milliseconds since 1970
		Open bool    `json:"open"`
	}
	var best known
	for _, file := range files {
		data, err := os.ReadFile(file) // a fixed place of Obsidian's
		if err != nil || len(data) > maxFile {
			continue
		}
		var list struct {
			Vaults map[string]known `json:"vaults"`
		}
		if json.Unmarshal(data, &list) != nil {
			continue
		}
		for _, v := range list.Vaults {
			if info, err := os.Stat(v.Path); err != nil || !info.IsDir() || !filepath.IsAbs(v.Path) {
				continue
			}
			newer := v.Time > best.Time || v.Time == best.Time && v.Path < best.Path
			if best.Path == "" || v.Open && !best.Open || v.Open == best.Open && newer {
				best = v
			}
		}
	}
	return filepath.Clean(best.Path), best.Path != ""
}
