package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/internal/base/trust"
	"chatvault/tools/skill"
)

// Trust manages the owner's consent to files of the vault that steer the agent.
type Trust struct {
	sources  config.Sources
	steering *steering
	looked   []trust.File // by the last Look
}

// Look returns the files without consent: a short description, and their contents. Both are empty if there are none.
func (t *Trust) Look(context.Context) (what, whole string, err error) {
	cfg, _ := config.Load(t.sources) // errors are reported at the start
	b, err := LookAtBrought(cfg, t.steering.Vault, t.steering.Answers)
	if err != nil {
		return "", "", err
	}
	t.looked, _ = b.NotAgreed(t.steering.Answers)
	for _, f := range t.looked {
		whole += strings.TrimPrefix(ShownWhole(f), "\n")
	}
	return DescribeWhole(t.looked), whole, nil
}

// Answer records the answer for what Look returned and describes its effect.
func (t *Trust) Answer(agreed bool) (said string, err error) {
	err = t.steering.Answers.Keep(t.looked, agreed)
	if !agreed {
		return "It stays unused, until it changes.", err
	}
	return "Agreed: " + WhenAgreed + "; to undo this: chatvault trust --revoke.", err
}

// WhenAgreed describes when files take effect after consent.
const WhenAgreed = "it takes effect with the next message, settings at the next start"

// Brought is what comes with a vault and steers the agent. It only applies with the owner's consent.
type Brought struct {
	Files []trust.File // instructions, settings that need consent, prompts, commands, skills
	Keys  []string     // of settings without consent
}

// LookAtBrought reads what a vault brings. It returns an error if that exceeds the limits; then nothing of it
// applies.
func LookAtBrought(cfg *config.Config, vault *os.Root, answers *trust.Answers) (Brought, error) {
	if err := answers.Off(); err != nil {
		return Brought{}, err
	}
	budget := trust.NewBudget()
	b := Brought{Keys: text.Of(cfg.Unagreed, func(u config.Unagreed) string { return u.Key })}
	if f, there := trust.Instructions(vault, privateIn(cfg)); there {
		b.Files = append(b.Files, f)
	}
	settings, err := config.VaultFiles(vault.Name())
	if err != nil {
		return b, err
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		b.Files = append(b.Files, trust.File{Name: name, Data: settings[name]})
	}
	files, err := trust.Brought(budget, vault)
	b.Files = append(b.Files, files...)
	for _, s := range skill.In(budget, vault, skill.InVault(), privateIn(cfg)) {
		b.Files = append(b.Files, s.File())
	}
	if budget.Err() != nil {
		return Brought{}, answers.TurnOff(budget.Err())
	}
	return b, err
}

// NotAgreed returns the files without consent, and those among them without any answer.
func (b Brought) NotAgreed(a *trust.Answers) (files, asked []trust.File) {
	for _, f := range b.Files {
		if f.Why != "" || a.Agreed(f.Name, f.Data) {
			continue
		}
		files = append(files, f)
		if !a.Asked(f.Name, f.Data) {
			asked = append(asked, f)
		}
	}
	return files, asked
}

// FileNames returns the names of the first files and the number of the others.
func FileNames(files []trust.File) string {
	return text.Some(text.Of(files, func(f trust.File) string { return terminal.StrictLine(f.Name) }))
}

// DescribeWhole is like FileNames for files shown in full. It adds the number of invisible characters.
func DescribeWhole(files []trust.File) string {
	said := FileNames(files)
	if unseen := terminal.Unseen(text.Of(files, func(f trust.File) string { return f.Name + "\n" + string(f.Data) })...); unseen != "" {
		said += " (" + unseen + ")"
	}
	return said
}

// warnUnused warns about files of the vault that are not used.
func (a *Session) warnUnused(name string) {
	how := "chatvault trust shows them."
	if name == "chat" {
		how = "/trust shows them and asks."
	}
	b, err := LookAtBrought(a.config, a.own, a.steering.Answers)
	if err != nil {
		a.warnings.add(text.Capital(err.Error()) + ".")
	}
	if _, asked := b.NotAgreed(a.steering.Answers); len(asked) > 0 {
		a.warnings.add("This vault brings what is not used until you agree: " + FileNames(asked) + ". " + how)
	}
	for _, f := range a.steering.unreported(b.Files) {
		if f.Why != "" {
			a.warnings.add(unusable(f))
		}
	}
}

// consentToChange records the owner's consent to a settings file of the vault that was changed here, unless it has
// settings without consent.
func consentToChange(answers *trust.Answers, c config.SettingsChange) error {
	switch {
	case !config.NeedsConsent(c.After):
		return nil
	case config.NeedsConsent(c.Before) && !answers.Agreed(trust.Set, c.Before):
		return fmt.Errorf("it is written to %s, whose other settings you have not agreed to, so that it does not count yet: /trust shows them", trust.Set)
	}
	return answers.Keep([]trust.File{{Name: trust.Set, Data: c.After}}, true)
}

// ShownWhole returns a file with its name as a header, marked lines, and nothing hidden.
func ShownWhole(f trust.File) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n── %s (%s)\n", terminal.StrictLine(f.Name), text.Count(len(f.Data), "byte"))
	for line := range strings.Lines(strings.TrimSuffix(terminal.Strict(string(f.Data)), "\n") + "\n") {
		out.WriteString("│ " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return out.String()
}
