//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package consent

// discardInput does nothing where there is no one way to drop what was typed.
func discardInput(int) {}

// hideInput does nothing: what is typed is hidden while it is read.
func hideInput(int) error { return nil }
