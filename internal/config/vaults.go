package config

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

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

// last is when the vault was used last, by whatever program.
func (k KnownVault) last() time.Time {
	if k.Opened.After(k.Used) {
		return k.Opened
	}
	return k.Used
}

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

func (s system) known(list []registered, uses []Use) []KnownVault {
	all := make([]KnownVault, 0, len(list)+len(uses))
	for _, r := range list {
		all = append(all, KnownVault{Dir: filepath.Clean(r.dir), Obsidian: true, Open: r.open, Opened: r.opened})
	}
	for _, u := range uses {
		all = append(all, KnownVault{Dir: filepath.Clean(u.Dir), Used: u.Time})
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
		return cmp.Or(b.last().Compare(a.last()), cmp.Compare(a.Dir, b.Dir))
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
