package cli

import (
	"slices"

	"chatvault/vault"
)

// tellable is what the agent may be told of an undo: nothing of what has become private since,
// which is refused and stays as it is.
func tellable(v *vault.Vault, u vault.Undone) vault.Undone {
	u.Refused = slices.DeleteFunc(slices.Clone(u.Refused), func(r vault.Refusal) bool { return v.Private(r.Path) })
	return u
}
