//go:build !linux

package fsys

import "os"

// Open gives a walk its access to folders.
func Open(root *os.Root) (Tree, error) { return RootTree{root}, nil }
