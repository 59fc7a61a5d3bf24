package session

import (
	"testing"

	"chatvault/agent"
	"chatvault/tools"
	"chatvault/vault"
)

// What tests use that see the screen, which imports this package.
var (
	Mentioned = mentioned
	Shelves   = shelves
)

// Attacher is what goes with messages.
func Attacher(v *vault.Vault, limits tools.Options) agent.Attach {
	return attaching{vault: v, limits: limits}.attach
}

// VaultOf is a vault of these notes.
func VaultOf(t *testing.T, notes map[string]string) *vault.Vault {
	c, _ := cited(t, notes)
	return c.vault
}
