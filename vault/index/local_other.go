//go:build !linux && !darwin && !freebsd && !dragonfly

package index

import (
	"path/filepath"
	"strings"
)

// Local reports whether a folder is on a file system that nobody else changes, as far as its
// name tells: a share of the network has no drive letter.
func Local(dir string) bool { return !strings.HasPrefix(filepath.VolumeName(dir), `\\`) }
