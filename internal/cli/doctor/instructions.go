package doctor

import (
	"os"

	"chatvault/internal/config"
	"chatvault/internal/skill"
	"chatvault/internal/text"
	"chatvault/internal/trust"
	"chatvault/vault/glob"
)

// checkSkills looks at the skills of the vault and of the user's own.
func checkSkills(l skill.Library) []finding {
	used, others := l.All()
	var out []finding
	if len(used) > 0 {
		names := make([]string, len(used))
		for i, s := range used {
			names[i] = s.Name
		}
		out = append(out, finding{area: "skills", text: "the agent has " + text.Count(len(used), "skill") + ": " + text.Some(names)})
	}
	for _, s := range others {
		if s.Why != "" { // checkBrought tells of those that nobody agreed to
			out = append(out, finding{area: "skills", text: s.Folder + " cannot be used", why: text.Printable(s.Why), todo: "fix it as agentskills.io/specification says, or move it away", warn: true})
		}
	}
	return out
}

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
		return []finding{{area: "instructions", text: f.Name + " cannot be used", bare: "they cannot be used", why: f.Why, todo: "fix it; until then the agent is told nothing of it", warn: true}}
	case !answers.Agreed(f.Name, f.Data):
		return nil // checkBrought tells
	}
	return []finding{{area: "instructions", text: f.Name + " is told to the agent, as you agreed", bare: "they are told"}}
}
