package config

import (
	"path/filepath"
	"slices"
	"time"
)

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
