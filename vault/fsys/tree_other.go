//go:build !linux

package fsys

import (
	"os"
	"time"
)

// Open returns the Tree for walks.
func Open(root *os.Root) (Tree, error) { return RootTree{root}, nil }

// BirthTime returns zero: it is not supported here.
func BirthTime(dir *os.Root, name string) time.Time { return time.Time{} }
