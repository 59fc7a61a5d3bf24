package session

import (
	"context"
	"testing"

	"chatvault/agent"
	"chatvault/tools"
	"chatvault/vault"
)

// What tests use that see the screen, which imports this package.
var Shelves = shelves

// Mentioned looks paths up as a message that mentions them does.
func Mentioned(ctx context.Context, v *vault.Vault, paths []string) map[string]VaultFile {
	found, _ := (&Mentions{attaching: attaching{vault: v}}).Find(ctx, paths)
	return found
}

// Attacher is what goes with messages.
func Attacher(v *vault.Vault, limits tools.Options) agent.Attach {
	return attaching{vault: v, limits: limits}.attach
}

// VaultOf is a vault of these notes.
func VaultOf(t *testing.T, notes map[string]string) *vault.Vault {
	c, _ := cited(t, notes)
	return c.vault
}
