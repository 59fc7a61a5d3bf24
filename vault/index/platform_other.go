//go:build !linux

package index

import "runtime"

// eachCosts reports whether each entry of a watched folder uses a resource; kqueue needs a descriptor per file.
const eachCosts = runtime.GOOS != "windows"

// Platform returns this system's watcher.
func Platform(dir string) (Watcher, error) { return NewNotify(dir) }

// WatchLimit returns the number of folders that the system can watch for one user, if it has such a limit.
func WatchLimit() (folders int, ok bool) { return 0, false }
