package vault

import (
	"chatvault/vault/failure"
	"chatvault/vault/pathname"
)

type (
	// Error is what a method of the vault fails with, for those outside of it.
	Error = failure.Error
	// Kind is what kind of failure it is.
	Kind = failure.Kind
)

// The kinds of failure.
const (
	KindDenied    = failure.KindDenied
	KindNotFound  = failure.KindNotFound
	KindExists    = failure.KindExists
	KindIsFolder  = failure.KindIsFolder
	KindNotFolder = failure.KindNotFolder
	KindAmbiguous = failure.KindAmbiguous
	KindChanged   = failure.KindChanged
	KindTooLarge  = failure.KindTooLarge
	KindBinary    = failure.KindBinary
)

// CleanPath is pathname.Clean.
func CleanPath(p string) (string, error) { return pathname.Clean(p) }

// IsNote is pathname.IsNote.
func IsNote(name string) bool { return pathname.IsNote(name) }
