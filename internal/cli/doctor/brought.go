package doctor

import (
	"os"
	"path"
	"slices"

	"chatvault/agent/prompts"
	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/skill"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

// checkSkills reports invalid skills, of the vault and of the user.
func checkSkills(l skill.Library) []finding {
	_, others := l.All()
	var out []finding
	for _, s := range others {
		if s.Why != "" { // checkBrought reports those without consent
			out = append(out, finding{area: "skills", text: s.Folder + " cannot be used", why: text.Printable(s.Why), todo: "fix it as agentskills.io/specification says, or move it away", warn: true})
		}
	}
	return out
}

// checkInstructions reports invalid instructions of the vault's owner.
func checkInstructions(files []trust.File) []finding {
	i := slices.IndexFunc(files, func(f trust.File) bool { return path.Dir(f.Name) == "." && f.Why != "" })
	if i < 0 {
		return nil
	}
	return []finding{{area: "instructions", text: files[i].Name + " cannot be used", why: files[i].Why, todo: "fix it; until then the agent ignores it", warn: true}}
}

// checkPrompts reports invalid prompts of the vault.
func checkPrompts(vault *os.Root) []finding {
	list, err := prompts.Check(vault)
	if err != nil {
		return []finding{{area: "prompts", text: text.FirstLine(err.Error()), todo: "make .smarthole/prompts readable; until then the built-in prompts are used", warn: true}}
	}
	var out []finding
	for _, o := range list {
		if o.Problem != "" {
			out = append(out, finding{area: "prompts", text: o.File + " cannot be used", why: o.Problem, todo: "fix it, or remove it; until then the built-in prompt is used", warn: true})
		}
	}
	return out
}

// checkBrought reports which of the vault's own files apply.
func checkBrought(cfg *config.Config, dir string, state *os.Root) []finding {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil // reported with the vault
	}
	defer func() { _ = own.Close() }()
	var out []finding
	answers, err := trust.Load(state)
	if err != nil {
		out = append(out, finding{area: "trust", text: text.FirstLine(err.Error()), todo: "chatvault trust asks again", warn: true})
	}
	b, err := session.LookAtBrought(cfg, own, answers)
	if err != nil {
		return append(out, finding{area: "trust", text: text.FirstLine(err.Error()), todo: "move it away", warn: true})
	}
	if files, _ := b.NotAgreed(answers); len(files) > 0 {
		out = append(out, finding{
			area: "trust", warn: true, text: "not used, because you have not agreed to it: " + b.Describe(files),
			why: "It came with the vault and would steer the agent.", todo: "look at it, and agree or not: chatvault trust",
		})
	}
	return slices.Concat(out, checkInstructions(b.Files), checkSkills(session.Skills(cfg, own, answers)), checkPrompts(own))
}
