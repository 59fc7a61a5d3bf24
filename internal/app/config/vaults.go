package config

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"chatvault/internal/base/routine"
)

// KnownVault is a vault that Obsidian lists or that chatvault has used.
type KnownVault struct {
	Name     string    `json:"name"`              // its folder's
	Dir      string    `json:"path"`              // absolute, in this system's syntax
	Default  bool      `json:"default,omitempty"` // FindVault finds it; see WithDefault
	Why      string    `json:"why,omitempty"`     // how FindVault finds it
	Obsidian bool      `json:"obsidian"`          // it is in Obsidian's list
	Open     bool      `json:"open_in_obsidian,omitempty"`
	Opened   time.Time `json:"opened,omitzero"`   // last time in Obsidian; zero if unknown
	Used     time.Time `json:"used,omitzero"`     // last time by chatvault; zero if unknown
	Missing  bool      `json:"missing,omitempty"` // the folder does not exist or does not respond
}

// Last returns when any program used the vault last, or zero if unknown.
func (k KnownVault) Last() time.Time { return later(k.Used, k.Opened) }

// statWait is how long folders may take to respond: a disconnected network share may never.
const statWait = time.Second

// KnownVaults returns Obsidian's vaults and those that chatvault has used, last used first, missing ones at the end.
// A folder is listed once even if the lists have different links to it. With the error of Recent there are still
// Obsidian's.
func KnownVaults() ([]KnownVault, error) {
	s := currentOS()
	uses, err := Recent()
	return s.known(s.registry(s.obsidianFiles()), uses), err
}

func (s system) known(all []KnownVault, uses []Use) []KnownVault {
	for _, u := range uses {
		all = append(all, KnownVault{Dir: u.Dir, Used: u.Time})
	}
	for i := range all {
		all[i].Dir = filepath.Clean(all[i].Dir)
	}
	real := realFolders(all)
	index := map[string]int{} // index in merged, by folder without links
	var merged []KnownVault
	for _, k := range all {
		folder := cmp.Or(real[k.Dir], k.Dir)
		i, known := index[folder]
		if !known {
			i = len(merged)
			index[folder] = i
			merged = append(merged, KnownVault{Name: filepath.Base(k.Dir), Dir: k.Dir, Missing: real[k.Dir] == ""})
		}
		m := &merged[i]
		m.Obsidian, m.Open = m.Obsidian || k.Obsidian, m.Open || k.Open
		m.Opened, m.Used = later(m.Opened, k.Opened), later(m.Used, k.Used)
	}
	slices.SortStableFunc(merged, func(a, b KnownVault) int {
		switch {
		case a.Missing && !b.Missing:
			return 1
		case b.Missing && !a.Missing:
			return -1
		}
		return cmp.Or(b.Last().Compare(a.Last()), cmp.Compare(a.Dir, b.Dir))
	})
	return merged
}

