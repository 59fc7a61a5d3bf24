package doctor

import (
	"fmt"

	"chatvault/vault"
)

// checkIndex says where searches in the chat must be slower than they could be, because nobody
// tells of changes on the disk.
func checkIndex(v *vault.Vault, folders int) []finding {
	why, todo := v.WatchTrouble(folders)
	if why == "" {
		return nil
	}
	return []finding{{area: "watching", text: fmt.Sprintf("%s, so searches in the chat take longer", why), bare: "changes are not told", todo: todo, warn: true}}
}
