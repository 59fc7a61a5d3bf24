package session

import (
	"testing"

	"chatvault/vault"
)

// What tests use that see the screen, which imports this package.
var (
	Attacher  = attacher
	Mentioned = mentioned
	Shelves   = shelves
)

// VaultOf is a vault of these notes.
func VaultOf(t *testing.T, notes map[string]string) *vault.Vault {
	c, _ := cited(t, notes)
	return c.vault
}