// WithDefault marks the vault that FindVault found, which it adds to the list if needed. found.Dir may be empty.
func WithDefault(list []KnownVault, found Found) []KnownVault {
	if found.Dir == "" {
		return list
	}
	is := func(k KnownVault) bool { return !k.Missing && RealDir(k.Dir) == RealDir(found.Dir) }
	i := slices.IndexFunc(list, is)
	if i < 0 {
		i, list = 0, slices.Insert(list, 0, KnownVault{Name: filepath.Base(found.Dir), Dir: found.Dir})
	}
	list[i].Default, list[i].Why = true, found.How
	return list
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// realFolders returns the existing folders with links resolved. Folders that do not respond within statWait count as
// missing.
func realFolders(list []KnownVault) map[string]string {
	type answer struct{ dir, real string }
	answers := make(chan answer, len(list)) // buffered: a late answer blocks no goroutine
	for _, k := range list {
		routine.Go("look at a vault", func() {
			real, err := filepath.EvalSymlinks(k.Dir)
			if err != nil || !filepath.IsAbs(k.Dir) || !isFolder(k.Dir) {
				real = ""
			}
			answers <- answer{k.Dir, real}
		})
	}
	real := map[string]string{}
	deadline := time.After(statWait)
	for range list {
		select {
		case a := <-answers:
			real[a.dir] = a.real
		case <-deadline:
			return real
		}
	}
	return real
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Use is a vault that chatvault has used.
type Use struct {
	Dir  string    `json:"path"` // absolute
	Time time.Time `json:"used"` // last time
}

// recentPause is the minimum time between recorded uses, so that quick repeated requests write once.
const recentPause = 10 * time.Minute

var recentVaults = StateList[Use]{File: "vaults.json", Key: "vaults", Most: 50}

// Recent returns the vaults that chatvault has used, newest first. A missing list is empty; one of another format is
// an error.
func Recent() ([]Use, error) {
	list, err := recentVaults.Read()
	return slices.DeleteFunc(list, func(u Use) bool { return !filepath.IsAbs(u.Dir) }), err
}

// NoteUse records that chatvault uses the vault in dir, an absolute path. A list of another format is moved away.
func NoteUse(dir string, now time.Time) error {
	list, _ := recentVaults.Read() // Put returns the error
	if len(list) > 0 && list[0].Dir == dir && now.Sub(list[0].Time) < recentPause && !list[0].Time.After(now) {
		return nil
	}
	return recentVaults.Put(Use{dir, now.UTC()}, func(u Use) bool { return u.Dir == dir })
}

// system is what finding Obsidian's registry depends on.
type system struct {
	goos       string
	home       string
	configHome string // XDG configuration folder
	appData    string // %APPDATA%
	// wsl is the name of the distribution in the Windows Subsystem for Linux, whose Obsidian usually runs in Windows;
	// empty elsewhere.
	wsl   string
	mount string // where WSL mounts the drives: "/mnt"
}

func currentOS() system {
	home, _ := os.UserHomeDir()
	s := system{goos: runtime.GOOS, home: home, configHome: xdg.ConfigHome, appData: os.Getenv("APPDATA"), mount: "/mnt"}
	if s.goos != "linux" {
		return s
	}
	s.wsl = os.Getenv("WSL_DISTRO_NAME")
	release, err := os.ReadFile("/proc/sys/kernel/osrelease") // sudo drops the variable
	if s.wsl == "" && err == nil && strings.Contains(strings.ToLower(string(release)), "microsoft") {
		s.wsl = "?"
	}
	return s
}

// obsidianFiles returns the possible paths of Obsidian's list of vaults.
func (s system) obsidianFiles() []string {
	const list = "obsidian/obsidian.json"
	var files []string
	switch s.goos {
	case "windows":
		files = []string{filepath.Join(s.appData, list)}
	case "darwin":
		files = []string{filepath.Join(s.home, "Library/Application Support", list)}
	default:
		files = []string{
			filepath.Join(s.configHome, list),
			filepath.Join(s.home, ".var/app/md.obsidian.Obsidian/config", list),
			filepath.Join(s.home, "snap/obsidian/current/.config", list),
		}
	}
	if s.wsl != "" {
		found, _ := filepath.Glob(filepath.Join(s.mount, "c/Users/*/AppData/Roaming", list)) // the pattern is valid
		files = append(files, found...)
	}
	return slices.DeleteFunc(files, func(file string) bool { return !filepath.IsAbs(file) })
}

// folder converts a vault's path to this system's syntax: under WSL a Windows path is below the mounted drives, and
// \\wsl$\NAME\… is this system itself.
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

// registry reads Obsidian's lists of vaults, with paths in this system's syntax. Unreadable lists count as empty.
func (s system) registry(files []string) []KnownVault {
	var all []KnownVault
	for _, file := range files {
		data, err := os.ReadFile(file) // a fixed path of Obsidian's
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
			k := KnownVault{Dir: s.folder(v.Path), Obsidian: true, Open: v.Open}
			if v.Time > 0 && v.Time < 1e15 {
				k.Opened = time.UnixMilli(int64(v.Time))
			}
			all = append(all, k)
		}
	}
	return all
}

// lastOpen returns the existing vault that is, or was last, open in Obsidian.
func lastOpen(files []string) (string, bool) {
	s := currentOS()
	list := s.known(s.registry(files), nil)
	i := max(slices.IndexFunc(list, func(k KnownVault) bool { return k.Open && !k.Missing }), 0)
	if len(list) == 0 || list[i].Missing {
		return "", false
	}
	return list[i].Dir, true
}
