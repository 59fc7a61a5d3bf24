package vault

import (
	"fmt"
	"slices"

	"chatvault/vault/journal"
)

// RefuseRecords takes turns out of a list whose records name what no change can be of, and says which
// and why.
func (v *Vault) RefuseRecords(turns *[]journal.Turn) (refused []string) {
	*turns = slices.DeleteFunc(*turns, func(t journal.Turn) bool {
		for i := range t.Changes {
			if !trusted(&t.Changes[i]) {
				refused = append(refused, fmt.Sprintf("the changes of turn %s: its record names what no change can be of", t.Turn))
				return true
			}
		}
		return false
	})
	return refused
}
