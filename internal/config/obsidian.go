package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/adrg/xdg"
)

// system is what finding Obsidian's registry depends on.
type system struct {
	goos       string
	home       string
	configHome string // of XDG
	appData    string // %APPDATA%
	// wsl is the name of the distribution where this is the Windows Subsystem for Linux, whose
	// Obsidian is most often the one of Windows; empty elsewhere.
	wsl   string
	mount string // where WSL has the drives: "/mnt"
}

func thisSystem() system {
	home, _ := os.UserHomeDir()
	return system{
		goos: runtime.GOOS, home: home, configHome: xdg.ConfigHome, appData: os.Getenv("APPDATA"),
		wsl: wslName(), mount: "/mnt",
	}
}

// wslName is the distribution's name where this is the Windows Subsystem for Linux.
func wslName() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	if name := os.Getenv("WSL_DISTRO_NAME"); name != "" {
		return name
	}
	release, err := os.ReadFile("/proc/sys/kernel/osrelease") // the variable is lost behind sudo
	if err == nil && strings.Contains(strings.ToLower(string(release)), "microsoft") {
		return "?"
	}
	return ""
}

// ObsidianFiles are the places where Obsidian may keep the list of its vaults, on
// this system: as a package, as a Flatpak and as a Snap; under WSL those of the
// Windows users too.
func ObsidianFiles() []string { return thisSystem().obsidianFiles() }

func (s system) obsidianFiles() []string {
	var files []string
	add := func(base string, rest ...string) {
		if base != "" {
			files = append(files, filepath.Join(append([]string{base}, rest...)...))
		}
	}
	switch s.goos {
	case "windows":
		add(s.appData, "obsidian", "obsidian.json")
	case "darwin":
		add(s.home, "Library", "Application Support", "obsidian", "obsidian.json")
	default:
		add(s.configHome, "obsidian", "obsidian.json")
		add(s.home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian", "obsidian.json")
		add(s.home, "snap", "obsidian", "current", ".config", "obsidian", "obsidian.json")
	}
	if s.wsl != "" {
		users := filepath.Join(s.mount, "c", "Users", "*", "AppData", "Roaming", "obsidian", "obsidian.json")
		found, _ := filepath.Glob(users) // the pattern is well formed
		files = append(files, found...)
	}
	return files
}

// folder is a vault's folder as this system names it: under WSL a path of Windows is one below
// the mounted drives, and \\wsl$\NAME\… is this system itself.
func (s system) folder(path string) string {
	if s.wsl == "" || filepath.IsAbs(path) {
		return path
	}
	slashed := strings.ReplaceAll(path, `\`, "/")
	if len(slashed) >= 3 && slashed[1] == ':' && slashed[2] == '/' {
		drive := slashed[0] | 0x20 // lower case
		if drive >= 'a' && drive <= 'z' {
			return filepath.Join(s.mount, string(drive), slashed[3:])
		}
	}
	for _, share := range []string{"//wsl$/", "//wsl.localhost/"} {
		if len(slashed) > len(share) && strings.EqualFold(slashed[:len(share)], share) {
			name, rest, _ := strings.Cut(slashed[len(share):], "/")
			if strings.EqualFold(name, s.wsl) || s.wsl == "?" {
				return filepath.Clean("/" + rest)
			}
		}
	}
	return path
}

// registered is a vault in Obsidian's list.
type registered struct {
	dir    string // as this system names it
	opened time.Time
	open   bool
}

// registry reads the lists of Obsidian's vaults. One that cannot be read counts as empty.
func (s system) registry(files []string) []registered {
	var all []registered
	for _, file := range files {
		data, err := os.ReadFile(file) // a fixed place of Obsidian's
		if err != nil || len(data) > maxFile {
			continue
		}
		var list struct {
			Vaults map[string]struct {
				Path string  `json:"path"`
				Time float64 `json:"ts"` // milliseconds since 1970
				Open bool    `json:"open"`
			} `json:"vaults"`
		}
		if json.Unmarshal(data, &list) != nil {
			continue
		}
		for _, v := range list.Vaults {
			if v.Path == "" {
				continue
			}
			r := registered{dir: s.folder(v.Path), open: v.Open}
			if v.Time > 0 && v.Time < 1e15 {
				r.opened = time.UnixMilli(int64(v.Time))
			}
			all = append(all, r)
		}
	}
	return all
}

// lastOpen is the vault that is open in Obsidian, or was last, among those that still
// exist.
func lastOpen(files []string) (string, bool) {
	var best registered
	for _, r := range thisSystem().registry(files) {
		if info, err := os.Stat(r.dir); err != nil || !info.IsDir() || !filepath.IsAbs(r.dir) {
			continue
		}
		newer := r.opened.After(best.opened) || r.opened.Equal(best.opened) && r.dir < best.dir
		if best.dir == "" || r.open && !best.open || r.open == best.open && newer {
			best = r
		}
	}
	return filepath.Clean(best.dir), best.dir != ""
}
