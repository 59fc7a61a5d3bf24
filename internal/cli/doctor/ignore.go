package doctor

import (
	"fmt"
	"strings"

	"chatvault/internal/text"
	"chatvault/vault"
)

// checkIgnore says which of Obsidian's filters for excluded files cannot be followed.
func checkIgnore(v *vault.Vault) []finding {
	filters, faulty := v.IgnoreFilters()
	if filters == 0 {
		return nil
	}
	out := []finding{finding{area: "excluded", text: fmt.Sprintf("%s of Obsidian's settings left out of searches", text.Count(filters-len(faulty), "filter"))}.plain()}
	if len(faulty) > 0 {
		out = append(out, finding{
			area: "excluded", text: "not understood: " + strings.Join(faulty, ", "), bare: text.Count(len(faulty), "filter") + " not understood", warn: true,
			todo: "write it without looking ahead or behind and without back references, in Obsidian's Settings → Files and links → Excluded files",
		})
	}
	return out
}
