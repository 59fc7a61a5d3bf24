package session

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"chatvault/agent"
	"chatvault/conversation"
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

func TestExportedJSONHidesKeys(t *testing.T) {
	secret := "se\"cret\\key<1234567>"
	c := &conversation.Conversation{ID: "1", Title: "My " + secret, Turns: []conversation.Turn{talk("t", 0, secret, "at http://a:80\nor "+secret+"@x")}}
	data, err := Exported(c, true, false, Keyless([]string{secret}))
	if err != nil || !json.Valid(data) || strings.Contains(string(data), "cret") || strings.Count(string(data), "[redacted]") < 3 {
		t.Errorf("%s, %v", data, err)
	}
}
