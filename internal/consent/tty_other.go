//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package consent

// discardInput does nothing, as there is no common way to drop input.
func discardInput(int) {}

// hideInput does nothing: input is hidden while it is read.
func hideInput(int) error { return nil }
