//go:build !linux

package cli

// discardInput does nothing where there is no one way to drop what was typed.
func discardInput(int) {}
