//go:build !linux

package index

import "runtime"

// eachCosts: kqueue needs a descriptor for each file of a watched folder.
const eachCosts = runtime.GOOS != "windows"

// Platform is the watcher of this system.
func Platform(dir string) (Watcher, error) { return NewNotify(dir) }

// WatchLimit is how many folders the system watches for one user, where it has such a limit.
func WatchLimit() (folders int, ok bool) { return 0, false }
