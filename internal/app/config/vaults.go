package config

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chatvault/internal/base/routine"
)

// KnownVault is a vault that Obsidian lists or that chatvault has used.
type KnownVault struct {
	Name     string    `json:"name"`     // its folder's
	Dir      string    `json:"path"`     // absolute
	Obsidian bool      `json:"obsidian"` // it is in Obsidian's list
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
	uses, err := Recent()
	return known(registry(obsidianFiles()), uses), err
}

func known(all []KnownVault, uses []Use) []KnownVault {
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
		i, listed := index[folder]
		if !listed {
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

// obsidianFiles returns the possible paths of Obsidian's list of vaults.
func obsidianFiles() (files []string) {
	const list = "obsidian/obsidian.json"
	if folder, err := os.UserConfigDir(); err == nil {
		files = append(files, filepath.Join(folder, list))
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files,
			filepath.Join(home, ".var/app/md.obsidian.Obsidian/config", list),
			filepath.Join(home, "snap/obsidian/current/.config", list))
	}
	return files
}

// registry reads Obsidian's lists of vaults. Unreadable lists count as empty.
func registry(files []string) []KnownVault {
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
			k := KnownVault{Dir: v.Path, Obsidian: true, Open: v.Open}
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
	list := known(registry(files), nil)
	i := max(slices.IndexFunc(list, func(k KnownVault) bool { return k.Open && !k.Missing }), 0)
	if len(list) == 0 || list[i].Missing {
		return "", false
	}
	return list[i].Dir, true
}
