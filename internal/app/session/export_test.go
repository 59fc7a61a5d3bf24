package session

import (
	"context"
	"strings"
	"testing"

	"chatvault/agent"
	"chatvault/tools"
	"chatvault/vault"
)

// Exports for external tests, which import the screen.
var Shelves = shelves

// Mentioned resolves paths as a message that mentions them does.
func Mentioned(ctx context.Context, v *vault.Vault, paths []string) map[string]VaultFile {
	found, _ := (&Mentions{attaching: attaching{vault: v}}).Find(ctx, paths)
	return found
}

// Attacher returns the agent.Attach of a vault.
func Attacher(v *vault.Vault, limits tools.Options) agent.Attach {
	return attaching{vault: v, limits: limits}.attach
}

// VaultOf returns a vault with these notes.
func VaultOf(t *testing.T, notes map[string]string) *vault.Vault {
	c, _ := cited(t, notes)
	return c.vault
}

func TestHideInJSON(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "se\"cret", "•") }
	for in, want := range map[string]string{
		`{"a":"x se\"cret","b":["se\"cret",1,null,"\\"],"se\"cret":true}`: `{"a":"x •","b":["•",1,null,"\\"],"•":true}`,
		`{"kept":"\u003c as it is"}`:                                      `{"kept":"\u003c as it is"}`,
	} {
		if got := string(hideInJSON([]byte(in), hide)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
