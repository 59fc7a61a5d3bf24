package doctor

import (
	"os"
	"slices"

	"chatvault/agent/prompts"
	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/internal/skill"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/internal/trust"
	"chatvault/vault/glob"
)

// checkSkills reports skills, of the vault and of the user's own, that cannot be used.
func checkSkills(l skill.Library) []finding {
	_, others := l.All()
	var out []finding
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

// checkPrompts looks at the prompts that the vault has of its own.
func checkPrompts(vault *os.Root, answers *trust.Answers) []finding {
	list, err := prompts.Check(vault)
	if err != nil {
		return []finding{{area: "prompts", text: text.FirstLine(err.Error()), todo: "make .smarthole/prompts readable; until then the built-in prompts are used", warn: true}}
	}
	var out []finding
	for _, o := range list {
		f := finding{area: "prompts", text: o.File + " is used instead of the built-in prompt", bare: "one is replaced"}
		if data, err := statefile.Read(vault, o.File, 1<<20); err == nil && o.Problem == "" && !answers.Agreed(o.File, data) {
			continue // checkBrought tells
		}
		if o.Problem != "" {
			f = finding{area: "prompts", text: o.File + " cannot be used", bare: "a replaced one cannot be used", why: o.Problem, todo: "fix it, or remove it; until then the built-in prompt is used", warn: true}
		}
		out = append(out, f)
	}
	return out
}

// checkBrought says what of the vault's own counts.
func checkBrought(cfg *config.Config, dir string, state *os.Root) []finding {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil // the vault's own line tells
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
			area: "trust", warn: true, text: "not used, because you have not agreed to it: " + b.Describe(files), bare: "something is not used, because nobody agreed to it",
			why: "It came with the vault and would steer the agent.", todo: "look at it, and agree or not: chatvault trust",
		})
	}
	return slices.Concat(out, checkInstructions(own, cfg, answers), checkSkills(session.Skills(cfg, own, answers)), checkPrompts(own, answers))
}
