package doctor

import (
	"os"

	"chatvault/agent/prompts"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

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
