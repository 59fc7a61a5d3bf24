package doctor

import (
	"fmt"
	"path/filepath"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

// checkPlace says what may be wrong with where the vault is: it may be none, or a part of another.
func checkPlace(found config.Found) []finding {
	switch {
	case found.Unsure != "":
		return []finding{{
			area: "vault", warn: true, text: fmt.Sprintf("%s may not be a vault: %s", found.Dir, found.Unsure), bare: "it may not be a vault",
			why: "The chat asks before it uses it as one.", todo: "name the vault's own folder: chatvault --vault DIR",
		}}
	case found.Within != "":
		return []finding{{
			area: "vault", warn: true, text: fmt.Sprintf("it is inside another one, %s", found.Within), bare: "it is inside another one",
			why: "The private notes and other settings of that one do not apply here.",
			todo: fmt.Sprintf("if it is no vault of its own, move its %s away; else set in %s what should apply here",
				home.InVault, filepath.FromSlash(home.InVault+"/config.toml")),
		}}
	}
	return nil
}
