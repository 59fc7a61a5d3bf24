package vault

import (
	"context"

	links "chatvault/vault/link"
)

// LinkNames are the vault's visible files, for finding out which of them a link means, as they are
// now. The caller may keep them; they do not change.
func (v *Vault) LinkNames(ctx context.Context) (*links.Names, error) { return v.linkNames(ctx) }
