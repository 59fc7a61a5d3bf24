package doctor

import (
	"os"

	"chatvault/internal/config"
	"chatvault/internal/trust"
	"chatvault/vault/glob"
)

// checkInstructions looks at what the vault's owner tells agents.
func checkInstructions(vault *os.Root, cfg *config.Config, answers *trust.Answers) []finding {
	private, err := glob.NewList(cfg.PrivateGlobs())
	if err != nil {
		return nil // checkConfig tells
	}
	f, there := trust.Instructions(vault, private.Has)
	switch {
	case !there:
		return nil
	case f.Why != "":
		return []finding{{area: "instructions", text: f.Name + " cannot be used", why: f.Why, todo: "fix it; until then the agent is told nothing of it", warn: true}}
	case !answers.Agreed(f.Name, f.Data):
		return nil // checkBrought tells
	}
	return []finding{{area: "instructions", text: f.Name + " is told to the agent, as you agreed"}}
}
