// Package vault is a folder of Markdown notes and the only way to it: every path
// is cleaned by one function, confined by the operating system (os.Root), kept out
// of protected folders and looked up ignoring case and Unicode normal form; every
// write is atomic and goes through one place. It knows no model and no screen.
package vault

import "chatvault/vault/pathname"

// CleanPath is pathname.Clean.
func CleanPath(p string) (string, error) { return pathname.Clean(p) }

// IsNote is pathname.IsNote.
func IsNote(name string) bool { return pathname.IsNote(name) }
