//go:build !linux

package index

import "errors"

// Platform returns an error: on this system each View compares all files.
func Platform(string) (Watcher, error) {
	return nil, errors.New("on this system changes are found by comparing all files")
}

// WatchLimit returns the number of folders that the system can watch for one user, if it has such a limit.
func WatchLimit() (folders int, ok bool) { return 0, false }
