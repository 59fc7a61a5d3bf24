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

	"chatvault/internal/routine"
)

// KnownVault is a vault that Obsidian knows or that chatvault was used with.
type KnownVault struct {
	Dir      string    // absolute, as this system names it
	Obsidian bool      // it is in Obsidian's list
	Open     bool      // it is open in Obsidian
	Opened   time.Time // in Obsidian, the last time; zero: not known
	Used     time.Time // by chatvault, the last time; zero: not that it is known
	Missing  bool      // the folder is not there, or does not answer
}

// Name is the vault's name: its folder's.
func (k KnownVault) Name() string { return filepath.Base(k.Dir) }

// Last is when the vault was used last, by whatever program; zero: not known.
func (k KnownVault) Last() time.Time { return later(k.Used, k.Opened) }

// statWait is how long folders may take to say that they are there: a network share that is
// gone may never.
const statWait = time.Second

// KnownVaults are the vaults in Obsidian's list and those chatvault was used with, what was used
// last first, those whose folder is missing at the end. A folder that two lists name, be it
// through a link, is there once.
func KnownVaults(uses []Use) []KnownVault {
	s := thisSystem()
	return s.known(s.registry(s.obsidianFiles()), uses)
}

func (s system) known(all []KnownVault, uses []Use) []KnownVault {
	for _, u := range uses {
		all = append(all, KnownVault{Dir: u.Dir, Used: u.Time})
	}
	for i := range all {
		all[i].Dir = filepath.Clean(all[i].Dir)
	}
	real := realFolders(all)
	byPlace := map[string]int{}
	var merged []KnownVault
	for _, k := range all {
		place, there := real[k.Dir]
		k.Missing = !there
		if !there {
			place = k.Dir
		}
		if i, known := byPlace[place]; known {
			m := &merged[i]
			m.Obsidian, m.Open = m.Obsidian || k.Obsidian, m.Open || k.Open
			m.Opened, m.Used = later(m.Opened, k.Opened), later(m.Used, k.Used)
			continue
		}
		byPlace[place] = len(merged)
		merged = append(merged, k)
	}
	slices.SortStableFunc(merged, func(a, b KnownVault) int {
		switch {
		case a.Missing != b.Missing && a.Missing:
			return 1
		case a.Missing != b.Missing:
			return -1
		}
		return cmp.Or(b.Last().Compare(a.Last()), cmp.Compare(a.Dir, b.Dir))
	})
	return merged
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// realFolders are the folders that are there, with links resolved; they are looked at together
// and within statWait.
func realFolders(list []KnownVault) map[string]string {
	type answer struct{ dir, real string }
	dirs := map[string]bool{}
	for _, k := range list {
		dirs[k.Dir] = true
	}
	answers := make(chan answer, len(dirs)) // so that one that comes too late blocks nobody
	for dir := range dirs {
		routine.Go("look at a vault", func() {
			real, err := filepath.EvalSymlinks(dir)
			if info, statErr := os.Stat(dir); err != nil || statErr != nil || !info.IsDir() || !filepath.IsAbs(dir) {
				real = ""
			}
			answers <- answer{dir, real}
		})
	}
	real := map[string]string{}
	deadline := time.NewTimer(statWait)
	defer deadline.Stop()
	for range dirs {
		select {
		case a := <-answers:
			if a.real != "" {
				real[a.dir] = a.real
			}
		case <-deadline.C:
			return real
		}
	}
	return real
}

// Use is a vault that chatvault was used with.
type Use struct {
	Dir  string    `json:"path"` // absolute
	Time time.Time `json:"used"` // the last time
}

// recentPause is how long the newest use stands for those after it: not each of a hundred quick
// questions is written down.
const recentPause = 10 * time.Minute

var recentVaults = stateList[Use]{file: "vaults.json", key: "vaults", most: 50}

// Recent are the vaults chatvault was used with, the newest first. A list that is not there is
// empty; one that cannot be understood is an error.
func Recent() ([]Use, error) {
	all, err := recentVaults.read()
	if err != nil {
		return nil, err
	}
	var list []Use
	for _, u := range all {
		if filepath.IsAbs(u.Dir) {
			u.Dir = filepath.Clean(u.Dir)
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b Use) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// NoteUse notes that chatvault is used with the vault in dir, an absolute path. A list that
// cannot be understood is set aside and begun anew.
func NoteUse(dir string, now time.Time) error {
	list, err := Recent()
	if err = recentVaults.setAside(err); err != nil {
		return err
	}
	if len(list) > 0 && list[0].Dir == dir && now.Sub(list[0].Time) < recentPause && !list[0].Time.After(now) {
		return nil
	}
	list = slices.DeleteFunc(list, func(u Use) bool { return u.Dir == dir })
	list = append([]Use{{dir, now.UTC()}}, list...)
	return recentVaults.write(list)
}

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

// registry reads the lists of Obsidian's vaults, as this system names their folders. One that cannot be read counts as empty.
func (s system) registry(files []string) []KnownVault {
	var all []KnownVault
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
			k := KnownVault{Dir: s.folder(v.Path), Obsidian: true, Open: v.Open}
			if v.Time > 0 && v.Time < 1e15 {
				k.Opened = time.UnixMilli(int64(v.Time))
			}
			all = append(all, k)
		}
	}
	return all
}

// lastOpen is the vault that is open in Obsidian, or was last, among those that still
// exist.
func lastOpen(files []string) (string, bool) {
	var best KnownVault
	for _, k := range thisSystem().registry(files) {
		if info, err := os.Stat(k.Dir); err != nil || !info.IsDir() || !filepath.IsAbs(k.Dir) {
			continue
		}
		newer := k.Opened.After(best.Opened) || k.Opened.Equal(best.Opened) && k.Dir < best.Dir
		if best.Dir == "" || k.Open && !best.Open || k.Open == best.Open && newer {
			best = k
		}
	}
	return filepath.Clean(best.Dir), best.Dir != ""
}
