//go:build !linux && !darwin && !freebsd && !dragonfly

package index

import (
	"path/filepath"
	"strings"
)

// Local reports whether a folder is on a file system that no other machine changes. It goes by the name: a network
// share has no drive letter.
func Local(dir string) bool { return !strings.HasPrefix(filepath.VolumeName(dir), `\\`) }
