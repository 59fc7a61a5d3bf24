//go:build !linux

package fsys

import (
	"os"
	"time"
)

// Open gives a walk its access to folders.
func Open(root *os.Root) (Tree, error) { return RootTree{root}, nil }

// BirthTime is not known here.
func BirthTime(dir *os.Root, name string) time.Time { return time.Time{} }
