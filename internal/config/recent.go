package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"chatvault/internal/atomicfile"
)

// Use is a vault that chatvault was used with.
type Use struct {
	Dir  string    `json:"path"` // absolute
	Time time.Time `json:"used"` // the last time
}

const (
	recentVersion = 1
	maxRecent     = 50
	// recentPause is how long the newest use stands for those after it: not each of a hundred
	// quick questions is written down.
	recentPause = 10 * time.Minute
)

type recentFile struct {
	Version int   `json:"version"`
	Vaults  []Use `json:"vaults"`
}

// RecentPath is where the vaults that chatvault was used with are kept, in the XDG state folder.
func RecentPath() string { return filepath.Join(StateDir(), "vaults.json") }

// Recent are the vaults chatvault was used with, the newest first. A list that is not there is
// empty; one that cannot be understood is an error.
func Recent() ([]Use, error) {
	data, err := os.ReadFile(RecentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", RecentPath(), reason(err))
	}
	var f recentFile
	if err := json.Unmarshal(data, &f); err != nil || f.Version != recentVersion {
		return nil, fmt.Errorf("%s: %w", RecentPath(), errNotRecent)
	}
	var list []Use
	for _, u := range f.Vaults[:min(len(f.Vaults), maxRecent)] {
		if filepath.IsAbs(u.Dir) {
			u.Dir = filepath.Clean(u.Dir)
			list = append(list, u)
		}
	}
	slices.SortStableFunc(list, func(a, b Use) int { return b.Time.Compare(a.Time) })
	return list, nil
}

var errNotRecent = errors.New("is no list of vaults that this version understands; move it away and it is begun anew")

// NoteUse notes that chatvault is used with the vault in dir, an absolute path. A list that
// cannot be understood is set aside and begun anew.
func NoteUse(dir string, now time.Time) error {
	list, err := Recent()
	if errors.Is(err, errNotRecent) {
		_, err = atomicfile.SetAsidePath(RecentPath())
	}
	if err != nil {
		return err
	}
	if len(list) > 0 && list[0].Dir == dir && now.Sub(list[0].Time) < recentPause && !list[0].Time.After(now) {
		return nil
	}
	list = slices.DeleteFunc(list, func(u Use) bool { return u.Dir == dir })
	list = append([]Use{{dir, now.UTC().Truncate(time.Second)}}, list...)
	data, err := json.MarshalIndent(recentFile{recentVersion, list[:min(len(list), maxRecent)]}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(StateDir(), 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w", StateDir(), reason(err))
	}
	return atomicfile.WritePath(RecentPath(), append(data, '\n'), 0o600)
}
