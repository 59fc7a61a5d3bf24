package doctor

import (
	"context"
	"fmt"

	"chatvault/internal/config"
	"chatvault/internal/text"
	"chatvault/vault"
)

// checkPrivate says how much the private list hides; what it hides it does not name. A glob that
// hides nothing is likely misspelt.
func checkPrivate(ctx context.Context, v *vault.Vault, cfg *config.Config) []finding {
	if len(cfg.Private) == 0 {
		return nil
	}
	files, each, whole := v.PrivateCount(ctx, cfg.PrivateGlobs())
	more := ""
	if !whole {
		more = " or more"
	}
	hide := "hide"
	if len(cfg.Private) == 1 {
		hide = "hides"
	}
	out := []finding{finding{area: "private", text: fmt.Sprintf("%s %s %s%s from the agent", text.Count(len(cfg.Private), "glob"), hide, text.Count(files, "file"), more)}.plain()}
	if !whole {
		return out
	}
	for i, n := range each {
		if n == 0 {
			g := cfg.Private[i]
			out = append(out, finding{
				area: "private", text: fmt.Sprintf("%q (%s) hides nothing that is there", g.V, g.Origin), bare: "a glob hides nothing", warn: true,
				todo: "check its spelling: \"Diary/\" is a folder of that name anywhere, \"/Diary/\" the one at the top of the vault, \"Work/Pay/\" that path, \"*.secret.md\" a name in any folder; a [ that belongs to a name is written \\[",
			})
		}
	}
	return out
}
